"""Measures of boxes on a CUDA device: parts and formula in one pass, and nothing as large as the answer beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl

from vesica._kernels.tables import Formula, Tables
from vesica._kernels.triton.arithmetic import from_bits, is_tame, positive
from vesica._kernels.triton.formulas import area, slope, tame_value, value
from vesica._kernels.triton.launch import Told, in_rows, is_in_rows, launch, on_device_of, told_of

ROWS, FEW_ROWS, STEP, COLUMNS, WARPS = 64, 8, 1, 1024, 4
"""Of a tile of the matrix, and of a small matrix; how many rows are computed at once; how many warps share a tile."""
ENOUGH = 1024
"""Tiles that keep a device busy."""
BLOCK = 256
"""Rows in a block of what goes row by row."""


@triton.jit
def corners(rows, index, mask):
    at = rows + index.to(tl.int64) * 4
    x1, y1 = tl.load(at, mask, other=0), tl.load(at + 1, mask, other=0)
    return x1, y1, tl.load(at + 2, mask, other=1), tl.load(at + 3, mask, other=1)


@triton.jit
def _are_tame(x1, y1, x2, y2):
    """Are all of the boxes tame, and has each of them area?"""
    tame = is_tame(x1) & is_tame(y1) & is_tame(x2) & is_tame(y2) & (x2 > x1) & (y2 > y1)
    return tl.min(tame.to(tl.int32), axis=0) != 0


@triton.jit
def _strip(
    a, slopes_a, at, top, n, m, j, b1, b2, b3, b4, slope_b, empty, alpha, beta, NAME: tl.constexpr, OF_B: tl.constexpr,
    TAME: tl.constexpr, ROWS: tl.constexpr, STEP: tl.constexpr,
):  # fmt: skip
    """Some rows against the columns that the program holds. All threads load all of a row: none waits for another."""
    area_b = area(b1, b2, b3, b4)
    for first in range(0, ROWS, STEP):
        for step in tl.static_range(STEP):
            i = top + first + step
            a1, a2, a3, a4 = corners(a, i, i < n)
            slope_a = 0.0
            if NAME == "ciou":
                slope_a = tl.load(slopes_a + i, i < n, other=0)
            if TAME:
                area_a = area(a1, a2, a3, a4)
                found = tame_value(NAME, a1, a2, a3, a4, area_a, slope_a, b1, b2, b3, b4, area_b, slope_b, OF_B)
            else:
                found = value(NAME, a1, a2, a3, a4, slope_a, b1, b2, b3, b4, slope_b, empty, alpha, beta, OF_B)
            tl.store(at + i.to(tl.int64) * m + j, found.to(at.dtype.element_ty), j < tl.where(i < n, m, 0))


@triton.jit(do_not_specialize=["n", "groups", "batch_a", "batch_b", "empty", "alpha", "beta"])
def _pairwise(
    a, b, slopes_a, slopes_b, out, n, groups, batch_a, batch_b, empty, alpha, beta, NAME: tl.constexpr,
    OF_B: tl.constexpr, FAST: tl.constexpr, GROUP: tl.constexpr, ROWS: tl.constexpr, STEP: tl.constexpr,
    COLUMNS: tl.constexpr,
):  # fmt: skip
    """A tile of the matrix of one image. `batch_a` and `batch_b` are rows from image to image, 0 for the same ones.

    `FAST`: where its boxes are tame, take the faster way to the same bits.
    """
    m = groups * GROUP  # so the compiler knows what divides it, and stores several numbers at once
    across, down = tl.cdiv(m, COLUMNS), tl.cdiv(n, ROWS)
    tile = tl.program_id(0)
    image = (tile // (across * down)).to(tl.int64)
    top, left = tile // across % down * ROWS, tile % across * COLUMNS
    a, b, out = a + image * batch_a * 4, b + image * batch_b * 4, out + image * n * m
    slopes_a, slopes_b = slopes_a + image * batch_a, slopes_b + image * batch_b
    j = left + tl.arange(0, COLUMNS)
    b1, b2, b3, b4 = corners(b, j, j < m)
    is_tame = False
    if FAST:
        i = top + tl.arange(0, ROWS)
        a1, a2, a3, a4 = corners(a, i, i < n)
        is_tame = _are_tame(a1, a2, a3, a4) & _are_tame(b1, b2, b3, b4)
    slope_b = 0.0
    if NAME == "ciou":
        slope_b = tl.load(slopes_b + j, j < m, other=0)
    nothing, weight_a, weight_b = from_bits(empty, b1), from_bits(alpha, b1), from_bits(beta, b1)
    if is_tame:
        _strip(
            a, slopes_a, out, top, n, m, j, b1, b2, b3, b4, slope_b, nothing, weight_a, weight_b, NAME, OF_B, FAST,
            ROWS, STEP,
        )  # fmt: skip
    else:
        # One row at a time: what this way needs must not cost the other one registers.
        _strip(
            a, slopes_a, out, top, n, m, j, b1, b2, b3, b4, slope_b, nothing, weight_a, weight_b, NAME, OF_B, False,
            ROWS, 1 if FAST else STEP,
        )  # fmt: skip


@triton.jit(do_not_specialize=["n"])
def _slopes(rows, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x1, y1, x2, y2 = corners(rows, i, i < n)
    tl.store(out + i, slope(positive(x2 - x1), positive(y2 - y1)), i < n)


@triton.jit(do_not_specialize=["n", "empty", "alpha", "beta"])
def _aligned(
    a, b, out, n, empty, alpha, beta, NAME: tl.constexpr, OF_B: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """Row with row: memory is the limit, so every division is the plain one."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    a1, a2, a3, a4 = corners(a, i, i < n)
    b1, b2, b3, b4 = corners(b, i, i < n)
    slope_a, slope_b = 0.0, 0.0
    if NAME == "ciou":
        slope_a = slope(positive(a3 - a1), positive(a4 - a2))
        slope_b = slope(positive(b3 - b1), positive(b4 - b2))
    nothing, weight_a, weight_b = from_bits(empty, a1), from_bits(alpha, a1), from_bits(beta, a1)
    found = value(NAME, a1, a2, a3, a4, slope_a, b1, b2, b3, b4, slope_b, nothing, weight_a, weight_b, OF_B)
    tl.store(out + i, found.to(out.dtype.element_ty), i < n)


