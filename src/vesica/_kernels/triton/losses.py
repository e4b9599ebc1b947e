"""Losses of boxes on a CUDA device, row with row: 1 − measure and its gradient in one pass.

The same as array code on the parts of vesica/losses/boxes.py: coordinates are bounded, inverted sides are empty ones at
their middle, and at a kink the slope is that of torch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

from vesica._kernels.tables import Formula
from vesica._kernels.triton.arithmetic import plain_quotient
from vesica._kernels.triton.derivatives import value_and_slopes
from vesica._kernels.triton.formulas import slope
from vesica._kernels.triton.launch import cdiv, in_rows, launch, on_device_of

BLOCK, ALL = 256, 1024
"""Rows in a block; and how many rows one block takes, if they become one number: then no second launch adds it up."""
Twin = Callable[[Any, Any], Any]
HALVES = (torch.float16, torch.bfloat16)
FLOATS = (torch.float32, torch.float64, *HALVES)


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
    OCTAVE: tl.constexpr, MEAN: tl.constexpr, SUMMED: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The losses, or of each block the sum, which for a mean is divided by the number of all rows."""
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

    slope_of_a, slope_of_b = 0.0, 0.0
    if NAME == "ciou":
        slope_of_a, slope_of_b = slope(a3 - a1, a4 - a2), slope(b3 - b1, b4 - b2)
    found, g1, g2, g3, g4, h1, h2, h3, h4 = value_and_slopes(
        NAME, a1, a2, a3, a4, slope_of_a, b1, b2, b3, b4, slope_of_b, 0.0, 0.0, 0.0, False, True
    )  # fmt: skip
    lost = 1 - found
    # Where torch.compile fuses steps, a measure may be a last place above 1.
    lost = tl.where(lost < 0, 0.0, lost).to(found.dtype)
    if SUMMED:
        total = tl.sum(tl.where(i < n, lost, 0.0), axis=0)
        tl.store(out + tl.program_id(0), plain_quotient(total, tl.cast(n, total.dtype)) if MEAN else total)
    else:
        tl.store(out + i, lost, i < n)
    if MEAN:
        unit = plain_quotient(unit, (n + tl.zeros_like(i)).to(unit.dtype))
    if OF_A:
        _store(slope_a, i, n, r1, r2, r3, r4, -g1, -g2, -g3, -g4, unit, LIMIT)
    if OF_B:
        _store(slope_b, i, n, s1, s2, s3, s4, -h1, -h2, -h3, -h4, unit, LIMIT)


class Request(NamedTuple):
    """A launch of the kernel: room for what it makes, and what it is told."""

    out: Any
    slopes: tuple[Any, ...]
    """None where no gradient is asked for."""
    programs: int
    rows: int
    constants: tuple[Any, ...]

    def arrays(self, a: Any, b: Any) -> tuple[Any, ...]:
        """What the kernel takes for sides in rows: whatever is not written need only be there."""
        return (a, b, self.out, *(self.out if one is None else one for one in self.slopes), self.rows)


def request(a: Any, b: Any, name: str, reduction: str, of_a: bool, of_b: bool) -> Request:
    count = a.numel() // 4
    is_summed = reduction != "none" and count > 0
    block = ALL if is_summed and count <= ALL else BLOCK
    programs = cdiv(count, block)
    out = a.new_empty(((programs,) if programs > 1 else ()) if is_summed else a.shape[:-1])
    slopes = tuple(side.new_empty(side.shape) if wanted else None for side, wanted in ((a, of_a), (b, of_b)))
    limit, octave = (2.0**508, 8) if a.dtype == torch.float64 else (2.0**60, 1)
    constants = (name, of_a, of_b, limit, octave, reduction == "mean", is_summed, block)
    return Request(out, slopes, programs, count, constants)


def each(a: Any, b: Any, name: str, reduction: str, of_a: bool, of_b: bool) -> tuple[Any, Any, Any]:
    """The loss of each row, or their sum or mean, and the gradients of it in a and in b, where they are asked for."""
    asked = request(a, b, name, reduction, of_a, of_b)
    if asked.rows:
        with on_device_of(asked.out):
            launch(_loss, asked.programs, asked.arrays(in_rows(a), in_rows(b)), asked.constants)
    return reduced(asked.out, reduction), *asked.slopes


def in_graph(a: Any, b: Any, name: str, reduction: str, of_a: bool, of_b: bool) -> tuple[Any, Any, Any]:
    """The same for a graph of torch.compile, which has the kernel itself as a node, and launches it by itself."""
    asked = request(a, b, name, reduction, of_a, of_b)
    if asked.rows:
        kernel = torch.library.wrap_triton(_loss)
        kernel[(asked.programs,)](*asked.arrays(a.contiguous(), b.contiguous()), *asked.constants)
    return reduced(asked.out, reduction), *asked.slopes


def reduced(out: Any, reduction: str) -> Any:
    """What the kernel has left to be added up: of no rows, all of them; of many, what their blocks have."""
    return out if reduction == "none" or out.ndim == 0 else out.sum()


class _Loss(torch.autograd.Function):
    """The losses, their sum or their mean. Gradients are made with the losses: they cost no second pass."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any, name: str, reduction: str, twin: Twin) -> Any:
        of_a, of_b = ctx.needs_input_grad[:2]
        loss, slope_a, slope_b = each(a, b, name, reduction, of_a, of_b)
        ctx.save_for_backward(a, b, slope_a, slope_b)
        ctx.reduction, ctx.twin = reduction, twin
        return loss

    @staticmethod
    def backward(ctx: Any, grad: Any) -> tuple[Any, ...]:
        a, b, slope_a, slope_b = ctx.saved_tensors
        if torch.is_grad_enabled():  # a derivative of the gradient is wanted: array code has one
            return *derived(ctx.twin, a, b, slope_a is not None, slope_b is not None, grad), None, None, None
        if ctx.reduction == "none":
            grad = grad[..., None]
        first = None if slope_a is None else slope_a * grad
        return first, None if slope_b is None else slope_b * grad, None, None, None


def derived(twin: Twin, a: Any, b: Any, of_a: bool, of_b: bool, grad: Any) -> tuple[Any, Any]:
    """The gradients by array code, which has derivatives of its own, and takes many gradients at once."""
    is_more_wanted = torch.is_grad_enabled()
    with torch.enable_grad():
        if not is_more_wanted:
            a, b = a.detach().requires_grad_(of_a), b.detach().requires_grad_(of_b)
        sides = [side for side, wanted in ((a, of_a), (b, of_b)) if wanted]
        found = iter(torch.autograd.grad(twin(a, b), sides, grad, create_graph=is_more_wanted))
    return next(found) if of_a else None, next(found) if of_b else None


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
