"""The pictures of a detector."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica import plot
from vesica.detection.cause_names import CAUSES
from vesica.detection.result import DetectionResult
from vesica.plot.per_class import without_middle
from vesica.report.charts import chart
from vesica.report.detection_objects import Objects, bins, cut_of, sizes_of, threshold
from vesica.report.views import Block, Chart, Choice, Grid, Mark, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.results.intervals import IntervalTable

BARS = 40
"""Categories that are drawn as bars; tables have all."""
CURVES = 5
"""Categories whose curves are drawn."""


def charts_of(result: DetectionResult, key: str, intervals: IntervalTable, found: Objects | None, /) -> Iterator[Block]:
    """The pictures, those beside each other that are of about one height. Without `found`, what records alone tell."""
    rows = result.per_class()
    yield _categories(result, key, rows, intervals)
    if found is not None:
        yield _causes(result, key)
    yield _curves(result, key)
    if len(rows) > 1:
        yield _curves_of_categories(result, key, rows)
    yield _by_score(result, key)
    if not len(result.records) or (result.records.score.min() >= 0 and result.records.score.max() <= 1):
        yield _reliability(result, key)
    if found is not None:
        yield _confusion(result, key, found)
        yield from _top(result, key, found)
        yield _by_size(result, key)
        yield _ious(result, key)
        yield _per_image(result, key, found)
    yield _scores(result, key)
    yield _by_iou(result, key)


def _name(rows: list[dict[str, Any]]) -> str:
    """The first number that categories have."""
    return next((name for name in (rows[0] if rows else ()) if name != "category"), "AP")


def _categories(result: DetectionResult, key: str, rows: list[dict[str, Any]], intervals: IntervalTable) -> Chart:
    name = _name(rows)
    order = sorted((row for row in rows if row[name] is not None), key=lambda row: -row[name])
    shown = without_middle(order, BARS)

    def draw(ax: Axes) -> None:
        plot.per_class(result, metric=name, most=BARS, ax=ax)

    def marks(ax: Axes) -> dict[str, Mark]:
        told = {}
        for place, (bar, row) in enumerate(zip(ax.patches, shown, strict=True)):
            bar.set_gid(f"bar-{place}")
            told[f"bar-{place}"] = Mark(
                f"{row['category']}: {name} {row[name]:.3f}", {"category": str(row["category"])}
            )
        return told

    ends = {row["category"]: (row["lo"], row["hi"]) for row in intervals.per_class() if row["number"] == name}
    counts = result.counts(iou=threshold(result), min_score=cut_of(result))
    cells = []
    for row, right, wrong, missed in zip(rows, *counts, strict=True):
        low, high = ends.get(row["category"], (None, None))
        numbers = [row[one] for one in row if one not in ("category", "truths", "guesses", name)]
        cells.append(
            (
                str(row["category"]),
                row[name],
                low,
                high,
                *numbers,
                row["truths"],
                row["guesses"],
                int(right),
                int(wrong),
                int(missed),
            )
        )
    others = [one for one in (rows[0] if rows else ()) if one not in ("category", "truths", "guesses", name)]
    columns = ("category", name, "from", "to", *others, "truths", "guesses", "right", "wrong", "missed")
    table = Table(
        f"{key}-categories",
        f"{name} by category",
        columns,
        tuple(sorted(cells, key=lambda row: -1.0 if row[1] is None else row[1], reverse=True)),
        left_out="From and to are the ends of the 95 % interval.",
    )
    table = _leading(table, "category")
    return chart(f"{key}-by-category", draw, height=1.0 + 0.2 * max(3, len(shown)), table=table, marks=marks)


def _leading(table: Table, fact: str) -> Table:
    from dataclasses import replace

    return replace(table, filters=tuple({fact: str(row[0])} for row in table.rows))


def _curves(result: DetectionResult, key: str) -> Chart:
    thresholds = result.protocol.iou

    def marks(ax: Axes) -> dict[str, Mark]:
        told = {}
        for place, line in enumerate(ax.lines):
            words = line.get_label()
            iou = words.split()[1]
            line.set_gid(f"line-{place}")
            told[f"line-{place}"] = Mark(f"{words}: guesses that are right up to here", {"right up to IoU": iou})
        return told

    table = Table(
        f"{key}-pr-table",
        "AP by IoU",
        ("IoU", "AP"),
        tuple((f"{one:g}", _ap(result, None, one)) for one in thresholds),
        tuple({"right up to IoU": f"{one:g}"} for one in thresholds),
    )
    return chart(f"{key}-pr", lambda ax: plot.precision_recall(result, ax=ax), table=table, marks=marks)


def _ap(result: DetectionResult, category: Any, iou: float) -> float | None:
    from vesica.plot.precision_recall import average_precision

    value = average_precision(result, category, iou)
    return None if value != value else float(value)


def _curves_of_categories(result: DetectionResult, key: str, rows: list[dict[str, Any]]) -> Chart:
    """Of the categories with most truths: curves of others say little."""
    most = sorted((row for row in rows if row["truths"]), key=lambda row: -row["truths"])[:CURVES]
    names = [row["category"] for row in most] or [row["category"] for row in rows[:1]]
    iou = threshold(result)

    def marks(ax: Axes) -> dict[str, Mark]:
        told = {}
        for place, (line, name) in enumerate(zip(ax.lines, names, strict=True)):
            line.set_gid(f"line-{place}")
            told[f"line-{place}"] = Mark(f"precision and recall of {name}", {"category": str(name)})
        return told

    cells = []
    for name in names:
        best = result.curve(name, iou=iou).best_f1
        cells.append(
            (
                str(name),
                _ap(result, name, iou),
                *((None,) * 4 if best is None else (best.f1, best.score, best.precision, best.recall)),
            )
        )
    table = Table(
        f"{key}-pr-classes-table",
        "Curves by category",
        ("category", "AP", "best F1", "at score", "precision", "recall"),
        tuple(cells),
    )
    return chart(
        f"{key}-pr-classes",
        lambda ax: plot.precision_recall(result, iou=iou, category=names, ax=ax),
        table=_leading(table, "category"),
        marks=marks,
        title="Precision and recall by category",
        sentence=f"at IoU {iou:g}"
        + (f", of the {len(names)} categories with most truths" if len(rows) > len(names) else ""),
    )


def _by_score(result: DetectionResult, key: str) -> Chart:
    iou = threshold(result)
    curve = result.curve(iou=iou)
    best = curve.best_f1

    def marks(ax: Axes) -> dict[str, Mark]:
        if best is None:
            return {}
        ax.lines[-1].set_gid("best")
        edges, names = bins(*_ends(result))
        bar = names[int(np.clip(np.searchsorted(edges, best.score, side="right") - 1, 0, len(names) - 1))]
        return {"best": Mark(f"best F1 {best.f1:.3f} from score {best.score:.3f} on", {"score": bar})}

    rows = []
    for cut in np.linspace(0.05, 0.95, 19):
        at = int(np.searchsorted(-curve.score, -cut, side="right")) - 1
        values = (
            (None, None, None)
            if at < 0
            else tuple(_number(getattr(curve, one)[at]) for one in ("precision", "recall", "f1"))
        )
        rows.append((f"{cut:.2f}", *values))
    if best is not None:
        rows.append((f"{best.score:.3g} (best F1)", best.precision, best.recall, best.f1))
    table = Table(
        f"{key}-by-score-table",
        "Precision, recall and F1 by score",
        ("score from", "precision", "recall", "F1"),
        tuple(rows),
    )
    return chart(f"{key}-by-score", lambda ax: plot.by_score(result, iou=iou, ax=ax), table=table, marks=marks)


def _number(value: Any) -> float | None:
    return None if value != value else float(value)


def _ends(result: DetectionResult) -> tuple[float, float]:
    score = result.records.score
    return min(0.0, float(score.min(initial=0.0))), max(1.0, float(score.max(initial=1.0)))


def _by_iou(result: DetectionResult, key: str) -> Chart:
    thresholds = result.protocol.iou

    def marks(ax: Axes) -> dict[str, Mark]:
        """A line has one id: its points are marks of their own, drawn over it."""
        told = {}
        values = ax.lines[0].get_ydata()
        for place, (one, value) in enumerate(zip(thresholds, values, strict=True)):
            if value == value:
                ax.plot([one], [value], "o", color=ax.lines[0].get_color(), markersize=9)[0].set_gid(f"point-{place}")
                told[f"point-{place}"] = Mark(
                    f"AP {value:.3f} at IoU {one:g}: guesses that are right up to here", {"right up to IoU": f"{one:g}"}
                )
        return told

    table = Table(
        f"{key}-by-iou-table",
        "AP by IoU",
        ("IoU", "AP"),
        tuple((f"{one:g}", _ap(result, None, one)) for one in thresholds),
        tuple({"right up to IoU": f"{one:g}"} for one in thresholds),
    )
    return chart(f"{key}-by-iou", lambda ax: plot.by_iou(result, ax=ax), height=3.2, table=table, marks=marks)


def _scores(result: DetectionResult, key: str) -> Chart:
    iou, cut = threshold(result), cut_of(result)
    edges, names = bins(*_ends(result))
    curve = result.curve(iou=iou)
    is_right = np.diff(curve.right, prepend=0) > 0
    counts = [np.histogram(curve.score[kept], edges)[0] for kept in (is_right, ~is_right)]

    def marks(ax: Axes) -> dict[str, Mark]:
        told = {}
        for side, (word, own) in enumerate(zip(("right", "wrong"), counts, strict=True)):
            for place, bar in enumerate(ax.containers[side].patches):
                if own[place] and edges[place + 1] > cut:
                    bar.set_gid(f"{word}-{place}")
                    told[f"{word}-{place}"] = Mark(
                        f"{own[place]:,} {word} with a score of {names[place]}",
                        {"score": names[place], "verdict": word},
                    )
        return told

    table = Table(
        f"{key}-scores-table",
        "Scores of right and wrong guesses",
        ("score", "right", "wrong"),
        tuple((name, int(right), int(wrong)) for name, right, wrong in zip(names, *counts, strict=True)),
        tuple({"score": name} if edges[place + 1] > cut else None for place, name in enumerate(names)),
        left_out=f"Guesses below {cut:.3g}, where F1 is highest, are counted here and not drawn in pictures.",
    )
    return chart(f"{key}-scores", lambda ax: plot.scores(result, iou=iou, ax=ax), height=3.2, table=table, marks=marks)


def _reliability(result: DetectionResult, key: str) -> Chart:
    iou, cut = threshold(result), cut_of(result)
    edges, names = bins(*_ends(result))
    found = result.reliability(bins=len(names), iou=iou)

    def marks(ax: Axes) -> dict[str, Mark]:
        told = {}
        for place, (bar, row) in enumerate(zip(ax.containers[0].patches, found.bins, strict=True)):
            if row["guesses"] and edges[place + 1] > cut:
                bar.set_gid(f"bar-{place}")
                words = f"score {names[place]}: {row['guesses']:,} guesses, {row['precision']:.3f} right"
                told[f"bar-{place}"] = Mark(words, {"score": names[place]})
        return told

    table = Table(
        f"{key}-reliability-table",
        "Reliability",
        ("score", "guesses", "mean score", "share right", "gap"),
        tuple(
            (names[k], row["guesses"], row["score"], row["precision"], row["gap"]) for k, row in enumerate(found.bins)
        ),
        tuple({"score": name} if edges[place + 1] > cut else None for place, name in enumerate(names)),
    )
    return chart(f"{key}-reliability", lambda ax: plot.reliability(found, ax=ax), height=4.2, table=table, marks=marks)


def _causes(result: DetectionResult, key: str) -> Chart:
    found = result.causes(iou=threshold(result))
    rows = [row | {"cost": row["cost"] or 0.0} for row in found.table]
    shown = [*sorted((row for row in rows if row["cause"] in CAUSES), key=lambda row: -row["cost"])]
    shown += [row for row in rows if row["cause"] not in CAUSES]
    filters = {"wrong": {"verdict": "wrong"}, "not found": {"verdict": "missed"}}

    def marks(ax: Axes) -> dict[str, Mark]:
        told = {}
        for place, (bar, row) in enumerate(zip(ax.containers[0].patches, shown, strict=True)):
            bar.set_gid(f"bar-{place}")
            words = f"{row['cause']}: {row['count']:,} cases cost {row['cost']:.3f}"
            told[f"bar-{place}"] = Mark(words, filters.get(row["cause"], {"cause": row["cause"]}))
        return told

    table = Table(
        f"{key}-causes-table",
        "What costs AP",
        ("cause", "cases", "cost in AP", "meaning"),
        tuple((row["cause"], row["count"], row["cost"], row["meaning"]) for row in shown),
        tuple(filters.get(row["cause"], {"cause": row["cause"]}) for row in shown),
        left_out="Cases are counted over all guesses; pictures show those from the score on where F1 is highest.",
    )
    return chart(f"{key}-causes", lambda ax: plot.causes(found, ax=ax), height=4.6, table=table, marks=marks)


def _confusion(result: DetectionResult, key: str, found: Objects) -> Choice:
    matrix = result.confusion(iou=found.iou, min_score=found.cut)
    names = tuple(map(str, matrix.names))
    grid = Grid(("truth", "guess"), names, names, tuple(map(tuple, matrix.counts.tolist())))
    is_large = len(names) > 12
    side = float(np.clip(2.4 + 0.2 * len(names), 3.9, 7.4)) if is_large else 4.4
    ways: tuple[tuple[str, Any], ...] = (("by row, in %", "row"), ("by column, in %", "column"), ("counts", None))
    table = Table(
        f"{key}-confusion-table",
        "Confusion",
        ("truth", "guess", "count"),
        tuple((names[row], names[column], int(matrix.counts[row, column])) for row, column in _largest(matrix.counts)),
        tuple({"truth": names[row], "guess": names[column]} for row, column in _largest(matrix.counts)),
        left_out=_beyond(matrix.counts),
    )
    charts = tuple(
        chart(
            f"{key}-confusion-{by or 'counts'}",
            lambda ax, by=by: plot.confusion(matrix, by=by, ax=ax),
            height=side,
            width=max(side, 5.0),
            grid=grid,
            table=table if by == "row" else None,
            is_wide=is_large,
        )
        for _, by in ways
    )
    return Choice(f"{key}-confusion", "Confusion", tuple(name for name, _ in ways), charts, is_large)


LISTED = 200
"""Cells of a confusion matrix that are listed."""


def _largest(counts: np.ndarray) -> list[tuple[int, int]]:
    rows, columns = np.nonzero(counts)
    order = np.argsort(-counts[rows, columns], kind="stable")[:LISTED]
    return list(zip(rows[order].tolist(), columns[order].tolist(), strict=True))


def _beyond(counts: np.ndarray) -> str:
    more = int(np.count_nonzero(counts)) - LISTED
    return f"{more:,} cells with less are left out." if more > 0 else ""


def _top(result: DetectionResult, key: str, found: Objects) -> Iterator[Chart]:
    """The classes that are taken for another most often."""
    rows = list(result.confusion(iou=found.iou, min_score=found.cut).top(12))
    if not rows:
        return

    def draw(ax: Axes) -> None:
        from vesica.plot.theme import LIGHT, named, plain_frame, rows_named, titled

        plain_frame(ax, LIGHT, grid="x")
        counts = [row["count"] for row in rows]
        ax.barh(range(len(rows)), counts, color=LIGHT.wrong, height=0.7)
        for place, row in enumerate(rows):
            ax.annotate(f"{row['count']:,}  ({100 * row['share']:.0f} %)", (row["count"], place), xytext=(4, 0),
                        textcoords="offset points", va="center", fontsize=8, color=LIGHT.ink)  # fmt: skip
        rows_named(ax, LIGHT, range(len(rows)), [f"{row['truth']} → {row['guess']}" for row in rows])
        ax.invert_yaxis()
        ax.set_xlim(0, max(counts) * 1.3)
        named(ax, LIGHT, "objects, and their share of all truths of the class", "")
        titled(ax, LIGHT, "Classes taken for another", "truth → guess, most often first")

    def marks(ax: Axes) -> dict[str, Mark]:
        told = {}
        for place, (bar, row) in enumerate(zip(ax.patches, rows, strict=True)):
            bar.set_gid(f"bar-{place}")
            words = f"{row['truth']} taken for {row['guess']}: {row['count']:,}"
            told[f"bar-{place}"] = Mark(words, {"truth": str(row["truth"]), "guess": str(row["guess"])})
        return told

    table = Table(
        f"{key}-top-table",
        "Classes taken for another",
        ("truth", "guess", "count", "share of truths"),
        tuple((str(row["truth"]), str(row["guess"]), row["count"], row["share"]) for row in rows),
        tuple({"truth": str(row["truth"]), "guess": str(row["guess"])} for row in rows),
    )
    yield chart(f"{key}-top", draw, height=1.2 + 0.24 * max(3, len(rows)), table=table, marks=marks)


def _by_size(result: DetectionResult, key: str) -> Chart:
    found = result.by_size()
    _, names = sizes_of(found)

    def marks(ax: Axes) -> dict[str, Mark]:
        told = {}
        for place, (name, value) in enumerate(zip(names, found["AP"].tolist(), strict=True)):
            if value == value:
                ax.plot([place], [value], "o", color=ax.lines[0].get_color(), markersize=9)[0].set_gid(f"point-{place}")
                told[f"point-{place}"] = Mark(f"{name}: AP {value:.3f}", {"size": name})
        return told

    table = Table(
        f"{key}-by-size-table",
        "AP by size of objects",
        ("side", "truths", "found", "AP", "AR"),
        tuple((names[k], row["truths"], row["found"], row["AP"], row["AR"]) for k, row in enumerate(found)),
        tuple({"size": name} for name in names),
    )
    return chart(f"{key}-by-size", lambda ax: plot.by_size(found, ax=ax), height=3.8, table=table, marks=marks)


def _ious(result: DetectionResult, key: str) -> Chart:
    _, names = bins(min(result.protocol.iou), 1.0)
    return _histogram(key, "ious", "IoU", names, lambda ax: plot.ious(result, ax=ax), "pairs")


def _per_image(result: DetectionResult, key: str, found: Objects) -> Chart:
    table = result.per_image(iou=found.iou, min_score=found.cut)
    _, names = bins(0.0, 1.0)
    return _histogram(key, "per-image", "F1 of the image", names, lambda ax: plot.per_image(table, ax=ax), "images")


def _histogram(key: str, name: str, fact: str, names: list[str], draw: Any, noun: str) -> Chart:
    counts: list[int] = []

    def marks(ax: Axes) -> dict[str, Mark]:
        told = {}
        for place, bar in enumerate(ax.containers[0].patches):
            counts.append(round(bar.get_height()))
            if counts[-1]:
                bar.set_gid(f"bar-{place}")
                told[f"bar-{place}"] = Mark(f"{fact} {names[place]}: {counts[-1]:,} {noun}", {fact: names[place]})
        return told

    from dataclasses import replace

    made = chart(f"{key}-{name}", draw, height=3.2, marks=marks)
    table = Table(
        f"{key}-{name}-table",
        made.title,
        (fact, noun),
        tuple(zip(names, counts, strict=True)),
        tuple({fact: one} for one in names),
    )
    return replace(made, table=table)
