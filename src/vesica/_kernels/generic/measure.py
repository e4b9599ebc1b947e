"""A measure in array-API code: its parts, then its formula."""

from __future__ import annotations

from vesica._array import Array
from vesica._kernels.tables import Formula, Tables


def measure(tables: Tables, formula: Formula, *, aligned: bool, threads: int | None) -> Array:
    """The measure of every pair, or of aligned rows."""
    return formula.of_parts(formula.parts(tables, aligned, threads))
