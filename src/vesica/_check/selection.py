"""Checks of what NMS and its relatives are told."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import INTEGERS, Array, as_array, contiguous, dtype_name, is_traced, to_numpy
from vesica.errors import SizeValueError


def scores(value: Any, count: int) -> Array:
    """One score for each region, as an array of the caller's library."""
    check.not_masked(value, "scores", "fill it or drop the rows")
    array = as_array(value)
    with_values(array, "scores")
    if array.ndim == 1 and array.shape[0] == 0 == count:
        return array  # an empty list has no dtype to speak of
    if dtype_name(array) not in check.NUMBERS:
        raise TypeError(f"`scores` must be numbers; got {dtype_name(array)}.")
    if array.ndim != 1 or array.shape[0] != count:
        shape = tuple(int(side) for side in array.shape)
        hint = " A score for each class: pass the best of them, and the class as `keys`." if array.ndim == 2 else ""
        raise SizeValueError(f"`scores` must have one score for each of the {count} regions; got shape {shape}.{hint}")
    return array


def host_scores(array: Array) -> np.ndarray:
    """Scores as the kernels read them."""
    return contiguous(to_numpy(array), np.float64)


def nan_score(row: int) -> ValueError:
    return ValueError(f"`scores` must not be NaN; got NaN in row {row}. Leave the row out, or score it.")


def min_score(value: Any, scores: Array) -> float:
    """The least score, as a number of the scores' own dtype: a float32 written 0.7 reaches 0.7."""
    if value is None:
        return -math.inf
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"`min_score` must be a number; got {value!r}.") from None
    if math.isnan(number):
        raise ValueError("`min_score` must not be NaN, which no score reaches. Leave it out to keep all scores.")
    name = dtype_name(scores)
    return float(np.dtype(name).type(number)) if name in ("float16", "float32") else number


def with_values(array: Array, name: str) -> None:
    """Raise for stand-ins without values."""
    if is_traced(array):
        raise TypeError(
            f"`{name}` has no values yet: how many regions come out is no fixed shape, so this runs on the host, "
            "outside of compile, jit, vmap and grad. nms_padded can be traced: it answers with `limit` rows an image."
        )


def limit(value: Any) -> int:
    return 0 if value is None else check.positive(value, "limit")


def key_columns(keys: Any, count: int) -> list[np.ndarray]:
    """One column of keys, or several: a table with one row a region, or a tuple of columns."""
    if keys is None:
        return []
    if isinstance(keys, tuple):
        columns = [check.key_column(column, count, f"keys[{k}]") for k, column in enumerate(keys)]
        wide = next((k for k, column in enumerate(columns) if column.ndim != 1), None)
        if wide is not None:
            raise SizeValueError(f"`keys[{wide}]` must be one column; got shape {columns[wide].shape}.")
        return columns
    table = check.key_column(keys, count, "keys")
    return [table] if table.ndim == 1 else list(table.T)


def padded(value: Any, boxes: Array, name: str) -> Array:
    """One number for each row of a padded batch."""
    array = as_array(value)
    if boxes.ndim != 3 or tuple(array.shape) != tuple(boxes.shape[:2]):
        batch, shape = tuple(boxes.shape[:-1]), tuple(int(side) for side in array.shape)
        raise SizeValueError(
            f"`boxes` must have shape (B, N, 4) and `{name}` (B, N); got {(*batch, 4)} and {shape}. "
            "One image is a batch of one; images of different length go to nms_ragged."
        )
    if dtype_name(array) not in (check.NUMBERS if name == "scores" else INTEGERS):
        raise TypeError(f"`{name}` must be {'' if name == 'scores' else 'whole '}numbers; got {dtype_name(array)}.")
    check.same_library(boxes, array, "boxes", name)
    return array


def counts(value: Any, boxes: Array) -> Array:
    """How many rows of each image are real."""
    array = as_array(value)
    if array.ndim != 1 or array.shape[0] != boxes.shape[0] or dtype_name(array) not in INTEGERS:
        raise SizeValueError(f"`counts` must be one whole number for each of the {boxes.shape[0]} images.")
    check.same_library(boxes, array, "boxes", "counts")
    return array


def no_nan(scores: np.ndarray) -> None:
    if scores.dtype.kind == "f" and np.isnan(scores).any():
        image, row = (int(k) for k in np.argwhere(np.isnan(scores))[0])
        raise ValueError(f"`scores` must not be NaN; got NaN in image {image}, row {row}. Score it, or lower `counts`.")


def no_selection(kind: str) -> TypeError:
    return TypeError(
        f"Labels of one map never overlap, so there is nothing to choose in a {kind}. "
        "Masks of several maps: RleMasks of all of them."
    )
