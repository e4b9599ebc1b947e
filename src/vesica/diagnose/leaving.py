"""Leaving: the share of boxes that lie outside their images under a reading. Right ones hardly do, wrong ones often."""

from __future__ import annotations

import numpy as np

from vesica.diagnose.box_readings import AXES_SWAPPED, LAYOUTS, BoxReading
from vesica.diagnose.inputs import Side

FEWEST, OFTEN, HARDLY = 50, 0.1, 0.01
"""Boxes that say something; leave shares that are large and small."""
SLACK = 1.0
"""Pixels that a box may reach over the border."""
FEWEST_SHARES = 10
"""Boxes of which it is told that they are shares."""
LOWEST, HIGHEST, NEARLY_ALL = -0.05, 1.05, 0.999
"""Where numbers lie that are shares, and how many of them must."""
_ASSUMED = 1000
"""The side of an image without a size: enough for shares."""


def leave_share(corners: np.ndarray, sizes: np.ndarray, /) -> float:
    """Of boxes whose image has a size: those that are inverted, or leave it by more than a pixel."""
    known = (sizes > 0).all(axis=1)
    if not known.any():
        return 0.0
    return float(leaves(corners[known], sizes[known]).mean())


def leaves(corners: np.ndarray, sizes: np.ndarray, /) -> np.ndarray:
    """Which boxes are inverted, or leave their image by more than a pixel."""
    x1, y1, x2, y2 = corners.T  # column by column: NumPy is slow at many short rows
    height, width = sizes.T
    low = (x1 < -SLACK) | (y1 < -SLACK)
    high = (x2 > width + SLACK) | (y2 > height + SLACK)
    return np.asarray(low | high | (x2 < x1) | (y2 < y1))


def shares_of(side: Side, /) -> dict[BoxReading, float]:
    """The leave share of every layout in the declared unit, the declared layout first; none without sizes."""
    rows = side.looked_at
    sizes = side.sizes_at(rows)
    if not (sizes > 0).all(axis=1).any():
        return {}
    numbers = side.numbers[rows]
    readings = [side.declared, *(side.declared._replace(layout=name) for name in LAYOUTS)]
    return {one: leave_share(one.corners(numbers, sizes), sizes) for one in dict.fromkeys(readings)}


def certain(shares: dict[BoxReading, float], count: int, /) -> BoxReading | None:
    """The one other reading that fits where that which was declared does not; None if there is none, or several."""
    if count < FEWEST or not shares:
        return None
    (_, given), *others = shares.items()
    fits = [reading for reading, share in others if share <= HARDLY]
    return fits[0] if given >= OFTEN and len(fits) == 1 else None


def are_shares(side: Side, /) -> bool:
    """Do all numbers lie between 0 and 1, and not at their ends alone, where pixels were declared?"""
    rows = side.looked_at
    if side.declared.unit != "pixels" or len(rows) < FEWEST_SHARES:
        return False
    numbers = side.numbers[rows]
    if float(numbers.max()) > 2 * HIGHEST and _quantile(numbers, NEARLY_ALL) > HIGHEST:
        return False
    inside = float(((numbers >= LOWEST) & (numbers <= HIGHEST)).mean())
    fractions = float((numbers != np.round(numbers)).mean())
    known = side.sizes_at(rows)[(side.sizes_at(rows) > 0).all(axis=1)]
    is_small = known.size > 0 and float(np.median(known)) < 4  # where shares and pixels are the same
    return inside >= NEARLY_ALL and fractions >= 0.5 and not is_small


def _quantile(numbers: np.ndarray, share: float) -> float:
    """As np.quantile has it, which imports NumPy's masked arrays for it."""
    place, more = divmod((numbers.size - 1) * share, 1)
    low, high = np.partition(numbers.ravel(), [int(place), int(place) + 1])[int(place) : int(place) + 2].tolist()
    return float(low + (high - low) * more)


def layouts_of_shares(side: Side, /) -> dict[BoxReading, float]:
    """The leave share of every layout, if the numbers are shares of the image: of a square, which axes cannot leave
    by being swapped."""
    rows = side.looked_at
    sizes = np.where(side.sizes_at(rows) > 0, side.sizes_at(rows), _ASSUMED)
    layouts = [name for name in LAYOUTS if name not in AXES_SWAPPED]
    readings = [side.declared._replace(layout=name, unit="shares") for name in layouts]
    return {one: leave_share(one.corners(side.numbers[rows], sizes), sizes) for one in readings}


def are_pixels(side: Side, /) -> bool:
    """Are there numbers far above 1 where shares or percent were declared?"""
    limit = {"shares": 2.0, "percent": 200.0}.get(side.declared.unit)
    if limit is None or not len(side.looked_at):
        return False
    return float((side.numbers[side.looked_at] > limit).mean()) > HARDLY
