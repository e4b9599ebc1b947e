"""LabelMe's JSON: one file for each image, with polygons, rectangles, circles and masks in pixels."""

from __future__ import annotations

import base64
import binascii
import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from vesica import _check as text_check
from vesica.dataset import Dataset
from vesica.errors import InputError
from vesica.io import json_fields as check
from vesica.io.ellipses import CORNERS, ellipse_ring
from vesica.io.files import File
from vesica.io.folders import looks_like, with_ending
from vesica.io.formats import FORMATS
from vesica.io.marks import MOST_PIXELS, Mark, dataset_of, images_of, left_out
from vesica.io.options import Options
from vesica.io.png import labels_of
from vesica.io.source import Reading, Source
from vesica.regions import RleMasks

_NOTES = {
    "other": "{} shapes that are no polygon, rectangle, circle or mask, such as points and lines, were left out",
    "short": "{} polygons of fewer than three corners were left out",
    "nothing": "{} masks without a pixel were left out",
    "circles": f"{{}} circles became polygons of {CORNERS} corners and the same area",
    "joined": "{} polygons of one label and `group_id` are parts of one object with another",
    "apart": "{} masks and rotated boxes with a `group_id` are objects of their own: they were not joined",
    "flags": "{} flags of shapes and images have no place here",
    "sizes": "{} images have no size",
}


def read(source: Source, options: Options, /) -> Reading:
    """JSON files, one for each image."""
    return Reading(dataset_of_files(source.contents(), options), "corners in pixels", "LabelMe")


def files_in(folder: Path, /) -> tuple[Path, list[Path]]:
    """The JSON files of a folder that look like LabelMe's."""
    return folder, [path for path in with_ending(folder, ".json") if looks_like(path, FORMATS["labelme"])]


def dataset_of_files(files: Iterable[tuple[str, bytes]], options: Options, /) -> Dataset:
    """The objects of files, each given by its name and its bytes. The image's id is the name without ending."""
    counted: Counter[str] = Counter()
    ids: list[str] = []
    names: list[str | None] = []
    sizes: list[tuple[int, int] | None] = []
    marks: list[Mark] = []
    for name, data in files:
        page = check.fields(check.document(data, name), name)
        if "shapes" not in page:
            raise InputError(f"{name} is no file of LabelMe: it has no `shapes`.")
        size = _size(page, name)
        shapes = [
            (f"{name}, shape {k}", check.fields(one, f"{name}, shape {k}"))
            for k, one in enumerate(check.listed(page["shapes"], f"{name}: `shapes`"))
        ]
        counted["flags"] += _set(page.get("flags")) + sum(_set(shape.get("flags")) for _, shape in shapes)
        marks += _marks(shapes, len(ids), size, counted)
        ids.append(PurePath(name).stem)
        names.append(page["imagePath"] if isinstance(page.get("imagePath"), str) else None)
        sizes.append(size)
        counted["sizes"] += size is None
    _check_ids(ids)
    images = images_of(ids, sizes, names)
    return dataset_of(images, marks, options, notes=left_out(counted, _NOTES))


def _check_ids(ids: list[str]) -> None:
    if len(set(ids)) != len(ids):
        twice = next(id for id in ids if ids.count(id) > 1)
        raise InputError(f"Two files are about one image, {text_check.brief(twice)}.")


def _set(flags: Any) -> int:
    return sum(map(bool, flags.values())) if isinstance(flags, dict) else 0


def _size(page: dict[str, Any], name: str) -> tuple[int, int] | None:
    """Height and width, if the file says them."""
    sides = [page.get(key) for key in ("imageHeight", "imageWidth")]
    if None in sides:
        return None
    height, width = (check.side(one, f"{name}: `imageHeight` and `imageWidth`") for one in sides)
    return height, width


# Shapes.


