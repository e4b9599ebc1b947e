"""What keeps annotators apart, as amounts that add up to the gap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.marks import mark
from vesica.plot.theme import NAME, THEMES, axes_of, ink_on, named, plain_frame, rows_named, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AGREED = "agreed"


def ledger(result: Any, /, *, theme: Literal["light", "dark"] = "light", ax: Axes | None = None) -> Axes:
    """Draw how the gap between agreement and 1 is made: each type of disagreement begins where the last one ends.

    Of label maps the whole is mIoU instead of agreement.

    Parameters
    ----------
    result : of `evaluate_agreement`
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> boxes = ([[0, 0, 4, side]] for side in (4, 3))
    >>> ann, ben = (vesica.Dataset.from_arrays(box, image=[1], category=["cat"]) for box in boxes)
    >>> ax = vesica.plot.ledger(vesica.evaluate_agreement({"ann": ann, "ben": ben}))
    >>> [(float(bar.get_x()), float(bar.get_width())) for bar in ax.patches]
    [(0.0, 0.75), (0.75, 0.25)]
    """
    name, parts = check.one_kind(result, _READERS)(result)
    colours = THEMES[check.theme(theme)]

    whole = result[name]
    shown = [(AGREED, whole, None), *sorted(parts, key=lambda part: -part[1])] if whole == whole else []
    widths = np.array([width for _, width, _ in shown])
    starts = np.concatenate([[0.0], np.cumsum(widths)[:-1]])[: len(shown)]
    places = np.arange(len(shown))
    ax = axes_of(ax, colours, size=(6.4, 1.9 + 0.32 * max(3, len(shown))))
    plain_frame(ax, colours, grid="x")
    fills = [colours.right, *[colours.wrong] * len(parts)][: len(shown)]
    bars = ax.barh(places, widths, left=starts, height=0.62, color=fills)
    for bar, (kind, *_) in zip(bars, shown, strict=True):
        mark(ax, bar, type=kind)
    for place, start, (_, width, count) in zip(places, starts, shown, strict=True):
        text = f"{width:.3f}" if count is None else f"{width:.3f}   {count:,}"
        # Where there is no room behind a bar its numbers stand before it; those of the first inside.
        is_behind, end = start + width < 0.7, start + width
        at, shift = (end, 4) if is_behind else (end if place == 0 else start, -4)
        ax.annotate(text, (at, place), xytext=(shift, 0), textcoords="offset points", va="center",
                    ha="left" if is_behind else "right", fontsize=NAME,
                    color=colours.ink if place or is_behind else ink_on(colours, colours.right))  # fmt: skip
        if place:
            ax.plot([start, start], [place - 1.31, place + 0.31], color=colours.soft, linewidth=0.8)
    rows_named(ax, colours, places, [name for name, _, _ in shown])
    ax.set_ylim(max(len(shown), 1) - 0.5, -0.5)
    ax.set_xlim(0, 1)
    named(ax, colours, f"share of all that was drawn; {name} and what it lacks add up to 1", "")
    titled(ax, colours, "What keeps them apart", _sentence(name, whole, shown))
    return ax


def _sentence(name: str, whole: float, shown: list[tuple[str, float, int | None]]) -> str:
    if whole != whole:
        return "nobody drew anything that two were asked for"
    if len(shown) == 1:
        return f"{name} is 1: nothing does"
    return f"{name} is {whole:.3f}; of the gap of {1 - whole:.3f}, {shown[1][0]} is most, {shown[1][1]:.3f}"


def _of_objects(result: Any) -> tuple[str, list[tuple[str, float, int]]]:
    """Types that cost something: those beside the sum have an amount of 0."""
    return "agreement", [(row["type"], row["share"], row["count"]) for row in result.ledger() if row["amount"]]


def _of_maps(result: Any) -> tuple[str, list[tuple[str, float, int]]]:
    return "mIoU", [(row["type"], row["amount"], row["count"]) for row in result.ledger() if row["amount"]]


_READERS = {"AgreementResult": _of_objects, "PixelAgreementResult": _of_maps}
