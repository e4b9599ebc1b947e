"""Measures of boxes on a CUDA device: parts and formula in one pass, and nothing as large as the answer beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

from vesica._kernels.tables import Formula, Tables
from vesica._kernels.triton.arithmetic import HIGHEST, INTERPRETED, LOWEST, are_tame, from_bits, positive, unit_of
from vesica._kernels.triton.formulas import slope, tame_value, value
from vesica._kernels.triton.launch import (
    Told,
    cdiv,
    in_rows,
    is_in_rows,
    launch,
    next_power_of_2,
    on_device_of,
    told_of,
)

FEW_ROWS, COLUMNS, WARPS = 8, 1024, 4
"""Of a tile of a small matrix, and of any; how many warps share a tile."""


class Tile(NamedTuple):
    """What is fastest for a measure that goes the fast way: most of them wait for memory, those with a hull compute."""

    rows: int = 16
    registers: int = 80
    """Of a thread at most. It needs no more, and so more tiles share a processor."""
    cache: str = ""
    """".cs": what is written gives way in the cache to what is read again."""


TILES = {
    "giou": Tile(64, 104, ".cs"),
    "diou": Tile(64, 112, ".cs"),
    "ciou": Tile(64, 128, ".cs"),
    "eiou": Tile(64, 128, ".cs"),
}
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
def whole_corners(at):
    """The corners of float32 boxes that are all there, each by one load."""
    if INTERPRETED:
        return tl.load(at), tl.load(at + 1), tl.load(at + 2), tl.load(at + 3)
    return tl.inline_asm_elementwise(
        "ld.global.nc.v4.f32 {$0, $1, $2, $3}, [$4];",
        "=f,=f,=f,=f,l",
        [at],
        dtype=(tl.float32, tl.float32, tl.float32, tl.float32),
        is_pure=True,
        pack=1,
    )


@triton.jit
def _largest(x1, y1, x2, y2):
    return tl.max(tl.maximum(tl.maximum(tl.abs(x1), tl.abs(y1)), tl.maximum(tl.abs(x2), tl.abs(y2))), axis=0)


@triton.jit
def _strip(
    a, slopes_a, at, count, m, j, b1, b2, b3, b4, slope_b, empty, alpha, beta, NAME: tl.constexpr,
    OF_B: tl.constexpr,
):  # fmt: skip
    """Some rows against the columns that the program holds. All threads load all of a row: none waits for another."""
    for _ in range(count):
        a1, a2, a3, a4 = tl.load(a), tl.load(a + 1), tl.load(a + 2), tl.load(a + 3)
        slope_a = 0.0
        if NAME == "ciou":
            slope_a = tl.load(slopes_a)
        found = value(NAME, a1, a2, a3, a4, slope_a, b1, b2, b3, b4, slope_b, empty, alpha, beta, OF_B)
        tl.store(at + j, found.to(at.dtype.element_ty), j < m)
        a, slopes_a, at = a + 4, slopes_a + 1, at + m


@triton.jit
def _tame_strip(
    a, slopes_a, at, count, m, j, b1, b2, b3, b4, slope_b, unit, NAME: tl.constexpr, OF_B: tl.constexpr,
    CACHE: tl.constexpr,
):  # fmt: skip
    """The same of tame boxes, in their unit."""
    for _ in range(count):
        a1, a2, a3, a4 = whole_corners(a)
        slope_a = 0.0
        if NAME == "ciou":
            slope_a = tl.load(slopes_a)
        found = tame_value(
            NAME, a1 * unit, a2 * unit, a3 * unit, a4 * unit, slope_a, b1, b2, b3, b4, slope_b, OF_B
        )  # fmt: skip
        tl.store(at + j, found.to(at.dtype.element_ty), j < m, cache_modifier=CACHE)
        a, slopes_a, at = a + 4, slopes_a + 1, at + m


@triton.jit(do_not_specialize=["n", "groups", "batch_a", "batch_b", "empty", "alpha", "beta"])
def _pairwise(
    a, b, slopes_a, slopes_b, out, n, groups, batch_a, batch_b, empty, alpha, beta, NAME: tl.constexpr,
    OF_B: tl.constexpr, FAST: tl.constexpr, GROUP: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
    CACHE: tl.constexpr,
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
    count = tl.minimum(ROWS, n - top)
    out += top.to(tl.int64) * m
    a, slopes_a = a + top.to(tl.int64) * 4, slopes_a + top
    j = left + tl.arange(0, COLUMNS)
    is_tame = False
    unit = 1.0
    if FAST:
        # Where there is none, the last row or column stands once more.
        b1, b2, b3, b4 = whole_corners(b + tl.minimum(j, m - 1).to(tl.int64) * 4)
        a1, a2, a3, a4 = whole_corners(a + tl.minimum(tl.arange(0, ROWS), count - 1) * 4)
        largest = tl.maximum(_largest(a1, a2, a3, a4), _largest(b1, b2, b3, b4))
        unit = unit_of(largest)
        is_tame = are_tame(a1, a2, a3, a4, unit) & are_tame(b1, b2, b3, b4, unit)
        is_tame = is_tame & (largest >= LOWEST) & (largest <= HIGHEST)
    else:
        b1, b2, b3, b4 = corners(b, j, j < m)
    slope_b = 0.0
    if NAME == "ciou":
        slope_b = tl.load(slopes_b + j, j < m, other=0)
    if is_tame:
        _tame_strip(
            a, slopes_a, out, count, m, j, b1 * unit, b2 * unit, b3 * unit, b4 * unit, slope_b, unit, NAME, OF_B,
            CACHE,
        )  # fmt: skip
    else:
        nothing, weight_a, weight_b = from_bits(empty, b1), from_bits(alpha, b1), from_bits(beta, b1)
        _strip(
            a, slopes_a, out, count, m, j, b1, b2, b3, b4, slope_b, nothing, weight_a, weight_b, NAME, OF_B
        )  # fmt: skip


@triton.jit(do_not_specialize=["n", "m", "begin"])
def _slopes(a, b, out, n, m, begin, BLOCK: tl.constexpr):
    """Those of a, and from `begin` on those of b: whole blocks of each."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    is_b = tl.program_id(0) * BLOCK >= begin
    rows = tl.where(is_b, b, a)
    row, count = i - tl.where(is_b, begin, 0), tl.where(is_b, m, n)
    x1, y1, x2, y2 = corners(rows, row, row < count)
    tl.store(out + i, slope(positive(x2 - x1), positive(y2 - y1)), row < count)


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
        _aligned, cdiv(count, BLOCK), (a, b, out, count, *told.numbers), (told.name, told.of_b, BLOCK)
    )  # fmt: skip