def _marks(
    shapes: list[tuple[str, dict[str, Any]]], image: int, size: tuple[int, int] | None, counted: Counter[str]
) -> list[Mark]:
    """The objects of one image: polygons of one label and `group_id` are one."""
    marks: list[Mark] = []
    grouped: dict[tuple[Any, str], int] = {}
    for place, shape in shapes:
        mark = _mark(place, shape, image, size, counted)
        if mark is None:
            continue
        group = shape.get("group_id")
        if group is not None and mark.rings is None and mark.box is None:
            counted["apart"] += 1
            group = None
        at = None if group is None else grouped.setdefault((str(group), mark.category), len(marks))
        if at is None or at == len(marks):
            marks.append(mark)
        else:
            counted["joined"] += 1
            marks[at] = marks[at]._replace(rings=[*_rings(marks[at]), *_rings(mark)], box=None)
    return marks


def _rings(mark: Mark) -> list[np.ndarray]:
    """Its polygons; a box is one too."""
    if mark.rings is not None:
        return mark.rings
    assert mark.box is not None
    x, y, w, h = mark.box
    return [np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]])]


def _mark(
    place: str, shape: dict[str, Any], image: int, size: tuple[int, int] | None, counted: Counter[str]
) -> Mark | None:
    """The object of a shape; None of one that has no place here, which is counted."""
    kind = shape.get("shape_type") or "polygon"  # files of early versions do not say
    points = check.points(shape.get("points"), f"{place}: `points`")
    mark = Mark(image, check.text(shape.get("label"), f"{place}: `label`"), place)
    if kind == "polygon":
        counted["short"] += len(points) < 3
        return mark._replace(rings=[points]) if len(points) >= 3 else None
    if kind == "rectangle":
        if len(points) == 4:  # as some versions write them
            return mark._replace(box=_around(points))
        return mark._replace(box=_around(_two(points, place)))
    if kind in ("rotation", "oriented_rectangle") and len(points) == 4:
        return mark._replace(corners=points)
    if kind == "circle":
        centre, edge = _two(points, place)
        counted["circles"] += 1
        return mark._replace(rings=[ellipse_ring(*centre.tolist(), *[math.dist(centre, edge)] * 2)])
    if kind == "mask":
        return _mask(mark, shape.get("mask"), _two(points, place), size, counted)
    counted["other"] += 1
    return None


def _two(points: np.ndarray, place: str) -> np.ndarray:
    if len(points) != 2:
        raise InputError(f"{place}: a shape of this kind has two points; got {len(points)}.")
    return points


def _around(points: np.ndarray) -> list[float]:
    low, high = points.min(axis=0), points.max(axis=0)
    return [*low.tolist(), *(high - low).tolist()]


def _mask(
    mark: Mark, packed: Any, points: np.ndarray, size: tuple[int, int] | None, counted: Counter[str]
) -> Mark | None:
    """A picture of the part of the image between two pixels, both of which belong."""
    if size is None:
        raise InputError(f"{mark.place}: a mask needs the size of its image, which the file does not say.")
    text = check.text(packed, f"{mark.place}: `mask`")
    try:
        picture = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError(f"{mark.place}: `mask` must be a PNG in base64: {error}.") from error
    pixels = labels_of(File(f"{mark.place}, mask", picture, "png"), most=MOST_PIXELS) != 0
    left, top = (round(value) for value in points.min(axis=0).tolist())
    height, width = pixels.shape
    wide, high = (round(value) for value in (points.max(axis=0) - points.min(axis=0)).tolist())
    if not (wide <= width <= wide + 1 and high <= height <= high + 1):
        raise InputError(
            f"{mark.place}: the mask is of {height}×{width} pixels (height × width), and its points are "
            f"{high}×{wide} apart."
        )
    if left < 0 or top < 0 or left + width > size[1] or top + height > size[0]:
        raise InputError(
            f"{mark.place}: the mask reaches from {left}, {top} to {left + width}, {top + height}, beyond its image of "
            f"{size[0]}×{size[1]} pixels (height × width)."
        )
    if not pixels.any():
        counted["nothing"] += 1
        return None
    return mark._replace(mask=RleMasks.from_masks(pixels[None]).paste((left, top), size))
