"""The pictures of a detector, in their order; those that need to know who is near whom are made here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica import plot
from vesica.detection.cause_names import CAUSES
from vesica.detection.confusion import Confusion
from vesica.detection.result import DetectionResult
from vesica.report import detection_curves, leads
from vesica.report.charts import chart
from vesica.report.detection_objects import Objects, bins, sizes_of, threshold
from vesica.report.views import Block, Chart, Choice, Filter, Grid, Line, Mark, Table, Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.results.intervals import IntervalTable

MOST_CLASSES = 1500
"""Of which a confusion matrix is drawn."""
LARGE = 12
"""Rows of a confusion matrix from which on it has the width of the page."""
LISTED = 200
"""Its cells that are listed."""
_TOTALS: dict[str, Filter] = {"wrong": {"verdict": "wrong"}, "not found": {"verdict": "missed"}}


def charts_of(result: DetectionResult, key: str, intervals: IntervalTable, found: Objects | None, /) -> Iterator[Block]:
    """Those beside each other that are of about one height. Without `found`, what records alone tell."""
    yield detection_curves.categories(result, key, intervals)
    if found is not None:
        yield _causes(result, key)
    yield detection_curves.curves(result, key)
    if len(result.categories) > 1:
        yield detection_curves.curves_of_categories(result, key)
    yield detection_curves.by_score(result, key)
    score = result.records.score
    if not len(score) or (score.min() >= 0 and score.max() <= 1):
        yield detection_curves.reliability(result, key)
    if found is not None:
        if len(result.categories) <= MOST_CLASSES:
            matrix = result.confusion(iou=found.iou, min_score=found.cut)
            yield _confusion(matrix, key)
            yield from _top(matrix, key)
        else:
            words = f"Of {len(result.categories):,} categories no matrix is drawn; up to {MOST_CLASSES:,} it is."
            yield Words(f"{key}-no-confusion", "Confusion", (Line(words),))
        yield _by_size(result, key)
        yield _ious(result, key)
        yield _per_image(result, key, found)
    yield detection_curves.scores(result, key)
    yield detection_curves.by_iou(result, key)


def _causes(result: DetectionResult, key: str) -> Chart:
    found = result.causes(iou=threshold(result))
    rows = sorted(found.table, key=lambda row: (row["cause"] not in CAUSES, -(row["cost"] or 0.0)))
    by_name = {row["cause"]: row for row in rows}

    def told(facts: Mapping[str, Any]) -> Mark:
        row = by_name[facts["cause"]]
        return Mark(f"{row['cause']}: {row['count']:,} cases cost {row['cost'] or 0.0:.3f}", _of_cause(row["cause"]))

    table = Table(
        f"{key}-causes-table",
        "What costs AP",
        ("cause", "cases", "cost in AP", "meaning"),
        tuple((row["cause"], row["count"], row["cost"], row["meaning"]) for row in rows),
        tuple(_of_cause(row["cause"]) for row in rows),
        left_out="Cases are counted over all guesses; pictures show those from the score on where F1 is highest.",
    )
    return chart(
        f"{key}-causes", lambda ax: plot.causes(found, ax=ax), height=4.6, table=table, marks=leads.drawn(told)
    )


def _of_cause(name: str) -> Filter:
    return _TOTALS.get(name, {"cause": name})


def _confusion(matrix: Confusion, key: str) -> Choice:
    names = tuple(map(str, matrix.names))
    is_large = len(names) > LARGE
    side = float(np.clip(2.4 + 0.2 * len(names), 3.9, 7.4)) if is_large else 4.4

    def made(by: Literal["row", "column"] | None) -> Chart:
        return chart(
            f"{key}-confusion-{by or 'counts'}",
            lambda ax: plot.confusion(matrix, by=by, ax=ax),
            height=side,
            width=max(side, 5.0),
            grid=Grid(("truth", "guess"), names, names, tuple(map(tuple, matrix.counts.tolist()))),
            table=_cells(matrix.counts, names, f"{key}-confusion-table") if by == "row" else None,
            is_wide=is_large,
        )

    words = ("by row, in %", "by column, in %", "counts")
    return Choice(f"{key}-confusion", "Confusion", words, (made("row"), made("column"), made(None)), is_large)


def _cells(counts: np.ndarray, names: tuple[str, ...], key: str) -> Table:
    rows, columns = np.nonzero(counts)
    order = np.argsort(-counts[rows, columns], kind="stable")[:LISTED]
    pairs = [(names[row], names[column]) for row, column in zip(rows[order], columns[order], strict=True)]
    more = len(rows) - LISTED
    return Table(
        key,
        "Confusion",
        ("truth", "guess", "count"),
        tuple((*pair, int(count)) for pair, count in zip(pairs, counts[rows[order], columns[order]], strict=True)),
        tuple(_of_pair(*pair) for pair in pairs),
        left_out=f"{more:,} cells with less are left out." if more > 0 else "",
    )


def _of_pair(truth: Any, guess: Any) -> Filter:
    return {"truth": str(truth), "guess": str(guess)}


def _top(matrix: Confusion, key: str) -> Iterator[Chart]:
    """The classes that are taken for another most often, if any is."""
    rows = list(matrix.top(12))
    if not rows:
        return
    words = (f"{row['truth']} taken for {row['guess']}: {row['count']:,}" for row in rows)
    filters = tuple(_of_pair(row["truth"], row["guess"]) for row in rows)
    yield chart(
        f"{key}-top",
        lambda ax: plot.top_confusions(matrix, ax=ax),
        height=1.2 + 0.24 * max(3, len(rows)),
        table=Table(
            f"{key}-top-table",
            "Most confused",
            ("truth", "guess", "count", "share of truths"),
            tuple((str(row["truth"]), str(row["guess"]), row["count"], row["share"]) for row in rows),
            filters,
        ),
        marks=leads.rows(list(map(Mark, words, filters))),
    )


def _by_size(result: DetectionResult, key: str) -> Chart:
    found = result.by_size()
    rows, (_, names) = list(found), sizes_of(found)
    words = (
        f"{name}: AP {'–' if row['AP'] is None else format(row['AP'], '.3f')}"
        for name, row in zip(names, rows, strict=True)
    )
    filters: tuple[Filter, ...] = tuple({"size": name} for name in names)
    columns = ("truths", "found", "AP", "AR")
    return chart(
        f"{key}-by-size",
        lambda ax: plot.by_size(found, ax=ax),
        height=3.8,
        table=Table(
            f"{key}-by-size-table",
            "AP by size of objects",
            ("side", *columns),
            tuple((name, *(row[one] for one in columns)) for name, row in zip(names, rows, strict=True)),
            filters,
        ),
        marks=leads.columns(list(map(Mark, words, filters)), (np.arange(len(names) + 1) - 0.5).tolist()),
    )


def _ious(result: DetectionResult, key: str) -> Chart:
    bars = bins(min(result.protocol.iou), 1.0)
    return _histogram(f"{key}-ious", "IoU", bars, lambda ax: plot.ious(result, ax=ax), "pairs")


def _per_image(result: DetectionResult, key: str, found: Objects) -> Chart:
    table = result.per_image(iou=found.iou, min_score=found.cut)
    bars = bins(0.0, 1.0)
    return _histogram(f"{key}-per-image", "F1 of the image", bars, lambda ax: plot.per_image(table, ax=ax), "images")


def _histogram(
    key: str, fact: str, bars: tuple[np.ndarray, list[str]], draw: Callable[[Axes], Any], noun: str
) -> Chart:
    """A chart of bars, and the table of what it drew."""
    edges, names = bars
    counts: list[int] = []

    def marks(ax: Axes) -> Mapping[str, Mark]:
        counts.extend(round(bar.get_height()) for bar in ax.patches)  # type: ignore[attr-defined]
        words = (f"{fact} {name}: {count:,} {noun}" for name, count in zip(names, counts, strict=True))
        told = [Mark(text, {fact: name}) for text, name in zip(words, names, strict=True)]
        return leads.columns([one if n else None for one, n in zip(told, counts, strict=True)], edges.tolist())(ax)

    made = chart(key, draw, height=3.2, marks=marks)
    rows, filters = tuple(zip(names, counts, strict=True)), tuple({fact: name} for name in names)
    return replace(made, table=Table(f"{key}-table", made.title, (fact, noun), rows, filters))
