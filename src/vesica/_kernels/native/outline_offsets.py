"""How far the outlines of pairs of masks are apart."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._array import contiguous
from vesica._kernels import native
from vesica._kernels.generic.outline_offsets import Runs


def outline_offsets(
    a: Runs, rows_a: np.ndarray, b: Runs, rows_b: np.ndarray, height: int, *, threads: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """For pairs of rows how far the outline of b lies outside that of a, and the mean distance of both."""
    offset, distance = np.empty(len(rows_a)), np.empty(len(rows_a))
    rows = contiguous(rows_a, np.int64), contiguous(rows_b, np.int64)
    _native.outline_offsets(*a, rows[0], *b, rows[1], height, native.thread_count(threads), offset, distance)
    return offset, distance
