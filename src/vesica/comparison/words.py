"""Comparisons in words: as text, and as Markdown for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from vesica.comparison.differences import DISCOVERED
from vesica.results import markdown
from vesica.results.tables import Row

if TYPE_CHECKING:
    from vesica.comparison.comparison import Comparison

_NUMBER = re.compile(r"[+-]?[0-9.,]+|–|")
MOST_CLASSES = 10
"""Categories that the text names."""


def text_of(comparison: Comparison, /, *, most: int | None = MOST_CLASSES) -> str:
    """The numbers, and the categories whose change is surest; None: all of them."""
    table = comparison.table()
    parts = [comparison.headline, lines_of(heads(comparison, table.columns), list(map(_texts, table)))]
    surest = class_rows(comparison)
    if surest:
        shown = lines_of(heads(comparison, comparison.classes().columns), surest[:most])
        more = len(surest) - len(surest[:most])
        parts += [f"{told_classes(comparison)}\n{shown}" + (f"\n… {more:,} more categories" if more > 0 else "")]
    if comparison.has_slices:
        slices = comparison.slices()
        shown = lines_of(heads(comparison, slices.columns), list(map(_texts, slices)))
        parts.append(f"{told_slices(comparison)}\n{shown}")
    for model in comparison.names[1:] if comparison.has_objects else ():
        found = object_rows(comparison, model)
        parts += ["\n".join([told_objects(comparison, model), *([lines_of(*found)] if found[1] else [])])]
    if comparison.notes:
        parts.append("\n".join(f"note: {text}" for text in note_lines(comparison)))
    return "\n\n".join(parts)


def markdown_parts(comparison: Comparison, /) -> list[str]:
    """One part after the other."""
    table = comparison.table()
    found = [
        f"### {markdown.escaped(comparison.headline)}",
        "\n".join(f"- {markdown.escaped(line)}" for line in sentences(comparison)),
        _markdown_table(heads(comparison, table.columns), list(map(_texts, table))),
    ]
    surest = class_rows(comparison)
    if surest:
        body = _markdown_table(heads(comparison, comparison.classes().columns), surest[: markdown.MOST_ROWS])
        found.append(markdown.folded(told_classes(comparison), body))
    if comparison.has_slices:
        slices = comparison.slices()
        body = _markdown_table(heads(comparison, slices.columns), list(map(_texts, slices)))
        found.append(markdown.folded(told_slices(comparison), body))
    for model in comparison.names[1:] if comparison.has_objects else ():
        names, rows = object_rows(comparison, model)
        told = told_objects(comparison, model)
        found.append(markdown.folded(told, _markdown_table(names, rows)) if rows else markdown.escaped(told))
    if comparison.notes:
        found.append("\n".join(f"- note: {markdown.escaped(text)}" for text in note_lines(comparison)))
    return found


def note_lines(comparison: Comparison, /) -> list[str]:
    return [f"{note.count:,} {note.text}" for note in comparison.notes]


def sentences(comparison: Comparison, /) -> list[str]:
    """What became of the first number, model by model."""
    number = next(iter(comparison.results[0].summary))
    return [
        f"{number} of {row.get('model', comparison.names[1])}: {_plain(row['base'])} → {_plain(row['value'])}, "
        f"{_signed(row['difference'])}{_ends(row, comparison.level)}: {verdict(row)}"
        for row in comparison.table()
        if row["number"] == number
    ]


def verdict(row: Row, /) -> str:
    """What an interval says of a difference."""
    if row["lo"] is None or row["difference"] is None:
        return "not known how sure"
    if row["lo"] == row["hi"] == 0:
        return "no difference at all"
    if row["lo"] > 0 or row["hi"] < 0:
        return "higher" if row["difference"] > 0 else "lower"
    return "no clear change"


def _ends(row: Row, level: float) -> str:
    if row["lo"] is None:
        return ""
    return f" ({100 * level:g} % {_signed(row['lo'])} to {_signed(row['hi'])}, p {row['p']:.3f})"


def told_classes(comparison: Comparison, /) -> str:
    """How many categories changed, of how many, in which number."""
    found = comparison.changed()
    count = len({row["category"] for row in comparison.classes()})
    told = []
    for model in comparison.names[1:]:
        rows = [row for row in found if row.get("model", model) == model]
        up = sum(row["difference"] > 0 for row in rows)
        more = "" if len(comparison.names) == 2 else f" ({model})"
        told.append(f"{up:,} higher, {len(rows) - up:,} lower{more}")
    return (
        f"{comparison.class_numbers[0]} of {count:,} categories: {'; '.join(told)}, q at most {DISCOVERED:g}, the "
        "surest first"
    )


def told_slices(comparison: Comparison, /) -> str:
    return f"{next(iter(comparison.results[0].summary))} of slices"


def told_objects(comparison: Comparison, model: str, /) -> str:
    """How many objects changed."""
    changes = comparison.objects(model)["change"].tolist()
    who = "" if len(comparison.names) == 2 else f" by {model}"
    fixed, broken = (changes.count(one) for one in ("fixed", "broken"))
    return f"{fixed:,} objects fixed{who}, {broken:,} broken, of guesses from the score of the highest F1 on"


def object_rows(comparison: Comparison, model: str, /) -> tuple[list[str], list[list[str]]]:
    """Heads and cells of what changed most, by category and cause."""
    from vesica.comparison.changed_objects import counted

    table = counted(comparison.objects(model))
    return list(table.columns), [[_plain(value) for value in row.values()] for row in table.head(MOST_CLASSES)]


def heads(comparison: Comparison, columns: Iterable[str], /) -> list[str]:
    """Heads of columns; of two models their names stand over their numbers."""
    named = dict(zip(("base", "value"), comparison.names, strict=True)) if len(comparison.names) == 2 else {}
    return [*(named.get(column, column) for column in columns), ""]


def class_rows(comparison: Comparison, /) -> list[list[str]]:
    """Cells of the categories; none for results without them."""
    return [_texts(row) for row in comparison.classes()] if comparison.class_numbers else []


def _texts(row: Row) -> list[str]:
    signed = ("difference", "lo", "hi")
    return [*(_signed(value) if name in signed else _plain(value) for name, value in row.items()), _arrow(row)]


def _arrow(row: Row) -> str:
    """Of a category only if it is a discovery."""
    if "q" in row and (row["q"] is None or row["q"] > DISCOVERED):
        return ""
    return {"higher": "▲", "lower": "▼"}.get(verdict(row), "")


def _plain(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}" if value else "0.000"


def _markdown_table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    right = _are_numbers(rows)
    given = [f"{name}:" if is_right else name for name, is_right in zip(names, right, strict=True)]
    return markdown.table(given, [[markdown.escaped(cell) for cell in row] for row in rows])


def _are_numbers(rows: Sequence[Sequence[str]]) -> list[bool]:
    """Of each column: is it set to the right?"""
    return [all(_NUMBER.fullmatch(cell) for cell in column) for column in zip(*rows, strict=True)]


def lines_of(names: Sequence[str], rows: Sequence[Sequence[str]], /) -> str:
    """Columns of text, numbers set to the right."""
    every, right = [names, *rows], _are_numbers(rows)
    widths = [max(len(line[place]) for line in every) for place in range(len(names))]
    shown = (
        "  ".join(
            f"{cell:>{width}}" if is_right else f"{cell:<{width}}"
            for cell, width, is_right in zip(line, widths, right, strict=True)
        )
        for line in every
    )
    return "\n".join(line.rstrip() for line in shown)
