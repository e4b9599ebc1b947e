"""The page of any result: its numbers, and its tables where it has some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vesica.report.numbers import number_tiles, policy_of
from vesica.report.views import Block, Line, Page, Part, Table, Words


def part_of(result: Any, key: str, /) -> Part:
    """Numbers, tables of plain values, and notes."""
    facts = result.to_dict()
    blocks: list[Block] = [
        _table(f"{key}-{name}", name, rows) for name, rows in facts.items() if _are_rows(rows) and name != "notes"
    ]
    tiles = number_tiles(result, key)
    if not blocks:
        blocks = [Words(f"{key}-words", "", (Line(result.headline),))]
    return Part(
        Page(key, _title(result), tuple(blocks), result.headline),
        tiles,
        notes=tuple(Line(f"{note.count:,} {note.text}", "note") for note in result.notes),
        policy=policy_of(facts),
    )


def _title(result: Any) -> str:
    words = "".join(f" {one.lower()}" if one.isupper() else one for one in type(result).__name__).strip()
    return words.removesuffix(" result").capitalize()


def _are_rows(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and bool(value) and isinstance(value[0], Mapping)


def _table(key: str, name: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    columns = tuple(dict.fromkeys(column for row in rows for column in row))
    cells = tuple(tuple(_plain(row.get(column)) for column in columns) for row in rows[:_MOST])
    left = f"{len(rows) - _MOST:,} rows are left out." if len(rows) > _MOST else ""
    return Table(key, name.replace("_", " ").capitalize(), columns, cells, left_out=left)


_MOST = 200


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (str, int, float)) else str(value)
