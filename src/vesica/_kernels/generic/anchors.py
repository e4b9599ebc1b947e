"""Max-IoU assignment in array-API code: some truths at a time against all anchors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vesica._array import FLOATS, Array, as_index, cast, device, dtype_name, namespace, widest_float
from vesica._check import Threshold
from vesica._kernels import Tables
from vesica._kernels.generic.join import reaches
from vesica._kernels.generic.tiles import tiles

# What is known of an anchor's iou with its best truth; the same bits stand in csrc/matching/anchors.hpp.
NOT_BACKGROUND, POSITIVE, ATTAINS = 1, 2, 4


def assign(
    tables: Tables,
    offsets: np.ndarray,
    positive: Threshold,
    negative: Threshold,
    *,
    parts: Callable[[Tables, bool], Any],
    measure: Any,
) -> tuple[Array, Array, Array]:
    """`tables` has truths first, anchors second; `parts(tables, aligned)` gives the parts of these rows."""
    if dtype_name(tables.a) in FLOATS:
        wide = widest_float(tables.a)
        tables = tables._replace(a=cast(tables.a, wide), b=cast(tables.b, wide))
    # Values are compared before they are rounded to the dtype of the answer.
    exact = tables._replace(dtype=widest_float(tables.a))
    xp = namespace(tables.like)
    found = []
    for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        best, attains = _best(exact, begin, end, parts, measure)
        found.append(_marked(exact, best, attains, positive, negative, parts, measure))
    if not found:
        empty = [xp.empty((0, tables.m), dtype=t, device=device(tables.b)) for t in (xp.int64, xp.float64, xp.uint8)]
        return empty[0], cast(empty[1], tables.dtype), empty[2]
    best, iou, marks = (xp.stack(column) for column in zip(*found, strict=True))
    return as_index(best), cast(iou, tables.dtype), marks


def _best(tables: Tables, begin: int, end: int, parts: Callable[[Tables, bool], Any], measure: Any) -> tuple[Any, Any]:
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
        tile = tables._replace(a=tables.a[top : begin + rows.stop, ...], n=rows.stop - rows.start)
        values = measure.of_parts(parts(tile, False), measure.defaults)
        values = xp.where(xp.isnan(values), xp.zeros_like(values), values)  # NaN is no partner
        peaks = xp.max(values, axis=1, keepdims=True)
        attains = attains | xp.any((values == peaks) & (values > 0), axis=0)
        first = as_index(xp.argmax(values, axis=0)) + top
        value = xp.max(values, axis=0)
        best, highest = xp.where(value > highest, first, best), xp.maximum(highest, value)
    return best, attains


def _marked(
    tables: Tables,
    best: Array,
    attains: Array,
    positive: Threshold,
    negative: Threshold,
    parts: Callable[[Tables, bool], Any],
    measure: Any,
) -> tuple[Array, Array, Array]:
    """Best truths, ious with them, marks: each of length N."""
    xp = namespace(tables.like)
    some = best >= 0
    if not tables.n:
        nothing = xp.zeros(best.shape, dtype=getattr(xp, tables.dtype), device=device(tables.b))
        return best, nothing, xp.zeros(best.shape, dtype=xp.uint8, device=device(tables.b))
    rows = xp.take(tables.a, xp.where(some, best, xp.zeros_like(best)), axis=0)
    pairs = parts(tables._replace(a=rows, n=tables.m), True)
    iou = measure.of_parts(pairs, measure.defaults)
    marks = [
        reaches(measure, measure.defaults, pairs, negative) & some,
        reaches(measure, measure.defaults, pairs, positive) & some,
        attains,
    ]
    bits = zip(marks, (NOT_BACKGROUND, POSITIVE, ATTAINS), strict=True)
    total = sum(xp.astype(mark, xp.uint8) * bit for mark, bit in bits)
    return best, xp.where(some, iou, xp.zeros_like(iou)), total
