"""Pictures of a detector that records alone can tell: curves, categories, scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica import plot
from vesica.detection.result import DetectionResult
from vesica.plot.per_class import without_middle
from vesica.plot.precision_recall import average_precision
from vesica.report import leads
from vesica.report.charts import chart
from vesica.report.detection_objects import bins, cut_of, ends_of, threshold
from vesica.report.views import Chart, Filter, Mark, Table, Value
from vesica.results.intervals import IntervalTable
from vesica.results.tables import Row

MOST_ROWS = 2000
"""Categories that tables list."""
BARS = 24
"""Categories that are drawn as bars."""
CURVES = 5
"""Categories whose curves are drawn."""
_COUNTS = ("category", "truths", "guesses")


def categories(result: DetectionResult, key: str, intervals: IntervalTable, /) -> Chart:
    """One number of each category, and all of them as a table."""
    rows = result.per_class()
    names = [name for name in (rows[0] if rows else ()) if name not in _COUNTS] or ["AP"]
    known = sorted((row for row in rows if row[names[0]] is not None), key=lambda row: -row[names[0]])
    drawn = without_middle(known, BARS)
    marks = [Mark(f"{row['category']}: {names[0]} {row[names[0]]:.3f}", of_category(row["category"])) for row in drawn]
    return chart(
        f"{key}-by-category",
        lambda ax: plot.per_class(result, metric=names[0] if rows else None, most=BARS, ax=ax),
        height=1.0 + 0.2 * max(3, len(drawn)),
        table=_category_table(result, f"{key}-categories", rows, names, intervals),
        marks=leads.rows(marks),
    )


def _category_table(
    result: DetectionResult, key: str, rows: list[Row], names: list[str], intervals: IntervalTable
) -> Table:
    ends = {row["category"]: (row["lo"], row["hi"]) for row in intervals.per_class() if row["number"] == names[0]}
    counts = result.counts(iou=threshold(result), min_score=cut_of(result))
    cells: list[tuple[Value, ...]] = []
    for row, *found in zip(rows, *counts, strict=True):
        first, *others = (row[name] for name in names)
        low, high = ends.get(row["category"], (None, None))
        cells.append((str(row["category"]), first, low, high, *others, row["truths"], row["guesses"], *map(int, found)))
    order = sorted(
        range(len(rows)), key=lambda k: -1.0 if rows[k][names[0]] is None else rows[k][names[0]], reverse=True
    )
    return Table(
        key,
        f"{names[0]} by category",
        ("category", names[0], "from", "to", *names[1:], "truths", "guesses", "right", "wrong", "missed"),
        tuple(cells[k] for k in order[:MOST_ROWS]),
        tuple(of_category(rows[k]["category"]) for k in order[:MOST_ROWS]),
        left_out=f"From and to are the ends of the 95 % interval of {names[0]}. Right, wrong and missed are those of "
        f"guesses from a score of {cut_of(result):.3g} on."
        + (f" {len(order) - MOST_ROWS:,} categories with less are left out." if len(order) > MOST_ROWS else ""),
    )


def of_category(name: Any, /) -> Filter:
    """The objects of a category."""
    return {"category": str(name)}


def _up_to(iou: float) -> Filter:
    return {"right up to IoU": f"{iou:g}"}


def curves(result: DetectionResult, key: str, /) -> Chart:
    """Precision against recall at several thresholds."""

    def told(facts: Mapping[str, Any]) -> Mark:
        return Mark(f"IoU {facts['iou']:g}: guesses that are right up to here and no further", _up_to(facts["iou"]))

    return chart(
        f"{key}-pr",
        lambda ax: plot.precision_recall(result, ax=ax),
        table=_thresholds(result, f"{key}-pr-table"),
        marks=leads.drawn(told),
    )


def by_iou(result: DetectionResult, key: str, /) -> Chart:
    """AP at each threshold."""

    def told(facts: Mapping[str, Any]) -> Mark:
        iou = facts["iou"]
        value = _ap(result, None, iou) or 0
        return Mark(f"AP {value:.3f} at IoU {iou:g}: guesses that are right up to here and no further", _up_to(iou))

    return chart(
        f"{key}-by-iou",
        lambda ax: plot.by_iou(result, ax=ax),
        height=3.2,
        table=_thresholds(result, f"{key}-by-iou-table"),
        marks=leads.drawn(told),
    )


def _thresholds(result: DetectionResult, key: str) -> Table:
    known = result.protocol.iou
    rows = tuple((f"{one:g}", _ap(result, None, one)) for one in known)
    return Table(key, "AP by IoU", ("IoU", "AP"), rows, tuple(map(_up_to, known)))


def _ap(result: DetectionResult, category: Any, iou: float) -> float | None:
    return _number(average_precision(result, category, iou))


def _number(value: Any) -> float | None:
    return None if value != value else float(value)


def curves_of_categories(result: DetectionResult, key: str, /) -> Chart:
    """Of the categories with most truths: curves of others say little."""
    rows, iou = result.per_class(), threshold(result)
    most = sorted((row for row in rows if row["truths"]), key=lambda row: -row["truths"])[:CURVES]
    names = [row["category"] for row in most or rows[:1]]
    cells: list[tuple[Value, ...]] = []
    for name in names:
        best = result.curve(name, iou=iou).best_f1
        found = (None,) * 4 if best is None else (best.f1, best.score, best.precision, best.recall)
        cells.append((str(name), _ap(result, name, iou), *found))
    table = Table(
        f"{key}-pr-classes-table",
        "Curves by category",
        ("category", "AP", "best F1", "at score", "precision", "recall"),
        tuple(cells),
        tuple(map(of_category, names)),
    )
    more = f", of the {len(names)} categories with most truths" if len(rows) > len(names) else ""
    return chart(
        f"{key}-pr-classes",
        lambda ax: plot.precision_recall(result, iou=iou, category=names, ax=ax),
        table=table,
        marks=leads.drawn(lambda facts: Mark(f"curve of {facts['category']}", of_category(facts["category"]))),
        title="Precision and recall by category",
        sentence=f"at IoU {iou:g}{more}",
    )


def by_score(result: DetectionResult, key: str, /) -> Chart:
    """Precision, recall and F1 of guesses from a score on."""
    iou = threshold(result)
    curve = result.curve(iou=iou)
    best = curve.best_f1
    edges, names = bins(*ends_of(result))

    def told(facts: Mapping[str, Any]) -> Mark:
        place = int(np.clip(np.searchsorted(edges, facts["min_score"], side="right") - 1, 0, len(names) - 1))
        return Mark(f"F1 is highest from score {facts['min_score']:.3f} on", {"score": names[place]})

    rows: list[tuple[Value, ...]] = []
    for cut in np.linspace(0.05, 0.95, 19):
        at = int(np.searchsorted(-curve.score, -cut, side="right")) - 1
        own = [None] * 3 if at < 0 else [_number(getattr(curve, name)[at]) for name in ("precision", "recall", "f1")]
        rows.append((f"{cut:.2f}", *own))
    if best is not None:
        rows.append((f"{best.score:.3g} (best F1)", best.precision, best.recall, best.f1))
    columns = ("score from", "precision", "recall", "F1")
    table = Table(f"{key}-by-score-table", "Precision, recall and F1 by score", columns, tuple(rows))
    return chart(
        f"{key}-by-score", lambda ax: plot.by_score(result, iou=iou, ax=ax), table=table, marks=leads.drawn(told)
    )


def scores(result: DetectionResult, key: str, /) -> Chart:
    """How many right and wrong guesses have which score."""
    iou, cut = threshold(result), cut_of(result)
    edges, names = bins(*ends_of(result))
    curve = result.curve(iou=iou)
    is_right = np.diff(curve.right, prepend=0) > 0
    counts = [np.histogram(curve.score[kept], edges)[0].tolist() for kept in (is_right, ~is_right)]

    def told(facts: Mapping[str, Any]) -> Mark | None:
        place = int(np.argmin(np.abs(edges[:-1] - facts["score"][0])))
        word, own = ("right", counts[0]) if facts["is_right"] else ("wrong", counts[1])
        if edges[place + 1] <= cut:
            return None  # guesses below the cut are in no picture
        words = f"{own[place]:,} {word} with a score of {names[place]}"
        return Mark(words, {"score": names[place], "verdict": word})

    table = Table(
        f"{key}-scores-table",
        "Scores of right and wrong guesses",
        ("score", "right", "wrong"),
        tuple(zip(names, *counts, strict=True)),
        _of_scores(names, edges, cut),
        left_out=f"Guesses below {cut:.3g}, where F1 is highest, are counted here and not drawn in pictures.",
    )
    return chart(
        f"{key}-scores",
        lambda ax: plot.scores(result, iou=iou, ax=ax),
        height=3.2,
        table=table,
        marks=leads.drawn(told),
    )


def _of_scores(names: list[str], edges: np.ndarray, cut: float) -> tuple[Filter | None, ...]:
    return tuple({"score": name} if edges[place + 1] > cut else None for place, name in enumerate(names))


def reliability(result: DetectionResult, key: str, /) -> Chart:
    """Whether a score is the chance of being right."""
    edges, names = bins(*ends_of(result))
    found = result.reliability(bins=len(names), iou=threshold(result))
    rows = list(found.bins)
    filters = _of_scores(names, edges, cut_of(result))
    marks = [
        Mark(f"score {name}: {row['guesses']:,} guesses, {row['precision']:.3f} right", wanted)
        if row["guesses"] and wanted
        else None
        for name, row, wanted in zip(names, rows, filters, strict=True)
    ]
    table = Table(
        f"{key}-reliability-table",
        "Reliability",
        ("score", "guesses", "mean score", "share right", "gap"),
        tuple(
            (name, *(row[one] for one in ("guesses", "score", "precision", "gap")))
            for name, row in zip(names, rows, strict=True)
        ),
        filters,
    )
    return chart(
        f"{key}-reliability",
        lambda ax: plot.reliability(found, ax=ax),
        height=3.6,
        table=table,
        marks=leads.columns(marks, edges.tolist()),
    )
