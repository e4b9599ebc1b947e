"""One number of every category, as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.marks import mark
from vesica.plot.theme import (
    NAME,
    THEMES,
    Theme,
    axes_of,
    behind,
    named,
    plain_frame,
    rows_named,
    share_ticks,
    titled,
    told,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COUNTS = ("truths", "guesses", "images", "pixels")
"""Columns of a table of classes that are no scores."""


def per_class(
    result: Any,
    /,
    *,
    metric: str | Sequence[str] | None = None,
    most: int = 40,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw one number of each category, or several, the highest first; the mean of the first is a line.

    Behind the number of a detector stands how many truths there are. Where there are more than `most` categories the
    middle is left out, and the picture says how many.

    Parameters
    ----------
    result : of `evaluate` or `evaluate_segmentation`
    metric : a column of `result.per_class()`, or up to three of them; by default the first number
    most : int
        Categories that are drawn.
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
    >>> ax = vesica.plot.per_class(result, metric=["IoU", "Dice"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['IoU', 'Dice']
    """
    rows = check.rows_of_classes(result)
    name_of = next(iter(rows[0])) if rows else "category"
    scores = [name for name, value in (rows[0].items() if rows else ()) if _is_score(name, value, rows)]
    names = check.metrics(metric, scores)
    colours = THEMES[check.theme(theme)]
    most = check.at_most(most, "most")

    known = sorted((row for row in rows if row.get(names[0]) is not None), key=lambda row: -row[names[0]])
    shown = without_middle(known, most)
    ax = axes_of(ax, colours, size=(6.4, 1.4 + (0.18 + 0.06 * len(names)) * max(3, len(shown))))
    plain_frame(ax, colours, grid="x")
    has_counts = any("truths" in row for row in shown)
    for number, name in enumerate(names):
        _bars(ax, colours, number, names, [row[name] for row in shown], [row[name_of] for row in shown])
        if len(names) == 1:
            _numbers(ax, colours, shown, name)
    rows_named(ax, colours, np.arange(len(shown)), [str(row[name_of]) for row in shown])
    # Several numbers have a legend, which stands above the first of them.
    ax.set_ylim(max(len(shown), 1) - 0.5, -0.5 if len(names) == 1 else -1.3)
    ends = [row[name] for row in shown for name in names if row[name] is not None]
    ax.set_xlim(min([0.0, *ends]), max([1.0, *ends]) * (1.22 if has_counts else 1.1) if ends else 1.0)
    share_ticks(ax)
    values = [row[names[0]] for row in known]
    if values:
        ax.axvline(float(np.mean(values)), color=colours.ink, linewidth=1, linestyle=(0, (4, 3)))
    if len(names) > 1:
        told(ax, colours, loc="upper left", ncols=len(names))
    words = " and ".join(names)
    named(ax, colours, f"{words}, and how many truths" if has_counts and len(names) == 1 else words, "")
    titled(ax, colours, f"{words} by category", _sentence(values, len(rows), len(known) - len(shown)))
    return ax


def _bars(ax: Axes, colours: Theme, number: int, names: list[str], values: list[Any], categories: list[Any]) -> None:
    """Those of one number: hatched from the second on, so that they are told apart without colour."""
    height = 0.72 / len(names)
    shift = (number - (len(names) - 1) / 2) * height
    look: dict[str, Any] = {"color": (colours.right, colours.wrong, colours.missed)[number]}
    if number:
        look |= {"hatch": ("", "////", "....")[number], "edgecolor": colours.page, "linewidth": 0}
    widths = [0.0 if value is None else value for value in values]
    bars = ax.barh(np.arange(len(values)) + shift, widths, height=height, label=names[number], **look)
    for bar, category in zip(bars, categories, strict=True):
        mark(ax, bar, category=category)


def _numbers(ax: Axes, colours: Theme, rows: list[dict[str, Any]], name: str) -> None:
    """Behind each bar its number; of detectors, and how many truths."""
    for place, row in enumerate(rows):
        count = f"   {row['truths']:,}" if "truths" in row else ""
        ax.annotate(f"{row[name]:.3f}{count}", (max(row[name], 0.0), place), xytext=(4, 0), va="center",
                    textcoords="offset points", fontsize=NAME, color=colours.ink, bbox=behind(colours))  # fmt: skip


def without_middle(rows: list[Any], most: int, /) -> list[Any]:
    """The first and the last of them: the middle is left out where there are too many."""
    return rows if len(rows) <= most else [*rows[: most // 2], *rows[len(rows) - (most - most // 2) :]]


def _is_score(name: str, value: Any, rows: list[dict[str, Any]]) -> bool:
    found = next((row[name] for row in rows if row[name] is not None), value)
    return isinstance(found, float) and name not in COUNTS


def _sentence(values: list[float], rows: int, left_out: int) -> str:
    if not values:
        return "no category has a number"
    words = [f"mean {np.mean(values):.3f} (line)"]
    if without := rows - len(values):
        words.append(f"{without} without a number")
    if left_out:
        words.append(f"{left_out} in the middle are left out")
    return ", ".join(words)