def measure(tables: Tables, formula: Formula, *, aligned: bool, threads: int | None) -> Any:
    """The measure of every pair, or of aligned rows."""
    a, b = tables.a, tables.b
    if a.ndim == b.ndim == 2:
        shape, batch_a, batch_b, images = ((tables.n,) if aligned else (tables.n, tables.m)), 0, 0, 1
    else:
        batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        shape = (*batch, tables.n) if aligned else (*batch, tables.n, tables.m)
        images = batch.numel()
        a, b = (side if side.ndim == 2 and not aligned else side.expand(*batch, *side.shape[-2:]) for side in (a, b))
        batch_a, batch_b = (0 if a.ndim == 2 else tables.n), (0 if b.ndim == 2 else tables.m)
    out = torch.empty(shape, dtype=getattr(torch, tables.dtype), device=a.device)
    if not out.numel():
        return out
    a, b = in_rows(a), (in_rows(a) if b is a else in_rows(b))
    with on_device_of(out):
        if aligned:
            _row_with_row(a, b, out, told_of(formula))
        else:
            _every_pair(a, b, out, told_of(formula), images, tables.n, tables.m, batch_a, batch_b)
    return out


def lane(formula: Formula) -> Callable[[Any, Any, Any], Any]:
    """The entry for two tables of floats: it takes a, b, and whether they are aligned."""
    told = told_of(formula)

    def entry(a: Any, b: Any, aligned: Any) -> Any:
        if a.dtype not in _FLOATS or b.dtype != a.dtype or a.ndim != 2 or b.ndim != 2 or a.device != b.device:
            return None
        (n, width), (m, other) = a.shape, b.shape
        if width != 4 or other != 4 or not n or not m or (aligned and n != m):
            return None
        if not (is_in_rows(a) and is_in_rows(b)):
            return None
        out = torch.empty((n,) if aligned else (n, m), dtype=a.dtype, device=a.device)
        with on_device_of(out):
            if aligned:
                _row_with_row(a, b, out, told)
            else:
                _every_pair(a, b, out, told, 1, n, m, 0, 0)
        return out

    return entry


_FLOATS = (torch.float32, torch.float64)


def _row_with_row(a: Any, b: Any, out: Any, told: Told) -> None:
    count = out.numel()
    launch(
        _aligned, triton.cdiv(count, BLOCK), (a, b, out, count, *told.numbers), (told.name, told.of_b, BLOCK)
    )  # fmt: skip


def _every_pair(
    a: Any, b: Any, out: Any, told: Told, images: int, n: int, m: int, batch_a: int, batch_b: int
) -> None:  # fmt: skip
    slopes_a = slopes_b = out
    if told.name == "ciou":
        slopes_a = slopes_of(a)
        slopes_b = slopes_a if b is a else slopes_of(b)
    group = 4 if m % 4 == 0 else 1
    columns = COLUMNS if m > COLUMNS // 2 else max(128, triton.next_power_of_2(m))
    strips = images * triton.cdiv(m, columns)
    rows = ROWS if strips * triton.cdiv(n, ROWS) >= ENOUGH else FEW_ROWS
    is_fast = a.dtype == torch.float32 and told.name != "tversky"
    launch(
        _pairwise,
        strips * triton.cdiv(n, rows),
        (a, b, slopes_a, slopes_b, out, n, m // group, batch_a, batch_b, *told.numbers),
        (told.name, told.of_b, is_fast, group, rows, STEP, columns),
        warps=WARPS,
    )


def slopes_of(rows: Any) -> Any:
    count = rows.numel() // 4
    dtype = rows.dtype if rows.is_floating_point() else torch.float64
    out = torch.empty(count, dtype=dtype, device=rows.device)
    launch(_slopes, triton.cdiv(count, BLOCK), (rows, out, count), (BLOCK,))
    return out
