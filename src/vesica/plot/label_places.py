"""Where a label fits into an area: the largest rectangle of its proportions that lies inside."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_STEPS = 12
"""Halvings of the search for the largest rectangle: 1 / 4096 of the picture."""


class Place(NamedTuple):
    """A rectangle of cells."""

    x: float
    y: float
    """Its centre, in cells."""
    scale: float
    """How many times as large as was asked for."""


def largest(area: np.ndarray, width: float, height: float, /) -> Place | None:
    """The largest rectangle of these proportions inside an area of cells; None where not even one cell is free.

    >>> import numpy as np
    >>> area = np.zeros((8, 12), bool)
    >>> area[2:6, 1:9] = True
    >>> place = largest(area, 2, 1)
    >>> place.x, place.y, round(place.scale)
    (5.0, 4.0, 4)
    """
    sums = _sums(area)
    if not sums[-1, -1]:
        return None
    low, high = 0.0, max(area.shape) / min(width, height)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _is_inside(sums, width * middle, height * middle).any() else (low, middle)
    corners = _corners(sums, width * low, height * low)
    # Of several that are equally large, the one nearest to the middle of them all: a label that stands in the middle.
    away = np.abs(corners - corners.mean(axis=0)).sum(axis=1)
    y, x = corners[np.argmin(away)]
    columns, rows = _cells(width * low, height * low)
    return Place(float(x + columns / 2), float(y + rows / 2), low)


def nearest(area: np.ndarray, width: float, height: float, x: float, y: float, /) -> Place | None:
    """The rectangle of this size inside an area whose centre is nearest to a point; None where it does not fit."""
    corners = _corners(_sums(area), width, height)
    if not len(corners):
        return None
    columns, rows = _cells(width, height)
    centres = np.add(corners, (rows / 2, columns / 2))
    row, column = centres[np.argmin(((centres - (y, x)) ** 2).sum(axis=1))]
    return Place(float(column), float(row), 1.0)


def _cells(width: float, height: float) -> tuple[int, int]:
    return max(1, int(np.ceil(width))), max(1, int(np.ceil(height)))


def _sums(area: np.ndarray) -> np.ndarray:
    """How many cells of the area lie above and to the left of each corner."""
    sums = np.zeros((area.shape[0] + 1, area.shape[1] + 1), np.int32)
    np.cumsum(np.cumsum(area, axis=0, dtype=np.int32), axis=1, out=sums[1:, 1:])
    return sums


def _corners(sums: np.ndarray, width: float, height: float) -> np.ndarray:
    """(N, 2) upper left corners, row and column, of the rectangles of this size that lie inside."""
    return np.argwhere(_is_inside(sums, width, height))


def _is_inside(sums: np.ndarray, width: float, height: float) -> np.ndarray:
    """For each upper left corner: is a rectangle of this size there that lies inside? Of none, where none can be."""
    columns, rows = _cells(width, height)
    if rows >= sums.shape[0] or columns >= sums.shape[1]:
        return np.empty((0, 0), bool)
    inside = sums[rows:, columns:] - sums[:-rows, columns:] - sums[rows:, :-columns] + sums[:-rows, :-columns]
    return np.asarray(inside == rows * columns)
