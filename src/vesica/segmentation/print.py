"""How a result prints: its numbers by totals and by images side by side, with the cells that each counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vesica.segmentation.rules import SUMMARY

if TYPE_CHECKING:
    from vesica.segmentation.result import SegmentationResult


def printed(result: SegmentationResult, /) -> str:
    """The headline, a row for each number, and the notes."""
    notes = [f"note: {note.count:,} {note.text}" for note in result.notes]
    names = [name for name in SUMMARY if name in result.summary]
    if not names:  # of each class
        rows = [[name, _digits(value)] for name, value in result.numbers.items()]
        return "\n".join([result.headline, *_aligned(rows), *notes])
    orders = _orders(result)
    columns = {order: {name: result.average(name, average=order) for name in names} for order in orders}
    rows = [["", *(text for order in orders for text in (order, "used/left out"))]]
    for name in names:
        found = [columns[order][name] for order in orders]
        rows.append([name, *(text for one in found for text in (_digits(one.value), f"{one.used}/{one.left_out}"))])
    return "\n".join([result.headline, *_aligned(rows), *notes])


def _orders(result: SegmentationResult) -> list[str]:
    """Both usual ones, and the policy's own before them where it is another."""
    own = (
        result.policy.of(next(iter(result.policy.preset.scores))).average
        if result.policy.like
        else result.policy.average
    )
    return [*([own] if own not in ("totals", "images") else []), "totals", "images"]


def _digits(value: Any) -> str:
    return "-" if value is None or value != value else f"{value:.4f}"


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
