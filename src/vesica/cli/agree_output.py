"""Agreement on the command line: what was asked for, as tables or as facts for JSON, and what is written beside."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from vesica.cli import eval_output
from vesica.cli.outputs import Shown
from vesica.cli.plain_tables import judged, table
from vesica.results.tables import plain

if TYPE_CHECKING:
    from vesica.agreement.result import AgreementResult
    from vesica.dataset import Dataset

_PAIRS = (
    *("annotator_a", "annotator_b", "n_images", "n_a", "n_b", "n_matched", "agreement", "lo", "hi", "f1", "alpha"),
    *("category", "iou", "dice"),  # of label maps
)
_PEOPLE = ("annotator", "n_objects", "agreement", "missing_rate", "extra_rate", "label_rate", "loose_edge", "influence")
_CLASSES = ("category", "n_a", "n_b", "agreement", "lo", "hi", "mean_iou", "alpha", "most_confused_with", "iou", "dice")
_IMAGES = (
    *("image", "n_annotators", "n_objects", "agreement", "lost", "reasons"),
    *("mIoU", "mDice", "pixel_agreement", "edge_share"),  # of label maps
)
_CEILING = ("annotator", "category", "n_images", "model", "human", "difference", "lo", "hi", "inside")
_SINCE = ("image", "lost_before", "lost_after", "gained", "agreement_before", "agreement_after")
_MOST = 20
"""Rows of a table of people."""
_LEDGER = ("type", "count", "amount", "share")


def facts_of(result: Any, data: Dataset | None, arguments: argparse.Namespace) -> dict[str, Any]:
    """All that can be told of a result; what was asked for is written, as far as it needs no more than records."""
    facts: dict[str, Any] = result.to_dict()
    facts.setdefault("notes", [])
    facts["intervals"] = {
        name: None if value is None else list(result.interval(name)[:2]) for name, value in result.numbers.items()
    }
    if not is_of_objects(result):
        if arguments.per_image:
            facts["by_images"] = sorted(result.by_image(), key=lambda row: row["rank"])
        return facts
    facts |= {"pairs": list(result.pairs()), "per_annotator": list(result.annotators())}
    facts["classes"] = list(result.classes())
    if arguments.per_image:
        facts["by_images"] = sorted(result.images(), key=lambda row: -(row["lost"] or 0))
    if arguments.queue is not None and data is not None:
        facts["queue"] = _write_queue(result, data, arguments)
    if arguments.consensus is not None:
        facts["consensus"] = _write_consensus(result, arguments)
    return facts


def is_of_objects(result: Any) -> bool:
    """Is it of objects, and not of label maps?"""
    from vesica.agreement.result import AgreementResult

    return isinstance(result, AgreementResult)


def compared(result: AgreementResult, arguments: argparse.Namespace) -> dict[str, Any]:
    """What became of an earlier result; and the records of this one are written for a later."""
    facts: dict[str, Any] = {}
    if arguments.before is not None:
        from vesica.agreement.result import AgreementResult
        from vesica.io.files import bytes_at

        facts["since"] = result.since(AgreementResult.from_bytes(bytes_at(arguments.before))).to_dict()
    if arguments.records is not None:
        from vesica.io import atomic

        with atomic.file(arguments.records) as file:
            file.write(result.to_bytes())
        eval_output.say(f"Wrote the records of {len(result.records.images):,} images: {arguments.records}", arguments)
    return facts


def _write_consensus(result: AgreementResult, arguments: argparse.Namespace) -> dict[str, int]:
    from vesica.io.write import write

    found = result.consensus()
    notes = write(arguments.consensus, found.data)
    counts = {
        "kept": int(found.is_kept.sum()),
        "without_quorum": int((~found.is_kept).sum()),
        "for_review": int(found.needs_review.sum()),
    }
    told = f"{counts['without_quorum']:,} without a quorum left out, {counts['for_review']:,} to look at"
    eval_output.say(f"Wrote {counts['kept']:,} objects that most agree on: {arguments.consensus}; {told}", arguments)
    for note in notes:
        eval_output.say(f"  note: {note}.", arguments)
    return counts


def _write_queue(result: AgreementResult, data: Dataset, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    from vesica.io.review_queue import write_queue

    queue = result.worst(arguments.worst)
    notes = write_queue(arguments.queue, data, queue, format=arguments.queue_format)
    eval_output.say(f"Wrote {len(queue):,} images to look at again: {arguments.queue}", arguments)
    for note in notes:
        eval_output.say(f"  note: {note}.", arguments)
    return [{"image": plain(one.image), "lost": one.lost, "reasons": one.text} for one in queue]


def show(result: Any, facts: dict[str, Any], arguments: argparse.Namespace) -> None:
    """Everything that was asked for, one part after the other."""
    parts = [_headline(result, facts), _lowest(facts["pairs"], _PAIRS)]
    parts += [_lowest(facts["per_annotator"], _PEOPLE)] if "per_annotator" in facts else []
    if arguments.per_class:
        parts.append(_shown(facts["classes"], _CLASSES))
    parts += [_shown(facts["ledger"], _LEDGER)] if "ledger" in facts else []
    if arguments.per_image:
        parts.append(_shown(facts["by_images"], _IMAGES))
    if "since" in facts:
        parts.append(_since(facts["since"]))
    if "ceiling" in facts:
        parts.append(_model(facts["ceiling"], arguments))
    if facts["gates"]:
        parts.append(judged(facts["gates"]))
    print("\n\n".join(part for part in parts if part))


def tables_of(facts: dict[str, Any]) -> list[Shown]:
    """What a form with tables shows: the numbers with their intervals, and what was lost and by whom."""
    ends = facts.get("intervals", {})
    numbers = [
        {"score": name, "value": value, **dict(zip(("lo", "hi"), ends.get(name) or (None, None), strict=True))}
        for name, value in facts["summary"].items()
    ]
    tables = [Shown("Agreement", numbers, ("score", "value", *(("lo", "hi") if ends else ())), is_folded=False)]
    named = {"pairs": _PAIRS, "per_annotator": _PEOPLE, "classes": _CLASSES, "ledger": _LEDGER, "by_images": _IMAGES}
    titles = ("Every two annotators", "Annotators", "Classes", "What was lost, by type", "Images, the worst first")
    return tables + [
        Shown(title, facts[name], columns)
        for (name, columns), title in zip(named.items(), titles, strict=True)
        if name in facts
    ]


def _headline(result: Any, facts: dict[str, Any]) -> str:
    """What was compared, and the numbers with their intervals."""
    width = max(map(len, facts["summary"]))
    lines = [result.headline]
    for name, value in facts["summary"].items():
        ends = facts.get("intervals", {}).get(name)
        spread = "" if ends is None or None in ends else f"  {ends[0]:.3f} to {ends[1]:.3f}"
        lines.append(f"{name:<{width}}  {'–' if value is None else f'{value:.3f}'}{spread}")
    lines += [f"note: {note['count']:,} {note['text']}" for note in facts["notes"] if note["rule"] != "read"]
    return "\n".join(lines)


def _since(facts: dict[str, Any]) -> str:
    """Before and after: all images, and those that changed."""
    mean = facts["summary"]
    words = {name: "–" if mean[name] is None else f"{mean[name]:.3f}" for name in ("before", "after", "change")}
    ends = "" if mean["lo"] is None else f" ({mean['lo']:.3f} to {mean['hi']:.3f})"
    changed = [row for row in facts["images"] if row["gained"]]
    lines = [
        f"before {words['before']}, after {words['after']}: {words['change']}{ends}",
        *(f"note: {note['count']:,} {note['text']}" for note in facts["notes"]),
        f"{len(changed):,} of {len(facts['images']):,} images changed",
    ]
    return "\n".join([*lines, *([_shown(changed[:_MOST], _SINCE)] if changed else [])])


def _model(facts: dict[str, Any], arguments: argparse.Namespace) -> str:
    """The model beside people: of all, of each annotator, and of classes where they are asked for."""
    mean = facts["summary"]
    ends = "" if mean["lo"] is None else f" ({mean['lo']:.3f} to {mean['hi']:.3f})"
    words = {name: "–" if mean[name] is None else f"{mean[name]:.3f}" for name in ("model", "human", "difference")}
    lines = [
        f"model with people {words['model']}, people with each other {words['human']}: {words['difference']}{ends}",
        *(f"note: {note['count']:,} {note['text']}" for note in facts["notes"]),
        _shown(facts["annotators"], _CEILING),
    ]
    known = [row for row in facts["classes"] if row["inside"] is not None]
    inside = sum(row["inside"] for row in known)
    lines.append(f"not below people in {inside:,} of {len(known):,} classes that have an interval")
    return "\n".join([*lines, *([_shown(facts["classes"], _CEILING)] if arguments.per_class else [])])


def _lowest(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> str:
    """A table; of many rows those of the lowest agreement."""
    if len(rows) <= _MOST or "agreement" not in rows[0]:
        return _shown(rows, columns)
    rising = sorted(rows, key=lambda row: (row["agreement"] is None, row["agreement"]))
    return f"{_shown(rising[:_MOST], columns)}\n… {len(rows) - _MOST:,} more, which agree better; --json has them all"


def _shown(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> str:
    return table(rows, columns, digits=3)
