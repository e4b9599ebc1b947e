"""Checks of records, and their wording."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from vesica._check import one_of
from vesica.errors import InputError

__all__ = ["columns", "digest", "disjoint", "known", "one_of", "same_content", "some", "together"]


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
        raise InputError(
            f"Records must be of different images; image {twice[0]!r} is in two of them. If they are equal because a "
            'sampler filled up uneven processes: duplicates="same".'
        )


def same_content(image: Any, a: dict[str, np.ndarray], b: dict[str, np.ndarray], /) -> None:
    """One image of two records."""
    other = next((name for name in a if not np.array_equal(a[name], b[name], equal_nan=name == "scores")), None)
    if other is not None:
        raise InputError(
            f"Image {image!r} is in two records, with different {other}: only images whose content is equal count once."
        )


def digest(found: str, own: str, /) -> None:
    if found != own:
        raise InputError("These records are damaged: the protocol does not fit its checksum.")


def known(protocol: Any, protocols: Iterable[str], /) -> None:
    names = list(protocols)
    if protocol not in names:
        raise InputError(f"These records are of the protocol {protocol!r}; known are {', '.join(names)}.")


_KINDS = {"starts": "i8", "image": "i4", "guesses": "i4", "counted": "i4", "matched": "u1", "ignored": "u1"}


def columns(found: dict[str, np.ndarray], tables: tuple[int, int], lanes: tuple[int, int], /) -> None:
    """Columns whose numbers point into each other: the kernels trust them. `lanes` are ranges of areas, and bytes."""
    images, categories = tables
    cells, guesses = len(found["image"]), len(found["score"])
    shapes = {
        "starts": (categories + 1,),
        "image": (cells,),
        "guesses": (cells,),
        "counted": (cells, lanes[0]),
        "score": (guesses,),
        "matched": (guesses, lanes[1]),
        "ignored": (guesses, lanes[1]),
    }
    fit = (
        found.keys() == shapes.keys()
        and all(found[name].shape == shape for name, shape in shapes.items())
        and all(found[name].dtype.str[1:] == kind for name, kind in _KINDS.items())
        and found["score"].dtype.kind == "f"
        and _steps(found["starts"], cells)
        and (found["guesses"] >= 0).all()
        and int(found["guesses"].sum(dtype=np.int64)) == guesses
        and (found["counted"] >= 0).all()
        and ((found["image"] >= 0) & (found["image"] < images)).all()
    )
    if not fit:
        raise InputError("These records cannot be used: their columns do not fit together.")


def _steps(starts: np.ndarray, cells: int) -> bool:
    """From 0 to the last cell, never back."""
    return bool(starts[0] == 0 and starts[-1] == cells and (np.diff(starts) >= 0).all())
