"""Collections of regions of one kind: frozen, checked when they are made, backed by the caller's arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import (
    Array,
    as_array,
    cast,
    contiguous,
    dtype_name,
    from_numpy,
    is_array,
    library,
    math_name,
    needs_gradient,
    result_name,
    to_numpy,
    widest_float,
)
from vesica._check import labels as check_labels
from vesica._check import polygons as check_polygons
from vesica._kernels import Tables, has_kernel, pick_arrays
from vesica.regions import geojson
from vesica.regions.boxes import Boxes
from vesica.regions.collection import Collection
from vesica.regions.labels import LabelMap, count_regions
from vesica.regions.masks import Masks
from vesica.regions.pixels import PixelRegions
from vesica.regions.polygons import Polygons
from vesica.regions.rle import RleMasks
from vesica.regions.rotated import RotatedBoxes
from vesica.regions.sets import Sets, in_one_vocabulary
from vesica.regions.sparse import SparseMasks, is_sparse

_NUMPY = np.empty(0)

Region = Boxes | RotatedBoxes | Polygons | Masks | RleMasks | SparseMasks | LabelMap | Sets

__all__ = [
    "Boxes",
    "LabelMap",
    "Masks",
    "Polygons",
    "Region",
    "RleMasks",
    "RotatedBoxes",
    "Sets",
    "SparseMasks",
    "as_region",
    "comparable",
    "in_one_library",
    "regions_of_pair",
]


def as_region(value: Any, name: str) -> Region:
    """Regions stay what they are. A bare table of four columns is boxes, x1, y1, x2, y2; a bare stack of booleans is
    masks; a list of COCO's dicts is run lengths; a sparse tensor is sparse masks; geometries of GeoJSON or shapely are
    polygons."""
    if isinstance(value, Collection):
        return value  # type: ignore[return-value]  # every collection is one of the kinds
    if type(value) is not np.ndarray:
        first = value[0] if isinstance(value, (list, tuple)) and value else value
        if geojson.is_geometry(first):
            return Polygons(value)
        if isinstance(first, dict) and first is not value:
            return RleMasks.from_coco(value)
        if is_sparse(value):
            return SparseMasks(value)
        if not hasattr(value, "ndim"):
            value = check.listed(value, name)
    if value.ndim > 2:
        if value.ndim == 3 and dtype_name(value) == "bool":
            return Masks(value)
        check.boxes_or_masks(value, name)
    return Boxes._named(value, name)


def regions_of_pair(a: Any, b: Any) -> tuple[Region, Region]:
    """Both as regions. A list takes the library of the other side."""
    if type(a) is not type(b):
        a, b = in_one_library(a, b)
    first = as_region(a, "a")
    return first, first if b is a else as_region(b, "b")


def in_one_library(a: Any, b: Any) -> tuple[Any, Any]:
    """The two, of which a list of numbers is an array of the other one's library, on its device."""
    if isinstance(a, (list, tuple)) and not isinstance(b, (list, tuple)):
        return _as_in(b, a), b
    if isinstance(b, (list, tuple)) and not isinstance(a, (list, tuple)):
        return a, _as_in(a, b)
    return a, b


def _as_in(other: Any, listed: Any) -> Any:
    like = getattr(other, "array", getattr(other, "like", None)) if isinstance(other, Collection) else other
    if isinstance(like, np.ndarray) or not is_array(like) or _is_nested(listed):
        return listed
    if is_sparse(like) and library(like) != "torch":
        return listed  # its answers are NumPy's
    array = as_array(listed)
    if dtype_name(array) not in check.NUMBERS:
        return listed  # the error is that of the list
    if widest_float(like) != "float64":
        array = array.astype(widest_float(like))
    return from_numpy(array, like)


def _is_nested(listed: Any) -> bool:
    """Does it hold dicts or geometries?"""
    return bool(listed) and (isinstance(listed[0], dict) or geojson.is_geometry(listed[0]))


