"""Collections of regions of one kind: frozen, checked when they are made, backed by the caller's arrays."""

from __future__ import annotations

from typing import Any

from vesica import _check as check
from vesica._array import cast, dtype_name, math_name, result_name
from vesica._kernels import Tables
from vesica.regions.boxes import Boxes
from vesica.regions.rotated import RotatedBoxes

Region = Boxes | RotatedBoxes

__all__ = ["Boxes", "Region", "RotatedBoxes", "as_region", "comparable", "tables"]


def as_region(value: Any, name: str) -> Region:
    """Regions stay what they are; a bare table of four columns is boxes, x1, y1, x2, y2."""
    if isinstance(value, (Boxes, RotatedBoxes)):
        return value
    return Boxes._named(value, name)


def comparable(a: Any, b: Any, *, aligned: bool) -> Tables:
    """The two as tables of one kind, of one array library, on one device, with rows that fit the arrangement."""
    a, b = as_region(a, "a"), as_region(b, "b")
    check.same_library(a.array, b.array)
    if a.array.ndim > 2 or b.array.ndim > 2:
        check.same_batch(a.shape[:-1], b.shape[:-1])
    if aligned:
        check.same_rows(a.shape[-1], b.shape[-1])
    return tables(a, b)


def tables(a: Region, b: Region) -> Tables:
    """Both in the dtype of their common arithmetic. A box among rotated boxes is one with angle 0."""
    if isinstance(a, Boxes) and isinstance(b, Boxes):
        left, right = a.math, b.math
        if left.dtype != right.dtype:
            math = math_name(dtype_name(left), dtype_name(right))
            left, right = cast(left, math), cast(right, math)
        return Tables("boxes", left, right, result_name(a.dtype, b.dtype))
    left = RotatedBoxes.from_boxes(a) if isinstance(a, Boxes) else a
    right = RotatedBoxes.from_boxes(b) if isinstance(b, Boxes) else b
    # Equal units keep angles exact; a box has none of its own.
    unit = right.unit if isinstance(a, Boxes) else left.unit
    return Tables("rotated", left.math(unit), right.math(unit), result_name(left.dtype, right.dtype))
