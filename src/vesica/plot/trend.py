"""Agreement over time: by batch, date or round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.agreement.tables import labels_of
from vesica.plot.marks import mark
from vesica.plot.theme import (
    NAME,
    THEMES,
    Theme,
    axes_of,
    label,
    letters_across,
    named,
    plain_frame,
    rows_named,
    titled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.results.tables import Row


def trend(
    result: Any,
    /,
    *,
    by: Literal["batch", "date", "round"] = "batch",
    category: Any = None,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw agreement from batch to batch, or over dates or rounds.

    The line across is where it began. The bar at a point is the interval of its change since then: where it does not
    meet the line, agreement changed by more than chance, and the point is filled.

    Parameters
    ----------
    result : of `evaluate_agreement`, of objects whose images have batches, or whose annotators were asked on dates or
        in rounds
    by : {"batch", "date", "round"}
    category : of one category; by default of all together
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np, vesica
    >>> from vesica.dataset import Images
    >>> boxes = [[0, 0, 8, high] for high in np.repeat([4, 6, 8], 30)] + [[0, 0, 8, 8]] * 90
    >>> batch = np.repeat(["first", "second", "third"], 30).astype(object)
    >>> people = vesica.Dataset.from_arrays(
    ...     boxes,
    ...     image=[*range(90)] * 2,
    ...     annotator=["ann"] * 90 + ["ben"] * 90,
    ...     images=Images(np.arange(90), batch=batch),
    ...     assignments="all",
    ... )
    >>> ax = vesica.plot.trend(vesica.evaluate_agreement(people))
    >>> ax.texts[-1].get_text()
    'from 0.500 in first to 1.000 in third: +0.500, more than chance'
    """
    check.one_kind(result, {"AgreementResult": None})
    rows = _rows(result, by, category)
    colours = THEMES[check.theme(theme)]

    places = np.arange(len(rows))
    values = np.array([np.nan if row["agreement"] is None else row["agreement"] for row in rows], np.float64)
    ax = axes_of(ax, colours, size=(6.4, 4.4))
    plain_frame(ax, colours, grid="y")
    start = values[0] if len(values) else np.nan
    if start == start:
        ax.axhline(start, color=colours.soft, linewidth=1, linestyle=(0, (4, 3)))
    ax.plot(places, values, color=colours.right, linewidth=2)
    for place, (row, value) in enumerate(zip(rows, values.tolist(), strict=True)):
        if value != value:
            continue
        if row["lo"] is not None and row["hi"] is not None:
            ax.plot([place, place], [start + row["lo"], start + row["hi"]], color=colours.right, linewidth=2,
                    alpha=0.55, marker="_", markersize=9)  # fmt: skip
        (dot,) = ax.plot(place, value, "o", color=colours.right, markersize=8, zorder=3, markeredgewidth=2,
                         markerfacecolor=colours.right if place == 0 or _is_sure(row) else colours.page)  # fmt: skip
        mark(ax, dot, **{by: row[by]})
        ax.annotate(f"{row['n_images']:,}", (place, 0), xycoords=("data", "axes fraction"), xytext=(0, 3), ha="center",
                    textcoords="offset points", fontsize=NAME - 1, color=colours.soft)  # fmt: skip
    _name_periods(ax, colours, [row[by] for row in rows])
    ax.set_xlim(-0.5, max(len(rows), 1) - 0.5)
    ax.set_ylim(*_ends(rows, values, start))
    named(ax, colours, f"{by}; the numbers above it are those of images", "agreement")
    title = f"Agreement by {by}" + ("" if category is None else f", {label(category)}")
    titled(ax, colours, title, _sentence(rows, values, by))
    return ax


def _rows(result: Any, by: str, category: Any) -> list[Row]:
    if category is None:
        return list(result.trend(by=by))
    check.category_of(category, tuple(labels_of(result.records).tolist()))
    return [row for row in result.trend(by=by, category=True) if row["category"] == category]


def _is_sure(row: Row) -> bool:
    """Does the interval of the change leave 0 out?"""
    return row["lo"] is not None and row["hi"] is not None and (row["lo"] > 0 or row["hi"] < 0)


def _name_periods(ax: Axes, colours: Theme, periods: list[Any]) -> None:
    """Those that there is room for; many stand on their side."""
    names = [label(period, most=16) for period in periods]
    longest = max(map(len, names), default=1)
    room = letters_across(ax, NAME)
    is_turned = (longest + 2) * len(names) > room
    step = -(-len(names) // max(1, room // (3 if is_turned else longest + 2))) or 1
    places = list(range(0, len(names), step))
    look: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if is_turned else {}
    rows_named(ax, colours, places, [names[place] for place in places], axis="x", **look)


def _ends(rows: list[Row], values: np.ndarray, start: float) -> tuple[float, float]:
    """What is drawn and some room below it, but a tenth at least: small changes look small."""
    ends = [start + row[end] for row in rows for end in ("lo", "hi") if row[end] is not None]
    numbers = [one for one in (*values.tolist(), *ends) if one == one] or [0.0, 1.0]
    low, high = min(numbers), max(numbers)
    room = max(0.05, 0.15 * (high - low))
    return max(0.0, low - 1.6 * room) if low >= 0 else low - room, min(1.02, high + room)


def _sentence(rows: list[Row], values: np.ndarray, by: str) -> str:
    known = [place for place, value in enumerate(values.tolist()) if value == value]
    if len(known) < 2:
        return f"fewer than two {by}{'es' if by == 'batch' else 's'} have a number: there is no change to see"
    first, last = known[0], known[-1]
    names = [label(rows[place][by], most=18) for place in (first, last)]
    told = "more than chance" if _is_sure(rows[last]) else "which may be chance"
    change = values[last] - values[first]
    return f"from {values[first]:.3f} in {names[0]} to {values[last]:.3f} in {names[1]}: {change:+.3f}, {told}"
