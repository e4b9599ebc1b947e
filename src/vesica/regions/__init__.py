"""Collections of regions of one kind: frozen, checked when they are made, backed by the caller's arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vesica import _check as check
from vesica._array import Array, cast, dtype_name, math_name, result_name
from vesica._kernels import Tables
from vesica.regions.boxes import Boxes
from vesica.regions.polygons import Polygons
from vesica.regions.rotated import RotatedBoxes

Region = Boxes | RotatedBoxes | Polygons
REGIONS = (Boxes, RotatedBoxes, Polygons)

__all__ = ["Boxes", "Polygons", "Region", "RotatedBoxes", "as_region", "comparable"]


def as_region(value: Any, name: str) -> Region:
    """Regions stay what they are; a bare table of four columns is boxes, x1, y1, x2, y2."""
    if isinstance(value, REGIONS):
        return value
    return Boxes._named(value, name)


def comparable(a: Any, b: Any, *, aligned: bool) -> Tables:
    """The two as their kernels want them: of kinds that compare exactly, with rows that fit the arrangement."""
    first = as_region(a, "a")
    second = first if b is a else as_region(b, "b")
    tables = _PAIRS[type(first), type(second)](first, second)
    if aligned:
        check.same_rows(tables.n, tables.m)
    return tables


def _of_boxes(a: Boxes, b: Boxes) -> Tables:
    check.same_library(a.array, b.array)
    if a.array.ndim > 2 or b.array.ndim > 2:
        check.same_batch(a.shape[:-1], b.shape[:-1])
    left, right = a.math, b.math
    if left.dtype != right.dtype:
        math = math_name(dtype_name(left), dtype_name(right))
        left, right = cast(left, math), cast(right, math)
    return _tables("boxes", left, right, result_name(a.dtype, b.dtype))


def _of_rotated(a: Boxes | RotatedBoxes, b: Boxes | RotatedBoxes) -> Tables:
    """A box among rotated boxes is one with angle 0."""
    check.same_library(a.array, b.array)
    left = RotatedBoxes.from_boxes(a) if isinstance(a, Boxes) else a
    right = RotatedBoxes.from_boxes(b) if isinstance(b, Boxes) else b
    # Equal units keep angles exact; a box has none of its own.
    unit = right.unit if isinstance(a, Boxes) else left.unit
    return _tables("rotated", left.math(unit), right.math(unit), result_name(left.dtype, right.dtype))


def _of_polygons(a: Region, b: Region) -> Tables:
    """Boxes, upright or rotated, are polygons of four corners."""
    left = _as_polygons(a)
    right = left if b is a else _as_polygons(b)
    check.same_library(left.like, right.like)
    dtype = result_name(left.dtype, right.dtype)
    return Tables("polygons", left.math, right.math, dtype, len(left), len(right), left.like)


def _as_polygons(regions: Region) -> Polygons:
    if isinstance(regions, Boxes):
        return Polygons.from_boxes(regions)
    return Polygons.from_rotated(regions) if isinstance(regions, RotatedBoxes) else regions


def _tables(kind: str, a: Array, b: Array, dtype: str) -> Tables:
    return Tables(kind, a, b, dtype, int(a.shape[-2]), int(b.shape[-2]), a)


# Who compares with whom, and how. What is not here has no exact answer, or needs a conversion that must be named.
_PAIRS: dict[tuple[type, type], Callable[[Any, Any], Tables]] = {
    (Boxes, Boxes): _of_boxes,
    (Boxes, RotatedBoxes): _of_rotated,
    (RotatedBoxes, Boxes): _of_rotated,
    (RotatedBoxes, RotatedBoxes): _of_rotated,
    (Polygons, Polygons): _of_polygons,
    (Polygons, Boxes): _of_polygons,
    (Boxes, Polygons): _of_polygons,
    (Polygons, RotatedBoxes): _of_polygons,
    (RotatedBoxes, Polygons): _of_polygons,
}
