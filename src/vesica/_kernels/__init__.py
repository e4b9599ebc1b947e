"""Backends, and the one place that chooses among them and can say why."""

from __future__ import annotations

from typing import NamedTuple

from vesica._array import Array, is_traced, library, needs_gradient, on_cpu


class Tables(NamedTuple):
    """Two collections of one kind as a kernel wants them: rows of numbers in the dtype of the arithmetic."""

    kind: str
    """boxes (x1, y1, x2, y2) or rotated (cx, cy, w, h, angle, cos, sin)."""
    a: Array
    b: Array
    dtype: str
    """The floating dtype of the answer."""


class Choice(NamedTuple):
    """Which backend serves a call, and the reason."""

    backend: str
    why: str


def pick(tables: Tables) -> Choice:
    """The backend for these tables, which are of one library."""
    arrays = (tables.a, tables.b)
    name = library(tables.a)
    if name == "numpy":
        return Choice("native", "NumPy arrays")
    if name != "torch":
        return Choice("generic", f"{name} arrays keep to their own library")
    if any(is_traced(array) for array in arrays):
        return Choice("generic", "a transformation is watching the tensors")
    if any(needs_gradient(array) for array in arrays):
        return Choice("generic", "the tensors need a gradient")
    if not all(on_cpu(array) for array in arrays):
        return Choice("generic", f"the tensors are on {tables.a.device}")
    return Choice("native", "torch tensors on the CPU, no gradient needed")
