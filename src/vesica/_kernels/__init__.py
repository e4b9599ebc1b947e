"""Backends, and the one place that chooses among them and can say why."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica._array import Array, is_traced, library, needs_gradient, on_cpu
from vesica._check import Threshold


class Tables(NamedTuple):
    """Two collections of one kind as a kernel wants them: rows of numbers in the dtype of the arithmetic."""

    kind: str
    """boxes (x1, y1, x2, y2) or rotated (cx, cy, w, h, angle, cos, sin)."""
    a: Array
    b: Array
    dtype: str
    """The floating dtype of the answer."""


class Wanted(NamedTuple):
    """Which pairs a join looks for."""

    threshold: Threshold
    keys: tuple[np.ndarray, np.ndarray] | None
    """A small number for each row of both sides: only equal ones are paired."""
    self_join: bool
    """b is a: pairs with i < j."""


class Choice(NamedTuple):
    """Which backend serves a call, and the reason."""

    backend: str
    why: str


class Case(NamedTuple):
    """A kind of input, as `vesica info` lists it."""

    arrays: str
    backend: str
    why: str


NUMPY = Choice("native", "compiled kernels read the memory as it is")
TENSORS = Choice("native", "compiled kernels share the memory of CPU tensors")
WATCHED = Choice("generic", "a transformation (compile, vmap, grad, jvp) must see each step")
GRADIENT = Choice("generic", "the gradient is torch's own")
DEVICE = Choice("generic", "there are no kernels for this device yet: its library does the arithmetic")
OTHER = Choice("generic", "the arrays keep to their own library")

CASES = (
    Case("lists, NumPy, anything with DLPack on the CPU", *NUMPY),
    Case("torch on the CPU, no gradient needed", *TENSORS),
    Case("torch with a gradient", *GRADIENT),
    Case("torch under a transformation", *WATCHED),
    Case("torch on another device", *DEVICE),
    Case("JAX, CuPy, any array-API library", *OTHER),
    Case(
        "JAX outside a trace, for join",
        "native",
        "the number of pairs is no fixed shape, so they are found on the host",
    ),
)


def pick(tables: Tables) -> Choice:
    """The backend for these tables, which are of one library."""
    arrays = (tables.a, tables.b)
    name = library(tables.a)
    if name == "numpy":
        return NUMPY
    if name != "torch":
        return OTHER
    if any(is_traced(array) for array in arrays):
        return WATCHED
    if any(needs_gradient(array) for array in arrays):
        return GRADIENT
    return TENSORS if all(on_cpu(array) for array in arrays) else DEVICE
