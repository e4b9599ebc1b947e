"""Clusters of shapes: which centre is nearest, and what lies around it."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._kernels import native
from vesica._kernels.tables import Nearest


def nearest(columns: np.ndarray, centres: np.ndarray, *, threads: int | None) -> Nearest:
    """`columns` has two rows, widths and heights."""
    count = columns.shape[1]
    label, iou = np.empty(count, np.int32), np.empty(count, np.float64)
    total, w, h, counts = _native.kmeans_nearest(columns, centres, label, iou, native.thread_count(threads))
    return Nearest(label, iou, total, np.stack([w, h], axis=1), *native.plain(counts))


def medians(columns: np.ndarray, label: np.ndarray, centres: np.ndarray, *, threads: int | None) -> np.ndarray:
    """The median width and height of the members of each centre; `centres` where there are none."""
    moved: np.ndarray = centres.copy()
    _native.kmeans_medians(columns, label, moved, native.thread_count(threads))
    return moved
