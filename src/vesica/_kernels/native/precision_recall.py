"""Precision and recall from what matching left behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vesica import _native
from vesica._array import contiguous
from vesica._kernels import native


class Columns(NamedTuple):
    """What precision is made of; all flat."""

    starts: np.ndarray
    guesses: np.ndarray
    counted: np.ndarray
    score: np.ndarray
    matched: np.ndarray
    ignored: np.ndarray


class Line(NamedTuple):
    """Which values a mean is of; None: all thresholds, all categories."""

    thresholds: list[int] | None
    categories: list[int] | None
    area: int
    limit: int


def means(values: np.ndarray, lines: Sequence[Line], *, threads: int | None) -> list[float]:
    """The mean of the values of each line above −1, in the order of thresholds, recalls, categories; −1 without any.

    `values` is precision (T, R, K, A, M) or recall (T, K, A, M).
    """
    table = values if values.ndim == 5 else values[:, None]
    out = np.empty(len(lines))
    _native.precision_means(contiguous(table, np.float64), lines, out, native.thread_count(threads))
    found: list[float] = out.tolist()
    return found


def accumulate(
    found: Columns,
    shape: tuple[int, int],
    recalls: np.ndarray,
    limits: np.ndarray,
    *,
    first_limit: int,
    epsilon: float,
    with_scores: bool,
    threads: int | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """precision (T, R, K, A, M), recall (T, K, A, M) and scores like precision.

    `shape` is the number of thresholds and of ranges.
    """
    thresholds, areas = shape
    categories = len(found.starts) - 1
    made = (thresholds, len(recalls), categories, areas, len(limits) - first_limit)
    precision, recall = native.table(made), np.empty((thresholds, categories, areas, len(limits)))
    scores = native.table(made) if with_scores else None
    count = native.thread_count(threads)
    _native.precision_recall(
        (*found, thresholds, areas), recalls, limits, first_limit, epsilon, precision, recall, scores, count
    )
    return precision, recall, scores
