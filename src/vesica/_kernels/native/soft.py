"""Soft-NMS: what is taken, in order, with the scores at the time."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._array import to_numpy
from vesica._kernels import native
from vesica._kernels.pairs import pairs
from vesica._kernels.tables import Formula, Ranked, Tables

Picks = tuple[np.ndarray, np.ndarray]
"""Rows and their decayed scores, best first."""


def soft_boxes(tables: Tables, formula: Formula, ranked: Ranked, *, sigma: float | None, threads: int | None) -> Picks:
    """`sigma` is None for linear decay. Memory is O(N)."""
    rows = np.ascontiguousarray(to_numpy(tables.a))
    told = (*native.told(formula), ranked.threshold)
    count = native.thread_count(threads)
    index, scores = _native.boxes_soft(*told, rows, ranked.scores, _keys(ranked), _rule(ranked, sigma), count)
    return native.plain(index)[0], scores


def soft(tables: Tables, formula: Formula, ranked: Ranked, *, sigma: float | None, threads: int | None) -> Picks:
    """The same by the pairs that decay, whoever finds them. Memory is O(N + those pairs)."""
    edges = pairs(tables, formula, ranked, once=formula.is_symmetric, threads=threads)
    keys, rule, count = _keys(ranked), _rule(ranked, sigma), native.thread_count(threads)
    index, scores = _native.edges_soft(*edges, formula.is_symmetric, ranked.scores, keys, rule, count)
    return native.plain(index)[0], scores


def _keys(ranked: Ranked) -> np.ndarray:
    return native.NO_KEYS if ranked.keys is None else ranked.keys


def _rule(ranked: Ranked, sigma: float | None) -> tuple[bool, float, float, int]:
    """Whether scores decay by a gaussian, its sigma, the least score, and how many are taken of each key."""
    return sigma is not None, sigma or 1.0, ranked.min_score, ranked.limit