_TILE = Tile()


def _every_pair(
    a: Any, b: Any, out: Any, told: Told, images: int, n: int, m: int, batch_a: int, batch_b: int
) -> None:  # fmt: skip
    slopes_a = slopes_b = out
    if told.name == "ciou":
        slopes_a, slopes_b = slopes_of(a, b)
    group = 4 if m % 4 == 0 else 1
    columns = COLUMNS if m > COLUMNS // 2 else max(128, next_power_of_2(m))
    strips = images * cdiv(m, columns)
    tile = TILES.get(told.name, _TILE)
    rows = tile.rows if strips * cdiv(n, tile.rows) >= ENOUGH else FEW_ROWS
    is_fast = a.dtype == torch.float32 and told.name != "tversky"
    launch(
        _pairwise,
        strips * cdiv(n, rows),
        (a, b, slopes_a, slopes_b, out, n, m // group, batch_a, batch_b, *told.numbers),
        (told.name, told.of_b, is_fast, group, rows, columns, tile.cache),
        warps=WARPS,
        registers=tile.registers if is_fast else None,
    )


def slopes_of(a: Any, b: Any) -> tuple[Any, Any]:
    """The arc tangents of the shapes of both sides, by one launch."""
    count, more = a.numel() // 4, 0 if b is a else b.numel() // 4
    begin = cdiv(count, BLOCK) * BLOCK
    dtype = a.dtype if a.is_floating_point() else torch.float64
    out = torch.empty(begin + more, dtype=dtype, device=a.device)
    launch(_slopes, cdiv(begin + more, BLOCK), (a, b, out, count, more, begin), (BLOCK,))
    return out, out if b is a else out[begin:]
