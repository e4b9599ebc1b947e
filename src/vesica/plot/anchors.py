"""Shapes of anchors over the shapes of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._array import to_numpy
from vesica._check import anchors as check_anchors
from vesica._check import plot as check
from vesica.matching.anchors import shape_iou
from vesica.plot.theme import THEMES, axes_of, ink_on, named, plain_frame, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 4000
"""Shapes that are drawn: of more, every so many; numbers are those of all."""
MARKS = "osD^vP"


def anchors(anchors: Any, shapes: Any, /, *, theme: Literal["light", "dark"] = "light", ax: Axes | None = None) -> Axes:
    """Draw objects by width and height, each in the look of its nearest anchor, and the anchors with their numbers.

    Parameters
    ----------
    anchors : what `anchors.cluster` answers, or (K, 2) widths and heights
    shapes : (N, 2) widths and heights of objects, all with area
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from vesica import plot
    >>> ax = plot.anchors([[10, 20], [60, 40]], [[12, 20], [10, 18], [50, 44]])
    >>> ax.texts[-1].get_text()
    'mean IoU with the nearest anchor 0.834, of 3 shapes'
    """
    given = getattr(anchors, "sizes", anchors)
    sizes = np.asarray(to_numpy(check_anchors.shapes(given, "anchors", with_area=True)), np.float64)
    objects = np.asarray(to_numpy(check_anchors.shapes(shapes, "shapes", with_area=True)), np.float64)
    check.some_rows(sizes, "anchors")
    colours = THEMES[check.theme(theme)]

    overlap = np.asarray(shape_iou(objects, sizes))
    nearest, best = overlap.argmax(axis=1), overlap.max(axis=1)
    ax = axes_of(ax, colours, size=(6.0, 5.4))
    plain_frame(ax, colours)
    shown = np.arange(len(objects))[:: max(1, -(-len(objects) // POINTS))]
    for number in range(len(sizes)):
        own = shown[nearest[shown] == number]
        look: dict[str, Any] = {
            "color": colours.kinds[number % len(colours.kinds)],
            "marker": MARKS[number % len(MARKS)],
        }
        # As pixels in an SVG too: thousands of marks would be ten times as large.
        ax.plot(
            *objects[own].T, linestyle="none", markersize=3.5, alpha=0.45, markeredgewidth=0, rasterized=True, **look
        )
    for number, (width, height) in enumerate(sizes):
        colour = colours.kinds[number % len(colours.kinds)]
        ax.plot(width, height, marker="o", markersize=15, color=colour, markeredgecolor=colours.page, zorder=4)
        ax.text(width, height, str(number + 1), ha="center", va="center_baseline", fontsize=9, fontweight="bold",
                color=ink_on(colours, colour), zorder=5)  # fmt: skip
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=2)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g}")
    named(ax, colours, "width", "height")
    told = "there are no shapes"
    if len(objects):
        told = f"mean IoU with the nearest anchor {best.mean():.3f}, of {len(objects):,} shapes"
    titled(ax, colours, "Anchors over shapes", told)
    return ax
