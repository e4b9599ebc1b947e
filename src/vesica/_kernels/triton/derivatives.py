"""The formulas once more, with their derivatives: how a measure changes with each corner of two boxes.

At a kink the slope is that of torch: half of each at a tie, and that of the inside where a side is 0.
"""

from __future__ import annotations

import triton
import triton.language as tl

from vesica._kernels.triton.arithmetic import greater, lesser, plain_quotient, positive
from vesica._kernels.triton.formulas import FOUR_OVER_PI2


@triton.jit
def _over(num, den, empty, EXACT: tl.constexpr):
    """num / den, and `empty` where den is 0. Unless it must be exact, float32 may be off by two last places."""
    is_none = den == 0
    under = tl.where(is_none, 1.0, den).to(den.dtype)
    return tl.where(is_none, empty, plain_quotient(num, under) if EXACT else num / under).to(den.dtype)


@triton.jit
def _share(num, den):
    return _over(num, den, 0.0, False)


@triton.jit
def _lower(x, y):
    """The slope of min(x, y) in x: half at a tie."""
    return tl.where(x < y, 1.0, tl.where(x == y, 0.5, 0.0)).to(x.dtype)


@triton.jit
def value_and_slopes(
    NAME: tl.constexpr, a1, a2, a3, a4, slope_a, b1, b2, b3, b4, slope_b, empty, alpha, beta, OF_B: tl.constexpr,
    EXACT: tl.constexpr,
):  # fmt: skip
    """The measure of boxes a1, a2, a3, a4 = x1, y1, x2, y2 with boxes b1, b2, b3, b4, and its slope in each of them.

    What the caller does not use is not computed. `EXACT`: the measure is used.
    """
    side_wa, side_ha, side_wb, side_hb = a3 - a1, a4 - a2, b3 - b1, b4 - b2
    wa, ha, wb, hb = positive(side_wa), positive(side_ha), positive(side_wb), positive(side_hb)
    gap_w, gap_h = lesser(a3, b3) - greater(a1, b1), lesser(a4, b4) - greater(a2, b2)
    iw, ih = positive(gap_w), positive(gap_h)
    inter, area_a, area_b = iw * ih, wa * ha, wb * hb
    zero = tl.zeros_like(inter)
    d_hull_w, d_hull_h, d_x, d_y, d_wa, d_ha, d_wb, d_hb = zero, zero, zero, zero, zero, zero, zero, zero

    # What each measure says of the areas.
    if NAME == "dice":
        found = _over(inter + inter, area_a + area_b, empty, EXACT)
        d_inter = _share(2.0 + zero, area_a + area_b)
        d_area_a = -_share(found, area_a + area_b)
        d_area_b = d_area_a
    elif NAME == "coverage":
        of = (area_b if OF_B else area_a) + zero
        found = _over(inter, of, empty, EXACT)
        d_inter, d_of = _share(1.0 + zero, of), -_share(found, of)
        d_area_a, d_area_b = zero if OF_B else d_of, d_of if OF_B else zero
    elif NAME == "overlap":
        least = lesser(area_a, area_b)
        found = _over(inter, least, empty, EXACT)
        d_inter, d_least = _share(1.0 + zero, least), -_share(found, least)
        of_a = _lower(area_a + zero, area_b + zero)
        d_area_a, d_area_b = d_least * of_a, d_least * (1 - of_a)
    elif NAME == "tversky":
        den = inter + alpha * (area_a - inter) + beta * (area_b - inter)
        found = _over(inter, den, empty, EXACT)
        d_den = -_share(found, den)
        d_inter = _share(1.0 + zero, den) + d_den * (1 - alpha - beta)
        d_area_a, d_area_b = d_den * alpha, d_den * beta
    else:
        union = area_a + area_b - inter
        found = _over(inter, union, empty, EXACT)
        d_union = -_share(found, union)
        d_inter = _share(1.0 + zero, union)
        if NAME != "iou" and NAME != "distance":
            w, h = greater(a3, b3) - lesser(a1, b1), greater(a4, b4) - lesser(a2, b2)
            if NAME == "giou":
                hull = w * h
                rest = hull - union
                wasted = _over(positive(rest), hull, 0.0, EXACT)
                found = found - wasted
                d_rest = tl.where(rest >= 0, -_share(1.0 + zero, hull), 0.0)
                d_hull = d_rest + _share(wasted, hull)
                d_union -= d_rest
                d_hull_w, d_hull_h = d_hull * h, d_hull * w
            else:
                x, y = (a1 + a3) - (b1 + b3), (a2 + a4) - (b2 + b4)
                diagonal = w * w + h * h
                apart = _over((x * x + y * y) * 0.25, diagonal, 0.0, EXACT)
                shared = found
                found = shared - apart
                per = _share(1.0 + zero, diagonal)
                d_x, d_y = -0.5 * per * x, -0.5 * per * y
                d_hull_w, d_hull_h = 2 * apart * per * w, 2 * apart * per * h
                if NAME == "ciou":
                    turn = slope_a - slope_b
                    v = FOUR_OVER_PI2 * (turn * turn)
                    k = _over(v, 1 - shared + v, 0.0, EXACT)  # a constant, as the authors have it
                    found = found - k * v
                    d_turn = -k * (2 * FOUR_OVER_PI2) * turn
                    per_a, per_b = _share(1.0 + 0 * wa, wa * wa + ha * ha), _share(1.0 + 0 * wb, wb * wb + hb * hb)
                    d_wa, d_ha, d_wb, d_hb = (
                        d_turn * (per_a * ha), -d_turn * (per_a * wa), -d_turn * (per_b * hb), d_turn * (per_b * wb)
                    )  # fmt: skip
                elif NAME == "eiou":
                    over, up = wa - wb, ha - hb
                    far_w, far_h = _over(over * over, w * w, 0.0, EXACT), _over(up * up, h * h, 0.0, EXACT)
                    found = found - far_w - far_h
                    d_over, d_up = -2 * _share(over, w * w), -2 * _share(up, h * h)
                    d_wa, d_wb, d_ha, d_hb = d_over, -d_over, d_up, -d_up
                    d_hull_w += 2 * _share(far_w, w)
                    d_hull_h += 2 * _share(far_h, h)
        d_inter -= d_union
        d_area_a, d_area_b = d_union, d_union
        if NAME == "distance":
            found = 1 - found
            d_inter, d_area_a, d_area_b = -d_inter, -d_area_a, -d_area_b

    # From parts to corners.
    d_iw, d_ih = tl.where(gap_w >= 0, d_inter * ih, 0.0), tl.where(gap_h >= 0, d_inter * iw, 0.0)
    first, above = 1 - _lower(a1 + zero, b1 + zero), 1 - _lower(a2 + zero, b2 + zero)  # of the larger of two
    last, below = _lower(a3 + zero, b3 + zero), _lower(a4 + zero, b4 + zero)
    of_wa = tl.where(side_wa >= 0, d_area_a * ha + d_wa, 0.0)
    of_ha = tl.where(side_ha >= 0, d_area_a * wa + d_ha, 0.0)
    of_wb = tl.where(side_wb >= 0, d_area_b * hb + d_wb, 0.0)
    of_hb = tl.where(side_hb >= 0, d_area_b * wb + d_hb, 0.0)
    return (
        found,
        -of_wa - d_iw * first - d_hull_w * (1 - first) + d_x,
        -of_ha - d_ih * above - d_hull_h * (1 - above) + d_y,
        of_wa + d_iw * last + d_hull_w * (1 - last) + d_x,
        of_ha + d_ih * below + d_hull_h * (1 - below) + d_y,
        -of_wb - d_iw * (1 - first) - d_hull_w * first - d_x,
        -of_hb - d_ih * (1 - above) - d_hull_h * above - d_y,
        of_wb + d_iw * (1 - last) + d_hull_w * last - d_x,
        of_hb + d_ih * (1 - below) + d_hull_h * below - d_y,
    )
