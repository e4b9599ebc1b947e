"""Coefficients of agreement of every category, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from vesica._check import plot as check
from vesica.plot.marks import mark
from vesica.plot.per_class import without_middle
from vesica.plot.theme import THEMES, Theme, axes_of, named, plain_frame, rows_named, titled, told

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.results.tables import Row, Table


class _Kind(NamedTuple):
    """One of the coefficients: its column, its name, its mark and how far its row is shifted."""

    column: str
    name: str
    sign: str
    shift: float


class _Found(NamedTuple):
    table: Table
    kinds: tuple[_Kind, _Kind]
    whole: list[float]
    """Of all categories together, coefficient by coefficient."""


def coefficients(
    result: Any,
    /,
    *,
    most: int = 40,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw the agreement of annotators in each category and α beside it, both with their intervals.

    Agreement says how much is alike, α how much more than by chance: 0 is chance. Of label maps they are the IoU of
    each class, and IoU beyond chance. Those of all categories together are lines. Where an interval is not defined
    there is a mark alone. Categories go by falling agreement; where there are more than `most`, the middle is left out.

    Parameters
    ----------
    result : of `evaluate_agreement`
    most : int
        Categories that are drawn.
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np, vesica
    >>> boxes = np.tile([10.0, 10, 50, 50], (20, 1))
    >>> people = {
    ...     name: vesica.Dataset.from_arrays(boxes + by, image=range(20), category=["cat", label] * 10)
    ...     for name, by, label in (("ann", 0, "dog"), ("ben", 2, "dog"), ("cleo", 1, "cat"))
    ... }
    >>> ax = vesica.plot.coefficients(vesica.evaluate_agreement(people))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['cat', 'dog']
    """
    found: _Found = check.one_kind(result, _READERS)(result)
    colours = THEMES[check.theme(theme)]
    most = check.at_most(most, "most")

    first = found.kinds[0].column
    known = sorted((row for row in found.table if row[first] is not None), key=lambda row: -row[first])
    shown = without_middle(known, most)
    ax = axes_of(ax, colours, size=(6.4, 1.9 + 0.34 * max(3, len(shown))))
    plain_frame(ax, colours, grid="x")
    ax.axvline(0, color=colours.soft, linewidth=1)
    for kind, colour, value in zip(found.kinds, (colours.right, colours.wrong), found.whole, strict=True):
        if value == value:
            ax.axvline(value, color=colour, linewidth=1.2, linestyle=(0, (4, 3)))
        _draw(ax, colours, kind, colour, shown)
    rows_named(ax, colours, np.arange(len(shown)), [row["category"] for row in shown])
    ax.set_ylim(max(len(shown), 1) - 0.5, -1.25)  # room for the legend
    ends = [row[f"{kind.column}{end}"] for row in shown for kind in found.kinds for end in ("", "_lo", "_hi")]
    numbers = [end for end in (*ends, *found.whole, 0.0, 1.0) if end is not None and end == end]
    ax.set_xlim(min(numbers) * 1.05, max(numbers) * 1.02)
    told(ax, colours, loc="upper left", ncols=2)
    named(ax, colours, "1 is full agreement, 0 of the second is chance", "")
    titled(ax, colours, "How far they agree, by category", _sentence(found, shown, len(known) - len(shown)))
    return ax


def _draw(ax: Axes, colours: Theme, kind: _Kind, colour: str, rows: list[Row]) -> None:
    """One coefficient: a mark for each category, and a line for its interval."""
    ax.plot([], [], kind.sign, color=colour, label=kind.name)
    for place, row in enumerate(rows):
        value, lo, hi = (row[f"{kind.column}{end}"] for end in ("", "_lo", "_hi"))
        if value is None:
            continue
        if lo is not None and hi is not None:
            ax.plot([lo, hi], [place + kind.shift] * 2, color=colour, linewidth=2, marker="|", markersize=6)
        (dot,) = ax.plot(value, place + kind.shift, kind.sign, color=colour, markersize=6.5, zorder=3,
                         markeredgecolor=colours.page)  # fmt: skip
        mark(ax, dot, category=row["category"])


def _sentence(found: _Found, shown: list[Row], left_out: int) -> str:
    if not shown:
        return "no category has a number"
    kind = found.kinds[1]
    by_chance = sum(_may_be_chance(row, kind.column) for row in shown)
    of_all = [(one.name, value) for one, value in zip(found.kinds, found.whole, strict=True) if value == value]
    words = [", ".join(f"{name} of all {value:.3f}" for name, value in of_all)] if of_all else []
    if by_chance:
        words.append(f"{by_chance} of {len(shown)} may be chance by {kind.name}")
    if left_out:
        words.append(f"{left_out} in the middle are left out")
    return "; ".join(words)


def _may_be_chance(row: Row, column: str) -> bool:
    """Does the interval have 0 in it, or lie below?"""
    lo = row[f"{column}_lo"]
    return lo is not None and lo <= 0


def _of_objects(result: Any) -> _Found:
    kinds = _Kind("agreement", "agreement", "o", -0.16), _Kind("alpha", "Krippendorff's α", "D", 0.16)
    return _Found(result.coefficients(), kinds, [result["agreement"], result["alpha"]])


def _of_maps(result: Any) -> _Found:
    kinds = _Kind("iou", "IoU", "o", -0.16), _Kind("corrected", "IoU beyond chance", "D", 0.16)
    return _Found(result.coefficients(), kinds, [result["mIoU"], float("nan")])


_READERS = {"AgreementResult": _of_objects, "PixelAgreementResult": _of_maps}
