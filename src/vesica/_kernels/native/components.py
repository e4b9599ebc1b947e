"""Merging: which regions hang together."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._array import contiguous
from vesica._kernels import native
from vesica._kernels.pairs import pairs
from vesica._kernels.tables import Formula, Ranked, Tables


def components(tables: Tables, formula: Formula, ranked: Ranked, *, threads: int | None) -> np.ndarray:
    """Of each region the lowest row that it is linked with by pairs of a join, directly or through others."""
    i, j, _ = pairs(tables, formula, ranked, once=formula.is_symmetric, threads=threads)
    return connected(i, j, tables.n)


def connected(i: np.ndarray, j: np.ndarray, count: int) -> np.ndarray:
    """Of each of `count` rows the lowest that it is linked with by the pairs i[k], j[k], directly or through others."""
    return native.plain(_native.components(contiguous(i, np.int64), contiguous(j, np.int64), count))[0]
