"""Checks of label maps."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import INTEGERS, Array, as_array, dtype_name, to_numpy
from vesica.errors import SizeValueError

_INT64 = np.iinfo(np.int64)


def label_map(value: Any, name: str) -> Array:
    """(H, W) integers of any width, or bool."""
    array = _even(value, name, "rows of one length")
    if dtype_name(array) not in INTEGERS | {"bool"}:
        raise TypeError(
            f"`{name}` must be integers, one label for each pixel; got {dtype_name(array)}. "
            "Scores of classes: take their argmax. Whole numbers that a file stored as floats: round and cast them."
        )
    if array.ndim != 2:
        hint = " A stack of masks goes to Masks(a), or to LabelMap.from_masks(a)." if array.ndim == 3 else ""
        raise ValueError(f"`{name}` must have shape (H, W); got {tuple(array.shape)}.{hint}")
    return array


def too_many_labels(count_a: int, count_b: int) -> MemoryError:
    return MemoryError(
        f"A table of {count_a} labels of `a` with {count_b} of `b` is {count_a * count_b * 8 / 1e9:,.1f} GB, more than "
        "there is room for. So many are measurements as a rule, not labels. LabelMap(values, ids=[…]) keeps some of "
        "them."
    )


def is_beyond_int64(array: Array, *others: Any) -> bool:
    """Are there labels from 2^63 on, in a map of unsigned integers or among what is said of it?"""
    if dtype_name(array) != "uint64":
        return False
    said = [one for other in others for one in (other if isinstance(other, (list, tuple, np.ndarray)) else [other])]
    largest = max((int(one) for one in said if isinstance(one, (int, np.integer))), default=0)
    return max(largest, int(to_numpy(array).max(initial=0))) > _INT64.max


def label(value: Any, name: str, unsigned: bool = False) -> int | None:
    if value is None:
        return None
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"`{name}` must be a label, an integer, or None; got {value!r}.")
    limits = np.iinfo(np.uint64) if unsigned else _INT64
    if not limits.min <= value <= limits.max:
        raise ValueError(f"`{name}` must fit {limits.dtype}, as the labels do; got {value}.")
    return int(value)


def _even(value: Any, name: str, rule: str) -> Array:
    """An array of the value, unless its lists differ in length."""
    check.not_masked(value, name, "fill it first")
    try:
        return as_array(value)
    except ValueError:
        raise SizeValueError(f"`{name}` must be {rule}; got lists of several lengths.") from None


def label_ids(value: Any, no_regions: dict[str, int | None], unsigned: bool = False) -> np.ndarray:
    """Distinct labels without those that were declared to be no region."""
    value = list(value) if isinstance(value, range) else value
    if unsigned and isinstance(value, (list, tuple)) and all(type(one) is int and 0 <= one < 2**64 for one in value):
        value = np.array(value, np.uint64)  # NumPy makes floats of 1 beside 2^63
    ids = to_numpy(_even(value, "ids", "a list of integers"))
    if ids.ndim != 1 or (ids.size and ids.dtype.kind not in "iu"):
        raise TypeError(f"`ids` must be a list of integers; got shape {ids.shape} of {ids.dtype}.")
    limits = np.iinfo(np.uint64) if unsigned else _INT64
    odd = [one for one in (int(ids.min()), int(ids.max())) if not limits.min <= one <= limits.max] if ids.size else []
    if odd:
        raise ValueError(f"`ids` must fit {limits.dtype}, as the labels do; got {odd[0]}.")
    ids = ids.astype(limits.dtype)
    found, times = np.unique(ids, return_counts=True)
    if found.size != ids.size:
        raise ValueError(f"`ids` must name each label once; got {found[times > 1][0]} more than once.")
    for name, label in no_regions.items():
        if label is not None and label in ids:
            raise ValueError(f"`ids` must not name the {name}, which is no region; got {label}. Pass {name}=None.")
    return ids


def same_ids(a: np.ndarray, b: np.ndarray) -> None:
    # NumPy compares int64 with uint64 as floats.
    if not (np.array_equal(a, b) if a.dtype == b.dtype else a.tolist() == b.tolist()):
        raise SizeValueError(
            f"`a` and `b` must have the same labels in the same order when aligned; got {_some(a)} and {_some(b)}. "
            "Pass the same `ids=` to both maps: labels that are absent are empty regions."
        )


def _some(ids: np.ndarray) -> str:
    return str(ids.tolist() if ids.size <= 8 else [*ids[:7].tolist(), "…"]).replace("'", "")


def overlapping(i: int, j: int, pixels: int) -> ValueError:
    shared = "1 pixel" if pixels == 1 else f"{pixels} pixels"
    return ValueError(
        f"`masks` must not overlap, since a pixel has one label; masks {i} and {j} share {shared}. "
        "Masks(a) compares stacks that overlap."
    )


def one_id_each(ids: np.ndarray, count: int) -> None:
    if ids.size != count:
        raise SizeValueError(f"`ids` must have one label for each of the {count} masks; got {ids.size}.")
