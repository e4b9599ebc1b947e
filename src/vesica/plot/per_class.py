"""One number of every category, as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.theme import THEMES, axes_of, named, plain_frame, rows_named, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COUNTS = ("truths", "guesses", "images", "pixels")
"""Columns of a table of classes that are no scores."""


def per_class(
    result: Any,
    /,
    *,
    metric: str | None = None,
    most: int = 40,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw one number of each category, the highest first; the mean is a line.

    Where there are more than `most` categories the middle is left out, and the picture says how many.

    Parameters
    ----------
    result : of `evaluate` or `evaluate_segmentation`
    metric : a column of `result.per_class()`; by default the first number
    most : int
        Bars that are drawn.
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> result = vesica.evaluate_segmentation([[0, 0, 1, 1]], [[0, 0, 1, 0]], categories=["road", "car"])
    >>> ax = vesica.plot.per_class(result, metric="IoU")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['road', 'car']
    """
    rows = check.rows_of_classes(result)
    name_of = next(iter(rows[0])) if rows else "category"
    scores = [name for name, value in (rows[0].items() if rows else ()) if _is_score(name, value, rows)]
    name = check.one_metric(metric or (scores[0] if scores else ""), scores) if rows else metric or ""
    colours = THEMES[check.theme(theme)]
    most = check.at_most(most, "most")

    known = sorted(((row[name], str(row[name_of])) for row in rows if row[name] is not None), key=lambda one: -one[0])
    shown = without_middle(known, most)
    ax = axes_of(ax, colours, size=(6.4, 1.4 + 0.24 * max(3, len(shown))))
    plain_frame(ax, colours, grid="x")
    places, values = np.arange(len(shown)), [value for value, _ in shown]
    ax.barh(places, values, color=colours.right, height=0.72)
    for place, value in zip(places, values, strict=True):
        ax.annotate(f"{value:.3f}", (value, place), xytext=(4, 0), textcoords="offset points", va="center",
                    fontsize=8, color=colours.ink)  # fmt: skip
    rows_named(ax, colours, places, [text for _, text in shown])
    ax.invert_yaxis()
    ax.set_xlim(min(0.0, *values) if values else 0.0, max(1.0, *values) * 1.1 if values else 1.0)
    sentence = _sentence(known, rows, len(known) - len(shown))
    if known:
        ax.axvline(float(np.mean([value for value, _ in known])), color=colours.ink, linewidth=1, linestyle=(0, (4, 3)))
    named(ax, colours, name, "")
    titled(ax, colours, f"{name} by category", sentence)
    return ax


def without_middle(rows: list[Any], most: int, /) -> list[Any]:
    """The first and the last of them: the middle is left out where there are too many."""
    return rows if len(rows) <= most else [*rows[: most // 2], *rows[len(rows) - (most - most // 2) :]]


def _is_score(name: str, value: Any, rows: list[dict[str, Any]]) -> bool:
    found = next((row[name] for row in rows if row[name] is not None), value)
    return isinstance(found, float) and name not in COUNTS


def _sentence(known: list[tuple[float, str]], rows: list[Any], left_out: int) -> str:
    if not known:
        return "no category has a number"
    words = [f"mean {np.mean([value for value, _ in known]):.3f} (line)"]
    if without := len(rows) - len(known):
        words.append(f"{without} without a number")
    if left_out:
        words.append(f"{left_out} in the middle are left out")
    return ", ".join(words)
