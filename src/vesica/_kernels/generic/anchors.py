"""Max-IoU assignment in array-API code: some truths at a time against all anchors."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica._array import FLOATS, Array, as_index, cast, device, dtype_name, namespace, widest_float
from vesica._check import Threshold
from vesica._kernels.generic.join import reaches
from vesica._kernels.generic.tiles import tiles
from vesica._kernels.tables import ATTAINS, NOT_BACKGROUND, POSITIVE, Formula, Tables


def assign(
    tables: Tables,
    formula: Formula,
    offsets: np.ndarray,
    positive: Threshold,
    negative: Threshold,
    *,
    threads: int | None,
) -> tuple[Array, Array, Array]:
    """`tables` has truths first, anchors second. Rows of the best truths, values with them, marks: each (B, N)."""
    if dtype_name(tables.a) in FLOATS:
        wide = widest_float(tables.a)
        tables = tables._replace(a=cast(tables.a, wide), b=cast(tables.b, wide))
    # Values are compared before they are rounded to the dtype of the answer.
    exact = tables._replace(dtype=widest_float(tables.a))
    xp = namespace(tables.like)
    found = []
    for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        best, attains = _best(exact, formula, begin, end)
        found.append(marked(exact, formula, best, attains, positive, negative))
    if not found:
        empty = [xp.empty((0, tables.m), dtype=t, device=device(tables.b)) for t in (xp.int64, xp.float64, xp.uint8)]
        return empty[0], cast(empty[1], tables.dtype), empty[2]
    best, iou, marks = (xp.stack(column) for column in zip(*found, strict=True))
    return as_index(best), cast(iou, tables.dtype), marks


def _best(tables: Tables, formula: Formula, begin: int, end: int) -> tuple[Any, Any]:
    """Each anchor's best truth, −1 where none shares area with it; and whether it attains the maximum of any."""
    xp = namespace(tables.like)
    there = device(tables.b)
    dtype = getattr(xp, tables.dtype)
    highest = xp.zeros((tables.m,), dtype=dtype, device=there)
    best = as_index(xp.full((tables.m,), -1, device=there))
    attains = xp.zeros((tables.m,), dtype=xp.bool, device=there)
    if not tables.m:
        return best, attains
    for rows in tiles(end - begin, tables.m) if end > begin else ():
        top = begin + rows.start
        values = formula.of_parts(formula.parts(tables.rows(slice(top, begin + rows.stop)), False))
        values = xp.where(xp.isnan(values), xp.zeros_like(values), values)  # NaN is no partner
        peaks = xp.max(values, axis=1, keepdims=True)
        attains = attains | xp.any((values == peaks) & (values > 0), axis=0)
        first = as_index(xp.argmax(values, axis=0)) + top
        value = xp.max(values, axis=0)
        best, highest = xp.where(value > highest, first, best), xp.maximum(highest, value)
    return best, attains


def marked(
    tables: Tables, formula: Formula, best: Array, attains: Array, positive: Threshold, negative: Threshold
) -> tuple[Array, Array, Array]:
    """Best truths, ious with them, marks: each of length N."""
    xp = namespace(tables.like)
    some = best >= 0
    if not tables.n:
        nothing = xp.zeros(best.shape, dtype=getattr(xp, tables.dtype), device=device(tables.b))
        return best, nothing, xp.zeros(best.shape, dtype=xp.uint8, device=device(tables.b))
    rows = xp.take(tables.a, xp.where(some, best, xp.zeros_like(best)), axis=0)
    pairs = formula.parts(tables._replace(a=rows, n=tables.m), True)
    iou = formula.of_parts(pairs)
    marks = [reaches(formula, pairs, negative) & some, reaches(formula, pairs, positive) & some, attains]
    bits = zip(marks, (NOT_BACKGROUND, POSITIVE, ATTAINS), strict=True)
    total = sum(xp.astype(mark, xp.uint8) * bit for mark, bit in bits)
    return best, xp.where(some, iou, xp.zeros_like(iou)), total
