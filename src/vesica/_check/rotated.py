"""Checks of rotated boxes that are given by their corners."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from vesica import _check as check
from vesica._array import Array, as_array, dtype_name, namespace, to_numpy

Fit = Literal["rectangle", "smallest"]
FITS: tuple[str, ...] = get_args(Fit)

SLACK = 0.01
"""How far a corner may lie from that of a rectangle, as a share of its diagonal."""


def corners(value: Any) -> Array:
    """(N, 4, 2) numbers; eight columns are four points."""
    array = as_array(value) if hasattr(value, "ndim") else check.listed(value, "corners")
    if dtype_name(array) not in check.NUMBERS:
        raise TypeError(f"`corners` must hold integers or floats up to 64 bits; got {dtype_name(array)}.")
    shape = tuple(int(side) for side in array.shape)
    if shape == (0,) or (len(shape) == 2 and shape[1] == 8):
        return namespace(array).reshape(array, (shape[0], 4, 2))
    if len(shape) == 3 and shape[1:] == (4, 2):
        return array
    hint = " One box is a table of one: corners[None]." if shape in ((4, 2), (8,)) else ""
    raise ValueError(f"`corners` must have shape (N, 4, 2) or (N, 8), four points a box; got {shape}.{hint}")


def points(array: Array) -> None:
    """Raise for the first point that is not finite, or too large."""
    numbers = to_numpy(array).astype(np.float64)
    limit = check.LIMITS["float64"]
    bad = np.flatnonzero(~(np.abs(numbers) <= limit).all(axis=(1, 2)))
    if bad.size:
        row = int(bad[0])
        value = numbers[row][~(np.abs(numbers[row]) <= limit)][0]
        raise ValueError(f"`corners` of box {row} must be finite and at most 2^508; got {value}. Leave the box out.")


def not_tiny(w: np.ndarray, h: np.ndarray) -> None:
    """Raise for the first box whose area has lost its digits."""
    bad = np.flatnonzero(check.is_tiny(w, h))
    if bad.size:
        row = int(bad[0])
        raise ValueError(f"`corners` of box {row} are too small: {w[row]} × {h[row]}. {check.too_small('float64')}")


def rectangles(apart: np.ndarray, diagonal: np.ndarray) -> None:
    """Raise for the first quadrilateral whose corners are too far from those of the rectangle around it."""
    bad = np.flatnonzero(apart > SLACK * diagonal)
    if bad.size:
        row = int(bad[0])
        raise ValueError(
            f"`corners` of box {row} are no rectangle's: one lies {apart[row]:.3g} away from the corner of the "
            f"smallest rectangle around them, whose diagonal is {diagonal[row]:.3g}. To take that rectangle: "
            'fit="smallest". To keep the outline: Polygons.'
        )
