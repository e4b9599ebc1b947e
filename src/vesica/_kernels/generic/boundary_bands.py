"""How deep the pixels of masks lie, in array-API code: masks are eroded until nothing is left."""

from __future__ import annotations

import itertools

import numpy as np

from vesica._array import Array, cast, namespace, to_numpy
from vesica._kernels.tables import BandPair


def bands(a: Array, b: Array, labels: np.ndarray, *, threads: int | None = None) -> list[BandPair]:
    """For each label the pixels of both masks by their depth."""
    a, b = cast(a, "int64"), cast(b, "int64")
    return [_compare(a == label, b == label) for label in labels.tolist()]


def _compare(a: Array, b: Array) -> BandPair:
    depth_a, depth_b = _depths(a), _depths(b)
    both = np.where((depth_a > 0) & (depth_b > 0), np.maximum(depth_a, depth_b), 0)
    return BandPair(*(np.bincount(depth.ravel())[1:].astype(np.int64) for depth in (depth_a, depth_b, both)))


def _depths(mask: Array) -> np.ndarray:
    """The number of erosions that take a pixel away."""
    depths = np.zeros(tuple(mask.shape), np.int64)
    while bool(namespace(mask).any(mask)):
        depths += to_numpy(mask)
        mask = _eroded(mask)
    return depths


def _eroded(mask: Array) -> Array:
    """The pixels whose neighbours, corners included, are all in the mask; beyond the image there are none that are."""
    xp = namespace(mask)
    padded = mask
    for axis in range(mask.ndim):
        first = tuple(slice(0, 1) if one == axis else slice(None) for one in range(mask.ndim))
        edge = xp.zeros_like(padded[first])
        padded = xp.concat([edge, padded, edge], axis=axis)
    inside = mask
    for starts in itertools.product(range(3), repeat=mask.ndim):
        part = tuple(slice(start, start + side) for start, side in zip(starts, mask.shape, strict=True))
        inside = inside & padded[part]
    return inside
