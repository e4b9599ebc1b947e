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
        return "\n".join([result.headline, *aligned(rows), *notes])
    columns = {order: {name: result.average(name, average=own) for name in names} for order, own in _orders(result)}
    rows = [["", *(text for order in columns for text in (order, "used/left out"))]]
    for name in names:
        found = [numbers[name] for numbers in columns.values()]
        rows.append([name, *(text for one in found for text in (_digits(one.value), f"{one.used}/{one.left_out}"))])
    return "\n".join([result.headline, *aligned(rows), *notes])


def _orders(result: SegmentationResult) -> list[tuple[str, str | None]]:
    """Both usual ones, and the policy's own before them where that is another: the numbers of the mapping."""
    usual: list[tuple[str, str | None]] = [("totals", "totals"), ("images", "images")]
    if result.policy.like is not None:
        return [(result.policy.like, None), *usual]
    return usual if result.policy.average in ("totals", "images") else [(result.policy.average, None), *usual]


def _digits(value: Any) -> str:
    return "-" if value is None or value != value else f"{value:.4f}"


def aligned(rows: list[list[str]], /) -> list[str]:
    """Rows of texts as lines: the first column to the left, the others to the right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
