"""Boxes that were turned in an annotation tool: degrees, clockwise on the screen, about a corner or the centre."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

_QUARTERS = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}
_STRAIGHT = 1e-6
"""How far corners may be off a rectangle, as a share of its longer side."""


class Turned(NamedTuple):
    """A rectangle: its upper left corner before it was turned about the centre, its sides, and the degrees."""

    x: float
    y: float
    w: float
    h: float
    degrees: float


def direction(degrees: float, /) -> tuple[float, float]:
    """Cosine and sine; exact for quarters of a circle."""
    angle = math.radians(degrees % 360)
    return _QUARTERS.get(degrees % 360, (math.cos(angle), math.sin(angle)))


def about_corner(x: float, y: float, w: float, h: float, degrees: float, /) -> np.ndarray:
    """The corners, (4, 2), of a box that is turned about its upper left one."""
    cos, sin = direction(degrees)
    along, down = np.array([w * cos, w * sin]), np.array([-h * sin, h * cos])
    corner = np.array([x, y])
    return np.stack([corner, corner + along, corner + along + down, corner + down])


# Sides may be too large for their sum: readers refuse corners that are not finite, and say where. No warning besides.
@np.errstate(over="ignore", invalid="ignore")
def about_centre(x: float, y: float, w: float, h: float, degrees: float, /) -> np.ndarray:
    """The corners, (4, 2), of a box that is turned about its centre."""
    cos, sin = direction(degrees)
    along, down = np.array([w * cos, w * sin]) / 2, np.array([-h * sin, h * cos]) / 2
    centre = np.array([x + w / 2, y + h / 2])
    return np.stack([centre - along - down, centre + along - down, centre + along + down, centre - along + down])


def turned(corners: np.ndarray, /) -> Turned | None:
    """The rectangle that has these corners, (4, 2) in order around it; None if they are not those of one."""
    a, b, c, d = corners
    along, down = b - a, d - a
    if along[0] * down[1] - along[1] * down[0] < 0:  # around the other way
        along, down = down, along
    w, h = math.hypot(*along), math.hypot(*down)
    slack = _STRAIGHT * max(w, h)
    if not w or not h or abs(a - b + c - d).max() > slack or abs(along @ down) > slack * min(w, h):
        return None
    x, y = (a + c) / 2
    return Turned(float(x - w / 2), float(y - h / 2), w, h, math.degrees(math.atan2(along[1], along[0])) % 360)
