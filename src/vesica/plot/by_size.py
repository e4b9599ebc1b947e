"""AP and recall from small objects to large ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.marks import mark_point
from vesica.plot.theme import NAME, THEMES, axes_of, named, plain_frame, rows_named, titled, told

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def by_size(result: Any, /, *, theme: Literal["light", "dark"] = "light", ax: Axes | None = None) -> Axes:
    """Draw AP and recall by the size of objects.

    Parameters
    ----------
    result : of `evaluate`, or what `result.by_size(bins=…)` or `result.by_size(sides=[32, 96])` answers
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> truth = [{"boxes": [[0, 0, 4, 4], [10, 10, 60, 60]], "labels": [1, 1]}]
    >>> guess = [{"boxes": [[0, 0, 4, 4], [10, 10, 60, 30]], "labels": [1, 1], "scores": [0.9, 0.6]}]
    >>> result = vesica.evaluate(truth, guess)
    >>> ax = vesica.plot.by_size(result.by_size(sides=[32]))
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['under 32', '32 and more']
    """
    found = check.one_kind(result, {"DetectionResult": lambda one: one.by_size(), "Table": check.table_of_sizes})(
        result
    )
    colours = THEMES[check.theme(theme)]

    ax = axes_of(ax, colours, size=(6.4, 4.6))
    plain_frame(ax, colours, grid="y")
    places = np.arange(len(found))
    ax.plot(places, found["AP"], color=colours.right, linewidth=2, marker="o", label="AP")
    ax.plot(
        places, found["AR"], color=colours.wrong, linewidth=2, marker="s", linestyle=(0, (6, 2)), label="recall (AR)"
    )
    for place, count in zip(places, found["truths"], strict=True):
        ends = float(found["side_from"][place]), float(found["side_below"][place])
        mark_point(ax, float(place), np.nan_to_num(float(found["AP"][place])), side=ends)
        ax.annotate(f"{count:,}", (place, 0), xycoords=("data", "axes fraction"), xytext=(0, 3), ha="center",
                    textcoords="offset points", fontsize=NAME - 1, color=colours.soft)  # fmt: skip
    rows_named(
        ax, colours, places, map(_range, found["side_from"], found["side_below"]), axis="x", **_turned(ax, len(found))
    )
    ax.set_xlim(-0.5, len(found) - 0.5)
    ax.set_ylim(0, 1.02)
    told(ax, colours)
    named(ax, colours, "side of a square as large, in pixels", "")
    titled(ax, colours, "AP by size of objects", "from small to large; the numbers below are those of truths")
    return ax


def _range(low: float, high: float) -> str:
    if low == 0:
        return "all" if high == np.inf else f"under {high:.3g}"
    return f"{low:.3g} and more" if high == np.inf else f"{low:.3g}–{high:.3g}"


def _turned(ax: Axes, count: int) -> dict[str, Any]:
    """Many ranges stand on their side."""
    return {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if count > 4 else {}
