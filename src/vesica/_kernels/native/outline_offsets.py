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
    sides = (*a, contiguous(rows_a, np.int64)), (*b, contiguous(rows_b, np.int64))
    _native.outline_offsets(*sides, height, native.thread_count(threads), offset, distance)
    return offset, distance


def outline_histograms(
    a: Runs,
    rows_a: np.ndarray,
    b: Runs,
    rows_b: np.ndarray,
    height: int,
    *,
    step: float,
    bins: int,
    threads: int | None = None,
) -> np.ndarray:
    """(P, bins) uint32: of pairs of rows how many pixels of both outlines are how far from the other one."""
    out = np.empty((len(rows_a), bins), np.uint32)
    sides = (*a, contiguous(rows_a, np.int64)), (*b, contiguous(rows_b, np.int64))
    _native.outline_histograms(*sides, height, step, bins, native.thread_count(threads), out.reshape(-1))
    return out


def edge_pixels(
    a: Runs,
    rows_a: np.ndarray,
    b: Runs,
    rows_b: np.ndarray,
    height: int,
    *,
    within: float,
    threads: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Of pairs of rows how many pixels one alone has, and how many of these are near an outline."""
    differ, near = np.empty(len(rows_a), np.int64), np.empty(len(rows_a), np.int64)
    sides = (*a, contiguous(rows_a, np.int64)), (*b, contiguous(rows_b, np.int64))
    _native.edge_pixels(*sides, height, within, native.thread_count(threads), differ, near)
    return differ, near
