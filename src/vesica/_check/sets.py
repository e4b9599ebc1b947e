"""Checks of finite sets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from vesica._array import as_array, to_numpy

_INT64 = np.iinfo(np.int64)


def list_of_sets(value: Any) -> list[Any]:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"`sets` must be a list of sets; got {value!r}.")
    try:
        return list(value)
    except TypeError:
        raise TypeError(f"`sets` must be a list of sets; got {type(value).__name__}.") from None


def set_members(value: Any, index: int) -> list[Any] | np.ndarray:
    """The members of one set: an integer array, or a list of hashable things."""
    where = f"`sets` number {index}"
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{where} is {value!r}: its letters would be the members. One member: {{{value!r}}}.")
    if hasattr(value, "dtype") and hasattr(value, "ndim"):
        array = to_numpy(as_array(value))
        if array.ndim != 1 or array.dtype.kind not in "iuUSO":
            raise TypeError(f"{where} must be integers or names in one row; got shape {array.shape} of {array.dtype}.")
        if array.dtype.kind == "u" and int(array.max(initial=0)) > _INT64.max:
            raise member_too_large(index, int(array.max()))
        if array.dtype.kind in "iu":
            return array.astype(np.int64)
        value = array.tolist()
    try:
        members = list(set(value))
    except TypeError:
        way = " One set alone goes into a list: Sets([{1, 2}])." if not isinstance(value, Iterable) else ""
        raise TypeError(f"{where} must be a set of integers or hashable names; got {value!r}.{way}") from None
    for member in members:
        if isinstance(member, (bool, float, np.bool_, np.floating)):
            raise TypeError(f"{where} must hold integers or names; got {member!r}. Round, or write it as a string.")
    return members


def one_kind_of_member(names: bool | None, is_names: bool, index: int) -> bool:
    """Are members names? The same for all sets."""
    if names is not None and names != is_names:
        have, others = ("names", "integers") if is_names else ("integers", "names")
        raise TypeError(f"`sets` must hold integers or names, not both; number {index} has {have}, others {others}.")
    return is_names


def mixed_set(index: int) -> TypeError:
    return TypeError(f"`sets` number {index} must hold integers or names, not both. Write the integers as strings.")


def member_too_large(index: int, member: int) -> ValueError:
    return ValueError(
        f"`sets` number {index} must hold integers from -2^63 to 2^63 - 1; got {member}. Use names: strings."
    )


def same_kind_of_member(a: bool | None, b: bool | None) -> None:
    if a is not None and b is not None and a != b:
        left, right = ("names", "integers") if a else ("integers", "names")
        raise TypeError(f"`a` and `b` must both hold integers or both hold names; got {left} and {right}.")
