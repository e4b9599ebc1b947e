"""Checks of the details of records, and their wording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from vesica.errors import InputError

__all__ = ["BACKGROUND", "Expected", "background_of", "columns", "floor_of", "numbers", "same_floor", "there"]

_KINDS = {
    "number": "<i4",
    "box": "<f8",
    "area": "<f8",
    "lenient": "|u1",
    "near": "<i4",
    "truth": "<i4",
    "overlap": "<f8",
    "truth_image": "<i4",
    "truth_category": "<i4",
    "truth_box": "<f8",
    "truth_area": "<f8",
    "truth_flags": "|u1",
    "truth_id": "<i8",
}


class Expected(NamedTuple):
    """What records say of their details."""

    images: int
    categories: int
    image: np.ndarray
    """Of each guess."""


def there(details: Any, /) -> Any:
    """Details, where records have them."""
    if details is None:
        raise InputError(
            "Causes, confusion, sizes and objects need details, and these records were made without them. Make them "
            "again with `details=True` (vesica eval --details). In Python: evaluate(…, details=True), "
            "records_of(…, details=True)."
        )
    return details


def numbers(are_wild: bool, /) -> None:
    if are_wild:
        raise ValueError("Details are made of boxes whose overlaps are numbers; here some are NaN or far too large.")


def same_floor(floors: Sequence[float], /) -> None:
    for one in floors:
        if one != floors[0]:
            raise InputError(f"Details of different records keep overlaps from {floors[0]} on and from {one} on.")


def floor_of(value: float, floor: float, name: str, /) -> float:
    """A threshold for which all pairs were kept."""
    given = float(value)
    if not floor <= given <= 1:
        raise ValueError(
            f"`{name}` must lie between {floor:g}, the least overlap that details keep, and 1; got {value}."
        )
    return given


BACKGROUND = 0.1
"""A guess that overlaps no truth as far as this lies on the background."""


def background_of(value: float | None, floor: float, iou: float, /) -> float:
    """The overlap below which a guess lies on the background: no more than that which makes it right."""
    given = floor_of(min(BACKGROUND, iou) if value is None else value, floor, "background")
    if given > iou:
        raise ValueError(f"`background` must not be above `iou`; got {value} and {iou:g}.")
    return given


def columns(found: Mapping[str, np.ndarray], told: Expected, floor: Any, /) -> None:
    """Columns whose numbers point into each other: the kernels trust them."""
    if not isinstance(floor, float) or not 0 < floor <= 1:
        raise InputError(f"These records cannot be used: the least overlap must lie in (0, 1]; got {floor!r}.")
    for rules in (_forms(found, told), _places(found, told), _pairs(found, told, floor)):
        for holds, rule in rules:
            if not holds:
                raise InputError(f"These records cannot be used: their details do not fit together; {rule}.")


def _forms(found: Mapping[str, np.ndarray], told: Expected) -> Iterator[tuple[bool, str]]:
    yield found.keys() == _KINDS.keys(), f"there must be {', '.join(sorted(_KINDS))}"
    guesses, pairs, truths = len(told.image), len(found["truth"]), len(found["truth_image"])
    for name, kind in _KINDS.items():
        rows = guesses if name in ("number", "box", "area", "lenient", "near") else truths
        rows = pairs if name in ("truth", "overlap") else rows
        shape = (rows, 4) if name.endswith("box") else (rows,)
        yield found[name].shape == shape, f"`{name}` must have shape {shape}; got {found[name].shape}"
        is_text = name == "truth_id" and found[name].dtype == object
        yield is_text or found[name].dtype.str == kind, f"`{name}` must be of kind {kind}; got {found[name].dtype.str}"


def _places(found: Mapping[str, np.ndarray], told: Expected) -> Iterator[tuple[bool, str]]:
    image, category = found["truth_image"], found["truth_category"]
    yield bool(((image >= 0) & (image < told.images)).all()), f"`truth_image` must be below {told.images}"
    yield bool((np.diff(image) >= 0).all()), "`truth_image` must not fall"
    yield (
        bool(((category >= 0) & (category < told.categories)).all()),
        f"`truth_category` must be below {told.categories}",
    )
    yield bool((found["truth_flags"] < 8).all() and (found["lenient"] < 2).all()), "flags must be known ones"
    yield bool((found["number"] >= 0).all()), "`number` must not be negative"


def _pairs(found: Mapping[str, np.ndarray], told: Expected, floor: float) -> Iterator[tuple[bool, str]]:
    near, truth, overlap = found["near"], found["truth"], found["overlap"]
    yield bool((near >= 0).all()), "`near` must not be negative"
    total = int(near.sum(dtype=np.int64))
    yield total == len(truth), f"`near` must add up to {len(truth)}, the pairs; got {total}"
    truths = len(found["truth_image"])
    yield bool(((truth >= 0) & (truth < truths)).all()), f"`truth` must be below {truths}"
    guess = np.repeat(np.arange(len(near)), near)
    yield bool((found["truth_image"][truth] == told.image[guess]).all()), "pairs must be of one image"
    yield bool(((np.diff(truth) > 0) | (np.diff(guess) > 0)).all()), "`truth` must rise within a guess"
    yield bool((np.isfinite(overlap) & (overlap >= floor)).all()), f"`overlap` must be {floor:g} or more"
