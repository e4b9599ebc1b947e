"""How large the objects of a data set are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.marks import mark
from vesica.plot.theme import NAME, THEMES, axes_of, named, plain_frame, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.dataset import Dataset

BARS = 24
EDGES = (32, 96)
"""Sides at which COCO's small objects end and its large ones begin."""


def sizes(data: Dataset, /, *, theme: Literal["light", "dark"] = "light", ax: Axes | None = None) -> Axes:
    """Draw how many objects have which size: the side of a square as large, on a scale of doublings.

    The size is the area that the data set has, or that of the box. Lines are where COCO's small objects end and its
    large ones begin.

    Parameters
    ----------
    data : Dataset
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> boxes = [[0, 0, 4, 4], [0, 0, 50, 50], [0, 0, 200, 100]]
    >>> ax = vesica.plot.sizes(vesica.Dataset.from_arrays(boxes, image=[1, 1, 2], category=["cat"] * 3))
    >>> ax.texts[-1].get_text()
    '1 small, 1 medium, 1 large by COCO; the median side is 50 pixels'
    """
    sides = np.sqrt(_areas(check.dataset(data)))
    colours = THEMES[check.theme(theme)]

    seen = sides[sides > 0]
    ax = axes_of(ax, colours, size=(6.4, 4.2))
    plain_frame(ax, colours, grid="y")
    low, high = (float(np.log2(end)) for end in ((seen.min(), seen.max()) if len(seen) else (8, 128)))
    low, high = min(low, 4.5), max(high, 7.0)
    counts, edges = np.histogram(np.log2(seen), BARS, (low, high))
    bars = ax.bar(edges[:-1], counts, np.diff(edges) * 0.94, align="edge", color=colours.right)
    for bar, *ends in zip(bars, (2 ** edges[:-1]).tolist(), (2 ** edges[1:]).tolist(), strict=True):
        if bar.get_height():
            mark(ax, bar, side=tuple(ends))
    ax.set_xlim(low, high)
    ax.set_ylim(0, max(1, int(counts.max(initial=0))) * 1.16)
    for side in EDGES:
        ax.axvline(np.log2(side), color=colours.ink, linewidth=1, linestyle=(0, (4, 3)))
    for at, name in (((low + 5) / 2, "small"), (np.log2(32 * 96) / 2, "medium"), ((np.log2(96) + high) / 2, "large")):
        ax.annotate(name, (at, 1), xycoords=("data", "axes fraction"), xytext=(0, -10), textcoords="offset points",
                    ha="center", fontsize=NAME, color=colours.soft)  # fmt: skip
    ax.xaxis.set_major_formatter(lambda value, _: f"{2**value:.3g}")
    ax.set_xticks(range(int(np.ceil(low)), int(high) + 1))
    named(ax, colours, "side of a square as large, in pixels", "objects")
    titled(ax, colours, "How large objects are", _sentence(sides))
    return ax


def _areas(data: Dataset) -> np.ndarray:
    """(N,) as they were written; where they were not, those of the boxes."""
    boxes = np.full(len(data), np.nan) if data.xywh is None else data.xywh[:, 2] * data.xywh[:, 3]
    areas: np.ndarray = boxes if data.area is None else np.where(np.isnan(data.area), boxes, data.area)
    known: np.ndarray = areas[~np.isnan(areas)]
    return known


def _sentence(sides: np.ndarray) -> str:
    if not len(sides):
        return "no object has a size"
    small, large = int((sides < EDGES[0]).sum()), int((sides >= EDGES[1]).sum())
    medium, none = len(sides) - small - large, int((sides <= 0).sum())
    more = f"; {none:,} without area" if none else ""
    kinds = f"{small:,} small, {medium:,} medium, {large:,} large by COCO"
    return f"{kinds}; the median side is {np.median(sides):.3g} pixels{more}"
