"""The best partners of boxes on a CUDA device: each row walks along all columns, once for each partner."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from vesica._kernels.generic import best as generic
from vesica._kernels.tables import Formula, Tables
from vesica._kernels.triton.arithmetic import from_bits, real
from vesica._kernels.triton.formulas import value
from vesica._kernels.triton.launch import cdiv, in_rows, launch, on_device_of, told_of
from vesica._kernels.triton.measure import corners, slopes_of

PAIRS, MOST_ROWS = 1024, 8
"""Pairs that a program looks at together, and how many rows at most."""
ENOUGH = 1024
"""Programs that keep a device busy."""
MOST = 64
"""Partners: for more of them sorting is faster."""


@triton.jit(do_not_specialize=["n", "m", "k", "empty", "alpha", "beta"])
def _best(
    a, b, slopes_a, slopes_b, index, out, n, m, k, empty, alpha, beta, NAME: tl.constexpr, OF_B: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """The next best is the largest value below the last one, or equal to it in a column after it."""
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    a1, a2, a3, a4 = corners(a, i, i < n)
    a1, a2, a3, a4 = a1[:, None], a2[:, None], a3[:, None], a4[:, None]
    slope_a = 0.0
    if NAME == "ciou":
        slope_a = tl.load(slopes_a + i, i < n, other=0)[:, None]
    nothing, weight_a, weight_b = from_bits(empty, a1), from_bits(alpha, a1), from_bits(beta, a1)
    lowest = real(tl.zeros([ROWS, COLUMNS], a.dtype.element_ty)) + float("-inf")
    least = tl.max(lowest, axis=1)  # of one dtype with the values
    last, before = -least, tl.zeros([ROWS], tl.int32) - 1
    pick = k * 0
    while pick < k:
        top, where = lowest, tl.zeros([ROWS, COLUMNS], tl.int32) + m
        first = m * 0
        while first < m:
            j = first + tl.arange(0, COLUMNS)
            b1, b2, b3, b4 = corners(b, j, j < m)
            slope_b = b1[None, :]  # used by ciou alone
            if NAME == "ciou":
                slope_b = tl.load(slopes_b + j, j < m, other=0)[None, :]
            found = value(
                NAME, a1, a2, a3, a4, slope_a, b1[None, :], b2[None, :], b3[None, :], b4[None, :], slope_b, nothing,
                weight_a, weight_b, OF_B,
            )  # fmt: skip
            is_next = (found < last[:, None]) | ((found == last[:, None]) & (j[None, :] > before[:, None]))
            better = is_next & (found > top) & (j < m)[None, :]  # NaN is no partner
            top, where = tl.where(better, found, top), tl.where(better, j[None, :], where)
            first += COLUMNS
        last = tl.max(top, axis=1)
        before = tl.min(tl.where(top == last[:, None], where, m), axis=1)
        at = i.to(tl.int64) * k + pick
        tl.store(index + at, tl.where(before < m, before, -1).to(tl.int64), i < n)
        tl.store(out + at, tl.where(before < m, last, float("nan")).to(out.dtype.element_ty), i < n)
        pick += 1


def best(tables: Tables, formula: Formula, *, k: int, threads: int | None) -> tuple[Any, Any]:
    """Indices and values of the k best partners of each row, as the generic one, which serves many partners."""
    if not tables.n * tables.m * k or k > MOST or tables.m >= 2**31 or tables.n >= 2**31:
        return generic.best(tables, formula, k=k, threads=threads)
    a, b, told = in_rows(tables.a), in_rows(tables.b), told_of(formula)
    shape = tables.n, k
    index = torch.empty(shape, dtype=torch.int64, device=a.device)
    out = torch.empty(shape, dtype=getattr(torch, tables.dtype), device=a.device)
    rows = MOST_ROWS if tables.n >= MOST_ROWS * ENOUGH else 1
    with on_device_of(a):
        slopes_a, slopes_b = slopes_of(a, b) if told.name == "ciou" else (out, out)
        launch(
            _best,
            cdiv(tables.n, rows),
            (a, b, slopes_a, slopes_b, index, out, tables.n, tables.m, k, *told.numbers),
            (told.name, told.of_b, rows, PAIRS // rows),
        )
    return index, out
