"""Outlines: the pixels at the edge of a mask, and how far other pixels are from them."""

from __future__ import annotations

import numpy as np

from vesica._kernels import pick_arrays
from vesica._kernels.generic.surfaces import surface


def outline(mask: np.ndarray, /) -> np.ndarray:
    """The pixels of a mask that have a neighbour along an axis outside it; beyond the image is outside.

    >>> import numpy as np
    >>> outline(np.ones((3, 4), bool)).astype(int)
    array([[1, 1, 1, 1],
           [1, 0, 0, 1],
           [1, 1, 1, 1]])
    """
    return np.asarray(surface(mask))


def distance_to(pixels: np.ndarray, threads: int | None = None, /) -> np.ndarray:
    """How far each pixel of a picture or a volume is from the nearest of these; infinite where there are none."""
    outside = np.ascontiguousarray(~pixels)
    kernel = pick_arrays("distance", "masks", outside)
    away: np.ndarray = kernel.call(outside, spacing=(1.0,) * pixels.ndim, threads=threads)
    return away
