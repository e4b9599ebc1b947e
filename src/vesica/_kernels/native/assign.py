"""One-to-one matching: choices among pairs of rows and columns, made on the host."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._array import contiguous
from vesica._kernels import native
from vesica._kernels.tables import Shortage

GOALS = tuple(_native.goal_names())
"""The largest sum, where rows may stay unmatched; the most pairs, then the largest sum; the largest sum that leaves no
row without a partner."""

_NO_SCORES = np.empty(0)


def greedy(
    i: np.ndarray, j: np.ndarray, value: np.ndarray, size: tuple[int, int], scores: np.ndarray | None
) -> np.ndarray:
    """Columns choose, the highest score first. Places of the chosen pairs, ordered by row; the pairs come ordered by i,
    then j."""
    known = _NO_SCORES if scores is None else scores
    (places,) = native.plain(_native.assign_greedy(*_columns(i, j, value), *size, known))
    return places


def optimal(
    i: np.ndarray, j: np.ndarray, value: np.ndarray, size: tuple[int, int], goal: str, *, threads: int | None
) -> tuple[np.ndarray, Shortage | None]:
    """The best choice among pairs, ordered by i, then j: their places, or what stands in the way of completeness."""
    count = native.thread_count(threads)
    places, shortage = _native.assign_optimal(*_columns(i, j, value), *size, GOALS.index(goal), count)
    return native.plain(places)[0], shortage


def dense(costs: np.ndarray, goal: str) -> tuple[np.ndarray, Shortage | None]:
    """The best choice in a matrix of costs, infinite where there is no pair: the column of each row, or −1.

    No more rows than columns, where no row may be left.
    """
    out = np.empty(len(costs), np.int64)
    return out, _native.assign_dense(contiguous(costs, np.float64), GOALS.index(goal), out)


def _columns(i: np.ndarray, j: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        contiguous(i, np.int64),
        contiguous(j, np.int64),
        contiguous(value, np.float64),
    )
