"""Soft-NMS: what is taken, in order, with the scores at the time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica import _native
from vesica._array import to_numpy
from vesica._kernels import Ranked, Tables, Wanted, native
from vesica._kernels.native import _NO_KEYS, _NUMBERS, _packed

Picks = tuple[np.ndarray, np.ndarray]
"""Rows and their decayed scores, best first."""


def soft(
    tables: Tables,
    name: str,
    options: Mapping[str, Any],
    ranked: Ranked,
    *,
    sigma: float | None,
    is_symmetric: bool,
    threads: int | None,
) -> Picks:
    """`sigma` is None for linear decay. Of boxes memory is O(N), of other regions O(N + pairs that decay)."""
    # Whether scores decay by a gaussian, its sigma, the least score, and how many are taken of each key.
    rule = (sigma is not None, sigma or 1.0, ranked.min_score, ranked.limit)
    keys = _NO_KEYS if ranked.keys is None else ranked.keys
    count = native.thread_count(threads)
    if tables.kind == "boxes":
        told = (_NUMBERS[name], _packed(options), ranked.threshold)
        rows = np.ascontiguousarray(to_numpy(tables.a))
        index, scores = _native.boxes_soft(*told, rows, ranked.scores, keys, rule, count)
    else:
        edges = pairs(tables, name, options, ranked, once=is_symmetric, threads=threads)
        index, scores = _native.edges_soft(*edges, is_symmetric, ranked.scores, keys, rule, count)
    return native.plain(index)[0], scores


def pairs(
    tables: Tables, name: str, options: Mapping[str, Any], ranked: Ranked, *, once: bool, threads: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The pairs of a join of the regions with themselves, on the host: each `once`, or in both orders."""
    wanted = Wanted(ranked.threshold, None if ranked.keys is None else (ranked.keys, ranked.keys), once)
    host = tables._replace(dtype="float64", like=np.empty(0))
    i, j, value = native.join(host, name, options, wanted, threads=threads)
    return i, j, value
