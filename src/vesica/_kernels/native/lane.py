"""Entries for small calls: they look at what the caller gave, and answer, or hand it back untouched: None."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from vesica import _native
from vesica._check import Threshold, room_of_pairs
from vesica._check import threshold as checked
from vesica._kernels.native import default_threads, empty, told
from vesica._kernels.native.assign import GOALS
from vesica._kernels.tables import Formula

Entry = Callable[..., Any]

GOAL_NUMBERS: dict[str | None, int] = {None: -1, **{goal: number for number, goal in enumerate(GOALS)}}
"""Of goals; without one, guesses choose one after the other."""


def know(boxes: type) -> None:
    """Tell the entries of the collection whose corners they may read: they were looked at when it was made."""
    _native.lane_knows(boxes)


def dtype_of_sound_boxes(array: np.ndarray) -> str | None:
    """The dtype of measures of a table that is boxes as it stands: sound rows, in a dtype of the arithmetic."""
    return _native.sound_boxes(array)


def measure(formula: Formula) -> Entry:
    """Takes a, b, and whether they are aligned."""
    return _native.measure_lane(*told(formula))


def measure_masks(formula: Formula) -> Entry:
    """The same for two collections of run lengths, which were packed when they were made."""
    number, options = told(formula)
    pairwise, rows = _native.masks_pairwise, _native.masks_aligned

    def measured(a: Any, b: Any, aligned: bool) -> np.ndarray | None:
        left, right = a._pixels, b._pixels
        if left is None or right is None or a.size != b.size or (aligned and len(left) != len(right)):
            return None
        out = np.empty(len(left)) if aligned else room_of_pairs(empty, (len(left), len(right)), "float64")
        (rows if aligned else pairwise)(number, options, left, right, out, default_threads())
        return out

    return measured


def nms(formula: Formula) -> Entry:
    """Takes boxes, scores, and (above, strict)."""
    return _with_threshold(_native.nms_lane(*told(formula)))


def join(formula: Formula) -> Entry:
    """Takes a, b, and (at_least, strict)."""
    return _with_threshold(_native.join_lane(*told(formula)))


def _with_threshold(entry: Entry) -> Entry:
    def call(a: Any, b: Any, limit: tuple[Any, Any]) -> Any:
        threshold = threshold_of(*limit)
        return None if threshold is None else entry(a, b, threshold)

    return call


def match(formula: Formula) -> Entry:
    """Takes truth, guess, and (at_least, strict, scores, goal)."""
    entry = _native.match_lane(*told(formula))

    def matched(truth: Any, guess: Any, wanted: tuple[Any, Any, Any, str | None]) -> Any:
        at_least, strict, scores, goal = wanted
        threshold = threshold_of(at_least, strict)
        if threshold is None:
            return None
        told_scores = guess if scores is None else scores
        return entry(truth, guess, threshold, scores is not None, told_scores, GOAL_NUMBERS[goal])

    return matched


def assign(_: Formula | None) -> Entry:
    """Takes a matrix, whether they are costs, and the number of the goal."""
    return _native.assign_lane


def threshold_of(value: Any, strict: Any) -> Threshold | None:
    """A plain float as a threshold; None for anything else, and for a float that is none."""
    return _known(value, strict) if type(value) is float and type(strict) is bool else None


@functools.lru_cache(64)
def _known(value: float, strict: bool) -> Threshold | None:
    try:
        return checked(value, "threshold", strict=strict)
    except ValueError:
        return None  # the careful path says why, and of which argument
