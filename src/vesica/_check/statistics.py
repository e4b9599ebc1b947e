"""Checks of counts, ratings and what is resampled."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica._array import as_array, objects, to_numpy
from vesica._check import finite, positive, shown


def _counts(value: Any, name: str) -> np.ndarray:
    table: np.ndarray = np.asarray(to_numpy(as_array(value)))
    if table.ndim != 2:
        raise ValueError(f"`{name}` must be a table of counts; got shape {table.shape}.")
    if table.size == 0:
        return table.astype(np.int64)
    if table.dtype.kind not in "iufb" or not (np.isfinite(table).all() and (table == np.floor(table)).all()):
        raise TypeError(f"`{name}` must be whole numbers; got {table.dtype}.")
    if (table < 0).any():
        row, column = np.argwhere(table < 0)[0].tolist()
        raise ValueError(f"`{name}` must not be negative; got {table[row, column]} in row {row}, column {column}.")
    return table.astype(np.int64)


def square_counts(value: Any, name: str, /) -> np.ndarray:
    """How often each pair of labels was given."""
    table = _counts(value, name)
    if table.shape[0] != table.shape[1]:
        raise ValueError(
            f"`{name}` must have a row and a column for each label, in one order; got shape {table.shape}."
        )
    return table


def counts_of_units(value: Any, name: str, /) -> np.ndarray:
    """Ratings by unit and label."""
    return _counts(value, name)


def same_number_of_ratings(table: np.ndarray, /) -> int:
    """How many ratings every unit has."""
    ratings = table.sum(axis=1)
    if not len(ratings):
        return 0
    first = int(ratings[0])
    other = np.flatnonzero(ratings != first)
    if len(other):
        row = int(other[0])
        raise ValueError(
            f"Fleiss' κ needs the same number of ratings of every unit; unit 0 has {first}, unit {row} has "
            f"{int(ratings[row])}. Krippendorff's α takes any: krippendorff(unit, value)."
        )
    return first


def ratings(unit: Any, value: Any, /, *, interval: bool) -> tuple[np.ndarray, np.ndarray]:
    """A unit and a value for each rating."""
    units, values = (np.asarray(to_numpy(as_array(column))) for column in (unit, value))
    if units.ndim != 1 or units.shape != values.shape:
        raise ValueError(f"`unit` and `value` must be columns of one length; got {units.shape} and {values.shape}.")
    if not len(units):
        return np.empty(0, np.int64), np.empty(0, np.float64 if interval else np.int64)
    if units.dtype.kind not in "iu":
        raise TypeError(f"`unit` must be whole numbers; got {units.dtype}.")
    if values.dtype.kind not in ("iuf" if interval else "iub"):
        way = "" if interval else " Quantities need interval=True."
        raise TypeError(f"`value` must be numbers{'' if interval else ' of labels'}; got {values.dtype}.{way}")
    if interval and not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"`value` must be finite; got {values[row]} in row {row}. Leave the row out.")
    return units, values.astype(np.float64) if interval else values.astype(np.int64)


def statistics(value: Any, /) -> np.ndarray:
    """(images, k) float64 of finite numbers."""
    table = np.asarray(to_numpy(as_array(value)))
    if table.ndim != 2 or table.dtype.kind not in "iufb":
        raise ValueError(
            f"`statistics` must be a table of numbers, one row an image; got shape {table.shape} of {table.dtype}."
        )
    table = table.astype(np.float64)
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0].tolist()
        raise ValueError(f"`statistics` must be finite; got {table[row, column]} in row {row}, column {column}.")
    return table


def keys(value: np.ndarray, count: int, /) -> np.ndarray:
    """A key for each row."""
    column = np.asarray(value)
    if column.dtype != np.uint64 or column.shape != (count,):
        raise ValueError(
            f"`keys` must be {count} numbers of uint64, one for each row; got shape {column.shape} of {column.dtype}. "
            "keys_of(ids) makes them."
        )
    return column


def replicates(value: Any, /) -> int:
    return positive(value, "replicates")


def seed(value: Any, /) -> int:
    """Of a bootstrap."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value < 2**63:
        raise ValueError(f"`seed` must be a whole number from 0; got {value!r}.")
    return int(value)


def groups(value: Any, count: int, /) -> np.ndarray:
    """What each image belongs to."""
    column = value if isinstance(value, np.ndarray) else objects(list(value))
    if column.shape != (count,):
        raise ValueError(f"`groups` must be one for each of {count} images; got shape {column.shape}.")
    return column


def level(value: Any, /) -> float:
    number = finite(value, "level")
    if not 0 < number < 1:
        raise ValueError(f"`level` must lie between 0 and 1; got {shown(value)}. Divide a percentage by 100.")
    return number


def column(value: Any, name: str, /) -> np.ndarray:
    """(N,) float64 of finite numbers."""
    numbers = np.asarray(to_numpy(as_array(value)))
    if numbers.ndim != 1 or numbers.dtype.kind not in "iufb":
        raise ValueError(f"`{name}` must be a column of numbers; got shape {numbers.shape} of {numbers.dtype}.")
    numbers = numbers.astype(np.float64)
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise ValueError(f"`{name}` must be finite; got {numbers[row]} in row {row}.")
    return numbers
