"""Precision against recall, as AP reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import detection as check_detection
from vesica._check import plot as check
from vesica.detection.curves import Arrays, Curve
from vesica.detection.summary import lines_of, value_of
from vesica.plot.marks import mark
from vesica.plot.theme import DASHES, THEMES, axes_of, label, named, plain_frame, titled, told

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.detection.result import DetectionResult

MOST = 5
"""Curves of thresholds that are drawn where none are named: more cannot be told apart."""


def precision_recall(
    result: DetectionResult,
    /,
    *,
    iou: float | Sequence[float] | None = None,
    category: Any = None,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw the best precision at each recall: one curve a threshold, or one a category.

    The curve of one category is the one whose area is its AP. Without a category all guesses stand in one order, so the
    curve is that of a detector with one category; AP, the mean over categories, is written beside it.

    Parameters
    ----------
    result : what `evaluate` answers
    iou : one threshold or some of those of the result; by default at most five of them
    category : a name or id, or a list of them, each with a curve at the first threshold
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
    >>> ax = vesica.plot.precision_recall(result, iou=0.5)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['IoU 0.5   AP 1.000']
    """
    check.detection_result(result)
    colours = THEMES[check.theme(theme)]
    thresholds = check.thresholds_of(iou, result.protocol.iou, MOST)
    several = isinstance(category, (list, tuple))
    curves = _of_categories(result, category, thresholds[0]) if several else _of_ious(result, category, thresholds)

    ax = axes_of(ax, colours, size=(6.4, 4.8))
    plain_frame(ax, colours)
    shades = colours.kinds if several else colours.steps
    for number, (text, curve) in enumerate(curves):
        colour, dash = shades[number % len(shades)], DASHES[number % len(DASHES)] if several else "-"
        x, y = _steps(curve)
        (line,) = ax.plot(x, y, color=colour, linestyle=dash, linewidth=2, label=check.plain_text(text))
        whose = {"category": category[number] if several else category} if category is not None else {}
        mark(ax, line, iou=thresholds[0] if several else thresholds[number], **whose)
    told(ax, colours)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.02)
    named(ax, colours, "recall", "precision")
    of = "" if category is None or several else f" of {label(category)}"
    titled(ax, colours, f"Precision and recall{of}", "the best precision that is left at each recall or beyond")
    return ax


def _of_ious(result: DetectionResult, category: Any, thresholds: Sequence[float]) -> list[tuple[str, Curve]]:
    curves = []
    for threshold in thresholds:
        curve = result.curve(category, iou=threshold)
        curves.append((f"IoU {threshold:g}   AP {average_precision(result, category, threshold):.3f}", curve))
    return curves


def _of_categories(result: DetectionResult, names: Sequence[Any], threshold: float) -> list[tuple[str, Curve]]:
    found = []
    for name in names:
        curve = result.curve(name, iou=threshold)
        found.append((f"{label(name)}   AP {average_precision(result, name, threshold):.3f}", curve))
    return found


def average_precision(result: DetectionResult, category: Any, threshold: float, /) -> float:
    """Of one category, or the mean over those that have truths, as the protocol computes it."""
    place = None if category is None else check_detection.category(category, result.records.categories)
    line = lines_of(result.protocol)[0]._replace(iou=threshold)
    return value_of(line, result.records, lambda: Arrays(result.precision, result.recall, None), category=place)


def _steps(curve: Curve) -> tuple[np.ndarray, np.ndarray]:
    """From recall 0 on, with a step down to nothing behind the last truth that is found."""
    if not len(curve.score) or not curve.positives:
        return np.array([0.0, 1.0]), np.array([0.0, 0.0])
    found = np.flatnonzero(np.diff(curve.right, prepend=0))
    recall, best = curve.recall[found], curve.envelope[found]
    x = np.repeat(np.concatenate([[0.0], recall]), 2)[1:]
    return np.append(x, 1.0), np.append(np.repeat(best, 2), [0.0, 0.0])
