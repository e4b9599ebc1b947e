"""Parts of a picture that stand for something: a bar for a category, a cell for two classes, a point for an image."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Facts = dict[str, Any]
UNSEEN = "#00000001"
"""Invisible, but met by the pointer: what is not painted at all is not."""

_MARKS: weakref.WeakKeyDictionary[Axes, dict[str, Facts]] = weakref.WeakKeyDictionary()


def mark(ax: Axes, artist: Artist, /, **facts: Any) -> None:
    """Say what a part of a picture stands for. In an SVG it gets an id of its own."""
    own = _MARKS.setdefault(ax, {})
    name = f"mark-{len(own)}"
    artist.set_gid(name)
    own[name] = facts


def mark_point(ax: Axes, x: float, y: float, /, **facts: Any) -> None:
    """Say what a point of a curve stands for: a curve is one path, which leads nowhere."""
    mark(ax, ax.scatter([x], [y], s=140, facecolor=UNSEEN, linewidths=0, zorder=6), **facts)


def marks(ax: Axes, /) -> dict[str, Facts]:
    """What the parts of a picture stand for, by the id that each has in an SVG.

    Whoever puts pictures into a page can make them lead somewhere: a bar to the objects of its category. A range is a
    pair of its ends. Cells of a heat map are one image: they have no marks.

    Parameters
    ----------
    ax : what every picture here answers

    Returns
    -------
    dict of dict

    Examples
    --------
    >>> import vesica
    >>> result = vesica.evaluate_segmentation([[0, 0, 1, 1]], [[0, 0, 1, 0]], categories=["road", "car"])
    >>> vesica.plot.marks(vesica.plot.per_class(result, metric="IoU"))
    {'mark-0': {'category': 'road'}, 'mark-1': {'category': 'car'}}
    """
    return {name: dict(facts) for name, facts in _MARKS.get(ax, {}).items()}
