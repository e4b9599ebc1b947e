"""Measures of boxes that learn, on a CUDA device: their gradients in one pass for each side, and no matrix beside them.

Each program adds up what its boxes learn from some of their partners, always in the same order, so that a gradient has
the same bits every time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl

from vesica._kernels.generic import measure as generic
from vesica._kernels.tables import Formula, Tables
from vesica._kernels.triton.arithmetic import from_bits, positive
from vesica._kernels.triton.derivatives import value_and_slopes
from vesica._kernels.triton.formulas import slope
from vesica._kernels.triton.launch import Told, cdiv, in_rows, launch, on_device_of, told_of
from vesica._kernels.triton.losses import derived
from vesica._kernels.triton.measure import corners, slopes_of
from vesica._kernels.triton.measure import measure as plain_measure

ROWS, COLUMNS = 8, 64
"""Of a tile of the matrix."""
ENOUGH = 2048
"""Programs that keep a device busy."""
BLOCK = 256
FLOATS = (torch.float32, torch.float64)


@triton.jit(
    do_not_specialize=["n", "m", "shares", "chunk", "images", "across", "down", "over", "empty", "alpha", "beta"]
)
def _learnt(
    a, b, slopes_a, slopes_b, grad, out, n, m, shares, chunk, images, across, down, over, empty, alpha, beta,
    NAME: tl.constexpr, OF_B: tl.constexpr, FOR_B: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """What the boxes of a learn from some tiles of columns, or those of b from some tiles of rows.

    `across`, `down` and `over` are steps in `grad`: to the next column, row and image.
    """
    HELD: tl.constexpr = COLUMNS if FOR_B else ROWS
    STEP: tl.constexpr = ROWS if FOR_B else COLUMNS
    held, others = (m, n) if FOR_B else (n, m)
    blocks = tl.cdiv(held, HELD)
    program = tl.program_id(0)
    block, share = program % blocks * HELD, program // blocks % shares
    image = (program // (blocks * shares)).to(tl.int64)
    a, b, grad = a + image * n * 4, b + image * m * 4, grad + image * over
    slopes_a, slopes_b = slopes_a + image * n, slopes_b + image * m
    mine = block + tl.arange(0, HELD)
    zero = tl.zeros([ROWS, COLUMNS], a.dtype.element_ty)
    nothing, weight_a, weight_b = from_bits(empty, zero), from_bits(alpha, zero), from_bits(beta, zero)
    sum1, sum2, sum3, sum4 = zero, zero, zero, zero
    for first in range(share * chunk, tl.minimum((share + 1) * chunk, others), STEP):
        partner = first + tl.arange(0, STEP)
        i, j = (partner, mine) if FOR_B else (mine, partner)
        a1, a2, a3, a4 = corners(a, i, i < n)
        b1, b2, b3, b4 = corners(b, j, j < m)
        slope_a, slope_b = a1[:, None], b1[None, :]  # used by ciou alone
        if NAME == "ciou":
            slope_a = tl.load(slopes_a + i, i < n, other=0)[:, None]
            slope_b = tl.load(slopes_b + j, j < m, other=0)[None, :]
        is_there = (i < n)[:, None] & (j < m)[None, :]
        at = i.to(tl.int64)[:, None] * down + j.to(tl.int64)[None, :] * across
        weight = tl.load(grad + at, is_there, other=0)
        _, g1, g2, g3, g4, h1, h2, h3, h4 = value_and_slopes(
            NAME, a1[:, None], a2[:, None], a3[:, None], a4[:, None], slope_a, b1[None, :], b2[None, :], b3[None, :],
            b4[None, :], slope_b, nothing, weight_a, weight_b, OF_B, False,
        )  # fmt: skip
        if FOR_B:
            g1, g2, g3, g4 = h1, h2, h3, h4
        sum1 += tl.where(is_there, weight * g1, 0.0)
        sum2 += tl.where(is_there, weight * g2, 0.0)
        sum3 += tl.where(is_there, weight * g3, 0.0)
        sum4 += tl.where(is_there, weight * g4, 0.0)
    AXIS: tl.constexpr = 0 if FOR_B else 1
    at = out + ((share * images + image) * held + mine) * 4
    tl.store(at, tl.sum(sum1, axis=AXIS), mine < held)
    tl.store(at + 1, tl.sum(sum2, axis=AXIS), mine < held)
    tl.store(at + 2, tl.sum(sum3, axis=AXIS), mine < held)
    tl.store(at + 3, tl.sum(sum4, axis=AXIS), mine < held)


@triton.jit(do_not_specialize=["n", "step", "empty", "alpha", "beta"])
def _learnt_aligned(
    a, b, grad, out_a, out_b, n, step, empty, alpha, beta, NAME: tl.constexpr, OF_B: tl.constexpr,
    FOR_A: tl.constexpr, FOR_B: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Row with row: `step` is that from number to number of `grad`."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    a1, a2, a3, a4 = corners(a, i, i < n)
    b1, b2, b3, b4 = corners(b, i, i < n)
    slope_a, slope_b = a1, b1
    if NAME == "ciou":
        slope_a = slope(positive(a3 - a1), positive(a4 - a2))
        slope_b = slope(positive(b3 - b1), positive(b4 - b2))
    weight = tl.load(grad + i * step, i < n, other=0)
    _, g1, g2, g3, g4, h1, h2, h3, h4 = value_and_slopes(
        NAME, a1, a2, a3, a4, slope_a, b1, b2, b3, b4, slope_b, from_bits(empty, a1), from_bits(alpha, a1),
        from_bits(beta, a1), OF_B, False,
    )  # fmt: skip
    if FOR_A:
        _put(out_a + i * 4, weight * g1, weight * g2, weight * g3, weight * g4, i < n)
    if FOR_B:
        _put(out_b + i * 4, weight * h1, weight * h2, weight * h3, weight * h4, i < n)


@triton.jit
def _put(at, g1, g2, g3, g4, mask):
    tl.store(at, g1, mask)
    tl.store(at + 1, g2, mask)
    tl.store(at + 2, g3, mask)
    tl.store(at + 3, g4, mask)


class _Measure(torch.autograd.Function):
    """The measure; both sides have all leading axes."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any, formula: Formula, aligned: bool) -> Any:
        ctx.save_for_backward(a, b)
        ctx.formula, ctx.aligned = formula, aligned
        return plain_measure(_tables(a, b), formula, aligned=aligned, threads=None)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> tuple[Any, ...]:
        a, b = ctx.saved_tensors
        of_a, of_b = ctx.needs_input_grad[:2]
        if torch.is_grad_enabled() or _are_many(grad):  # a derivative of the gradient is wanted, or many gradients
            return *derived(_twin(ctx.formula, ctx.aligned), a, b, of_a, of_b, grad), None, None
        return *gradients(a, b, grad, told_of(ctx.formula), ctx.aligned, of_a, of_b), None, None


