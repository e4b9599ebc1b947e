"""Markdown as GitHub reads it: tables, parts that fold, and names from files that mean nothing to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

MOST_ROWS = 100
"""Rows of a table: GitHub takes 65,536 characters for a comment."""
_PLAIN = frozenset(" -,()%+=")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], /) -> str:
    """Cells as they are; columns whose head ends with a colon are set to the right.

    >>> print(table(["class", "AP:"], [["cat", "0.500"]]))
    | class | AP |
    | --- | --: |
    | cat | 0.500 |
    """
    ends = ["--:" if head.endswith(":") else "---" for head in heads]
    lines = [[escaped(head.removesuffix(":")) for head in heads], ends, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def folded(title: str, body: str, /) -> str:
    """A part that opens when it is clicked."""
    return f"<details><summary>{escaped(title)}</summary>\n\n{body}\n\n</details>"


def cell(value: Any, /) -> str:
    """A value of a row: names as code, numbers with three decimals."""
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return name(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def name(text: Any, /) -> str:
    """A name from a file: as code, so that an @ in it notifies no user."""
    return f"<code>{escaped(text)}</code>"


def escaped(text: Any, /) -> str:
    """Text that means nothing to Markdown: punctuation of ASCII becomes character references.

    A point between digits and a line between letters mean nothing there, and stay.

    >>> escaped("mean_iou 0.5 of [x](y)|@z")
    'mean_iou 0.5 of &#91;x&#93;(y)&#124;&#64;z'
    """
    shown = printable(text)
    return "".join(
        c if c.isalnum() or not c.isascii() or c in _PLAIN or _is_inside(shown, k) else f"&#{ord(c)};"
        for k, c in enumerate(shown)
    )


def _is_inside(text: str, place: int) -> bool:
    """Is a mark of punctuation where it cannot begin anything?"""
    mark, before, after = text[place], text[place - 1 : place], text[place + 1 : place + 2]
    if mark == "_":
        return before.isalnum() and after.isalnum()
    if mark == ".":
        return (before.isdigit() and after.isdigit()) or after in ("", " ")
    return mark in ":;" and after in ("", " ")


def printable(text: Any, /) -> str:
    """Names come from files: what is no letter reaches neither a terminal nor a parser of XML.

    >>> printable("a\\nb")
    'a\\\\nb'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))
