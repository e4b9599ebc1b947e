"""The join in array-API code: a tile of rows at a time, so that nothing of the size of the matrix exists."""

from __future__ import annotations

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
from vesica._kernels.generic.tiles import tiles
from vesica._kernels.tables import Counted, Formula, Tables, Wanted


def join(tables: Tables, formula: Formula, wanted: Wanted, *, threads: int | None) -> tuple[Array, Array, Array]:
    """The pairs that reach the threshold: rows of a, rows of b, values."""
    xp = namespace(tables.like)
    exact = tables
    if not tables.is_flat and dtype_name(tables.a) in FLOATS:
        wide = widest_float(tables.a)
        exact = tables._replace(a=cast(tables.a, wide), b=cast(tables.b, wide))
    columns = xp.arange(tables.m, dtype=xp.int64, device=device(tables.like))
    numbers = [from_numpy(side.astype(np.int64), tables.like) for side in wanted.keys] if wanted.keys else None

    found: list[tuple[Array, Array, Array]] = []
    for rows in tiles(tables.n, tables.m):
        parts = formula.parts(tables.rows(rows), False, threads)
        values = formula.of_parts(parts)
        if exact is not tables:
            parts = formula.parts(exact.rows(rows), False, threads)
        hit = reaches(formula, parts, wanted.threshold)
        if wanted.self_join:
            here = xp.arange(rows.start, rows.stop, dtype=xp.int64, device=device(tables.like))
            hit = hit & (here[:, None] < columns[None, :])
        if numbers:
            hit = hit & (numbers[0][rows][:, None] == numbers[1][None, :])
        i, j = xp.nonzero(hit)
        found.append((as_index(i) + rows.start, as_index(j), values[hit]))
    i, j, value = (xp.concat(column) for column in zip(*found, strict=True))
    return i, j, value


def join_counted(
    tables: Tables, formula: Formula, wanted: Wanted, *, threads: int | None
) -> tuple[Array, Array, Array]:
    """The same for label maps, which are counted already: only regions that share a pixel are looked at."""
    met: Counted = tables.a
    i, j = met.i, met.j
    each = np.arange(len(i))
    one_by_one = tables._replace(
        a=Counted(each, each, met.count, met.area[i]), b=tables.b[j], n=len(i), m=len(i), like=tables.b
    )
    parts = formula.parts(one_by_one, True)
    hit = reaches(formula, parts, wanted.threshold)
    if wanted.self_join:
        hit = hit & (i < j)
    if wanted.keys:
        hit = hit & (wanted.keys[0][i] == wanted.keys[1][j])
    i, j, value = (from_numpy(column[hit], tables.like) for column in (i, j, formula.of_parts(parts)))
    return i, j, value


def reaches(formula: Formula, parts: Any, t: Threshold) -> Array:
    """Which of the pairs share area and reach the threshold, decided by cross-multiplication."""
    if not formula.is_fraction:
        value = formula.of_parts(parts)
        return (parts.inter > 0) & ((value > t.value) if t.strict else (value >= t.value))
    num, den = formula.fraction(parts)
    left, right = _sides(num, den, t)
    return (parts.inter > 0) & ((left > right) if t.strict else (left >= right))


def _sides(num: Array, den: Array, t: Threshold) -> tuple[Array, Array]:
    """Two arrays that compare as num / den compares with t.

    Integers whose products fit are exact. Otherwise in the widest float: products of short decimals are rounded once,
    and of others, such as 1/3, the difference of the products is taken with about twice the digits.
    """
    xp = namespace(num)
    scale = t.q << t.shift
    if dtype_name(num) == dtype_name(den) == "int64" and den.shape[0] * den.shape[-1]:
        room = 2**63 - 1
        if int(xp.max(num)) * scale <= room and int(xp.max(den)) * t.p <= room and max(scale, t.p) <= room:
            return num * scale, den * t.p
    num, den = real(num), real(den)
    whole = 1 << scale.bit_length()  # a power of two moves no bit, and keeps the products from overflow
    if scale <= _SHORT:
        return num * (scale / whole), den * (t.p / whole)
    if scale > _LARGE or dtype_name(num) != "float64":
        return num, den * t.value
    left, more_left = _times(num, scale, whole)
    right, more_right = _times(den, t.p, whole)
    gap = (left - right) + (more_left - more_right)
    return gap, xp.zeros_like(gap)


_SHORT, _LARGE = 10**6, 2**200


def _times(x: Array, number: int, whole: int) -> tuple[Array, Array]:
    """2^-30 · x · number / whole, rounded, and about as many digits more. Without the 2^-30 `_upper` could overflow."""
    first = float(number)
    more = number - int(first)
    x = x * 2.0**-30
    product, rest = _product(x, first / whole)
    return product, rest + x * (more / whole)


def _product(x: Array, y: float) -> tuple[Array, Array]:
    """x · y rounded, and the rest, which is exact while nothing overflows or vanishes (Dekker)."""
    product = x * y
    high, top = _upper(x), _upper(y)
    low, bottom = x - high, y - top
    return product, ((high * top - product) + high * bottom + low * top) + low * bottom


def _upper(x: Any) -> Any:
    """The upper half of the 53 bits. x must be below 2^996."""
    spread = x * 134217729.0  # 2^27 + 1
    return spread - (spread - x)
