"""The formulas of vesica/overlaps/measures.py, by the same names, on the corners of two boxes.

Each works on tensors of any shapes that broadcast: rows against columns, or row with row. A name is known when a
kernel is compiled, and what its formula does not use is not computed.
"""

from __future__ import annotations

import triton
import triton.language as tl

from vesica._kernels.triton.arithmetic import (
    close_quotient,
    gap,
    greater,
    less_share,
    lesser,
    plain_quotient,
    positive,
    quotient,
    ratio,
    real,
)

NAMES = ("iou", "distance", "dice", "coverage", "overlap", "tversky", "giou", "diou", "ciou", "eiou")

FOUR_OVER_PI2 = tl.constexpr(0.40528473456935108577551785283891)
TWO_OVER_PI = tl.constexpr(0.63661977236758134307553505349006)
HALF_PI = tl.constexpr(1.5707963267948966192313216916398)


@triton.jit
def slope(w, h):
    """atan2(w, h) of sides that are not negative; a point has 0. Off by a few last places.

    The angle of the smaller over the larger side is halved twice, to where a short series is enough.
    """
    w, h = real(w), real(h)
    low, high = lesser(w, h), greater(w, h)
    t = plain_quotient(low, tl.where(high == 0, 1.0, high).to(high.dtype))
    t = t / (1.0 + tl.sqrt(1.0 + t * t))
    t = t / (1.0 + tl.sqrt(1.0 + t * t))
    z = t * t
    series = 1.0 / 21 - z / 23
    for k in tl.static_range(9, -1, -1):
        series = 1.0 / (2 * k + 1) - z * series
    angle = 4.0 * (t * series)
    return tl.where(w > h, HALF_PI - angle, angle).to(w.dtype)


@triton.jit
def of_areas(NAME: tl.constexpr, inter, area_a, area_b, empty, alpha, beta, OF_B: tl.constexpr):
    """A measure that needs no hull, of the shared area and the areas, as a float; iou for those that need one."""
    if NAME == "dice":
        return ratio(inter + inter, area_a + area_b, empty)
    elif NAME == "coverage":
        # The sum with 0 gives it the shape of all pairs.
        return ratio(inter, (area_b if OF_B else area_a) + tl.zeros_like(inter), empty)
    elif NAME == "overlap":
        return ratio(inter, lesser(area_a, area_b), empty)
    elif NAME == "tversky":
        only_a, only_b = real(area_a - inter), real(area_b - inter)
        return ratio(real(inter), real(inter) + alpha * only_a + beta * only_b, empty)
    elif NAME == "distance":
        return 1 - ratio(inter, area_a + area_b - inter, empty)
    else:
        return ratio(inter, area_a + area_b - inter, empty)


@triton.jit
def value(
    NAME: tl.constexpr, a1, a2, a3, a4, slope_a, b1, b2, b3, b4, slope_b, empty, alpha, beta, OF_B: tl.constexpr,
):  # fmt: skip
    """The measure of boxes a1, a2, a3, a4 = x1, y1, x2, y2 with boxes b1, b2, b3, b4, as a float."""
    w_a, h_a, w_b, h_b = positive(a3 - a1), positive(a4 - a2), positive(b3 - b1), positive(b4 - b2)
    area_a, area_b = w_a * h_a, w_b * h_b
    inter = positive(lesser(a3, b3) - greater(a1, b1)) * positive(lesser(a4, b4) - greater(a2, b2))
    shared = of_areas(NAME, inter, area_a, area_b, empty, alpha, beta, OF_B)
    if (NAME != "giou" and NAME != "diou") and (NAME != "ciou" and NAME != "eiou"):
        return shared
    union = area_a + area_b - inter
    hull_w, hull_h = greater(a3, b3) - lesser(a1, b1), greater(a4, b4) - lesser(a2, b2)
    nothing = empty * 0
    if NAME == "giou":
        hull = hull_w * hull_h
        return shared - ratio(positive(hull - union), hull, nothing)
    dx, dy = real((a1 + a3) - (b1 + b3)), real((a2 + a4) - (b2 + b4))
    w, h = real(hull_w), real(hull_h)
    apart = ratio((dx * dx + dy * dy) / 4, w * w + h * h, nothing)
    if NAME == "diou":
        return shared - apart
    elif NAME == "ciou":
        turn = slope_a - slope_b
        v = FOUR_OVER_PI2 * (turn * turn)
        return shared - apart - ratio(v, 1 - shared + v, nothing) * v
    else:
        over, up = real(w_a - w_b), real(h_a - h_b)
        return shared - apart - ratio(over * over, w * w, nothing) - ratio(up * up, h * h, nothing)


@triton.jit
def tame_value(
    NAME: tl.constexpr, a1, a2, a3, a4, slope_a, b1, b2, b3, b4, slope_b, OF_B: tl.constexpr,
):  # fmt: skip
    """The same bits as `value` (for ciou, but the last few), for float32 boxes that `are_tame`, in their unit; but not
    for tversky.

    A unit that is a power of two changes no bit. What is known of one side alone is left to the compiler to take out of
    the loop.
    """
    w_a, h_a, w_b, h_b = a3 - a1, a4 - a2, b3 - b1, b4 - b2
    area_a, area_b = w_a * h_a, w_b * h_b
    inter = gap(tl.minimum(a3, b3), tl.maximum(a1, b1)) * gap(tl.minimum(a4, b4), tl.maximum(a2, b2))
    if NAME == "dice":
        return quotient(inter, 0.5 * area_a + 0.5 * area_b)
    elif NAME == "coverage":
        return quotient(inter, (area_b if OF_B else area_a) + tl.zeros_like(inter))
    elif NAME == "overlap":
        return quotient(inter, tl.minimum(area_a, area_b))
    union = (area_a + area_b) - inter
    if NAME == "iou":
        return quotient(inter, union)
    elif NAME == "distance":
        return 1 - quotient(inter, union)
    w, h = tl.maximum(a3, b3) - tl.minimum(a1, b1), tl.maximum(a4, b4) - tl.minimum(a2, b2)
    if NAME == "giou":
        hull = w * h
        return quotient(inter, union) - quotient(gap(hull, union), hull)
    if NAME == "ciou" or NAME == "diou":
        # Two last places of 1 are not known: of ciou because of its arc tangents, of diou because that takes a fifth
        # of its steps less.
        shared = quotient(inter, union) if NAME == "diou" else close_quotient(inter, union)
        dx, dy = 0.5 * (a1 + a3) - 0.5 * (b1 + b3), 0.5 * (a2 + a4) - 0.5 * (b2 + b4)
        near = less_share(shared, tl.fma(dx, dx, dy * dy), tl.fma(w, w, h * h))
        if NAME == "diou":
            return near
        turn = slope_a * TWO_OVER_PI - slope_b * TWO_OVER_PI
        v = tl.fma(turn, turn, 2.0**-60)  # never 0, so 0 / 0 is none; beside a measure it is nothing
        return less_share(near, v * v, (1 - shared) + v)
    dx, dy = (a1 + a3) - (b1 + b3), (a2 + a4) - (b2 + b4)
    ww, hh = w * w, h * h
    near = tl.fma(quotient(dx * dx + dy * dy, ww + hh), -0.25, quotient(inter, union))
    over, up = w_a - w_b, h_a - h_b
    return near - quotient(over * over, ww) - quotient(up * up, hh)
