"""Outlines: the pixels at the edge of a mask, and how far other pixels, or those of another one, are from them."""

from __future__ import annotations

import numpy as np

from vesica._kernels import pick_arrays
from vesica._kernels.generic.surfaces import surface
from vesica.regions import RleMasks


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


def outline_histograms(
    masks: RleMasks, a: np.ndarray, b: np.ndarray, /, *, step: float, bins: int, threads: int | None = None
) -> np.ndarray:
    """(P, bins) of each pair of masks how many pixels of both outlines are how far from the other one.

    Bin k has the distances above (k − 1) · step up to k · step; the last has all beyond it too.

    >>> masks = RleMasks.from_masks(np.array([[[1, 1, 1, 0, 0]], [[1, 1, 1, 1, 1]]], bool))
    >>> outline_histograms(masks, np.array([0]), np.array([1]), step=1, bins=4)
    array([[6, 1, 1, 0]], dtype=uint32)
    """
    kernel = pick_arrays("outline_histograms", "runs", masks.counts)
    runs = masks.counts, masks.offsets
    found: np.ndarray = kernel.call(runs, a, runs, b, masks.size[0], step=step, bins=bins, threads=threads)
    return found


def edge_pixels(
    masks: RleMasks, a: np.ndarray, b: np.ndarray | None, /, *, within: float, threads: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Of each pair of masks how many pixels one alone has, and how many of these are near an outline of either.

    Without `b`, of each mask and nothing.
    """
    kernel = pick_arrays("edge_pixels", "runs", masks.counts)
    runs = masks.counts, masks.offsets
    nothing = np.array([masks.size[0] * masks.size[1]], np.int64), np.array([0, 1], np.int64)
    others, rows = (nothing, np.zeros(len(a), np.int64)) if b is None else (runs, b)
    found: tuple[np.ndarray, np.ndarray] = kernel.call(
        runs, a, others, rows, masks.size[0], within=within, threads=threads
    )
    return found
