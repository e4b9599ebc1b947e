"""How often values occur: the bars that several pictures are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vesica.plot.marks import mark
from vesica.plot.theme import NAME, Theme, plain_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BARS = 20


def histogram(ax: Axes, theme: Theme, values: np.ndarray, low: float, high: float, /, *, fact: str) -> None:
    """Bars of equal width from `low` to `high`, and lines at the mean and at the median, with their names.

    Each bar stands for a range of `fact`.
    """
    plain_frame(ax, theme, grid="y")
    counts, edges = np.histogram(values, BARS, (low, high))
    bars = ax.bar(edges[:-1], counts, np.diff(edges) * 0.94, align="edge", color=theme.right)
    for bar, *ends in zip(bars, edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if bar.get_height():
            mark(ax, bar, **{fact: tuple(ends)})
    ax.set_xlim(low, high)
    ax.set_ylim(0, max(1, int(counts.max(initial=0))) * 1.14)
    if not len(values):
        return
    marks = {"mean": (float(values.mean()), (0, (4, 3))), "median": (float(np.median(values)), "-")}
    is_left = marks["mean"][0] <= marks["median"][0]
    for (name, (value, dash)), left in zip(marks.items(), (is_left, not is_left), strict=True):
        ax.axvline(value, color=theme.ink, linewidth=1.2, linestyle=dash)
        ax.annotate(name, (value, 1), xycoords=("data", "axes fraction"), xytext=(-3 if left else 3, -10),
                    textcoords="offset points", ha="right" if left else "left", fontsize=NAME,
                    color=theme.ink)  # fmt: skip
