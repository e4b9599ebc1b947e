"""Bands: the whole row of a chart leads to its objects, and not only the few pixels that are drawn in it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vesica.report.views import Mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Marks = Callable[["Axes"], Mapping[str, Mark]]
_UNSEEN = (0.5, 0.5, 0.5, 0.004)
"""A colour that a pointer meets and nobody sees; of no colour at all nothing would be written."""


def rows(marks: Sequence[Mark | None], /) -> Marks:
    """A band from side to side for each row of a chart, from the top; None: this one leads nowhere."""
    places = [(place - 0.5, place + 0.5) for place in range(len(marks))]
    return lambda ax: _bands(ax, marks, ax.axhspan, places)


def columns(marks: Sequence[Mark | None], edges: Sequence[float], /) -> Marks:
    """A band from top to bottom between every two edges."""
    return lambda ax: _bands(ax, marks, ax.axvspan, list(itertools.pairwise(edges)))


def _bands(ax: Axes, marks: Sequence[Mark | None], draw: Any, places: Sequence[tuple[float, float]]) -> dict[str, Mark]:
    limits = ax.get_xlim(), ax.get_ylim()
    found = {}
    for place, (mark, ends) in enumerate(zip(marks, places, strict=True)):
        if mark is not None:
            found[f"band-{place}"] = mark
            draw(*ends, facecolor=_UNSEEN, edgecolor="none", gid=f"band-{place}", zorder=9)
    ax.set_xlim(limits[0])
    ax.set_ylim(limits[1])
    return found
