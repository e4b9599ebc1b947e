"""Losses of boxes on a CUDA device, row with row: 1 − measure and its gradient in one pass.

The same as array code on the parts of vesica/losses/boxes.py: coordinates are bounded, inverted sides are empty ones at
their middle, and at a kink the slope is that of torch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl

from vesica._kernels.tables import Formula
from vesica._kernels.triton.arithmetic import plain_quotient
from vesica._kernels.triton.formulas import FOUR_OVER_PI2, slope
from vesica._kernels.triton.launch import in_rows, launch, on_device_of

BLOCK = 256
Twin = Callable[[Any, Any], Any]
HALVES = (torch.float16, torch.bfloat16)
FLOATS = (torch.float32, torch.float64, *HALVES)


@triton.jit
def _over(num, den):
    """num / den, and 0 where den is 0."""
    return tl.where(den == 0, 0.0, plain_quotient(num, tl.where(den == 0, 1.0, den).to(den.dtype)))


@triton.jit
def _lower(x, y):
    """The slope of min(x, y) in x: half at a tie."""
    return tl.where(x < y, 1.0, tl.where(x == y, 0.5, 0.0))


@triton.jit
def _least(x, y):
    return tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def _most(x, y):
    return tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def _bounded(x, unit, LIMIT: tl.constexpr, TINY: tl.constexpr):
    x = tl.where(x > LIMIT, LIMIT, tl.where(x < -LIMIT, -LIMIT, x)).to(x.dtype) * unit
    return tl.where(tl.abs(x) < TINY, 0.0, x).to(x.dtype)


@triton.jit
def _upright(low, high):
    is_inverted = high < low
    middle = (low + high) / 2
    return tl.where(is_inverted, middle, low), tl.where(is_inverted, middle, high)


@triton.jit
def _largest(x1, y1, x2, y2):
    return tl.maximum(tl.maximum(tl.abs(x1), tl.abs(y1)), tl.maximum(tl.abs(x2), tl.abs(y2)))


@triton.jit
def _side(at, i, n):
    x1, y1 = tl.load(at + i * 4, i < n, other=0), tl.load(at + i * 4 + 1, i < n, other=0)
    return x1, y1, tl.load(at + i * 4 + 2, i < n, other=1), tl.load(at + i * 4 + 3, i < n, other=1)


@triton.jit
def _store(at, i, n, raw1, raw2, raw3, raw4, d1, d2, d3, d4, unit, LIMIT: tl.constexpr):
    """The gradient in the coordinates that came, of which `unit` are one: those beyond the limit do not move."""
    tl.store(at + i * 4, tl.where(tl.abs(raw1) > LIMIT, 0.0, d1 * unit), i < n)
    tl.store(at + i * 4 + 1, tl.where(tl.abs(raw2) > LIMIT, 0.0, d2 * unit), i < n)
    tl.store(at + i * 4 + 2, tl.where(tl.abs(raw3) > LIMIT, 0.0, d3 * unit), i < n)
    tl.store(at + i * 4 + 3, tl.where(tl.abs(raw4) > LIMIT, 0.0, d4 * unit), i < n)


@triton.jit(do_not_specialize=["n"])
def _loss(
    a, b, out, slope_a, slope_b, n, NAME: tl.constexpr, OF_A: tl.constexpr, OF_B: tl.constexpr, LIMIT: tl.constexpr,
    OCTAVE: tl.constexpr, MEAN: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    r1, r2, r3, r4 = _side(a, i, n)
    s1, s2, s3, s4 = _side(b, i, n)
    size = tl.minimum(tl.maximum(_largest(r1, r2, r3, r4), _largest(s1, s2, s3, s4)), LIMIT)
    is_small = (size < 2.0 ** (-8 * OCTAVE)) & (size > 2.0 ** (-72 * OCTAVE))
    unit = tl.where(is_small, 2.0 ** (64 * OCTAVE), 1.0).to(r1.dtype)
    TINY: tl.constexpr = 2.0 ** (-36 * OCTAVE)
    a1, a3 = _upright(_bounded(r1, unit, LIMIT, TINY), _bounded(r3, unit, LIMIT, TINY))
    a2, a4 = _upright(_bounded(r2, unit, LIMIT, TINY), _bounded(r4, unit, LIMIT, TINY))
    b1, b3 = _upright(_bounded(s1, unit, LIMIT, TINY), _bounded(s3, unit, LIMIT, TINY))
    b2, b4 = _upright(_bounded(s2, unit, LIMIT, TINY), _bounded(s4, unit, LIMIT, TINY))

    # Forward. Sides are not negative: that is what upright means.
    wa, ha, wb, hb = a3 - a1, a4 - a2, b3 - b1, b4 - b2
    gap_w, gap_h = _least(a3, b3) - _most(a1, b1), _least(a4, b4) - _most(a2, b2)
    iw, ih = _most(gap_w, 0), _most(gap_h, 0)
    inter = iw * ih
    union = wa * ha + wb * hb - inter
    shared = _over(inter, union)
    found = shared
    # Backward, from a slope of the loss of −1 in the measure.
    d_inter, d_union = _over(1.0 + tl.zeros_like(inter), union), -_over(shared, union)
    d_hull_w, d_hull_h = tl.zeros_like(inter), tl.zeros_like(inter)
    d_x, d_y = tl.zeros_like(inter), tl.zeros_like(inter)
    d_wa, d_ha, d_wb, d_hb = d_x, d_x, d_x, d_x
    if NAME != "iou":
        w, h = _most(a3, b3) - _least(a1, b1), _most(a4, b4) - _least(a2, b2)
        if NAME == "giou":
            hull = w * h
            rest = hull - union
            wasted = _over(_most(rest, 0), hull)
            found = shared - wasted
            d_rest = tl.where(rest >= 0, -_over(1.0 + tl.zeros_like(hull), hull), 0.0)
            d_hull = d_rest + _over(wasted, hull)
            d_union -= d_rest
            d_hull_w, d_hull_h = d_hull * h, d_hull * w
        else:
            x, y = (a1 + a3) - (b1 + b3), (a2 + a4) - (b2 + b4)
            diagonal = w * w + h * h
            apart = _over((x * x + y * y) / 4, diagonal)
            found = shared - apart
            per = _over(1.0 + tl.zeros_like(diagonal), diagonal)
            d_x, d_y = -per * x / 2, -per * y / 2
            d_hull_w, d_hull_h = 2 * apart * per * w, 2 * apart * per * h
            if NAME == "ciou":
                turn = slope(wa, ha) - slope(wb, hb)
                v = FOUR_OVER_PI2 * (turn * turn)
                k = _over(v, 1 - shared + v)
                found = found - k * v
                d_turn = -k * (2 * FOUR_OVER_PI2) * turn
                per_a, per_b = _over(d_turn, wa * wa + ha * ha), _over(d_turn, wb * wb + hb * hb)
                d_wa, d_ha, d_wb, d_hb = per_a * ha, -per_a * wa, -per_b * hb, per_b * wb
            elif NAME == "eiou":
                over, up = wa - wb, ha - hb
                far_w, far_h = _over(over * over, w * w), _over(up * up, h * h)
                found = found - far_w - far_h
                d_over, d_up = -2 * _over(over, w * w), -2 * _over(up, h * h)
                d_wa, d_wb, d_ha, d_hb = d_over, -d_over, d_up, -d_up
                d_hull_w += 2 * _over(far_w, w)
                d_hull_h += 2 * _over(far_h, h)
    tl.store(out + i, 1 - found, i < n)

    if OF_A or OF_B:
        if MEAN:
            unit = plain_quotient(unit, (n + tl.zeros_like(i)).to(unit.dtype))
        d_inter -= d_union
        d_iw, d_ih = tl.where(gap_w >= 0, d_inter * ih, 0.0), tl.where(gap_h >= 0, d_inter * iw, 0.0)
        first, above = 1 - _lower(a1, b1), 1 - _lower(a2, b2)  # slopes of max(a1, b1) and max(a2, b2)
        last, below = _lower(a3, b3), _lower(a4, b4)
        if OF_A:
            g_w, g_h = d_union * ha + d_wa, d_union * wa + d_ha
            g1 = -g_w - d_iw * first - d_hull_w * (1 - first) + d_x
            g2 = -g_h - d_ih * above - d_hull_h * (1 - above) + d_y
            g3 = g_w + d_iw * last + d_hull_w * (1 - last) + d_x
            g4 = g_h + d_ih * below + d_hull_h * (1 - below) + d_y
            _store(slope_a, i, n, r1, r2, r3, r4, -g1, -g2, -g3, -g4, unit, LIMIT)
        if OF_B:
            g_w, g_h = d_union * hb + d_wb, d_union * wb + d_hb
            g1 = -g_w - d_iw * (1 - first) - d_hull_w * first - d_x
            g2 = -g_h - d_ih * (1 - above) - d_hull_h * above - d_y
            g3 = g_w + d_iw * (1 - last) + d_hull_w * last - d_x
            g4 = g_h + d_ih * (1 - below) + d_hull_h * below - d_y
            _store(slope_b, i, n, s1, s2, s3, s4, -g1, -g2, -g3, -g4, unit, LIMIT)


def each(a: Any, b: Any, name: str, of_a: bool, of_b: bool, mean: bool) -> tuple[Any, Any, Any]:
    """The loss of each row, and the gradients of it or of the mean in a and in b, where they are asked for."""
    rows_a, rows_b = in_rows(a), in_rows(b)
    out = torch.empty(a.shape[:-1], dtype=a.dtype, device=a.device)
    slope_a, slope_b = (torch.empty_like(rows) if wanted else out for rows, wanted in ((rows_a, of_a), (rows_b, of_b)))
    limit, octave = (2.0**508, 8) if a.dtype == torch.float64 else (2.0**60, 1)
    count = out.numel()
    if count:
        with on_device_of(out):
            launch(
                _loss,
                triton.cdiv(count, BLOCK),
                (rows_a, rows_b, out, slope_a, slope_b, count),
                (name, of_a, of_b, limit, octave, mean, BLOCK),
            )
    return out, slope_a, slope_b


class _Loss(torch.autograd.Function):
    """The losses, their sum or their mean. Gradients are made with the losses: they cost no second pass."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any, name: str, reduction: str, twin: Twin) -> Any:
        of_a, of_b = ctx.needs_input_grad[:2]
        loss, slope_a, slope_b = each(a, b, name, of_a, of_b, reduction == "mean")
        ctx.save_for_backward(a, b, slope_a if of_a else None, slope_b if of_b else None)
        ctx.reduction, ctx.twin = reduction, twin
        return _reduced(loss, reduction)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> tuple[Any, ...]:
        a, b, *slopes = ctx.saved_tensors
        if torch.is_grad_enabled():  # a derivative of the gradient is wanted: array code has one
            sides = [side for side, slope in zip((a, b), slopes, strict=True) if slope is not None]
            found = iter(torch.autograd.grad(ctx.twin(a, b), sides, grad, create_graph=True))
            return *(None if slope is None else next(found) for slope in slopes), None, None, None
        if ctx.reduction == "none":
            grad = grad[..., None]
        return *(None if slope is None else slope * grad for slope in slopes), None, None, None


def _reduced(loss: Any, reduction: str) -> Any:
    if reduction == "none":
        return loss
    return loss.sum() if reduction == "sum" or not loss.numel() else loss.mean()


def loss(a: Any, b: Any, name: str, reduction: str, twin: Twin) -> Any:
    """1 − measure of rows of one shape and dtype, float32 or float64; `twin` is the same in array code."""
    return _Loss.apply(a, b, name, reduction, twin)


def lane(formula: Formula) -> Callable[[Any, Any, Any], Any]:
    """The entry for two tables of floats: it takes guess, truth, and (reduction, twin)."""
    name = formula.name

    def entry(guess: Any, truth: Any, told: tuple[str, Twin]) -> Any:
        if guess.dtype not in FLOATS or truth.dtype != guess.dtype or guess.device != truth.device:
            return None
        if guess.ndim < 2 or guess.shape[-1] != 4 or guess.shape != truth.shape:
            return None
        if guess.dtype in HALVES:  # the answer is float32, and the gradient is narrowed again by torch
            guess, truth = guess.float(), truth.float()
        return _Loss.apply(guess, truth, name, *told)

    return entry
