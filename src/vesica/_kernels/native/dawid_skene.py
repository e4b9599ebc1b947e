"""Dawid and Skene."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._array import contiguous
from vesica._kernels.generic.dawid_skene import Fit, Ratings


def dawid_skene(
    ratings: Ratings, confusion: np.ndarray, prior: np.ndarray, *, is_free: bool, tolerance: float, most: int
) -> Fit:
    """Believe and learn in turn, beginning with these confusions and this prior."""
    said, begins = (contiguous(column, np.int64) for column in ratings[:2])
    confusion, prior = confusion.copy(), prior.copy()
    belief = np.empty((len(ratings.weight), len(prior)))
    columns = said, begins, contiguous(ratings.weight, np.float64)
    steps = _native.dawid_skene(columns, len(confusion), (is_free, tolerance, most), confusion, prior, belief)
    return Fit(belief, confusion, prior, min(steps, most), steps <= most)
