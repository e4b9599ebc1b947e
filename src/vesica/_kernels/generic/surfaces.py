"""Distances between surfaces in array-API code: every pixel of one surface against every pixel of the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vesica._array import Array, cast, from_numpy, namespace, to_numpy
from vesica._kernels.generic.tiles import tiles
from vesica._kernels.tables import Histogram, SurfacePair


def distance_transform(mask: Array, *, spacing: tuple[float, ...], threads: int | None = None) -> Array:
    """The distance from each pixel of the mask to the nearest one outside it; infinite where there is none."""
    xp = namespace(mask)
    squared = nearest(places(xp.ones_like(mask), spacing), places(~mask, spacing))
    distance = xp.sqrt(xp.reshape(squared, mask.shape))
    is_narrow = set(spacing) == {1.0} and sum(side * side for side in mask.shape) < 1 << 24
    return cast(distance, "float32") if is_narrow else distance


def surfaces(
    a: Array, b: Array, labels: np.ndarray, *, spacing: tuple[float, ...], threads: int | None = None
) -> list[SurfacePair]:
    """For each label how far the surfaces of both maps are apart."""
    a, b = cast(a, "int64"), cast(b, "int64")
    return [_compare(a == label, b == label, spacing) for label in labels.tolist()]


def _compare(a: Array, b: Array, spacing: tuple[float, ...]) -> SurfacePair:
    left, right = places(surface(a), spacing), places(surface(b), spacing)
    sizes = left.shape[0], right.shape[0]
    if not all(sizes):
        nothing = Histogram(np.empty(0), np.empty(0, np.int64))
        return SurfacePair(*sizes, nothing, nothing)
    return SurfacePair(*sizes, _counted(nearest(left, right)), _counted(nearest(right, left)))


def surface(mask: Array) -> Array:
    """The pixels with a neighbour along an axis that is not in the mask; beyond the image there is none that is."""
    xp = namespace(mask)
    inside = mask
    for axis in range(mask.ndim):
        edge = xp.zeros_like(mask[_at(mask.ndim, axis, slice(0, 1))])
        inside = inside & xp.concat([mask[_at(mask.ndim, axis, slice(1, None))], edge], axis=axis)
        inside = inside & xp.concat([edge, mask[_at(mask.ndim, axis, slice(None, -1))]], axis=axis)
    return mask & ~inside


def _at(ndim: int, axis: int, part: slice) -> tuple[slice, ...]:
    return tuple(part if one == axis else slice(None) for one in range(ndim))


def places(mask: Array, spacing: tuple[float, ...]) -> Array:
    """Where the pixels of a mask are: (N, axes) float64."""
    xp = namespace(mask)
    rows: Any = xp.stack([cast(part, "float64") for part in xp.nonzero(mask)], axis=1)
    return rows * from_numpy(np.array(spacing, np.float64), rows)


def nearest(a: Array, b: Array) -> Array:
    """The squared distance from each place to the nearest of others."""
    xp = namespace(a, b)
    if not b.shape[0]:
        return xp.full(a.shape[0], math.inf, dtype=xp.float64)
    parts = []
    for rows in tiles(a.shape[0], b.shape[0]):
        gaps = a[rows, None, :] - b[None, :, :]
        parts.append(xp.min(xp.sum(gaps * gaps, axis=2), axis=1))
    return xp.concat(parts)


def _counted(squared: Array) -> Histogram:
    values, counts = np.unique(to_numpy(squared), return_counts=True)
    return Histogram(values, counts.astype(np.int64))
