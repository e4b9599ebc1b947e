"""The k best partners in array-API code: a tile of rows at a time."""

from __future__ import annotations

from collections.abc import Callable

from vesica._array import Array, as_index, namespace
from vesica._kernels import Tables
from vesica._kernels.generic.tiles import tiles


def best(tables: Tables, matrix: Callable[[Tables], Array], *, k: int) -> tuple[Array, Array]:
    """`matrix(tables)` gives the measure of every pair of these rows."""
    xp = namespace(tables.like)
    found: list[tuple[Array, Array]] = []
    for rows in tiles(tables.n, tables.m):
        values = matrix(tables._replace(a=tables.a[rows, ...], n=rows.stop - rows.start))
        # Sorting −value in rising order keeps ties in the order of their index, in every library.
        order = xp.argsort(-values, axis=-1, stable=True)[:, :k]
        sorted_values = xp.take_along_axis(values, order, axis=-1)
        none = xp.full_like(order, -1)
        found.append((as_index(xp.where(xp.isnan(sorted_values), none, order)), sorted_values))  # NaN is no partner
    index, value = (xp.concat(column) for column in zip(*found, strict=True))
    return index, value
