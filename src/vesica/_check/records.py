"""Checks of records, and their wording."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica.errors import InputError


def some(records: tuple[Any, ...], /) -> None:
    if not records:
        raise ValueError("`merge` needs records; got none.")


def together(a: Any, b: Any, /) -> None:
    """Records that may be merged: of one protocol and of the same categories."""
    difference = a.protocol.difference(b.protocol)
    if difference:
        raise InputError(f"Records of different protocols do not belong together: {difference}.")
    for name in ("ids", "names", "frequency"):
        mine, theirs = (_listed(getattr(one.categories, name)) for one in (a, b))
        if mine != theirs:
            raise InputError(f"Records of different categories do not belong together: {name} {_apart(mine, theirs)}.")


def _listed(column: np.ndarray | None) -> list[Any]:
    return [] if column is None else column.tolist()


def _apart(a: list[Any], b: list[Any]) -> str:
    if len(a) != len(b):
        return f"has {len(a)} entries here and {len(b)} there"
    place = next(k for k, (one, other) in enumerate(zip(a, b, strict=True)) if one != other)
    return f"number {place} is {a[place]!r} here and {b[place]!r} there"


def disjoint(ids: np.ndarray, /) -> None:
    """No image in two records."""
    twice = [one for one, other in zip(ids[1:].tolist(), ids[:-1].tolist(), strict=True) if one == other]
    if twice:
        raise InputError(f"Records must be of different images; image {twice[0]!r} is in two of them.")


def version(found: Any, known: int, /) -> None:
    if found != known:
        raise InputError(f"These records have format {found}; this version of vesica reads format {known}.")


def digest(found: str, own: str, /) -> None:
    if found != own:
        raise InputError("These records are damaged: the protocol does not fit its checksum.")
