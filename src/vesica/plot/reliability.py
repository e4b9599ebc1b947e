"""Is a guess with a score of 0.8 right eight times out of ten?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.marks import mark
from vesica.plot.theme import THEMES, axes_of, named, plain_frame, titled, told

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def reliability(result: Any, /, *, theme: Literal["light", "dark"] = "light", ax: Axes | None = None) -> Axes:
    """Draw the share of right guesses against their score, the gap between both, and how many guesses there are.

    On the diagonal a score is the chance of being right. Below it guesses are surer than they should be.

    Parameters
    ----------
    result : of `evaluate`, or what `result.reliability(bins=…, iou=…)` answers
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> truth = [{"boxes": [[0, 0, 4, 4]], "labels": [1]}]
    >>> guess = [{"boxes": [[0, 0, 4, 4], [5, 5, 9, 9]], "labels": [1, 1], "scores": [0.9, 0.6]}]
    >>> ax = vesica.plot.reliability(vesica.evaluate(truth, guess))
    >>> ax.texts[-1].get_text()
    'ECE 0.350: on average a score is that far from the share that is right'
    """
    readers = {"DetectionResult": lambda one: one.reliability(), "Reliability": lambda one: one}
    found = check.one_kind(result, readers)(result)
    colours = THEMES[check.theme(theme)]

    ax = axes_of(ax, colours, size=(6.0, 5.4))
    plain_frame(ax, colours)
    low, width = found.bins["low"], found.bins["high"] - found.bins["low"]
    guesses = found.bins["guesses"]
    shares = guesses / max(1, int(guesses.sum()))
    bars = ax.bar(low, shares, width * 0.96, align="edge", color=colours.line, label="share of guesses")
    for bar, *ends in zip(bars, low.tolist(), found.bins["high"].tolist(), strict=True):
        if bar.get_height():
            mark(ax, bar, score=tuple(ends))
    ax.plot([0, 1], [0, 1], color=colours.soft, linewidth=1, linestyle=(0, (4, 3)), label="as it should be")
    score, precision = (found.bins[name][guesses > 0] for name in ("score", "precision"))
    ax.vlines(score, *np.sort([score, precision], axis=0), color=colours.wrong, linewidth=4, alpha=0.8, label="gap")
    ax.plot(score, precision, color=colours.right, linewidth=2, marker="o", markersize=6, label="share that is right")
    told(ax, colours)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.02)
    named(ax, colours, "score", "share")
    sentence = f"ECE {found.ece:.3f}: on average a score is that far from the share that is right"
    titled(ax, colours, "Reliability", sentence if guesses.any() else "no guess counts here")
    return ax
