"""Two sides of a comparison by outline: a pair of masks, or label maps of which each label is a mask."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

from vesica import _check as check
from vesica._array import Array
from vesica._check import surfaces as check_surfaces

T = TypeVar("T")


class Sides(NamedTuple):
    """Arrays of one size and library, and the labels that are compared."""

    truth: Array
    guess: Array
    labels: np.ndarray
    is_masks: bool
    """Were two masks given, whose only label is 1?"""


def sides_of(truth: Any, guess: Any, labels: Any, threads: int | None, /) -> Sides:
    """What was given, checked."""
    check.threads(threads)
    is_masks = labels is None
    read = check_surfaces.boolean_mask if is_masks else check_surfaces.surface_map
    a, b = read(truth, "truth"), read(guess, "guess")
    wanted = np.ones(1, np.int64) if is_masks else check_surfaces.labels(labels)
    check.same_library(a, b)
    check_surfaces.same_shape(a, b)
    return Sides(a, b, wanted, is_masks)


def by_label(sides: Sides, found: list[T], /) -> T | dict[int, T]:
    """The answer of two masks; of label maps a dict of them."""
    return found[0] if sides.is_masks else dict(zip(sides.labels.tolist(), found, strict=True))


def status_of(truth: int, guess: int, /) -> str:
    """`ok`, or `one_empty` or `both_empty` where sides have nothing."""
    if truth and guess:
        return "ok"
    return "one_empty" if truth or guess else "both_empty"
