"""The same pixels under the conventions of every library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.marks import mark_point
from vesica.plot.theme import SENTENCE, THEMES, axes_of, named, plain_frame, rows_named, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def policies(result: Any, /, *, theme: Literal["light", "dark"] = "light", ax: Axes | None = None) -> Axes:
    """Draw mIoU and mDice of one segmentation under the policy of the result, first, and like every known library.

    Parameters
    ----------
    result : of `evaluate_segmentation`, or what `result.spread()` answers
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> truth, guess = [[[1, 1, 0, 0]], [[0, 0, 0, 0]]], [[[1, 0, 0, 0]], [[0, 0, 0, 0]]]
    >>> ax = vesica.plot.policies(vesica.evaluate_segmentation(truth, guess, background=0))
    >>> ax.texts[-1].get_text()
    'the same pixels give an mIoU from 0.250 to 0.750, by convention alone'
    """
    found = check.one_kind(result, {"SegmentationResult": lambda one: one.spread(), "Spread": lambda one: one})(result)
    colours = THEMES[check.theme(theme)]

    places = np.arange(len(found.rows))
    ax = axes_of(ax, colours, size=(6.4, 1.8 + 0.24 * len(found.rows)))
    plain_frame(ax, colours, grid="x")
    for name, colour, mark in (("mIoU", colours.right, "o"), ("mDice", colours.wrong, "s")):
        values = [np.nan if row[name] is None else row[name] for row in found.rows]
        low, high = found.range(name)
        if low != low:
            continue
        ax.axvspan(low, high, color=colour, alpha=0.12, linewidth=0)
        ax.plot(values, places, mark, color=colour, markersize=6, label=name)
        ax.annotate(name, ((low + high) / 2, -0.9), xytext=(4 if name == "mDice" else -4, 0), va="center",
                    ha="left" if name == "mDice" else "right", textcoords="offset points", color=colours.ink,
                    fontsize=SENTENCE, fontweight="bold")  # fmt: skip
    for place, row in enumerate(found.rows):
        if row["mIoU"] is not None:
            mark_point(ax, row["mIoU"], float(place), like=row["like"])
    rows_named(ax, colours, places, [row["like"] for row in found.rows])
    ax.get_yticklabels()[0].set_fontweight("bold")
    ax.set_ylim(len(places) - 0.5, -1.4)
    ax.set_xlim(*_ends(found))
    named(ax, colours, "mean over classes", "")
    low, high = found.range()
    sentence = f"the same pixels give an mIoU from {low:.3f} to {high:.3f}, by convention alone"
    titled(ax, colours, "Whose mIoU?", sentence if low == low else "no policy has a number")
    return ax


def _ends(found: Any) -> tuple[float, float]:
    """What the answers span and some room, but a tenth at least: small differences look small."""
    ends = [end for name in ("mIoU", "mDice") for end in found.range(name) if end == end] or [0.0, 1.0]
    middle, half = (min(ends) + max(ends)) / 2, max(0.05, 0.65 * (max(ends) - min(ends)))
    return max(0.0, middle - half), min(1.0, middle + half) + 0.01
