"""The k best partners in array-API code: a tile of rows at a time."""

from __future__ import annotations

from vesica._array import Array, as_index, namespace
from vesica._kernels.generic.tiles import tiles
from vesica._kernels.tables import Formula, Tables


def best(tables: Tables, formula: Formula, *, k: int, threads: int | None) -> tuple[Array, Array]:
    """Indices and values of the k best partners of each row."""
    xp = namespace(tables.like)
    found: list[tuple[Array, Array]] = []
    for rows in tiles(tables.n, tables.m):
        values = formula.of_parts(formula.parts(tables.rows(rows), False, threads))
        # Sorting −value in rising order keeps ties in the order of their index, in every library.
        order = xp.argsort(-values, axis=-1, stable=True)[:, :k]
        sorted_values = xp.take_along_axis(values, order, axis=-1)
        none = xp.full_like(order, -1)
        found.append((as_index(xp.where(xp.isnan(sorted_values), none, order)), sorted_values))  # NaN is no partner
    index, value = (xp.concat(column) for column in zip(*found, strict=True))
    return index, value
