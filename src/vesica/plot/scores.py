"""Scores of right guesses and of wrong ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.histogram import BARS
from vesica.plot.marks import mark
from vesica.plot.theme import THEMES, axes_of, label, named, plain_frame, titled, told

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.detection.result import DetectionResult


def scores(
    result: DetectionResult,
    /,
    *,
    iou: float | None = None,
    category: Any = None,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw how many guesses have which score, right ones below and wrong ones, hatched, on top of them.

    Parameters
    ----------
    result : what `evaluate` answers
    iou : one of its thresholds; by default the first
    category : a name or id; by default all guesses together
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
    >>> ax = vesica.plot.scores(vesica.evaluate(truth, guess))
    >>> ax.texts[-1].get_text()
    '1 right (median score 0.900), 1 wrong (0.600), at IoU 0.5'
    """
    check.detection_result(result)
    colours = THEMES[check.theme(theme)]
    threshold = check.thresholds_of(result.protocol.iou[0] if iou is None else iou, result.protocol.iou, 1)[0]
    curve = result.curve(category, iou=threshold)

    is_right = np.diff(curve.right, prepend=0) > 0
    low, high = (min(0.0, *curve.score), max(1.0, *curve.score)) if len(curve.score) else (0.0, 1.0)
    ax = axes_of(ax, colours, size=(6.4, 4.2))
    plain_frame(ax, colours, grid="y")
    below = np.zeros(BARS)
    of = {} if category is None else {"category": category}
    looks = (("right", is_right, colours.right, ""), ("wrong", ~is_right, colours.wrong, "////"))
    for name, kept, colour, hatch in looks:
        counts, edges = np.histogram(curve.score[kept], BARS, (low, high))
        bars = ax.bar(edges[:-1], counts, np.diff(edges) * 0.94, bottom=below, align="edge", color=colour, hatch=hatch,
                      edgecolor=colours.page, linewidth=0, label=name)  # fmt: skip
        for bar, *ends in zip(bars, edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            if bar.get_height():
                mark(ax, bar, score=tuple(ends), is_right=name == "right", **of)
        below = below + counts
    told(ax, colours)
    ax.set_xlim(low, high)
    ax.set_ylim(0, max(1.0, float(below.max())) * 1.08)
    named(ax, colours, "score", "guesses")
    means = [f"{np.median(curve.score[kept]):.3f}" if kept.any() else "–" for kept in (is_right, ~is_right)]
    counts_of = int(is_right.sum()), int((~is_right).sum())
    sentence = (
        f"{counts_of[0]:,} right (median score {means[0]}), {counts_of[1]:,} wrong ({means[1]}), at IoU {threshold:g}"
    )
    whose = "" if category is None else f" of {label(category)}"
    titled(ax, colours, f"Scores{whose}", sentence if len(curve.score) else "no guess counts here")
    return ax
