"""Fields of a JSON file: each is what it should be, or an error says where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vesica._check import brief
from vesica.errors import InputError
from vesica.io.files import json_of
from vesica.io.text_fields import text_of

LARGEST_SIDE = 2**30
"""Pixels along one side of an image."""


def document(data: bytes, name: str, /) -> Any:
    """The value of a JSON file in which no object has a key twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise InputError(f"{name} has an object in which {brief(twice)} comes twice.")
        return found

    return json_of(text_of(data, name), name, objects=once)


def fields(value: Any, place: str, /) -> dict[str, Any]:
    """An object."""
    if not isinstance(value, dict):
        raise InputError(f"{place} must be an object; got {brief(value)}.")
    return value


def listed(value: Any, place: str, /) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise InputError(f"{place} must be a list; got {brief(value)}.")
    return value


def text(value: Any, place: str, /) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        raise InputError(f"{place} must be a text that is not empty; got {brief(value)}.")
    return value


def number(value: Any, place: str, /) -> float:
    """A number. NaN and infinity pass, and are told as values."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"{place} must be a number; got {brief(value)}.")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{place} must be a number that fits 64 bits; got {len(str(value)):,} digits.") from None


def side(value: Any, place: str, /) -> int:
    """The height or width of an image, in whole pixels."""
    found = number(value, place)
    if not (found.is_integer() and 1 <= found < LARGEST_SIDE):
        raise InputError(f"{place} must be a whole number from 1 to 2^30; got {brief(value)}.")
    return int(found)


def id_of(value: Any, place: str, /) -> int | str:
    """An id: a whole number or a text."""
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise InputError(f"{place} must be a whole number or a text; got {brief(value)}.")


def points(value: Any, place: str, /) -> np.ndarray:
    """(P, 2) finite x and y."""
    pairs: Sequence[Any] = listed(value, place)
    found = [
        [number(one, f"{place}, point {k}") for one in listed(pair, f"{place}, point {k}")]
        for k, pair in enumerate(pairs)
    ]
    wrong = next((k for k, pair in enumerate(found) if len(pair) != 2 or not np.isfinite(pair).all()), None)
    if wrong is not None:
        raise InputError(f"{place}, point {wrong} must be two finite numbers, x and y; got {brief(pairs[wrong])}.")
    return np.array(found, np.float64).reshape(-1, 2)
