"""Checks of what estimates the truth behind several annotators."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica._array import as_array, to_numpy
from vesica._check import finite, shown


def tolerance(value: Any, /) -> float:
    number = finite(value, "tolerance")
    if number < 0:
        raise ValueError(f"`tolerance` must not be negative; got {shown(value)}.")
    return number


def ratings(unit: Any, annotator: Any, label: Any, /) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns of whole numbers: what was rated, by whom, and as what."""
    columns = {"unit": unit, "annotator": annotator, "label": label}
    found = {name: np.asarray(to_numpy(as_array(column))) for name, column in columns.items()}
    for name, column in found.items():
        if column.ndim != 1 or len(column) != len(found["unit"]):
            raise ValueError(f"`{name}` must be a column with a number for each rating; got shape {column.shape}.")
        if len(column) and column.dtype.kind not in "iub":
            raise TypeError(f"`{name}` must be whole numbers; got {column.dtype}. np.unique numbers other things.")
    units, raters, labels = (column.astype(np.int64) for column in found.values())
    return units, raters, labels


def rated_once(unit: np.ndarray, annotator: np.ndarray, /) -> None:
    """Ratings in the order of units, then annotators: none twice."""
    twice = (unit[1:] == unit[:-1]) & (annotator[1:] == annotator[:-1])
    if twice.any():
        row = int(np.argmax(twice))
        raise ValueError(
            f"An annotator rates a unit once; annotator {annotator[row]} has rated unit {unit[row]} more often."
        )


def same_length(weight: Any, units: int, /) -> np.ndarray:
    """How many units are like each."""
    found = np.asarray(to_numpy(as_array(weight)))
    if (
        found.shape != (units,)
        or found.dtype.kind not in "iuf"
        or not (np.isfinite(found).all() and (found >= 0).all())
    ):
        raise ValueError(
            f"`weight` must be {units} numbers that are not negative, one for each unit; got {shown(weight)}."
        )
    return found.astype(np.float64)
