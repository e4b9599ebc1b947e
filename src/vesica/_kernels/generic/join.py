"""The join in array-API code: a tile of rows at a time, so that nothing of the size of the matrix exists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vesica._array import (
    FLOATS,
    Array,
    as_index,
    cast,
    device,
    dtype_name,
    from_numpy,
    namespace,
    real,
    widest_float,
)
from vesica._check import Threshold
from vesica._kernels import Tables, Wanted
from vesica._kernels.generic.tiles import tiles


def join(tables: Tables, tile: Callable[[Tables], Any], wanted: Wanted) -> tuple[Array, Array, Array]:
    """`tile(tables)` gives the measure, its options and the parts of every pair of these rows."""
    xp = namespace(tables.like)
    exact = tables
    if dtype_name(tables.a) in FLOATS:
        wide = widest_float(tables.a)
        exact = tables._replace(a=cast(tables.a, wide), b=cast(tables.b, wide))
    columns = xp.arange(tables.m, dtype=xp.int64, device=device(tables.like))
    numbers = [from_numpy(side.astype(np.int64), tables.like) for side in wanted.keys] if wanted.keys else None

    found: list[tuple[Array, Array, Array]] = []
    for rows in tiles(tables.n, tables.m):
        measure, options, parts = tile(_part(tables, rows))
        values = measure.of_parts(parts, options)
        _, _, wide_parts = tile(_part(exact, rows))
        hit = reaches(measure, options, wide_parts, wanted.threshold)
        if wanted.self_join:
            here = xp.arange(rows.start, rows.stop, dtype=xp.int64, device=device(tables.like))
            hit = hit & (here[:, None] < columns[None, :])
        if numbers:
            hit = hit & (numbers[0][rows][:, None] == numbers[1][None, :])
        i, j = xp.nonzero(hit)
        found.append((as_index(i) + rows.start, as_index(j), values[hit]))
    i, j, value = (xp.concat(column) for column in zip(*found, strict=True))
    return i, j, value


def join_met(
    tables: Tables, measure: Any, options: Any, parts: Any, wanted: Wanted
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same where it is known who meets whom: `parts` has one entry for each of those pairs."""
    i, j = tables.a.i, tables.a.j
    hit = reaches(measure, options, parts, wanted.threshold)
    if wanted.self_join:
        hit = hit & (i < j)
    if wanted.keys:
        hit = hit & (wanted.keys[0][i] == wanted.keys[1][j])
    return i[hit], j[hit], measure.of_parts(parts, options)[hit]


def _part(tables: Tables, rows: slice) -> Tables:
    return tables._replace(a=tables.a[rows, ...], n=rows.stop - rows.start)


def reaches(measure: Any, options: Any, parts: Any, t: Threshold) -> Array:
    """Which of the pairs reach the threshold, or exceed it."""
    if not measure.is_fraction:
        value = measure.of_parts(parts, options)
        return (parts.inter > 0) & ((value > t.value) if t.strict else (value >= t.value))
    num, den = measure.fraction(parts, options)
    left, right = _sides(num, den, t)
    return (parts.inter > 0) & ((left > right) if t.strict else (left >= right))


def _sides(num: Array, den: Array, t: Threshold) -> tuple[Array, Array]:
    """q · num and p · den: exact for integers that fit, otherwise in float64, each product rounded once."""
    xp = namespace(num)
    if dtype_name(num) == "int64" and den.shape[0] * den.shape[-1]:
        room = 2**63 - 1
        scale = t.q << t.shift
        if int(xp.max(num)) * scale <= room and int(xp.max(den)) * t.p <= room and max(scale, t.p) <= room:
            return num * scale, den * t.p
        return real(num) / real(den), xp.full_like(real(den), t.value)
    num, den = real(num), real(den)
    return (num, den * t.value) if t.shift else (num * t.q, den * t.p)
