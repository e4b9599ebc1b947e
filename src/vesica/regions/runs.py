"""Runs of masks: counts made of them, and runs cut where a column ends, to be moved to an image of another height."""

from __future__ import annotations

import numpy as np

from vesica._kernels.native import pixels as native_pixels
from vesica._ragged import offsets_of


def column_runs(counts: np.ndarray, offsets: np.ndarray, height: int) -> tuple[np.ndarray, ...]:
    """The runs of masks cut at the ends of columns: mask, column, first row, and the row behind the last of each."""
    ends = np.cumsum(counts)
    mask = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    before = np.concatenate([[0], ends])[offsets[:-1]]  # all pixels of the masks before
    is_in = (np.arange(len(counts)) - offsets[mask]) % 2 == 1
    mask, end, length = mask[is_in], (ends - before[mask])[is_in], counts[is_in]
    start = end - length
    first, last = start // max(height, 1), (end - 1) // max(height, 1)
    columns = last - first + 1

    run = np.repeat(np.arange(len(mask)), columns)
    column = first[run] + np.arange(len(run)) - np.repeat(np.cumsum(columns) - columns, columns)
    top = np.maximum(start[run] - column * height, 0)
    bottom = np.minimum(end[run] - column * height, height)
    return mask[run], column, top, bottom


def counts_of_runs(
    mask: np.ndarray, start: np.ndarray, length: np.ndarray, masks: int, pixels: int
) -> native_pixels.Flat:
    """Canonical counts of runs in order, by mask and then by their first pixel; those that touch become one."""
    end = start + length
    is_first = np.diff(mask, prepend=-1) > 0
    gap = start - np.where(is_first, 0, np.concatenate([[0], end[:-1]]))
    flat = np.stack([gap, length], axis=1).ravel()
    offsets = offsets_of(2 * np.bincount(mask, minlength=masks))
    found, fault = native_pixels.canonical_counts(flat, offsets, pixels)
    assert fault is None, fault
    return found
