"""Checks of what images are sliced and drawn by, and their wording."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from vesica._array import objects
from vesica._check import one_of, shown

MISSING = object()
"""The value of an image that a dict does not name."""


def names(given: Any, /) -> list[Any]:
    """Of columns."""
    if not isinstance(given, Iterable):
        raise TypeError(
            f"`slices` must be names of columns, a dict of image → value, or a dict of name → such a dict; got "
            f"{shown(given)}."
        )
    return list(given)


def name(given: Any, /) -> str:
    if not isinstance(given, str) or not given:
        raise TypeError(f"`slices` must have texts for names of columns; got {shown(given)}.")
    return given


def known_column(given: Any, known: Mapping[str, Any], /) -> str:
    """A column that the images have."""
    if not known:
        raise ValueError(
            f"`slices` names the column {given!r}, but of the images nothing is known beside their ids. Give a dict of "
            "image → value."
        )
    return one_of(given, known, "slices")


def known_slice(given: Any, known: Mapping[str, Any], /) -> str:
    if given not in known:
        raise KeyError(f"there are no slices by {given!r}; there are those by {', '.join(known)}")
    return str(given)


def listed(given: Any, name: str, /) -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"The column {name!r} must be a dict of image → value, or one value each; got {shown(given)}.")
    return list(given)


def one_each(column: np.ndarray, count: int, name: str, /) -> np.ndarray:
    if column.shape != (count,):
        raise ValueError(
            f"The column {name!r} must have one value for each of {count} images; got {len(column)}. A dict of "
            "image → value needs no order."
        )
    return _plain(column, name)


def all_told(column: np.ndarray, ids: np.ndarray, given: Mapping[Any, Any], name: str, /) -> np.ndarray:
    """Every image has a value, which may be None."""
    without = [one for one, value in zip(ids.tolist(), column.tolist(), strict=True) if value is MISSING]
    if without:
        example = next(iter(given), None)
        meant = "" if example is None else f" Its keys are such as {example!r}."
        raise ValueError(
            f"The column {name!r} must have a value for each of {len(ids)} images; it has none for {without[0]!r}"
            f"{f' and {len(without) - 1} more' if len(without) > 1 else ''}.{meant} None is the value of an image that "
            "belongs to no slice."
        )
    return _plain(column, name)


def _plain(column: np.ndarray, name: str) -> np.ndarray:
    """Texts, numbers and None: what can be the key of a dict and stand in a file."""
    values = [value.item() if isinstance(value, np.generic) else value for value in column.tolist()]
    for value in values:
        if (value is not None and not isinstance(value, (str, int, float))) or value != value:
            raise TypeError(f"The column {name!r} must have texts and numbers, or None; got {shown(value)}.")
    return objects(values)


def drawn_by(given: Any, known: Mapping[str, Any], /) -> str:
    """The name of a column to draw by."""
    if given not in known:
        ways = ", ".join(f'"{one}"' for one in ("image", *known))
        raise ValueError(
            f"`by` must be one of {ways}, a dict of image → group, or one group for each image; got {shown(given)}."
        )
    return str(given)


def no_none(groups: np.ndarray, ids: np.ndarray, /) -> np.ndarray:
    """What is drawn together has a name."""
    without = np.flatnonzero([group is None for group in groups.tolist()])
    if len(without):
        raise ValueError(
            f"`by` must have a group for every image; image {ids[without[0]]!r} has none. A group of its own is its id."
        )
    return groups