def _are_many(grad: Any) -> bool:
    """Is it a batch of gradients, of `is_grads_batched` or a vectorised Jacobian?"""
    functorch = torch._C._functorch
    return bool(functorch.is_legacy_batchedtensor(grad) or functorch.is_batchedtensor(grad))


def _tables(a: Any, b: Any) -> Tables:
    dtype = str(a.dtype).rpartition(".")[2]
    return Tables("boxes", a, b, dtype, int(a.shape[-2]), int(b.shape[-2]), a)


def _twin(formula: Formula, aligned: bool) -> Callable[[Any, Any], Any]:
    return lambda a, b: generic.measure(_tables(a, b), formula, aligned=aligned, threads=None)


def gradients(
    a: Any, b: Any, grad: Any, told: Told, aligned: bool, of_a: bool, of_b: bool
) -> tuple[Any, Any]:  # fmt: skip
    """What a and b learn from a gradient of their measure, where they are asked for."""
    rows_a, rows_b = in_rows(a), in_rows(b)
    if not grad.numel():
        return torch.zeros_like(rows_a) if of_a else None, torch.zeros_like(rows_b) if of_b else None
    with on_device_of(grad):
        if aligned:
            return _of_rows(rows_a, rows_b, grad, told, of_a, of_b)
        slopes = slopes_of(rows_a, rows_b) if told.name == "ciou" else (rows_a, rows_b)
        first, second = (
            _of_pairs(rows_a, rows_b, *slopes, grad, told, side) if wanted else None
            for side, wanted in enumerate((of_a, of_b))
        )
        return first, second


def _of_rows(a: Any, b: Any, grad: Any, told: Told, of_a: bool, of_b: bool) -> tuple[Any, Any]:
    grad = grad.reshape(-1)
    count, step = grad.numel(), grad.stride(0)
    first, second = torch.empty_like(a) if of_a else None, torch.empty_like(b) if of_b else None
    launch(
        _learnt_aligned,
        cdiv(count, BLOCK),
        (a, b, grad, a if first is None else first, b if second is None else second, count, step, *told.numbers),
        (told.name, told.of_b, of_a, of_b, BLOCK),
    )
    return first, second


def _of_pairs(a: Any, b: Any, slopes_a: Any, slopes_b: Any, grad: Any, told: Told, side: int) -> Any:
    n, m = a.shape[-2], b.shape[-2]
    grad = grad.reshape(-1, n, m)  # of a sum it is one number that stands everywhere: no copy is made
    images = grad.shape[0]
    held, others, size, step = (m, n, COLUMNS, ROWS) if side else (n, m, ROWS, COLUMNS)
    blocks, tiles = images * cdiv(held, size), cdiv(others, step)
    each = cdiv(tiles, max(1, min(tiles, ENOUGH // blocks)))
    shares = cdiv(tiles, each)
    out = torch.empty((shares, *(b if side else a).shape), dtype=a.dtype, device=a.device)
    over, down, across = grad.stride()
    launch(
        _learnt,
        blocks * shares,
        (
            *(a, b, slopes_a, slopes_b, grad, out, n, m, shares, each * step, images, across, down, over),
            *told.numbers,
        ),
        (told.name, told.of_b, bool(side), ROWS, COLUMNS),
    )
    return out[0] if shares == 1 else out.sum(dim=0)


def with_all_axes(a: Any, b: Any) -> tuple[Any, Any]:
    """Both sides with the leading axes of both."""
    if a.ndim == b.ndim == 2:
        return a, b
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return a.expand(*batch, *a.shape[-2:]), b.expand(*batch, *b.shape[-2:])


def measure(tables: Tables, formula: Formula, *, aligned: bool, threads: int | None) -> Any:
    """The measure of every pair, or of aligned rows, with its gradient; array code where there is no kernel for it."""
    a, b = tables.a, tables.b
    if a.dtype not in FLOATS or b.dtype != a.dtype or torch.autograd.forward_ad._current_level >= 0:
        return generic.measure(tables, formula, aligned=aligned, threads=threads)
    a, b = with_all_axes(a, b)
    return _Measure.apply(a, b, formula, aligned).to(getattr(torch, tables.dtype))
