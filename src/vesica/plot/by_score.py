"""Precision, recall and F1 as the confidence that is asked for rises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.marks import mark
from vesica.plot.theme import DASHES, THEMES, axes_of, label, named, plain_frame, titled, told

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.detection.result import DetectionResult

POINTS = 512
"""Scores at which a long curve is read: more than a picture has pixels for."""


def by_score(
    result: DetectionResult,
    /,
    *,
    iou: float | None = None,
    category: Any = None,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw precision, recall and F1 of the guesses from each score on, and mark the score where F1 is highest.

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
    >>> truth = [{"boxes": [[0, 0, 4, 4], [6, 6, 9, 9]], "labels": [1, 1]}]
    >>> guess = [{"boxes": [[0, 0, 4, 4], [5, 5, 9, 9]], "labels": [1, 1], "scores": [0.9, 0.6]}]
    >>> result = vesica.evaluate(truth, guess)
    >>> ax = vesica.plot.by_score(result)
    >>> ax.texts[0].get_text()
    'best F1 1.000 from score 0.600 on: precision 1.000, recall 1.000'
    """
    check.detection_result(result)
    colours = THEMES[check.theme(theme)]
    threshold = check.thresholds_of(result.protocol.iou[0] if iou is None else iou, result.protocol.iou, 1)[0]
    curve = result.curve(category, iou=threshold)

    ax = axes_of(ax, colours, size=(6.4, 4.8))
    plain_frame(ax, colours)
    # Of equal scores the last counts: no cut parts them. The lowest score of all comes first.
    ends = np.flatnonzero(np.append(curve.score[1:] != curve.score[:-1], np.ones(min(1, len(curve.score)), bool)))
    shown = ends[np.unique(np.linspace(0, len(ends) - 1, POINTS).round().astype(int))] if len(ends) else ends
    for name, colour, dash in zip(("precision", "recall", "f1"), colours.kinds, DASHES, strict=False):
        ax.step(
            *(curve.score[shown], getattr(curve, name)[shown]),
            where="pre",
            color=colour,
            linestyle=dash,
            linewidth=2,
            label="F1" if name == "f1" else name,
        )
    sentence = "no guess counts here"
    best = curve.best_f1
    if best is not None:
        ax.axvline(best.score, color=colours.soft, linewidth=1, linestyle=(0, (2, 2)))
        (dot,) = ax.plot(best.score, best.f1, "o", color=colours.kinds[2], markersize=7)
        mark(ax, dot, min_score=best.score, **({} if category is None else {"category": category}))
        sentence = (
            f"best F1 {best.f1:.3f} from score {best.score:.3f} on: "
            f"precision {best.precision:.3f}, recall {best.recall:.3f}"
        )
    told(ax, colours)
    ax.set_ylim(0, 1.02)
    named(ax, colours, "score from which guesses count", f"at IoU {threshold:g}")
    titled(ax, colours, "Where to cut" if category is None else f"Where to cut {label(category)}", sentence)
    return ax
