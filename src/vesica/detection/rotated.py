"""Rotated boxes: which guesses and truths of a cell overlap, and how far."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica.detection.inputs import Inputs
from vesica.overlaps.join import join
from vesica.regions import Polygons

_LEAST = 1e-9
"""Smaller overlaps count as none; only a threshold of 0 could tell."""


def pairs_of(inputs: Inputs, floor: float, threads: int | None, /) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of the guesses, rising; rows of the truths; values: of pairs in one cell that may reach the floor.

    The value is the iou of the outlines as they were drawn; of a crowd, the share of the guess that it covers.
    """
    guess, truth = (_outlines(corners) for corners in (inputs.guess_corners, inputs.truth_corners))
    cells = tuple(_cells(side, len(inputs.categories)) for side in (inputs.guesses, inputs.truths))
    # A little less, so that only the matching rounds.
    options: dict[str, Any] = {"at_least": max(floor * (1 - 1e-9), _LEAST), "threads": threads}
    found = join(guess, truth, keys=cells, **options)
    pairs = np.asarray(found.i), np.asarray(found.j), np.asarray(found.value)
    crowd = inputs.truths.crowd
    if crowd is None or not crowd.any():
        return pairs

    rows = np.flatnonzero(crowd)
    covered = join(guess, truth[rows], measure="coverage", keys=(cells[0], cells[1][rows]), **options)
    alone = ~crowd[pairs[1]]
    of_crowds = (np.asarray(covered.i), rows[np.asarray(covered.j)], np.asarray(covered.value))
    both = [np.concatenate([one[alone], other]) for one, other in zip(pairs, of_crowds, strict=True)]
    order = np.argsort(both[0], kind="stable")
    return both[0][order], both[1][order], both[2][order]


def area_of(corners: np.ndarray, /) -> np.ndarray:
    """The area inside each outline."""
    return np.asarray(_outlines(corners).area)


def _outlines(corners: np.ndarray | None) -> Polygons:
    points = np.empty((0, 4, 2)) if corners is None else corners
    return Polygons._of_corners(points, "float64", points, None)


def _cells(side: Any, categories: int) -> np.ndarray:
    """One number for an image and a category; rows that are left out have places below 0, and meet no other row."""
    number: np.ndarray = (side.image.astype(np.int64) + 1) * (categories + 1) + side.category + 1
    return number
