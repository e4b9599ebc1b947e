"""Ellipses as polygons, which a data set has a place for."""

from __future__ import annotations

import math

import numpy as np

from vesica.io.turned_boxes import direction

CORNERS = 64
"""So many leave out or add no more than 0.12 % of a radius."""


def ellipse_ring(x: float, y: float, across: float, down: float, degrees: float = 0.0, /) -> np.ndarray:
    """The polygon of an ellipse with the same area: centre, both radii, and how far it is turned clockwise."""
    step = 2 * math.pi / CORNERS
    angle = step * np.arange(CORNERS)
    larger = math.sqrt(step / math.sin(step))
    along, beside = larger * across * np.cos(angle), larger * down * np.sin(angle)
    cos, sin = direction(degrees)
    return np.stack([x + along * cos - beside * sin, y + along * sin + beside * cos], axis=1)
