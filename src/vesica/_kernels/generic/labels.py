"""Counting two label maps in array-API code: on any device."""

from __future__ import annotations

import numpy as np

from vesica._array import Array, cast, namespace, to_numpy


def count(a: Array, b: Array, *, threads: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels of a, labels of b, and how many pixels have both; sorted by the labels. Only they leave the device."""
    xp = namespace(a, b)
    left = xp.unique_inverse(xp.reshape(cast(a, "int64"), (-1,)))
    right = xp.unique_inverse(xp.reshape(cast(b, "int64"), (-1,)))
    labels_a, labels_b = to_numpy(left.values), to_numpy(right.values)
    width = max(1, labels_b.shape[0])
    pairs = xp.unique_counts(cast(left.inverse_indices, "int64") * width + cast(right.inverse_indices, "int64"))
    codes, counts = to_numpy(pairs.values), to_numpy(pairs.counts).astype(np.int64)
    order = np.argsort(codes)  # the array API promises no order
    codes, counts = codes[order], counts[order]
    return labels_a[codes // width], labels_b[codes % width], counts
