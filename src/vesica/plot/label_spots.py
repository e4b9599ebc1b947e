"""Where the words of a region stand: at one of its corners, where they hide no others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vesica.plot.theme import NAME

_LETTER, _LINE, _ASIDE = 0.66, 1.35, 3.0
"""How wide a bold letter is and how high a line, in the size of letters; how far words are from a corner, in points."""


class Rect(NamedTuple):
    """What words cover, in points; y goes down."""

    x1: float
    y1: float
    x2: float
    y2: float

    def shared(self, other: Rect, /) -> float:
        """The area of both."""
        wide = min(self.x2, other.x2) - max(self.x1, other.x1)
        high = min(self.y2, other.y2) - max(self.y1, other.y1)
        return max(wide, 0.0) * max(high, 0.0)

    @property
    def area(self) -> float:
        return (self.x2 - self.x1) * (self.y2 - self.y1)


class Spot(NamedTuple):
    """A corner of a region, and on which side of its edge words stand."""

    is_left: bool
    is_at_top: bool
    is_above: bool


SPOTS = (
    Spot(True, True, True),
    Spot(True, False, False),
    Spot(False, True, True),
    Spot(False, False, False),
    Spot(True, True, False),
    Spot(True, False, True),
    Spot(False, True, False),
    Spot(False, False, True),
)
"""At each corner outside and inside; those outside are tried first."""


def best_spot(
    box: tuple[float, float, float, float],
    words: str,
    limits: tuple[float, float, float, float],
    scale: float,
    taken: Sequence[Rect],
    /,
    *,
    is_below: bool = False,
) -> tuple[Spot, Rect]:
    """The first spot where words of a box hide nothing that is taken, and stay within limits; else where they hide
    least.

    `scale` is how many points a unit of box and limits is. With `is_below` the lower edge comes before the upper one.

    >>> spot, rect = best_spot((10, 50, 30, 90), "cat", (0, 0, 100, 100), 4.0, [])
    >>> spot
    Spot(is_left=True, is_at_top=True, is_above=True)
    >>> best_spot((10, 50, 30, 90), "dog", (0, 0, 100, 100), 4.0, [rect])[0]
    Spot(is_left=False, is_at_top=True, is_above=True)
    """
    page = Rect(0.0, 0.0, (limits[2] - limits[0]) * scale, (limits[3] - limits[1]) * scale)
    found = []
    order = sorted(SPOTS, key=lambda spot: (spot.is_at_top != spot.is_above, spot.is_at_top == is_below))
    for spot in order:
        rect = _rect(spot, box, words, limits, scale)
        hidden = sum(rect.shared(other) for other in taken) + 2 * (rect.area - rect.shared(page))
        if hidden < 1:
            return spot, rect
        found.append((hidden, spot, rect))
    _, spot, rect = min(found, key=lambda one: one[0])
    return spot, rect


def _rect(
    spot: Spot,
    box: tuple[float, float, float, float],
    words: str,
    limits: tuple[float, float, float, float],
    scale: float,
) -> Rect:
    wide, high = len(words) * NAME * _LETTER, NAME * _LINE
    x = ((box[0] if spot.is_left else box[2]) - limits[0]) * scale
    y = ((box[1] if spot.is_at_top else box[3]) - limits[1]) * scale
    left = x + _ASIDE if spot.is_left else x - _ASIDE - wide
    top = y - _ASIDE - high if spot.is_above else y + _ASIDE
    return Rect(left, top, left + wide, top + high)
