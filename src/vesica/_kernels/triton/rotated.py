"""Measures of rotated boxes on a CUDA device: the integral of generic/rotated.py, step by step, in registers."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from vesica._kernels.tables import Formula, Tables
from vesica._kernels.triton.arithmetic import from_bits, lesser, positive
from vesica._kernels.triton.formulas import of_areas
from vesica._kernels.triton.launch import Told, cdiv, in_rows, launch, on_device_of, told_of

ROWS, COLUMNS, WARPS = 2, 128, 4
"""Of a tile of the matrix; how many warps share it."""
INTER = Told("inter", (0, 0, 0), False)


@triton.jit
def _row(rows, index, mask):
    at = rows + index.to(tl.int64) * 7
    cx, cy, w, h = tl.load(at, mask), tl.load(at + 1, mask), tl.load(at + 2, mask), tl.load(at + 3, mask)
    return cx, cy, w, h, tl.load(at + 4, mask), tl.load(at + 5, mask), tl.load(at + 6, mask)


@triton.jit
def _clamp(x, low, high):
    """NaN stays NaN; bounds that are NaN belong to a box whose area is NaN."""
    return tl.where(x < low, low, tl.where(x > high, high, x))


@triton.jit
def _under(px, py, qx, qy, half_w, half_h):
    """The integral of clamp(y, ±half_h) along the edge p → q, over the part of it with |x| ≤ half_w."""
    run, climb = qx - px, qy - py
    x0, x1 = _clamp(px, -half_w, half_w), _clamp(qx, -half_w, half_w)
    safe_run = tl.where(run == 0, 1.0, run)
    y0 = py + _clamp((x0 - px) / safe_run, 0.0, 1.0) * climb
    y1 = qy + _clamp((x1 - qx) / safe_run, -1.0, 0.0) * climb
    low0, low1 = _clamp(y0, -half_h, half_h), _clamp(y1, -half_h, half_h)
    rise = y1 - y0
    safe_rise = tl.where(rise == 0, 1.0, rise)
    before = _clamp((low0 - y0) / safe_rise, 0.0, 1.0)
    inside = (low1 - low0) / safe_rise
    after = _clamp((y1 - low1) / safe_rise, 0.0, 1.0)
    middle = (low0 + low1) / 2
    mean = inside * middle + before * low0 + after * low1
    return (x1 - x0) * tl.where(rise == 0, middle, mean)


@triton.jit
def _comes_first(a_cx, a_cy, a_w, a_h, a_angle, b_cx, b_cy, b_w, b_h, b_angle):
    """Is a the smaller one? Ties are broken by value, so that (a, b) and (b, a) do the same arithmetic."""
    area_a, area_b = a_w * a_h, b_w * b_h
    less, equal = area_a < area_b, area_a == area_b
    less, equal = less | (equal & (a_w < b_w)), equal & (a_w == b_w)
    less, equal = less | (equal & (a_h < b_h)), equal & (a_h == b_h)
    less, equal = less | (equal & (a_cx < b_cx)), equal & (a_cx == b_cx)
    less, equal = less | (equal & (a_cy < b_cy)), equal & (a_cy == b_cy)
    return less | (equal & (a_angle < b_angle))


@triton.jit
def _inter(
    a_cx, a_cy, a_w, a_h, a_angle, a_cos, a_sin, b_cx, b_cy, b_w, b_h, b_angle, b_cos, b_sin,
):  # fmt: skip
    """The area shared by a and b: that of the larger one inside the frame of the smaller one."""
    swap = _comes_first(a_cx, a_cy, a_w, a_h, a_angle, b_cx, b_cy, b_w, b_h, b_angle)
    cx, cy = tl.where(swap, a_cx, b_cx), tl.where(swap, a_cy, b_cy)
    w, h = tl.where(swap, a_w, b_w), tl.where(swap, a_h, b_h)
    cos, sin = tl.where(swap, a_cos, b_cos), tl.where(swap, a_sin, b_sin)
    other_cos, other_sin = tl.where(swap, b_cos, a_cos), tl.where(swap, b_sin, a_sin)
    half_w, half_h = tl.where(swap, b_w, a_w) / 2, tl.where(swap, b_h, a_h) / 2
    # Centres are subtracted before anything is turned: large coordinates cancel.
    dx, dy = tl.where(swap, b_cx, a_cx) - cx, tl.where(swap, b_cy, a_cy) - cy
    ox, oy = dx * cos + dy * sin, dy * cos - dx * sin
    # Equal angles must leave exactly (1, 0), so that a box is exactly itself.
    is_parallel = a_angle == b_angle
    c = tl.where(is_parallel, 1.0, other_cos * cos + other_sin * sin)
    s = tl.where(is_parallel, 0.0, other_sin * cos - other_cos * sin)
    ux, uy, vx, vy = c * half_w, s * half_w, -s * half_h, c * half_h
    x0, y0, x1, y1 = ox - ux - vx, oy - uy - vy, ox + ux - vx, oy + uy - vy
    x2, y2, x3, y3 = ox + ux + vx, oy + uy + vy, ox - ux + vx, oy - uy + vy
    half_w, half_h = w / 2, h / 2
    lower = _under(x0, y0, x1, y1, half_w, half_h) + _under(x1, y1, x2, y2, half_w, half_h)
    upper = _under(x2, y2, x3, y3, half_w, half_h) + _under(x3, y3, x0, y0, half_w, half_h)
    return lesser(w * h, positive(0 - (lower + upper)))


@triton.jit
def _value(
    a_cx, a_cy, a_w, a_h, a_angle, a_cos, a_sin, b_cx, b_cy, b_w, b_h, b_angle, b_cos, b_sin, empty, alpha, beta,
    NAME: tl.constexpr, OF_B: tl.constexpr,
):  # fmt: skip
    inter = _inter(a_cx, a_cy, a_w, a_h, a_angle, a_cos, a_sin, b_cx, b_cy, b_w, b_h, b_angle, b_cos, b_sin)
    if NAME == "inter":
        return inter
    else:
        nothing, weight_a, weight_b = from_bits(empty, inter), from_bits(alpha, inter), from_bits(beta, inter)
        return of_areas(NAME, inter, a_w * a_h, b_w * b_h, nothing, weight_a, weight_b, OF_B)


@triton.jit
def _store(at, found, mask):
    """Half precision is rounded by way of float32, as torch rounds it."""
    if at.dtype.element_ty == tl.float64:
        tl.store(at, found, mask)
    else:
        tl.store(at, found.to(tl.float32).to(at.dtype.element_ty), mask)


@triton.jit(do_not_specialize=["n", "m", "empty", "alpha", "beta"])
def _pairwise(
    a, b, out, n, m, empty, alpha, beta, NAME: tl.constexpr, OF_B: tl.constexpr, ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
):  # fmt: skip
    across = tl.cdiv(m, COLUMNS)
    top, j = tl.program_id(0) // across * ROWS, tl.program_id(0) % across * COLUMNS + tl.arange(0, COLUMNS)
    b_cx, b_cy, b_w, b_h, b_angle, b_cos, b_sin = _row(b, j, j < m)
    for step in range(ROWS):
        i = top + step
        a_cx, a_cy, a_w, a_h, a_angle, a_cos, a_sin = _row(a, i, i < n)
        found = _value(
            a_cx, a_cy, a_w, a_h, a_angle, a_cos, a_sin, b_cx, b_cy, b_w, b_h, b_angle, b_cos, b_sin, empty, alpha,
            beta, NAME, OF_B,
        )  # fmt: skip
        _store(out + i.to(tl.int64) * m + j, found, j < tl.where(i < n, m, 0))


@triton.jit(do_not_specialize=["n", "empty", "alpha", "beta"])
def _aligned(
    a, b, out, n, empty, alpha, beta, NAME: tl.constexpr, OF_B: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    a_cx, a_cy, a_w, a_h, a_angle, a_cos, a_sin = _row(a, i, i < n)
    b_cx, b_cy, b_w, b_h, b_angle, b_cos, b_sin = _row(b, i, i < n)
    found = _value(
        a_cx, a_cy, a_w, a_h, a_angle, a_cos, a_sin, b_cx, b_cy, b_w, b_h, b_angle, b_cos, b_sin, empty, alpha, beta,
        NAME, OF_B,
    )  # fmt: skip
    _store(out + i, found, i < n)


def measure(tables: Tables, formula: Formula, *, aligned: bool, threads: int | None) -> Any:
    """The measure of every pair, or of aligned rows."""
    return _found(tables, told_of(formula), aligned, tables.dtype)


def inter(tables: Tables, *, aligned: bool, threads: int | None) -> Any:
    """The shared area of every pair, or of aligned rows, in float64."""
    return _found(tables, INTER, aligned, "float64")


def _found(tables: Tables, told: Told, aligned: bool, dtype: str) -> Any:
    n, m = tables.n, tables.m
    out = torch.empty((n,) if aligned else (n, m), dtype=getattr(torch, dtype), device=tables.a.device)
    if not out.numel():
        return out
    a = in_rows(tables.a)
    b = a if tables.b is tables.a else in_rows(tables.b)
    with on_device_of(out):
        if aligned:
            programs, sizes = cdiv(n, COLUMNS), (n,)
            launch(_aligned, programs, (a, b, out, *sizes, *told.numbers), (told.name, told.of_b, COLUMNS), warps=WARPS)
        else:
            programs = cdiv(n, ROWS) * cdiv(m, COLUMNS)
            constants = (told.name, told.of_b, ROWS, COLUMNS)
            launch(_pairwise, programs, (a, b, out, n, m, *told.numbers), constants, warps=WARPS)
    return out
