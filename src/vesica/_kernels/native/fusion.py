"""Weighted box fusion: boxes that agree become one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica import _native
from vesica._check import Threshold
from vesica._kernels import native
from vesica._kernels.native import _NO_KEYS


class Votes(NamedTuple):
    """Boxes, and what each of them says."""

    rows: np.ndarray
    """(N, 4) float64: x1, y1, x2, y2."""
    order: np.ndarray
    """int64: the rows that take part, the largest weighted score first."""
    weight: np.ndarray
    """(N,) float64: the weight of each row's model."""
    weighted: np.ndarray
    """(N,) float64: weight · score."""
    keys: np.ndarray | None
    """A small number for each row: only equal ones are fused."""


class Clusters(NamedTuple):
    """Fused boxes, best first."""

    boxes: np.ndarray
    """(K, 4) float64"""
    scores: np.ndarray
    first: np.ndarray
    """(K,) int64: the row that opened each."""
    members: np.ndarray
    """(N,) int64: the cluster of each row, −1 for none."""


def fuse(votes: Votes, threshold: Threshold, total: float, *, threads: int | None) -> Clusters:
    """`total` is the sum of the weights of all models."""
    keys = _NO_KEYS if votes.keys is None else votes.keys
    boxes, scores, first, members = _native.boxes_fuse(
        votes.rows,
        votes.order,
        votes.weight,
        votes.weighted,
        keys,
        threshold,
        total,
        native.thread_count(threads),
    )
    return Clusters(boxes.reshape(-1, 4), scores, *native.plain(first, members))