def comparable(a: Any, b: Any, *, aligned: bool, threads: int | None = None) -> Tables:
    """The two as their kernels want them: of kinds that compare exactly, with rows that fit the arrangement."""
    first, second = regions_of_pair(a, b)
    make = _PAIRS.get((type(first), type(second)))
    if make is None:
        raise check.not_comparable(type(first).__name__, type(second).__name__, _way_out(first, second))
    tables = make(first, second, threads)
    if aligned and isinstance(first, LabelMap) and isinstance(second, LabelMap):
        check_labels.same_ids(first.ids, second.ids)
    elif aligned:
        check.same_rows(tables.n, tables.m)
    return tables


def _of_boxes(a: Boxes, b: Boxes, _: int | None) -> Tables:
    check.same_library(a.array, b.array)
    if a.array.ndim > 2 or b.array.ndim > 2:
        check.same_batch(a.shape[:-1], b.shape[:-1])
    left, right = a.math, b.math
    if left.dtype != right.dtype:
        math = math_name(dtype_name(left), dtype_name(right))
        left, right = cast(left, math), cast(right, math)
    return _tables("boxes", left, right, result_name(a.dtype, b.dtype))


def _of_rotated(a: Boxes | RotatedBoxes, b: Boxes | RotatedBoxes, _: int | None) -> Tables:
    """A box among rotated boxes is one with angle 0."""
    check.same_library(a.array, b.array)
    left = RotatedBoxes.from_boxes(a) if isinstance(a, Boxes) else a
    right = RotatedBoxes.from_boxes(b) if isinstance(b, Boxes) else b
    # Equal units keep angles exact; a box has none of its own.
    unit = right.unit if isinstance(a, Boxes) else left.unit
    return _tables("rotated", left.math(unit), right.math(unit), result_name(left.dtype, right.dtype))


def _of_polygons(a: Boxes | RotatedBoxes | Polygons, b: Boxes | RotatedBoxes | Polygons, _: int | None) -> Tables:
    """Boxes, upright or rotated, are polygons of four corners."""
    left = _as_polygons(a)
    right = left if b is a else _as_polygons(b)
    check.same_library(left.like, right.like)
    dtype = result_name(left.dtype, right.dtype)
    return Tables("polygons", left.math, right.math, dtype, len(left), len(right), left.like)


def _as_polygons(regions: Boxes | RotatedBoxes | Polygons) -> Polygons:
    if isinstance(regions, Polygons):
        return regions
    return Polygons.from_boxes(regions) if isinstance(regions, Boxes) else Polygons.from_rotated(regions)


def _of_labels(a: LabelMap, b: LabelMap, threads: int | None) -> Tables:
    """Label maps are counted here, whatever is asked of them: one pass over the pixels, which threads share."""
    counted, area_b = count_regions(a, b, threads)
    return Tables("labels", counted, area_b, "float64", len(counted.area), len(area_b), a.array)


def _of_sets(a: Sets, b: Sets, _: int | None) -> Tables:
    left, right = in_one_vocabulary(a, b)
    return Tables("sets", left, right, "float64", len(a), len(b), left.ids)


def _tables(kind: str, a: Array, b: Array, dtype: str) -> Tables:
    return Tables(kind, a, b, dtype, int(a.shape[-2]), int(b.shape[-2]), a)


def _of_pixels(a: PixelRegions, b: PixelRegions, threads: int | None) -> Tables:
    """Masks of any two forms."""
    check.same_image(a.size, b.size)
    like = _like(a, b)
    if not (_can_be_packed(a) and _can_be_packed(b)):
        left, right = _stack(a, like), _stack(b, like)
        return Tables("masks", left, right, a.dtype, len(a), len(b), left)
    left = a.pixels(threads)
    return Tables("masks", left, left if b is a else b.pixels(threads), a.dtype, len(a), len(b), like)


def _of_masks_and_boxes(a: PixelRegions, b: Boxes, threads: int | None) -> Tables:
    check.one_table(b.shape, "b", "masks")
    masks, corners, like = _masks_and_boxes(a, b, threads)
    return Tables("masks_boxes", masks, corners, b.dtype, len(a), len(b), like)


def _of_boxes_and_masks(a: Boxes, b: PixelRegions, threads: int | None) -> Tables:
    check.one_table(a.shape, "a", "masks")
    masks, corners, like = _masks_and_boxes(b, a, threads)
    return Tables("boxes_masks", corners, masks, a.dtype, len(a), len(b), like)


