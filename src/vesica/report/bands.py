"""Bands: the whole row of a chart leads to its objects, and not only the few pixels that are drawn in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from vesica.report.views import Mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Marks = Callable[["Axes"], Mapping[str, Mark]]


def rows(marks: Iterable[Mark | None], /) -> Marks:
    """One band from side to side for each row of a chart, from the top; None: this one leads nowhere."""
    return lambda ax: _bands(ax, marks, ax.axhspan, [(place - 0.5, place + 0.5) for place, _ in enumerate(marks)])


def columns(marks: Iterable[Mark | None], edges: Iterable[float], /) -> Marks:
    """One band from top to bottom between every two edges of a histogram."""
    ends = list(edges)
    return lambda ax: _bands(ax, marks, ax.axvspan, list(zip(ends, ends[1:], strict=False)))


def _bands(ax: Axes, marks: Iterable[Mark | None], draw: Any, places: list[tuple[float, float]]) -> dict[str, Mark]:
    found = {}
    limits = ax.get_xlim(), ax.get_ylim()
    for place, (mark, (low, high)) in enumerate(zip(marks, places, strict=False)):
        if mark is not None:
            # What is not seen is still met by a pointer.
            draw(low, high, alpha=0, linewidth=0, gid=f"band-{place}", zorder=9)
            found[f"band-{place}"] = mark
    ax.set_xlim(limits[0])
    ax.set_ylim(limits[1])
    return found
