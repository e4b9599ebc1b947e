"""One box for each cluster of boxes: the median or the mean of each coordinate."""

from __future__ import annotations

import numpy as np

from vesica.regions.rotated import RotatedBoxes

_QUARTER = 90.0


def middle(values: np.ndarray, starts: np.ndarray, how: str, /) -> np.ndarray:
    """(C, k): the median or the mean of each column of (M, k) values, cluster by cluster.

    Where one column is nowhere above another, its middle is not either: a box is never turned inside out. The order of
    the members of a cluster changes no bit.
    """
    sizes = np.diff(starts)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    out = np.empty((len(sizes), values.shape[1]))
    for column in range(values.shape[1]):
        rising = values[np.lexsort((values[:, column], owner)), column]
        if how == "median":
            low, high = rising[starts[:-1] + (sizes - 1) // 2], rising[starts[:-1] + sizes // 2]
            out[:, column] = (low + high) / 2
        else:
            out[:, column] = np.add.reduceat(rising, starts[:-1]) / sizes if len(sizes) else 0.0
    return out


def middle_corners(corners: np.ndarray, starts: np.ndarray, how: str, /) -> tuple[np.ndarray, np.ndarray]:
    """(C, 4, 2) corners of rotated boxes: the middle of centres, sides and angles; and where angles are no help.

    A box turned by a quarter is the same box with its sides exchanged, so the angles of a cluster are first brought
    within an eighth of a turn of their common direction. Where they point all ways there is none.
    """
    rows = np.asarray(RotatedBoxes.from_corners(corners, fit="smallest").array)
    sizes = np.diff(starts)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    by_angle = np.lexsort((rows[:, 4], owner))
    turn = np.deg2rad(4 * rows[by_angle, 4])
    east, south = (np.add.reduceat(part, starts[:-1]) / sizes for part in (np.cos(turn), np.sin(turn)))
    common = np.rad2deg(np.arctan2(south, east)) / 4
    is_vague = np.hypot(east, south) < 1e-9

    quarters = np.rint((rows[:, 4] - common[owner]) / _QUARTER)
    aligned = rows.copy()
    aligned[:, 4] -= quarters * _QUARTER
    is_turned = quarters % 2 == 1
    aligned[is_turned, 2], aligned[is_turned, 3] = rows[is_turned, 3], rows[is_turned, 2]
    found = middle(aligned, starts, how)
    return np.asarray(RotatedBoxes(found, unit="deg", direction="cw", check=False).to_corners()), is_vague
