"""Collections of regions of one kind: frozen, checked when they are made, backed by the caller's arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vesica import _check as check
from vesica._array import Array, cast, dtype_name, math_name, result_name
from vesica._kernels import Tables
from vesica.regions.boxes import Boxes
from vesica.regions.labels import LabelMap, count_regions
from vesica.regions.rotated import RotatedBoxes
from vesica.regions.sets import Sets, in_one_vocabulary

Region = Boxes | RotatedBoxes | LabelMap | Sets
REGIONS = (Boxes, RotatedBoxes, LabelMap, Sets)

__all__ = ["Boxes", "LabelMap", "Region", "RotatedBoxes", "Sets", "as_region", "comparable"]


def as_region(value: Any, name: str) -> Region:
    """Regions stay what they are; a bare table of four columns is boxes, x1, y1, x2, y2."""
    if isinstance(value, REGIONS):
        return value
    return Boxes._named(value, name)


def comparable(a: Any, b: Any, *, aligned: bool, threads: int | None = None) -> Tables:
    """The two as their kernels want them: of kinds that compare exactly, with rows that fit the arrangement."""
    first = as_region(a, "a")
    second = first if b is a else as_region(b, "b")
    if isinstance(first, LabelMap) and isinstance(second, LabelMap):
        return _of_labels(first, second, aligned, threads)
    if (type(first), type(second)) not in _PAIRS:
        raise check.no_exact_answer(type(first).__name__, type(second).__name__)
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


def _of_labels(a: LabelMap, b: LabelMap, aligned: bool, threads: int | None) -> Tables:
    """Label maps are counted here, whatever is asked of them: one pass over the pixels, which threads share."""
    counted, area_b = count_regions(a, b, threads)
    if aligned:
        check.same_ids(a.ids, b.ids)
    return Tables("labels", counted, area_b, "float64", len(counted.area), len(area_b), a.array)


def _of_sets(a: Sets, b: Sets) -> Tables:
    left, right = in_one_vocabulary(a, b)
    return Tables("sets", left, right, "float64", len(a), len(b), left.ids)


def _tables(kind: str, a: Array, b: Array, dtype: str) -> Tables:
    return Tables(kind, a, b, dtype, int(a.shape[-2]), int(b.shape[-2]), a)


# Who compares with whom, and how. What is not here has no exact answer, or needs a conversion that must be named.
_PAIRS: dict[tuple[type, type], Callable[[Any, Any], Tables]] = {
    (Boxes, Boxes): _of_boxes,
    (Boxes, RotatedBoxes): _of_rotated,
    (RotatedBoxes, Boxes): _of_rotated,
    (RotatedBoxes, RotatedBoxes): _of_rotated,
    (Sets, Sets): _of_sets,
}
