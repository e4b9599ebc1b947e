"""Rotated boxes as they are given: checked, and with cosine and sine as the kernels read them."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._check import LEAST_SIDE, LIMITS


def are_sound(rows: np.ndarray) -> bool:
    """Are all numbers of these contiguous rows within the limit, and no side so small that areas lose digits?"""
    return _native.rotated_are_sound(rows, LIMITS["float64"], LEAST_SIDE)


def turned(rows: np.ndarray, unit: str, direction: str) -> np.ndarray:
    """Contiguous rows of cx, cy, w, h, angle in float64 with cosine and sine: all of it but those two is native."""
    is_deg, is_ccw = unit == "deg", direction == "ccw"
    if is_deg:
        angle = np.empty(len(rows))
        _native.rotated_take_quarters(rows, is_ccw, angle)
    else:
        angle = -rows[:, 4] if is_ccw else rows[:, 4]
    out = np.empty((len(rows), 7))
    _native.rotated_turn(rows, is_deg, is_ccw, np.cos(angle), np.sin(angle), out)
    return out
