"""What the command line says of categories: how those of the guess and of the truth meet."""

from __future__ import annotations

import os
from typing import Any

WAYS = ("name", "id")


def categories_of(text: str) -> Any:
    """From --categories: a way, a mapping written in JSON, or a file that has one as JSON or CSV."""
    if text in WAYS:
        return text
    if text.lstrip().startswith("{"):
        return _mapping(text, "--categories")
    from vesica.errors import InputError
    from vesica.io.files import load

    if text != "-" and not os.path.exists(text):
        raise InputError(
            f'--categories must be name, id, a mapping such as \'{{"tabby": "cat"}}\', or a file with one; there is no '
            f"file {text!r}."
        )
    data = load(text).data.decode("utf-8-sig", "replace")
    return _mapping(data, text) if data.lstrip().startswith("{") else _table(data, text)


def _mapping(text: str, name: str) -> dict[str, Any]:
    from vesica.errors import InputError
    from vesica.io.files import json_of

    found = json_of(text, name, objects=lambda pairs: _once(pairs, name))
    if not isinstance(found, dict) or not all(_is_category(value) for value in found.values()):
        raise InputError(
            f'{name} must be an object of categories of the guess and of the truth: {{"7": "cat", "tabby": "cat"}}.'
        )
    return found


def _is_category(value: Any) -> bool:
    return value is None or (isinstance(value, (str, int)) and not isinstance(value, bool))


def _table(text: str, name: str) -> dict[str, Any]:
    """A table of two columns, guess and truth; an empty cell of the truth leaves a category out."""
    import csv
    import io

    from vesica.errors import InputError

    rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text)) if row]
    header = [cell.lower() for cell in rows[0]] if rows else []
    if sorted(header) != ["guess", "truth"] or any(len(row) != 2 for row in rows):
        raise InputError(
            f'{name} must be a mapping: JSON, or a table with the header "guess,truth" and two cells a row.'
        )
    at = header.index("guess")
    return _once([(row[at], row[1 - at] or None) for row in rows[1:]], name)


def _once(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    """A mapping in which no category of the guess is said to be two."""
    from vesica.errors import InputError

    found: dict[str, Any] = {}
    for guess, truth in pairs:
        if found.setdefault(guess, truth) != truth:
            raise InputError(
                f"{name} says that {guess!r} is {found[guess]!r}, and that it is {truth!r}. Say one of them."
            )
    return found
