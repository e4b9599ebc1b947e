"""Precision and recall from what matching left behind."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica import _native
from vesica._kernels import native


class Columns(NamedTuple):
    """What precision is made of; all flat."""

    starts: np.ndarray
    guesses: np.ndarray
    counted: np.ndarray
    score: np.ndarray
    matched: np.ndarray
    ignored: np.ndarray


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
    precision, recall = np.empty(made), np.empty((thresholds, categories, areas, len(limits)))
    scores = np.empty(made) if with_scores else None
    count = native.thread_count(threads)
    _native.precision_recall(
        (*found, thresholds, areas), recalls, limits, first_limit, epsilon, precision, recall, scores, count
    )
    return precision, recall, scores
