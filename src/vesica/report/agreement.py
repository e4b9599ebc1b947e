"""The page of an agreement: who agrees with whom, on what, who draws how, what keeps them apart, and since when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica import plot
from vesica.plot.bias import SIDES
from vesica.report import agreement_items, annotators, leads
from vesica.report.charts import chart
from vesica.report.leads import facts_of
from vesica.report.numbers import number_tiles, policy_of
from vesica.report.views import Block, Chart, Line, Mark, Page, Part, Table, Tiles, Words

if TYPE_CHECKING:
    from vesica.agreement.result import AgreementResult
    from vesica.results.tables import Row

NOTES = {
    "agreement": "what every two share, of all they drew",
    "f1": "the same, each match of one label counted whole",
    "mean_iou": "overlap of matched pairs",
    "label_agreement": "matched pairs with one label",
    "alpha": "Krippendorff's α: label or nothing, beyond chance",
    "alpha_labels": "Krippendorff's α of labels alone",
}
TYPES = {
    "loose edge": "one object, whose edges are apart",
    "label": "one object, with two labels",
    "split": "one object of the first is several of the second",
    "merge": "several objects of the first are one of the second",
    "missing": "only the first drew it",
    "extra": "only the second drew it",
    "duplicate": "one of them drew it twice",
    "attribute": "costs nothing: something else is said of it",
    "kind": "costs nothing: a box and a mask",
    "crowd_flag": "costs nothing: one calls it a group",
}
MOST_PAIRS, MOST_IMAGES, QUEUE = 6, 12, 50


def part_of(result: Any, key: str, /) -> Part:
    """All that an agreement of annotators gives to a report: of objects, or of label maps."""
    if type(result).__name__ == "PixelAgreementResult":
        from vesica.report.pixel_agreement import part_of_maps  # late: most agreements are of objects

        return part_of_maps(result, key)
    return _part(result, key)


def _part(result: AgreementResult, key: str) -> Part:
    items, rows, left_out = agreement_items.items_of(result)
    blocks: list[Block] = [
        _matrix(result, key),
        annotators.coefficients(result, key, title="Categories", score="agreement", word="agreement"),
        _ledger(result, key, any(shape.facts["agreed"] == "yes" for item in items for shape in item.shapes)),
        _bias(result, key),
        *_trends(result, key),
        _disputed(result, key),
    ]
    return Part(
        Page(key, "Agreement", tuple(blocks), result.headline),
        _tiles(result, key),
        _first(result, key),
        tuple(items),
        tuple(rows),
        left_out,
        tuple(Line(f"{note.count:,} {note.text}", "note") for note in result.notes),
        policy_of(result.to_dict()),
        legend=agreement_items.legend_of(result),
    )


def _tiles(result: AgreementResult, key: str) -> Tiles:
    table = result.interval()
    tiles = number_tiles(result, key, intervals=table, notes=NOTES, filters=_LEADS, title="Agreement")
    drawing = table.drawing
    how = f"{100 * drawing.level:g} % intervals of {drawing.replicates:,} replicates by {drawing.by}"
    return replace(tiles, sentence=f"{result.headline}; {how}")


_LEADS = {
    "agreement": {"agreed": "no"},
    "f1": {"agreed": "no"},
    "mean_iou": {"type": "loose edge"},
    "label_agreement": {"type": "label"},
    "alpha": {"agreed": "no"},
    "alpha_labels": {"type": "label"},
}


def _first(result: AgreementResult, key: str) -> Words | None:
    """The losses that cost most, by type and category, and who differ most by each."""
    rows = sorted(result.ledger(by="category"), key=lambda row: -row["amount"])
    whole = sum(row["amount"] for row in rows)
    pairs = list(result.ledger(by=("annotators", "category")))
    lines = []
    for row in rows[:5]:
        if not row["amount"]:
            break
        own = [one for one in pairs if one["type"] == row["type"] and one["category"] == row["category"]]
        most = max(own, key=lambda one: one["amount"])
        text = f"{row['type']} on {row['category']}: {row['count']:,} times"
        if len(own) > 1:
            text += f", most between {most['annotator_a']} and {most['annotator_b']}"
        facts = facts_of(type=row["type"], category=row["category"])
        lines.append(Line(text, "", facts, f"{100 * row['amount'] / whole:.0f} % of all that was lost"))
    return Words(f"{key}-first", "What keeps them apart most", tuple(lines)) if lines else None


def _matrix(result: AgreementResult, key: str) -> Chart:
    """19: every two annotators."""
    rows = list(result.pairs())
    people = tuple(str(one) for one in result.records.annotators.tolist())
    place = {name: k for k, name in enumerate(people)}
    shared = [[0] * len(people) for _ in people]
    for row in rows:
        a, b = (place[str(row[f"annotator_{side}"])] for side in "ab")
        shared[a][b] = shared[b][a] = row["n_images"]
    columns = ("n_images", "n_a", "n_b", "n_matched", "agreement", "lo", "hi", "f1", "mean_iou", "alpha")
    table = Table(
        f"{key}-pairs",
        "Every two annotators",
        ("annotators", *(name.replace("_", " ") for name in columns)),
        tuple((f"{row['annotator_a']} and {row['annotator_b']}", *(row.get(one) for one in columns)) for row in rows),
        tuple(facts_of(annotator=row["annotator_a"], differs_from=row["annotator_b"]) for row in rows),
    )
    return annotators.matrix(result, key, people=people, shared=shared, table=table)


def _ledger(result: AgreementResult, key: str, some_agreed: bool) -> Chart:
    """22: types of disagreement, whose amounts add up to the gap."""
    rows = list(result.ledger(intervals=True))
    gap = 1 - result["agreement"]
    table = Table(
        f"{key}-ledger",
        "Types of disagreement",
        ("type", "how often", "amount", "share of all units", "lo", "hi", "what it is"),
        tuple(
            (row["type"], row["count"], row["amount"], row["share"], row["lo"], row["hi"], TYPES.get(row["type"], ""))
            for row in rows
        ),
        tuple(facts_of(type=row["type"]) if row["amount"] else None for row in rows),
        f"The shares add up to the gap of {gap:.3f}." if gap == gap else "",
    )
    shown = sorted((row for row in rows if row["amount"]), key=lambda row: -row["share"])
    marks: list[Mark | None] = [Mark("agreed", {"agreed": "yes"}) if some_agreed else None] if gap == gap else []
    for row in shown if gap == gap else ():
        told = f"{row['type']}: {row['share']:.3f} of all units, {row['count']:,} times"
        marks.append(Mark(told, facts_of(type=row["type"])))
    return chart(
        f"{key}-ledger",
        lambda ax: plot.ledger(result, ax=ax),
        table=table,
        marks=leads.rows(marks),
        height=1.5 + 0.3 * max(4, len(marks)),
    )


def _bias(result: AgreementResult, key: str) -> Chart:
    """21: who draws further out than whom."""
    rows = list(result.bias())
    edges = tuple(f"out_{edge}" for edge in SIDES)
    more = tuple(name for name in ("out_outline", "outline_distance") if rows and name in rows[0])
    columns = ("n_matched", *edges, "area_ratio", *more)
    known = [row for row in rows if row["n_matched"]]
    table = Table(
        f"{key}-bias",
        "Bias of every two annotators",
        ("annotators", *(name.replace("_", " ") for name in columns)),
        tuple((f"{row['annotator_a']} → {row['annotator_b']}", *(row[one] for one in columns)) for row in rows),
        tuple(
            facts_of(annotator=row["annotator_a"], differs_from=row["annotator_b"], type="loose edge") for row in rows
        ),
        "In pixels; positive: the second draws further out. The area is that of the second by that of the first.",
    )
    count = min(MOST_PAIRS, len(known))
    return chart(
        f"{key}-bias",
        lambda ax: plot.bias(result, most=MOST_PAIRS, ax=ax),
        table=table,
        marks=leads.drawn(_of_pair),
        height=0.6 + 1.75 * max(1, -(-count // 3)),
    )


def _of_pair(facts: Mapping[str, Any]) -> Mark:
    a, b = facts["annotator_a"], facts["annotator_b"]
    return Mark(f"{a} and {b}", facts_of(annotator=a, differs_from=b, type="loose edge"))


def _trends(result: AgreementResult, key: str) -> list[Chart]:
    """24: over time or from batch to batch, where it is known which came when."""
    records = result.records
    known: dict[Literal["date", "batch", "round"], bool] = {
        "date": records.asked_date is not None,
        "batch": records.batch is not None,
        "round": len(np.unique(records.asked_round)) > 1,
    }
    return [_trend(result, key, by, rows) for by in known if known[by] and len(rows := list(result.trend(by=by))) > 1]


def _trend(result: AgreementResult, key: str, by: Literal["date", "batch", "round"], rows: list[Row]) -> Chart:
    """Of batches it leads to their images; a date and a round are of people, and of no image."""
    columns = ("n_images", "agreement", "change", "lo", "hi", "p", "q")
    filters = [facts_of(batch=row[by]) if by == "batch" else None for row in rows]
    table = Table(
        f"{key}-by-{by}",
        f"Agreement by {by}",
        (by, *(name.replace("_", " ") for name in columns)),
        tuple((str(row[by]), *(row[one] for one in columns)) for row in rows),
        tuple(filters),
        "lo and hi are the ends of the interval of the change since the first.",
    )
    marks = [Mark(f"{by} {row[by]}", facts) if facts else None for row, facts in zip(rows, filters, strict=True)]
    edges = [place - 0.5 for place in range(len(rows) + 1)]
    return chart(
        f"{key}-trend-{by}",
        lambda ax: plot.trend(result, by=by, ax=ax),
        table=table,
        marks=leads.columns(marks, edges),
    )


def _disputed(result: AgreementResult, key: str) -> Chart:
    """23: the images that lost most, with reasons."""
    queue = result.worst(QUEUE, per_group=None)
    has_batch = any(one.batch is not None for one in queue)
    lost = sum(1 for row in result.images() if row["lost"])
    table = Table(
        f"{key}-disputed",
        "Most disputed images",
        ("image", "lost", "why", *(("batch",) if has_batch else ())),
        tuple(
            (str(one.image), one.lost, one.text, *((annotators.cell(one.batch),) if has_batch else ())) for one in queue
        ),
        tuple(facts_of(image=one.image) for one in queue),
        left_out=f"{lost - len(queue):,} more images lose something." if lost > len(queue) else "",
    )
    return chart(
        f"{key}-disputed",
        lambda ax: plot.disputed(result, most=MOST_IMAGES, ax=ax),
        table=table,
        marks=leads.drawn(_of_image),
        height=1.5 + 0.24 * max(4, min(len(queue), MOST_IMAGES)),
    )


def _of_image(facts: Mapping[str, Any]) -> Mark:
    return Mark(f"{facts['type']} in {facts['image']}", facts_of(image=facts["image"], type=facts["type"]))
