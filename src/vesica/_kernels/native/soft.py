"""Soft-NMS: what is taken, in order, with the scores at the time."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._array import contiguous, to_numpy
from vesica._kernels import native
from vesica._kernels.pairs import pairs
from vesica._kernels.tables import Formula, Ranked, Tables

_DECAYS = tuple(_native.decay_names())

Picks = tuple[np.ndarray, np.ndarray]
"""Rows and their decayed scores, best first."""
Fading = tuple[str, float]
"""The name of a decay and its sigma, which only some have."""


def soft_boxes(tables: Tables, formula: Formula, ranked: Ranked, *, decay: Fading, threads: int | None) -> Picks:
    """Memory is O(N)."""
    rows = contiguous(to_numpy(tables.a))
    told = (*native.told(formula), ranked.threshold)
    count = native.thread_count(threads)
    index, scores = _native.boxes_soft(*told, rows, ranked.scores, _keys(ranked), _rule(ranked, decay), count)
    return native.plain(index)[0], scores


def soft(tables: Tables, formula: Formula, ranked: Ranked, *, decay: Fading, threads: int | None) -> Picks:
    """The same from the pairs that decay, which any backend may find. Memory is O(N + those pairs)."""
    edges = pairs(tables, formula, ranked, once=formula.is_symmetric, threads=threads)
    keys, rule, count = _keys(ranked), _rule(ranked, decay), native.thread_count(threads)
    index, scores = _native.edges_soft(*edges, formula.is_symmetric, ranked.scores, keys, rule, count)
    return native.plain(index)[0], scores


def _keys(ranked: Ranked) -> np.ndarray:
    return native.NO_KEYS if ranked.keys is None else ranked.keys


def _rule(ranked: Ranked, decay: Fading) -> tuple[int, float, float, int]:
    """By what scores decay, its sigma, the least score, and how many are taken of each key."""
    name, sigma = decay
    return _DECAYS.index(name), sigma, ranked.min_score, ranked.limit
