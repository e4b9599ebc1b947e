"""One number of every slice of images: of a detector, or what models differ by."""

from __future__ import annotations

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
    label,
    named,
    plain_frame,
    rows_named,
    share_ticks,
    titled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.results.tables import Row


def slices(
    result: Any,
    /,
    *,
    metric: str | None = None,
    model: str | None = None,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw one number of each slice of images: by camera, daylight, site, or whatever they were sliced by.

    Of a detector, bars beside the number of all images, which is a line. Of a comparison, the difference from the
    first model with its interval: where that leaves 0 out, the mark is filled; else it may be chance.

    Parameters
    ----------
    result : of `evaluate(…, slices=…)` or `compare(…, slices=…)`
    metric : a number of the summary; by default the first
    model : of a comparison, the name of one; by default the last
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> truth = vesica.Dataset.from_arrays([[0, 0, 4, 4]] * 2, image=["a", "b"], category=["cat"] * 2)
    >>> guess = vesica.Dataset.from_arrays([[0, 0, 4, 4], [2, 2, 6, 6]], image=["a", "b"], category=["cat"] * 2,
    ...                                    score=[0.9, 0.8])
    >>> result = vesica.evaluate(truth, guess, slices={"light": ["day", "night"]})
    >>> ax = vesica.plot.slices(result)
    >>> [text.get_text() for text in ax.get_yticklabels()], ax.texts[-1].get_text()
    (['light: day', 'light: night'], 'from 0.000 in night to 1.000 in day; of all images 0.505 (line)')
    """
    draw = check.one_kind(result, _WAYS)
    colours = THEMES[check.theme(theme)]

    return draw(result, metric, model, colours, ax)  # type: ignore[no-any-return]


def _of_detector(result: Any, metric: str | None, model: str | None, colours: Theme, ax: Axes | None) -> Axes:
    name = check.one_metric(metric or next(iter(result.summary)), result.summary)
    check.sliced(bool(result.slices))
    rows = [row for row in result.slices.table() if row[name] is not None]
    whole = result.summary[name]
    ax = _axes(ax, colours, rows)
    bars = ax.barh(np.arange(len(rows)), [row[name] for row in rows], height=0.68, color=colours.right)
    if whole == whole:
        ax.axvline(whole, color=colours.ink, linewidth=1, linestyle=(0, (4, 3)))
    for place, (bar, row) in enumerate(zip(bars, rows, strict=True)):
        mark(ax, bar, **{row["column"]: row["slice"]})
        ax.annotate(f"{row[name]:.3f}   {row['images']:,}", (max(row[name], 0), place), xytext=(4, 0), va="center",
                    textcoords="offset points", fontsize=NAME, color=colours.ink, bbox=behind(colours))  # fmt: skip
    ax.set_xlim(min([0.0, *(row[name] for row in rows)]), 1.22)
    share_ticks(ax)
    named(ax, colours, f"{name}, and how many images", "")
    titled(ax, colours, f"{name} by slice", _sentence(rows, name, whole))
    return ax


def _sentence(rows: list[Row], name: str, whole: float) -> str:
    if not rows:
        return "no slice has a number"
    low, high = (pick(rows, key=lambda row: row[name]) for pick in (min, max))
    told = " to ".join(f"{row[name]:.3f} in {label(row['slice'], most=16)}" for row in (low, high))
    return f"from {told}; of all images {whole:.3f} (line)"


def _of_comparison(result: Any, metric: str | None, model: str | None, colours: Theme, ax: Axes | None) -> Axes:
    name = check.one_metric(metric or next(iter(result.results[0].summary)), result.results[0].summary)
    check.sliced(result.has_slices)
    other = check.one_of(result.names[-1] if model is None else model, result.names[1:], "model")
    rows = [row for row in result.slices(name) if row["difference"] is not None and row.get("model", other) == other]
    ax = _axes(ax, colours, rows)
    ax.axvline(0, color=colours.ink, linewidth=1)
    for place, row in enumerate(rows):
        is_sure = row["lo"] is not None and (row["lo"] > 0 or row["hi"] < 0)
        colour = colours.right if row["difference"] >= 0 else colours.wrong
        if row["lo"] is not None:
            ax.plot([row["lo"], row["hi"]], [place] * 2, color=colour, linewidth=2, alpha=1 if is_sure else 0.55)
        (dot,) = ax.plot(row["difference"], place, "o", color=colour, markersize=7, zorder=3,
                         markerfacecolor=colour if is_sure else colours.page)  # fmt: skip
        mark(ax, dot, **{row["column"]: row["slice"]})
    reach = max([0.01, *(abs(row[end]) for row in rows for end in ("difference", "lo", "hi") if row[end] is not None)])
    ax.set_xlim(-1.08 * reach, 1.08 * reach)
    first = label(result.names[0])
    named(ax, colours, f"difference of {name} from {first}", "")
    sure = sum(row["lo"] is not None and (row["lo"] > 0 or row["hi"] < 0) for row in rows)
    told = f"right of 0 is higher than {first}; {sure} of {len(rows)} differ by more than chance"
    titled(ax, colours, f"{label(other)} against {first}, by slice", told if rows else "no slice has a number")
    return ax


def _axes(ax: Axes | None, colours: Theme, rows: list[Row]) -> Axes:
    """With a name for each slice."""
    ax = axes_of(ax, colours, size=(6.4, 1.6 + 0.26 * max(3, len(rows))))
    plain_frame(ax, colours, grid="x")
    names = [f"{label(row['column'], most=12)}: {label(row['slice'], most=18)}" for row in rows]
    rows_named(ax, colours, np.arange(len(rows)), names)
    ax.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    return ax


_WAYS = {"DetectionResult": _of_detector, "Comparison": _of_comparison}
