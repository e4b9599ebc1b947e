"""The page of an agreement: who agrees with whom, on what, who draws how, what keeps them apart, and since when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vesica import plot
from vesica.agreement.tables import labels_of
from vesica.plot.bias import SIDES
from vesica.plot.per_class import without_middle
from vesica.report import agreement_items, bands
from vesica.report.charts import chart
from vesica.report.views import Block, Chart, Grid, Line, Mark, Page, Part, Table, Tile, Tiles, Words

if TYPE_CHECKING:
    from vesica.agreement.result import AgreementResult

NOTES = {
    "agreement": "what every two share, of all they drew",
    "f1": "the same, each match of one label counted whole",
    "mean_iou": "overlap of matched pairs",
    "label_agreement": "matched pairs with one label",
    "alpha": "Krippendorff's α: label or nothing, beyond chance",
    "alpha_labels": "Krippendorff's α of labels alone",
}
MOST_BARS, MOST_PAIRS = 40, 6
PERIODS = ("date", "batch", "round")


def agreement_part(result: AgreementResult, key: str, /) -> Part:
    """All that an agreement of objects gives to a report."""
    queue = result.worst(agreement_items.MOST, per_group=None)
    items, rows, left_out = agreement_items.items_of(result, queue)
    blocks: list[Block] = [
        _matrix(result, key),
        _categories(result, key),
        _ledger(result, key),
        _bias(result, key),
        *_trends(result, key),
        _disputed(result, key),
    ]
    people = ", ".join(str(one) for one in result.records.annotators.tolist()[:8])
    return Part(
        Page(key, "Agreement", tuple(blocks), result.headline),
        _tiles(result, key),
        _first(result, key),
        tuple(items),
        tuple(rows),
        left_out=left_out,
        notes=tuple(Line(f"{note.count:,} {note.text}", "note") for note in result.notes),
        policy=dict(_policy(result)),
        provenance={"annotators": people},
        legend=agreement_items.legend_of(result),
    )


def _policy(result: AgreementResult) -> dict[str, Any]:
    return {row["field"]: row["value"] for row in result.policy_table()} | {"policy": result.policy.hash}


def _tiles(result: AgreementResult, key: str) -> Tiles:
    table = result.interval()
    tiles = []
    for name, value in result.numbers.items():
        ends = table[name]
        interval = "" if ends.status != "ok" else f"{ends.lo:.3f} to {ends.hi:.3f}"
        shown = "–" if value is None else f"{value:.3f}"
        tiles.append(Tile(f"{key}-{name}", name, shown, interval, NOTES.get(name, ""), _LEADS.get(name), value))
    level = f"{100 * table.drawing.level:g} %"
    words = f"{level} intervals of {table.drawing.replicates:,} replicates by {table.drawing.by}"
    return Tiles(f"{key}-tiles", "Agreement", tuple(tiles), words)


_LEADS = {
    "agreement": {"agreed": "no"},
    "f1": {"agreed": "no"},
    "mean_iou": {"type": "loose edge"},
    "label_agreement": {"type": "label"},
    "alpha": {"agreed": "no"},
    "alpha_labels": {"type": "label"},
}


def _first(result: AgreementResult, key: str) -> Words | None:
    """The losses that cost most: type, category and two annotators."""
    rows = sorted(result.ledger(by=("annotators", "category")), key=lambda row: -row["amount"])
    whole = sum(row["amount"] for row in rows)
    lines = []
    for row in rows[:5]:
        if not row["amount"]:
            break
        people = f"{row['annotator_a']} and {row['annotator_b']}"
        text = f"{row['type']} on {row['category']}: {row['count']:,} between {people}"
        facts = {"type": row["type"], "category": str(row["category"]), "annotator": str(row["annotator_a"]),
                 "differs from": str(row["annotator_b"])}  # fmt: skip
        lines.append(Line(text, "", facts, f"{row['amount'] / whole:.0%} of all that was lost"))
    return Words(f"{key}-first", "What keeps them apart most", tuple(lines)) if lines else None


def _matrix(result: AgreementResult, key: str) -> Chart:
    """19: every two annotators."""
    rows = list(result.pairs())
    people = [str(one) for one in result.records.annotators.tolist()]
    place = {name: k for k, name in enumerate(people)}
    counts = np.zeros((len(people), len(people)), np.int64)
    for row in rows:
        a, b = place[str(row["annotator_a"])], place[str(row["annotator_b"])]
        counts[a, b] = counts[b, a] = round(row["units"] - row["credit"]) if "credit" in row else row["n_matched"]
    columns = ("n_images", "n_a", "n_b", "n_matched", "agreement", "lo", "hi", "f1", "mean_iou", "alpha")
    table = Table(
        f"{key}-pairs",
        "Every two annotators",
        ("annotators", *columns),
        tuple((f"{row['annotator_a']} and {row['annotator_b']}", *(row.get(one) for one in columns)) for row in rows),
        tuple({"annotator": str(row["annotator_a"]), "differs from": str(row["annotator_b"])} for row in rows),
    )
    grid = Grid(("annotator", "differs from"), tuple(people), tuple(people), tuple(map(tuple, counts.tolist())))
    size = float(np.clip(2.4 + 0.3 * len(people), 3.6, 6.0))
    return chart(f"{key}-annotators", lambda ax: plot.annotators(result, ax=ax), table=table, grid=grid, height=size)


def _categories(result: AgreementResult, key: str) -> Chart:
    """20: the agreement of each category with its interval."""
    rows = list(result.classes())
    columns = ("agreement", "lo", "hi", "alpha", "mean_iou", "n_matched", "n_label_differs", "n_images")
    table = Table(
        f"{key}-classes",
        "Categories",
        ("category", *columns, "most confused with"),
        tuple((str(row["category"]), *(row[one] for one in columns), row["most_confused_with"] and str(row["most_confused_with"])) for row in rows),
        tuple({"category": str(row["category"])} for row in rows),
    )  # fmt: skip
    known = sorted((row for row in rows if row["agreement"] is not None), key=lambda row: -row["agreement"])
    shown = without_middle(known, MOST_BARS)
    marks = [_mark(f"{row['category']}: agreement {row['agreement']:.3f}", category=row["category"]) for row in shown]
    return chart(
        f"{key}-categories",
        lambda ax: plot.intervals(result, most=MOST_BARS, ax=ax),
        table=table,
        marks=bands.rows(marks),
        height=1.3 + 0.22 * max(4, len(shown)),
    )


def _mark(label: str, **facts: Any) -> Mark:
    return Mark(label, {name: str(value) for name, value in facts.items()})
