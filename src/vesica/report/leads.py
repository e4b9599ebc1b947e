"""What a chart leads to: parts that its picture marks, or whole rows and columns, which a finger meets more easily."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vesica import plot
from vesica.plot.marks import UNSEEN
from vesica.report.views import Mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Marks = Callable[["Axes"], Mapping[str, Mark]]


MOST_BESIDE = 20
"""Rows of a heat map that stands beside another chart: of more, cells would be too small to meet."""


def square(count: int, /) -> dict[str, Any]:
    """Width and height of a heat map of so many rows, and whether it has both columns of a page."""
    if count > MOST_BESIDE:
        return {"width": 7.6, "height": 7.2, "is_wide": True}
    return {"height": float(min(2.6 + 0.24 * max(count, 4), 4.7))}


def drawn(told: Callable[[Mapping[str, Any]], Mark | None], /) -> Marks:
    """The parts that the picture itself marks, as far as what they stand for leads anywhere."""
    return lambda ax: {name: mark for name, facts in plot.marks(ax).items() if (mark := told(facts)) is not None}


def facts_of(**facts: Any) -> dict[str, str]:
    """Facts by their names, in which a blank is written as "_"; every value is a text.

    >>> facts_of(differs_from="ben", category=7)
    {'differs from': 'ben', 'category': '7'}
    """
    return {name.replace("_", " "): str(value) for name, value in facts.items()}


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
            draw(*ends, facecolor=UNSEEN, edgecolor="none", gid=f"band-{place}", zorder=9)
    ax.set_xlim(limits[0])
    ax.set_ylim(limits[1])
    return found