def _masks_and_boxes(masks: PixelRegions, boxes: Boxes, threads: int | None) -> tuple[Any, Array, Array]:
    """Pixels, corners in float64, and an array of the library of the answer."""
    if masks.like is not None:
        check.same_library(masks.like, boxes.array)
    corners = cast(boxes.math, widest_float(boxes.math))
    if isinstance(masks, Masks) and not has_kernel("pack", "masks", corners, masks.array):
        return masks.array, corners, corners
    if needs_gradient(boxes.array):
        raise check.no_gradient(type(masks).__name__)
    return masks.pixels(threads), contiguous(to_numpy(corners), np.float64), boxes.array


def _of_drawn(a: Region, b: Region, threads: int | None) -> Tables:
    """Polygons against masks: drawn by the rule that they name."""
    polygons, masks = (a, b) if isinstance(a, Polygons) else (b, a)
    assert isinstance(polygons, Polygons)
    assert isinstance(masks, PixelRegions)
    rule = check_polygons.drawing_rule(polygons.rule, type(masks).__name__)
    drawn = polygons.to_rle(masks.size, rule=rule, threads=threads)
    tables = _of_pixels(drawn, masks, threads) if polygons is a else _of_pixels(masks, drawn, threads)
    return tables._replace(rule=rule)


def _like(a: PixelRegions, b: PixelRegions) -> Array:
    """An array of the library that the answer belongs to. Run lengths belong to none."""
    if a.like is not None and b.like is not None:
        check.same_library(a.like, b.like)
    there = a.like if a.like is not None else b.like
    return _NUMPY if there is None else there


def _can_be_packed(regions: PixelRegions) -> bool:
    """Dense masks where a kernel reads them; other forms are packed already."""
    return not isinstance(regions, Masks) or regions.can_be_packed


def _stack(masks: PixelRegions, like: Array) -> Array:
    """Dense masks for what reads no other form: those of another form are decoded where the others are."""
    if isinstance(masks, Masks):
        return masks.array
    rle = masks.to_rle()
    return pick_arrays("decode", "masks", like).call(rle.counts, rle.offsets, rle.size, like)


def _way_out(a: Region, b: Region) -> str:
    """The conversion that makes two kinds comparable."""
    kinds = {type(a), type(b)}
    if Sets in kinds:
        return "Sets have no place in an image: they compare with sets alone."
    if LabelMap in kinds:
        drawn = kinds & {Polygons, RotatedBoxes}
        then = ' Then draw the others by a rule, Polygons(…, rule="centre").' if drawn else ""
        return f"A label map is masks, one for each label. In Python: label_map.to_rle().{then}"
    return 'Draw the rotated boxes by a rule of your choice. In Python: Polygons.from_rotated(r, rule="centre").'


# Which kinds compare, and how. What is not here has no exact answer, or needs a conversion that must be named.
_PIXELS = (Masks, RleMasks, SparseMasks)
_PAIRS: dict[tuple[type, type], Callable[[Any, Any, int | None], Tables]] = {
    (Boxes, Boxes): _of_boxes,
    (LabelMap, LabelMap): _of_labels,
    (Boxes, RotatedBoxes): _of_rotated,
    (RotatedBoxes, Boxes): _of_rotated,
    (RotatedBoxes, RotatedBoxes): _of_rotated,
    **{(a, b): _of_pixels for a in _PIXELS for b in _PIXELS},
    **{(a, Boxes): _of_masks_and_boxes for a in _PIXELS},
    **{(Boxes, b): _of_boxes_and_masks for b in _PIXELS},
    (Polygons, Polygons): _of_polygons,
    (Polygons, Boxes): _of_polygons,
    (Boxes, Polygons): _of_polygons,
    (Polygons, RotatedBoxes): _of_polygons,
    (RotatedBoxes, Polygons): _of_polygons,
    **{(Polygons, b): _of_drawn for b in _PIXELS},
    **{(a, Polygons): _of_drawn for a in _PIXELS},
    (Sets, Sets): _of_sets,
}
