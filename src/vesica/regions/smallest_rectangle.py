"""The smallest rectangle around four points, in array-API code: its sides are free to turn."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from vesica._array import Array, device, namespace

_PAIRS = tuple(combinations(range(4), 2))


class Rectangles(NamedTuple):
    """Columns of length N; the direction (cos, sin) of w lies in the first quarter turn from +x towards +y."""

    cx: Array
    cy: Array
    w: Array
    h: Array
    cos: Array
    sin: Array


def smallest(points: Array) -> Rectangles:
    """Around four points each, (N, 4, 2) floats in any order.

    One side of the smallest rectangle lies along a side of the hull. The hull is not needed: rectangles along all six
    lines through two of the points are around the points, too, so the smallest of the six is the one.
    """
    xp = namespace(points)
    origin = points[:, 0, :]
    near = points - points[:, :1, :]  # large coordinates cancel
    scale = _power_of_two(xp.max(xp.abs(near), axis=(1, 2)))  # products neither overflow nor vanish
    near = near / scale[:, None, None]

    cos, sin = _directions(xp.stack([near[:, j, :] - near[:, i, :] for i, j in _PAIRS], axis=1))
    x, y = near[:, None, :, 0], near[:, None, :, 1]
    along = x * cos[..., None] + y * sin[..., None]
    across = y * cos[..., None] - x * sin[..., None]
    left, right = xp.min(along, axis=-1), xp.max(along, axis=-1)
    top, bottom = xp.min(across, axis=-1), xp.max(across, axis=-1)
    area = (right - left) * (bottom - top)

    best = xp.argmin(area, axis=1)[:, None] == xp.arange(len(_PAIRS), device=device(points))[None, :]
    cos, sin, left, right, top, bottom = (
        xp.sum(xp.where(best, column, xp.zeros_like(column)), axis=1) for column in (cos, sin, left, right, top, bottom)
    )
    mid, level = (left + right) / 2 * scale, (top + bottom) / 2 * scale
    return Rectangles(
        origin[:, 0] + (mid * cos - level * sin),
        origin[:, 1] + (mid * sin + level * cos),
        *_first_quarter((right - left) * scale, (bottom - top) * scale, cos, sin),
    )


def _directions(lines: Array) -> tuple[Array, Array]:
    """Cosine and sine of (…, 2) differences; of none the direction of x."""
    xp = namespace(lines)
    longest = xp.max(xp.abs(lines), axis=-1)
    is_point = longest == 0
    x = xp.where(is_point, xp.ones_like(longest), lines[..., 0])
    y = xp.where(is_point, xp.zeros_like(longest), lines[..., 1])
    length = xp.sqrt(x * x + y * y)
    return x / length, y / length


def _first_quarter(w: Array, h: Array, cos: Array, sin: Array) -> tuple[Array, Array, Array, Array]:
    """The same sides, turned by quarters until w points right, or right and down. Nothing is rounded."""
    xp = namespace(w)
    odd = ((cos > 0) & (sin < 0)) | ((cos <= 0) & (sin > 0)) | ((cos == 0) & (sin < 0))
    c, s = xp.abs(cos), xp.abs(sin)
    return xp.where(odd, h, w), xp.where(odd, w, h), xp.where(odd, s, c), xp.where(odd, c, s)


def _power_of_two(value: Array) -> Array:
    xp = namespace(value)
    exponent = xp.floor(xp.log2(xp.where(value > 0, value, xp.ones_like(value))))
    return xp.asarray(2.0, dtype=value.dtype, device=device(value)) ** exponent


def apart(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """How far the farthest of four points lies from its corner, with the corners dealt out at their best."""
    least = np.full(len(points), np.inf)
    for order in permutations(range(4)):
        far = np.hypot(*np.moveaxis(points - corners[:, order, :], -1, 0)).max(axis=1)
        least = np.minimum(least, far)
    return least
