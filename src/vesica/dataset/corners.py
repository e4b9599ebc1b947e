"""Rotated boxes of a data set: four corners a row, as they were drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica._array import as_array, to_numpy
from vesica._check import dataset as check


def is_corners(boxes: Any, /) -> bool:
    """RotatedBoxes, or an array of four points a row."""
    return hasattr(boxes, "to_corners") or tuple(getattr(boxes, "shape", ()))[1:] == (4, 2)


def corners_of(boxes: Any, sizes: np.ndarray | None, /, *, look: bool) -> np.ndarray:
    """(N, 4, 2) float64. With `sizes`, (N, 2) heights and widths, they are shares of their images."""
    given = boxes.to_corners() if hasattr(boxes, "to_corners") else boxes
    points = to_numpy(as_array(given)).astype(np.float64)
    if sizes is not None:
        points = points * sizes[:, None, ::-1]
    if look:
        check.sound_corners(points)
    return around(points)


def around(corners: np.ndarray, /) -> np.ndarray:
    """The same corners, in order around the box: those that come crosswise are put so, others stay as they are."""
    a, b, c, d = (corners[:, k] for k in range(4))
    crossed = np.flatnonzero(_meet(a, b, c, d) | _meet(b, c, d, a))
    if not crossed.size:
        return corners
    some = corners[crossed]
    spokes = some - some.mean(axis=1, keepdims=True)
    order = np.argsort(np.arctan2(spokes[..., 1], spokes[..., 0]), axis=1, kind="stable")
    out: np.ndarray = corners.copy()
    out[crossed] = np.take_along_axis(some, order[..., None], axis=1)
    return out


def _meet(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Do the lines from a to b and from c to d cross between their ends?"""
    apart = _side(a, b, c) * _side(a, b, d) < 0, _side(c, d, a) * _side(c, d, b) < 0
    return np.asarray(np.logical_and(*apart))


def _side(a: np.ndarray, b: np.ndarray, p: np.ndarray) -> np.ndarray:
    """On which side of the line from a to b the point is: −1, 0, 1."""
    u, v = b - a, p - a
    return np.asarray(np.sign(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]))


def xywh_around(corners: np.ndarray, /) -> np.ndarray:
    """The upright box around each."""
    if not len(corners):
        return np.empty((0, 4))
    low, high = corners.min(axis=1), corners.max(axis=1)
    return np.concatenate([low, high - low], axis=1)


def upright_corners(xywh: np.ndarray, /) -> np.ndarray:
    """(N, 4, 2): the corners of upright boxes, in order around them."""
    x, y, w, h = xywh.T
    return np.stack([np.stack(pair, axis=1) for pair in ((x, y), (x + w, y), (x + w, y + h), (x, y + h))], axis=1)
