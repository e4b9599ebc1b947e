"""Distances: of pixels to seeds, and between the surfaces of masks."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._array import Array, contiguous, from_numpy, to_numpy
from vesica._kernels import native
from vesica._kernels.native.labels import integers
from vesica._kernels.tables import Histogram, SurfacePair

# Whole numbers up to this one are exact in float32.
_FLOAT32_EXACT = 1 << 24


def distance_transform(mask: Array, *, spacing: tuple[float, ...], threads: int | None) -> Array:
    """The distance from each pixel of the mask to the nearest one outside it; infinite where there is none."""
    inside = to_numpy(mask)
    seeds = contiguous(~inside).view(np.uint8)
    # Roots of exact squares, rounded once: float32 serves where it holds every square.
    is_narrow = set(spacing) == {1.0} and sum(side * side for side in seeds.shape) < _FLOAT32_EXACT
    out = native.empty(seeds.shape, "float32" if is_narrow else "float64")
    kernel = _native.distance_transform_float32 if is_narrow else _native.distance_transform_float64
    kernel(seeds, _weights(spacing), True, native.thread_count(threads), out)
    return from_numpy(out, mask)


def surfaces(
    a: Array, b: Array, labels: np.ndarray, *, spacing: tuple[float, ...], threads: int | None
) -> list[SurfacePair]:
    """For each label how far the surfaces of both maps are apart."""
    # One distance along all axes: whole numbers inside, so that squares are exact.
    common = spacing[0] if len(set(spacing)) == 1 else None
    weights = (1.0, 1.0, 1.0) if common else _weights(spacing)
    size_a, size_b, from_a, from_b = _native.surface_distances(
        integers(a), integers(b), weights, labels, native.thread_count(threads)
    )
    scale = common * common if common else 1.0
    sides = (_histograms(*from_a, scale), _histograms(*from_b, scale))
    return [SurfacePair(*pair) for pair in zip(size_a.tolist(), size_b.tolist(), *sides, strict=True)]


def _weights(spacing: tuple[float, ...]) -> tuple[float, float, float]:
    squares = [one * one for one in spacing]
    plane, row, column = squares if len(squares) == 3 else (1.0, *squares)
    return plane, row, column


def _histograms(lengths: np.ndarray, squared: np.ndarray, counts: np.ndarray, scale: float) -> list[Histogram]:
    lengths, counts = native.plain(lengths, counts)
    ends = np.cumsum(lengths)[:-1]
    return [Histogram(*pair) for pair in zip(np.split(squared * scale, ends), np.split(counts, ends), strict=True)]
