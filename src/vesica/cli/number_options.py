"""Options of the command line that are lists of numbers."""

from __future__ import annotations

from typing import Any


def numbers_of(words: str | None, kind: type, option: str) -> list[Any] | None:
    """The numbers of an option, with commas between them; None where it was not said."""
    if words is None:
        return None
    try:
        return [kind(word) for word in words.split(",")]
    except ValueError:
        what = "whole numbers" if kind is int else "numbers"
        raise ValueError(f"{option} must be {what} with commas between them; got {words!r}") from None
