"""Skeletons of masks, and how much of them lies inside other masks."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._array import Array, from_numpy, to_numpy
from vesica._kernels import native
from vesica._kernels.native.labels import integers
from vesica._kernels.tables import CentrelinePair


def skeleton(mask: Array) -> Array:
    """The mask, thinned to lines."""
    pixels = np.array(to_numpy(mask), bool, order="C").view(np.uint8)
    _native.thin(pixels)
    return from_numpy(pixels.view(bool), mask)


def centrelines(a: Array, b: Array, labels: np.ndarray, *, threads: int | None) -> list[CentrelinePair]:
    """For each label the pixels of both skeletons, and how many lie inside the other mask."""
    found = _native.centrelines(integers(a), integers(b), labels, native.thread_count(threads))
    return [CentrelinePair(*row) for row in found.reshape(-1, 4).tolist()]
