"""Merging: which regions hang together."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._kernels import native
from vesica._kernels.pairs import pairs
from vesica._kernels.tables import Formula, Ranked, Tables


def components(tables: Tables, formula: Formula, ranked: Ranked, *, threads: int | None) -> np.ndarray:
    """Of each region the lowest row that it is linked with by pairs of a join, directly or through others."""
    i, j, _ = pairs(tables, formula, ranked, once=formula.is_symmetric, threads=threads)
    return native.plain(_native.components(i, j, tables.n))[0]
