"""What keeps AP from 1, cause by cause."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.detection.cause_names import CAUSES
from vesica.plot.marks import mark
from vesica.plot.theme import NAME, THEMES, axes_of, letters_across, named, plain_frame, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def causes(result: Any, /, *, theme: Literal["light", "dark"] = "light", ax: Axes | None = None) -> Axes:
    """Draw how much AP each cause costs, the dearest first, with what it means in words.

    Each is what AP would gain if this cause alone were put right, so they need not add up. Below the line stand all
    wrong guesses together, and all truths that were not found.

    Parameters
    ----------
    result : of `evaluate`, or what `result.causes(iou=…)` answers
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> truth = [{"boxes": [[0, 0, 4, 4], [6, 6, 9, 9]], "labels": [1, 2]}]
    >>> guess = [{"boxes": [[0, 0, 4, 4], [6, 6, 9, 9]], "labels": [1, 1], "scores": [0.9, 0.6]}]
    >>> ax = vesica.plot.causes(vesica.evaluate(truth, guess))
    >>> ax.texts[0].get_text(), ax.texts[1].get_text()
    ('classification: in the right place, with another class', '+0.500   1')
    """
    found = check.one_kind(result, {"DetectionResult": lambda one: one.causes(), "Causes": lambda one: one})(result)
    colours = THEMES[check.theme(theme)]

    rows = [row | {"cost": row["cost"] or 0.0} for row in found.table]
    single = sorted((row for row in rows if row["cause"] in CAUSES), key=lambda row: -row["cost"])
    shown = [*single, *(row for row in rows if row["cause"] not in CAUSES)]
    places = np.arange(len(shown)) + [0.5 * (row["cause"] not in CAUSES) for row in shown]
    ax = axes_of(ax, colours, size=(6.4, 5.4))
    plain_frame(ax, colours, grid="x")
    ax.spines["left"].set_visible(False)
    fills = [colours.wrong if row["cause"] != "missed" else colours.missed for row in single]
    fills += [colours.soft] * (len(shown) - len(single))
    bars = ax.barh(places, [row["cost"] for row in shown], height=0.3, color=fills)
    for bar, row in zip(bars, shown, strict=True):
        mark(ax, bar, cause=row["cause"])
    width = letters_across(ax, NAME)
    for place, row in zip(places, shown, strict=True):
        words = "\n".join(textwrap.wrap(f"{row['cause']}: {row['meaning']}", width))
        ax.annotate(words, (0, place - 0.18), xytext=(0, 1), textcoords="offset points", va="bottom",
                    fontsize=NAME, linespacing=1, color=colours.ink, parse_math=False)  # fmt: skip
        ax.annotate(f"{row['cost']:+.3f}   {row['count']:,}", (max(row["cost"], 0), place), xytext=(4, 0),
                    textcoords="offset points", va="center", fontsize=NAME, color=colours.soft)  # fmt: skip
    ax.axhline(len(single) - 0.4, color=colours.line, linewidth=1)
    ax.set_yticks([])
    ax.set_ylim(places[-1] + 0.4, -0.75)
    ends = [row["cost"] for row in shown]
    ax.set_xlim(min(0.0, *ends), max(0.02, *ends) * 1.35)
    named(ax, colours, f"AP at IoU {found.iou:g} that would be gained, and how many cases", "")
    titled(ax, colours, "What costs AP", _sentence(found.ap, single))
    return ax


def _sentence(ap: float, causes: list[dict[str, Any]]) -> str:
    if ap != ap:
        return "there are no truths, so there is no AP"
    dearest = causes[0]
    if dearest["cost"] <= 0:
        return f"AP is {ap:.3f}; no cause by itself costs any"
    return f"AP is {ap:.3f}; {dearest['cause']} costs most, {dearest['cost']:.3f}"
