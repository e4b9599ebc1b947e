"""One number of every category with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from vesica._check import plot as check
from vesica.plot.marks import mark_point
from vesica.plot.per_class import without_middle
from vesica.plot.theme import NAME, THEMES, axes_of, named, plain_frame, rows_named, titled
from vesica.segmentation.rules import SCORES

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_MEANS = {"iou": "mIoU", "dice": "mDice"}
"""Of label maps of annotators: the number of the whole for one of a class."""


class _Row(NamedTuple):
    name: Any
    value: float
    lo: float | None
    hi: float | None


class _Found(NamedTuple):
    metric: str
    whole: _Row
    rows: list[_Row]
    how: str


def intervals(
    result: Any,
    /,
    *,
    metric: str | None = None,
    most: int = 40,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw one number of each category with both ends of its interval; that of the whole is a band.

    Where there are more than `most` categories the middle is left out, and the picture says how many.

    Parameters
    ----------
    result : of `evaluate`, `evaluate_segmentation`, `evaluate_surfaces`, `evaluate_panoptic` or `evaluate_agreement`
        Or what `result.interval()` of all but the last answers.
    metric : a number that categories have, by default the first; of annotators, "agreement"
    most : int
        Rows that are drawn.
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np, vesica
    >>> boxes = np.tile([10.0, 10, 50, 50], (40, 1))
    >>> truth = vesica.Dataset.from_arrays(boxes, image=range(40), category=["cat", "dog"] * 20)
    >>> moved = boxes + np.arange(40)[:, None] % 9
    >>> guess = vesica.Dataset.from_arrays(moved, image=range(40), category=["cat", "dog"] * 20, score=np.full(40, 0.5))
    >>> ax = vesica.plot.intervals(vesica.evaluate(truth, guess).interval(replicates=200), metric="AP75")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['cat', 'dog']
    """
    found: _Found = check.one_kind(result, _READERS)(result, metric)
    colours = THEMES[check.theme(theme)]
    most = check.at_most(most, "most")

    known = sorted((row for row in found.rows if row.value == row.value), key=lambda row: -row.value)
    shown = without_middle(known, most)
    ax = axes_of(ax, colours, size=(6.4, 1.5 + 0.24 * max(3, len(shown))))
    plain_frame(ax, colours, grid="x")
    if found.whole.lo is not None and found.whole.hi is not None:
        ax.axvspan(found.whole.lo, found.whole.hi, color=colours.right, alpha=0.15, linewidth=0)
    if found.whole.value == found.whole.value:
        ax.axvline(found.whole.value, color=colours.ink, linewidth=1, linestyle=(0, (4, 3)))
    places = np.arange(len(shown))
    ax.plot([row.value for row in shown], places, "o", color=colours.right, markersize=6, zorder=3)
    for place, row in zip(places, shown, strict=True):
        mark_point(ax, row.value, float(place), category=row.name)
        if row.lo is None or row.hi is None:
            ax.annotate("no interval", (row.value, place), xytext=(8, 0), textcoords="offset points", va="center",
                        fontsize=NAME, color=colours.soft)  # fmt: skip
            continue
        ax.plot([row.lo, row.hi], [place, place], color=colours.right, linewidth=2, marker="|", markersize=8)
    rows_named(ax, colours, places, [row.name for row in shown])
    ax.set_ylim(max(len(shown), 1) - 0.5, -0.5)
    ends = [
        end for row in (*shown, found.whole) for end in (row.value, row.lo, row.hi) if end is not None and end == end
    ]
    ax.set_xlim(min(0.0, *ends, 0.0), max(1.0, *ends, 1.0))
    named(ax, colours, found.metric, "")
    titled(ax, colours, f"{found.metric} by category", _sentence(found, len(known) - len(shown)))
    return ax


def _sentence(found: _Found, left_out: int) -> str:
    whole = found.whole
    value = "not defined" if whole.value != whole.value else f"{whole.value:.3f}"
    ends = "" if whole.lo is None else f" ({whole.lo:.3f} to {whole.hi:.3f})"
    more = f"; {left_out} in the middle are left out" if left_out else ""
    return f"all together {value}{ends}, the band; {found.how}{more}"


def _of_table(table: Any, metric: str | None) -> _Found:
    name = check.one_metric(metric or next(iter(table.class_names), ""), table.class_names)
    rows = [
        _Row(row["category"], np.nan if row["value"] is None else row["value"], row["lo"], row["hi"])
        for row in table.per_class()
        if row["number"] == name
    ]
    whole = _Row("all", np.nan, None, None)
    mean = SCORES[name].mean if name in SCORES else _MEANS.get(name, name)  # of pixels: mIoU is that of IoU
    if mean in table:
        whole = _Row("all", table.numbers[mean], *table[mean][:2])
    drawing = table.drawing
    return _Found(name, whole, rows, f"{100 * drawing.level:g} % intervals by {drawing.by}")


def _of_annotators(result: Any, metric: str | None) -> _Found:
    name = check.one_metric(metric or "agreement", ("agreement",))
    rows = [
        _Row(row["category"], np.nan if row[name] is None else row[name], row["lo"], row["hi"])
        for row in result.classes()
    ]
    whole = _Row("all", result[name], *result.interval(name)[:2])
    return _Found(name, whole, rows, f"{100 * result.policy.level:g} % intervals by {result.policy.resample_by}")


_READERS = {
    "DetectionResult": lambda result, metric: _of_table(result.interval(), metric),
    "SegmentationResult": lambda result, metric: _of_table(result.interval(), metric),
    "SurfaceResult": lambda result, metric: _of_table(result.interval(), metric),
    "PanopticResult": lambda result, metric: _of_table(result.interval(), metric),
    "PixelAgreementResult": lambda result, metric: _of_table(result.interval(), metric),
    "IntervalTable": _of_table,
    "AgreementResult": _of_annotators,
}
