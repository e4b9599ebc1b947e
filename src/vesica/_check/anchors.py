"""Checks of anchors: shapes, clusters of them, and their assignment."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import Array, as_array, dtype_name, has_visible_values, to_numpy

UPDATES = ("mean", "median")


def shapes(value: Any, name: str, *, with_area: bool) -> Array:
    """(N, 2) widths and heights. Looked at where looking is free; always, where area is needed."""
    check.not_masked(value, name, "fill it or drop the rows")
    array = as_array(value) if hasattr(value, "ndim") else check.listed(value, name)
    if dtype_name(array) not in check.NUMBERS:
        raise TypeError(f"`{name}` must hold integers or floats up to 64 bits; got {dtype_name(array)}.")
    if array.ndim == 1 and array.shape[0] == 0 and isinstance(array, np.ndarray):
        array = array.reshape(0, 2)  # an empty list has no second axis to show
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(
            f"`{name}` must have shape (N, 2), a width and a height a row; got {tuple(array.shape)}.{_way(array)}"
        )
    if with_area or has_visible_values(array):
        _look(to_numpy(array), name, with_area)
    return array


def _way(array: Array) -> str:
    return ' Of boxes: Boxes(a).to("xywh")[:, 2:].' if array.shape[-1:] == (4,) else ""


def _look(values: np.ndarray, name: str, with_area: bool) -> None:
    """Raise for the first row that is no shape."""
    limit = _largest(values.dtype)
    bad = np.flatnonzero(~((values >= 0) & (values <= limit)).all(axis=1))
    if bad.size:
        raise _bad_shape(values, name, int(bad[0]), limit)
    if with_area:
        flat = np.flatnonzero(~(values.astype(np.float64).prod(axis=1) > 0))
        if flat.size:
            row = int(flat[0])
            raise ValueError(
                f"`{name}` row {row} must have area; got {_said(values, row)}. "
                "Leave the row out: nothing is near a shape without area."
            )


def _largest(dtype: np.dtype[Any]) -> float:
    """The largest side whose square and its sums are finite numbers."""
    if dtype.kind != "f":
        return check.LIMITS["int64"]
    limit = check.LIMITS["float64" if dtype.itemsize == 8 else "float32"]
    return min(limit, float(np.finfo(dtype).max))


def _bad_shape(values: np.ndarray, name: str, row: int, limit: float) -> ValueError:
    start = f"`{name}` row {row}"
    if not np.all(np.isfinite(values[row])):
        return ValueError(f"{start} must be finite; got {_said(values, row)}. Leave the row out, or repair it.")
    if np.any(values[row] < 0):
        return ValueError(f"{start} must not have a negative side; got {_said(values, row)}.")
    return ValueError(f"{start} is too large: {_said(values, row)}. Inputs must stay within {limit:g}.")


def _said(values: np.ndarray, row: int) -> str:
    width, height = values[row].tolist()
    return f"{width} × {height}"


def whole(value: Any, name: str) -> int:
    """A number that starts a generator."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise ValueError(f"`{name}` must be a whole number that is not negative; got {value!r}.")
    return int(value)


def enough_shapes(count: int, k: int) -> None:
    if count < k:
        raise too_few(count, k)


def too_few(count: int, k: int) -> ValueError:
    """So many shapes differ, and more clusters are wanted."""
    way = f"Ask for k={count}: then each is an anchor." if count else "There is nothing to take the anchors from."
    return ValueError(f"`shapes` must hold at least k = {k} different shapes; got {count}. {way}")


def ordered(negative: check.Threshold, positive: check.Threshold) -> None:
    if negative.value > positive.value:
        raise ValueError(
            f"`negative` must not exceed `positive`; got {negative.value:g} and {positive.value:g}. "
            "What lies between the two is ignored."
        )


def upright(kind: str, name: str) -> TypeError:
    return TypeError(f"`{name}` must be upright boxes; got {kind}. Anchors are upright, and so is what they are near.")
