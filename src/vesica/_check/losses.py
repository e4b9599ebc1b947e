"""Checks of losses: shapes, dtypes and options. Values are never looked at: a network may predict anything."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import FLOATS, Array, as_array, dtype_name
from vesica.errors import SizeValueError

REDUCTIONS = ("mean", "sum", "none")
Shape = tuple[int, ...]


def reduction(value: Any) -> str:
    return check.one_of(value, REDUCTIONS, "reduction")


def same_rows(guess: Shape, truth: Shape) -> None:
    """Shapes (…, N): N with N, and leading axes that broadcast."""
    if guess[-1] != truth[-1]:
        raise SizeValueError(
            f"`guess` and `truth` must have the same number of boxes; got {guess[-1]} and {truth[-1]}. "
            "A loss compares row with row: take the truth of each guess first."
        )
    if not _broadcast(guess, truth):
        raise SizeValueError(
            f"`guess` and `truth` must have the same leading axes; got {tuple(guess[:-1])} and {tuple(truth[:-1])}."
        )


def _broadcast(a: Shape, b: Shape) -> bool:
    # By hand: a compiler follows this with sizes it does not know, and stops at np.broadcast_shapes.
    return all(left == right or left == 1 or right == 1 for left, right in zip(a[::-1], b[::-1], strict=False))


def weights(value: Any, like: Array) -> Array:
    """Numbers or booleans that broadcast to the losses `like`, and no further."""
    array = as_array(value)
    check.same_library(like, array, "guess", "weights")
    if dtype_name(array) not in check.NUMBERS | {"bool"}:
        raise TypeError(f"`weights` must hold numbers or booleans; got {dtype_name(array)}.")
    shape, want = tuple(array.shape), tuple(like.shape)
    if len(shape) > len(want) or any(a not in (1, b) for a, b in zip(shape[::-1], want[::-1], strict=False)):
        raise SizeValueError(f"`weights` must have one number for each of the losses, shape {want}; got {shape}.")
    return array


def exponent(value: Any, name: str) -> float:
    number = check.finite(value, name)
    if number < 1:
        raise ValueError(f"`{name}` must be at least 1; got {value!r}. Below 1 the slope at 0 is infinite.")
    return number


def pixels(value: Any, name: str) -> float:
    number = check.finite(value, name)
    if number < 0:
        raise ValueError(f"`{name}` must not be negative; got {value!r}. It is a number of pixels.")
    return number


def soft_masks(guess: Any, truth: Any) -> tuple[Array, Array]:
    """Probabilities and truth, pixel by pixel."""
    guess, truth = as_array(guess), as_array(truth)
    check.same_library(guess, truth, "guess", "truth")
    if dtype_name(guess) not in FLOATS:
        raise TypeError(
            f"`guess` must be floats; got {dtype_name(guess)}. Masks that are set or not go to vesica.dice."
        )
    if dtype_name(truth) not in check.NUMBERS | {"bool"}:
        raise TypeError(f"`truth` must be booleans, integers or floats; got {dtype_name(truth)}.")
    if tuple(guess.shape) != tuple(truth.shape):
        hint = " Give each class a mask of its own: truth == class." if guess.ndim == truth.ndim + 1 else ""
        raise SizeValueError(
            f"`guess` and `truth` must have one shape; got {tuple(guess.shape)} and {tuple(truth.shape)}.{hint}"
        )
    return guess, truth


def region_axes(value: Any, ndim: int) -> tuple[int, ...]:
    """The axes that make up one region, from 0 on; by default all but the first."""
    if value is None and ndim < 2:
        raise ValueError(f"`guess` must have shape (N, …) with the pixels behind; got {ndim} axes. Say which: axes=0.")
    given = tuple(range(1, ndim)) if value is None else value if isinstance(value, (tuple, list)) else (value,)
    if not given or not all(isinstance(axis, int) and -ndim <= axis < ndim for axis in given):
        raise ValueError(f"`axes` must name axes of the {ndim} there are, at least one; got {value!r}.")
    axes = tuple(axis % ndim for axis in given)
    if len(set(axes)) < len(axes):
        raise ValueError(f"`axes` must name each axis once; got {value!r}.")
    return axes


def ignore(value: Any, truth: Array) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"`ignore` must be a whole number; got {value!r}.")
    if dtype_name(truth) == "bool":
        raise TypeError("`ignore` goes with a truth of numbers; booleans have no value to spare for it.")
    return int(value)


def hard(truth: Array) -> None:
    if dtype_name(truth) in FLOATS:
        raise TypeError(
            f"`truth` must be booleans or integers here; got {dtype_name(truth)}. Say which pixels count: truth > 0.5."
        )
