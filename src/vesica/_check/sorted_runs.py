"""Sorted runs, and what is merged of them: what they must be, and what can go wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica.errors import InputError

_KINDS = {"positives": "<i8", "guesses": "<i8", "checksums": "<u4"}
_MOST = 2**32 - 1
"""Guesses of one category, in one run or in all: the kernels count them in 32 bits."""


def columns(found: Mapping[str, np.ndarray], score_bytes: Any, categories: int, areas: int, /) -> int:
    """How many bytes a score has, of columns that fit together."""
    shapes = {"positives": (categories, areas), "guesses": (categories,), "checksums": (categories,)}
    told = {name: (column.dtype.str, column.shape) for name, column in found.items()}
    if told != {name: (kind, shapes[name]) for name, kind in _KINDS.items()}:
        raise InputError("These sorted runs cannot be used: their columns do not fit together.")
    if score_bytes not in (4, 8) or any((found[name] < 0).any() or (found[name] > _MOST).any() for name in _KINDS):
        raise InputError("These sorted runs cannot be used: their counts cannot be.")
    return int(score_bytes)


def length(found: int, expected: int, /) -> None:
    if found != expected:
        raise InputError(f"These sorted runs cannot be used: their rows have {found} bytes instead of {expected}.")


def places(found: np.ndarray, count: int, /) -> None:
    if len(found) and found.max() >= count:
        raise InputError(f"These sorted runs are damaged: a guess is of image number {found.max()} of {count}.")


def complete(is_complete: bool, name: str, /) -> None:
    if not is_complete:
        raise InputError(f"{name} ends in the middle.")


def damaged(name: str, /) -> InputError:
    return InputError(f"{name} is damaged: the checksum of its rows is wrong.")


def countable(guesses: int, category: Any, /) -> None:
    if guesses > _MOST:
        raise InputError(f"Category {category!r} has {guesses:,} guesses; at most {_MOST:,} can be counted.")


def enough(needed: int, given: int, what: str, /) -> None:
    """Memory for what cannot be done a little at a time."""
    if needed > given:
        raise InputError(
            f"memory={shown(given)} is too little: {what} needs {shown(needed)}. Allow more memory; in Python: "
            f'memory="{shown(needed)}".'
        )


def shown(size: int, /) -> str:
    """Bytes for people, rounded up: 2.4GB."""
    for unit, one in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= one:
            tenths = -(-size * 10 // one)
            return f"{tenths // 10}{unit}" if tenths % 10 == 0 or tenths >= 1000 else f"{tenths / 10}{unit}"
    return f"{size}B"


def not_kept(what: str, /) -> InputError:
    return InputError(
        f"`{what}` needs every guess, and a result under a budget of memory keeps none: it has the numbers of the "
        "summary and of each category. Score without `memory=` for the rest."
    )
