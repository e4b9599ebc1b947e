"""Plain collections of regions: what people drew in one image, without a data set around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from vesica._array import to_numpy
from vesica._check import agreement as check
from vesica._kernels.tables import Rings
from vesica.agreement.annotations import Annotations, annotations_of
from vesica.agreement.drawn import Drawn
from vesica.dataset import Dataset
from vesica.regions import Boxes, LabelMap, Polygons, Region, RotatedBoxes, as_region
from vesica.regions.collection import Collection
from vesica.regions.pixels import PixelRegions

SIDES = ("a", "b")
"""What two annotators without names are called."""


def are_maps(sides: Mapping[Any, Any], /) -> bool:
    """Are these label maps, or single masks (H, W)? Of one kind are all of them."""
    for who, side in sides.items():
        many = isinstance(side, (list, tuple)) and any(hasattr(one, "ndim") for one in side)
        for one in side if many else (side,):
            check.no_class_in_a_fifth_column(_array_of(one), who)
    kinds = {who: _is_maps(side) for who, side in sides.items()}
    check.all_maps_or_none(sides, kinds)
    return all(kinds.values())


def is_list_of_dicts(value: Any, /) -> bool:
    """Images one after the other, each a dict in the style of torchvision?"""
    return isinstance(value, (list, tuple)) and any(
        isinstance(one, Mapping) and {"boxes", "masks"} & one.keys() for one in value
    )


def data_of_dicts(sides: Mapping[Any, Any], /) -> dict[Any, Dataset]:
    """Data sets of lists of dicts: the nth of each is of one image, unless they say of which they are."""
    found = {who: Dataset.from_dicts(list(side)) for who, side in sides.items()}
    if not all(one.get("image_id") is not None for side in sides.values() for one in side):
        check.as_many_images({who: len(one.images) for who, one in found.items()})
    return found


def _is_maps(value: Any) -> bool:
    """A map, a stack or list of them, or maps by image; a table of four columns is boxes."""
    if isinstance(value, Mapping):
        return not {"boxes", "masks"} & value.keys()
    if isinstance(value, Collection):
        return isinstance(value, LabelMap)
    if isinstance(value, (list, tuple)) and any(one is None or isinstance(one, LabelMap) for one in value):
        return True
    if isinstance(value, (list, tuple)) and any(hasattr(one, "ndim") for one in value):
        return all(_has_map_shape(one) for one in value)
    return _has_map_shape(value)


def _has_map_shape(value: Any) -> bool:
    """Two axes of integers or booleans that are no table of boxes, or three of integers that are no corners."""
    array = _array_of(value)
    if array is None:
        return False
    if array.ndim == 2 and array.size:
        return array.dtype.kind == "b" or (array.dtype.kind in "iu" and array.shape[1] != 4)
    return array.ndim == 3 and array.dtype.kind in "iu" and array.shape[1:] != (4, 2)


def _array_of(value: Any) -> np.ndarray | None:
    """Plain numbers as an array; None of what is none."""
    if isinstance(value, (Mapping, Collection)):
        return None
    try:
        return np.asarray(to_numpy(value) if hasattr(value, "dtype") else value)
    except (ValueError, TypeError, AttributeError):
        return None


def annotations_of_sides(sides: Mapping[Any, Any], /, *, threads: int | None = None) -> Annotations:
    """The annotations of several people in one image: boxes, rotated boxes, polygons or masks; or dicts of them with
    labels."""
    if all(isinstance(side, Mapping) for side in sides.values()):
        return annotations_of(
            Dataset.of_annotators({who: _of_dict(one) for who, one in sides.items()}), threads=threads
        )
    regions = {who: as_region(one, str(who)) for who, one in sides.items()}
    check.one_kind(regions)
    data = Dataset.of_annotators({who: _data_of(one) for who, one in regions.items()})
    outlines = [one for one in regions.values() if isinstance(one, Polygons)]
    return annotations_of(data, drawn=_outlines(outlines) if outlines else None, threads=threads)


def _of_dict(one: Mapping[str, Any]) -> Dataset:
    """One image in the style of torchvision."""
    data = Dataset.from_dicts([dict(one)], images=[0])
    return replace(data, id=np.arange(len(data)))


def _data_of(regions: Region) -> Dataset:
    columns: dict[str, Any] = {"image": np.zeros(len(regions), int), "images": [0], "id": np.arange(len(regions))}
    if isinstance(regions, PixelRegions):
        return Dataset.from_arrays(masks=regions, sizes=regions.size, **columns)
    boxes = regions.boxes if isinstance(regions, Polygons) else regions
    assert isinstance(boxes, (Boxes, RotatedBoxes))
    return Dataset.from_arrays(boxes, **columns)


def _outlines(sides: list[Polygons]) -> Drawn:
    """Polygons of both sides as one collection; they are measured exactly, and not drawn as pixels."""
    parts = [one._rings for one in sides]
    rings = _behind([one.rings for one in parts])
    whole = Polygons._of(
        Rings(
            np.concatenate([one.points for one in parts]),
            rings,
            _behind([one.parts for one in parts]),
            _behind([one.regions for one in parts]),
            np.concatenate([one.boxes for one in parts]),
            np.concatenate([one.area for one in parts]),
        ),
        sides[0].dtype,
        sides[0].like,
        sides[0].rule,
    )
    box, area = whole._rings.boxes, whole._rings.area
    # Outlines that share box and area are told apart by the sums of their corners.
    lengths = np.diff(rings[whole._rings.parts[whole._rings.regions]])
    owner = np.repeat(np.arange(len(area)), lengths)
    corners = [np.bincount(owner, weights=whole._rings.points[:, axis], minlength=len(area)) for axis in (0, 1)]
    return Drawn("polygon", whole, box, area, [*box.T, area, lengths.astype(np.float64), *corners])


def _behind(offsets: list[np.ndarray]) -> np.ndarray:
    """Offsets of several lists behind each other."""
    first, *others = offsets
    for one in others:
        first = np.concatenate([first, first[-1] + one[1:]])
    return first
