"""Label maps: which labels meet how often."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._array import Array, contiguous, from_numpy, to_numpy
from vesica._kernels import native


def count(a: Array, b: Array, *, threads: int | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels of a, labels of b, and how many pixels have both; sorted by the labels."""
    left, right, count = native.plain(*_native.labels_count(integers(a), integers(b), native.thread_count(threads)))
    return left, right, count


def table(
    a: Array, b: Array, *, ignored: tuple[int | None, int | None], threads: int | None
) -> tuple[np.ndarray, np.ndarray, Array]:
    """All labels of a, all of b, rising, and the table of how many pixels have both, of those that no side ignores."""
    rows, columns, counts = _native.labels_table(integers(a), integers(b), *ignored, native.thread_count(threads))
    return rows, columns, from_numpy(counts, a)


def components(a: Array, *, background: int, diagonal: bool) -> tuple[Array, np.ndarray]:
    """The number of its connected component for each pixel, 0 for the background; and the label of each component."""
    values = integers(a)
    out = np.empty(values.shape, np.int64)
    (labels,) = native.plain(_native.label_components(values, background, diagonal, out))
    return from_numpy(out, a), labels


def integers(array: Array) -> np.ndarray:
    """Contiguous integers of a type that the kernels know. Those of uint64 are looked at as int64."""
    values = contiguous(to_numpy(array))
    if values.dtype == bool:
        return np.not_equal(values.view(np.uint8), 0).view(np.uint8)  # whatever byte stands for true
    return values.view(np.int64) if values.dtype == np.uint64 else values
