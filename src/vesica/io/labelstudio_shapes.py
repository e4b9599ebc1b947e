"""Shapes of Label Studio: the regions of one annotation, in percent of the image, as marks in pixels."""

from __future__ import annotations

import base64
import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vesica._check import brief
from vesica.errors import InputError
from vesica.io import json_fields as check
from vesica.io.ellipses import CORNERS, ellipse_ring
from vesica.io.files import File
from vesica.io.labelstudio_rle import mask_of
from vesica.io.labelstudio_vectors import PIECES, ring_of
from vesica.io.marks import MOST_PIXELS, Mark
from vesica.io.png import is_opaque
from vesica.io.turned_boxes import about_corner
from vesica.regions import RleMasks

UNLABELLED = "(no label)"
"""The category of shapes that nobody gave one."""
NOTES = {
    "answers": "{} answers without a shape, such as choices and texts, have no place here",
    "other": "{} shapes that are no rectangle, polygon, brush, bitmask, vector or ellipse were left out",
    "open": "{} vectors that are not closed, or branch, enclose nothing and were left out",
    "short": "{} polygons of fewer than three corners were left out",
    "nothing": "{} brush masks without a pixel were left out",
    "curves": f"{{}} vectors with curves became polygons, with {PIECES} corners for each curve",
    "ellipses": f"{{}} ellipses became polygons of {CORNERS} corners and the same area",
    "unlabelled": f'{{}} shapes without a label are of the category "{UNLABELLED}"',
    "several": "{} shapes have several labels: the first is taken",
    "beyond": "{} shapes reach beyond their image, and are taken as they stand",
    "turned": "{} shapes are of images that were turned in the editor, and are taken as they stand",
}
"""What is counted, in words."""
_SHAPES = ("rectangle", "polygon", "brush", "ellipse", "keypoint", "bitmask", "vector")
_SLACK = 1e-6
_FAR = (-100.0, 200.0)
"""Percentages that no shape of an image has: pixels look so."""


@dataclass
class Region:
    """One shape, and all the labels that were given to it."""

    value: dict[str, Any]
    place: str
    id: Any
    score: Any
    is_turned: bool = False
    labels: list[str] = field(default_factory=list)
    told_by: set[tuple[Any, Any]] = field(default_factory=set)

    @property
    def size(self) -> tuple[int, int] | None:
        """Height and width of the image, if it tells them."""
        sides = [self.value.get(key) for key in ("original_height", "original_width")]
        if None in sides:
            return None
        height, width = (check.side(one, f"{self.place}: the size of the image") for one in sides)
        return height, width


def regions_of(items: list[Any], of: str, counted: Counter[str], /) -> list[Region]:
    """Shapes with all their labels: some projects tell shape and label apart, or have several lists of labels."""
    found: dict[Any, Region] = {}
    for k, one in enumerate(items):
        place = f"{of}, region {k}"
        item = check.fields(one, place)
        kind, value = item.get("type"), item.get("value")
        if not isinstance(kind, str) or not isinstance(value, dict) or not _is_shape(kind):
            counted["answers"] += 1
            continue
        id = item.get("id")
        sides: dict[str, Any] = {key: item[key] for key in ("original_width", "original_height") if key in item}
        key: Any = id if isinstance(id, (str, int)) else _geometry(value)
        teller = (item.get("from_name"), kind)
        if key in found and teller in found[key].told_by:
            if id is not None:
                raise InputError(f"{place}: has the id {brief(id)} of an earlier region.")
            key = k  # drawn twice
        region = found.setdefault(key, Region({**value, **sides}, place, id, item.get("score", value.get("score"))))
        region.told_by.add(teller)
        region.labels += _labels(value.get(kind, []), kind, place) if kind.endswith("labels") else []
        region.is_turned |= bool(item.get("image_rotation"))
    return list(found.values())


def _labels(given: Any, kind: str, place: str) -> list[str]:
    return [check.text(label, f"{place}: a label") for label in check.listed(given, f"{place}: `{kind}`")]


def _is_shape(kind: str) -> bool:
    return kind.endswith("labels") or kind in _SHAPES


def _geometry(value: dict[str, Any]) -> str:
    """What tells a shape without an id."""
    return json.dumps({key: one for key, one in value.items() if not key.endswith("labels")}, sort_keys=True)


def mark_of(region: Region, image: int, size: tuple[int, int] | None, counted: Counter[str], /) -> Mark | None:
    """The object of a shape; None of one that has no place here, which is counted."""
    labels = list(dict.fromkeys(region.labels))
    mark = Mark(image, labels[0] if labels else UNLABELLED, region.place)
    value = region.value
    kind = next((kind for kind, keys in _KEYS.items() if keys <= value.keys()), None)
    if kind is None:
        counted["other"] += 1
        return None
    if size is None:
        raise InputError(f"{region.place}: percentages need `original_width` and `original_height`; one is missing.")
    found = kind(mark, value, size, counted)
    if found is not None:
        counted["several"] += len(labels) > 1
        counted["unlabelled"] += not labels
        counted["turned"] += region.is_turned
    return found


def _brush(mark: Mark, value: dict[str, Any], size: tuple[int, int], counted: Counter[str]) -> Mark | None:
    return _masked(mark, mask_of(value["rle"], size, mark.place), counted)


def _masked(mark: Mark, mask: np.ndarray, counted: Counter[str]) -> Mark | None:
    if not mask.any():
        counted["nothing"] += 1
        return None
    return mark._replace(mask=RleMasks.from_masks(mask[None]))


def _bitmask(mark: Mark, value: dict[str, Any], size: tuple[int, int], counted: Counter[str]) -> Mark | None:
    """A PNG as large as the image, in a data URL: what is not transparent belongs."""
    head, _, text = check.text(value["imageDataURL"], f"{mark.place}: `imageDataURL`").partition(",")
    if not head.startswith("data:image/png") or not head.endswith(";base64"):
        raise InputError(
            f"{mark.place}: `imageDataURL` must begin with data:image/png;base64,; got {brief(head[:40])}."
        )
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise InputError(f"{mark.place}: `imageDataURL` is no base64: {error}.") from error
    mask = is_opaque(File(f"{mark.place}: `imageDataURL`", data, "png"), most=MOST_PIXELS)
    if mask.shape != size:
        raise InputError(
            f"{mark.place}: the mask is of {mask.shape[0]}×{mask.shape[1]} pixels (height × width), and its image of "
            f"{size[0]}×{size[1]}."
        )
    return _masked(mark, mask, counted)


def _vector(mark: Mark, value: dict[str, Any], size: tuple[int, int], counted: Counter[str]) -> Mark | None:
    """A path of lines and curves; one that is not closed has no inside."""
    ring = ring_of(value["vertices"], f"{mark.place}: `vertices`") if value.get("closed") is True else None
    if ring is None:
        counted["open"] += 1
        return None
    found = _ringed(mark, ring, size, counted)
    counted["curves"] += found is not None and len(ring) > len(value["vertices"])
    return found


def _polygon(mark: Mark, value: dict[str, Any], size: tuple[int, int], counted: Counter[str]) -> Mark | None:
    return _ringed(mark, check.points(value["points"], f"{mark.place}: `points`"), size, counted)


def _ringed(mark: Mark, ring: np.ndarray, size: tuple[int, int], counted: Counter[str]) -> Mark | None:
    """Of corners in percent."""
    if len(ring) < 3:
        counted["short"] += 1
        return None
    _look(ring.reshape(-1).tolist(), mark.place, counted)
    return mark._replace(rings=[_pixels(ring, size)])


def _ellipse(mark: Mark, value: dict[str, Any], size: tuple[int, int], counted: Counter[str]) -> Mark:
    x, y, across, down = _numbers(value, ("x", "y", "radiusX", "radiusY"), mark.place)
    _look((x - across, y - down, x + across, y + down), mark.place, counted)
    counted["ellipses"] += 1
    (x, y), (across, down) = _pixels(np.array([[x, y], [across, down]]), size).tolist()
    return mark._replace(rings=[ellipse_ring(x, y, across, down, _degrees(value, mark.place))])


def _rectangle(mark: Mark, value: dict[str, Any], size: tuple[int, int], counted: Counter[str]) -> Mark:
    """A box; turned clockwise about its upper left corner if it has a rotation."""
    x, y, w, h = _numbers(value, ("x", "y", "width", "height"), mark.place)
    height, width = size
    left, top, wide, high = x * width / 100, y * height / 100, w * width / 100, h * height / 100
    degrees = _degrees(value, mark.place)
    if degrees % 360 == 0:
        _look((x, y, x + w, y + h), mark.place, counted)
        return mark._replace(box=[left, top, wide, high])
    corners = about_corner(left, top, wide, high, degrees)
    _look((corners * 100 / (width, height)).reshape(-1).tolist(), mark.place, counted)
    return mark._replace(corners=corners)


def _numbers(value: dict[str, Any], keys: tuple[str, ...], place: str) -> list[float]:
    found = [value.get(key) for key in keys]
    if all(type(one) is float for one in found):  # as nearly all are: no words are made for them
        return found  # type: ignore[return-value]
    return [check.number(one, f"{place}: `{key}`") for key, one in zip(keys, found, strict=True)]


def _degrees(value: dict[str, Any], place: str) -> float:
    if not value.get("rotation"):
        return 0.0
    degrees = check.number(value["rotation"], f"{place}: `rotation`")
    if not math.isfinite(degrees):
        raise InputError(f"{place}: `rotation` must be finite; got {degrees}.")
    return degrees


def _look(percent: Sequence[float], place: str, counted: Counter[str]) -> None:
    """Percentages may reach a little over the border, which is counted. Far beyond they are none."""
    low, high = min(percent), max(percent)
    if not (_FAR[0] <= low and high <= _FAR[1] and all(one == one for one in percent)):
        far = next(one for one in percent if not _FAR[0] <= one <= _FAR[1])
        raise InputError(
            f"{place}: numbers of Label Studio are percent of the image, from 0 to 100; got {far:g}. Pixels look so."
        )
    counted["beyond"] += low < -_SLACK or high > 100 + _SLACK


def _pixels(percent: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    return np.asarray(percent * (size[1], size[0]) / 100)


_KEYS: dict[Callable[..., Mark | None], set[str]] = {
    _brush: {"rle"},
    _bitmask: {"imageDataURL"},
    _vector: {"vertices"},
    _polygon: {"points"},
    _ellipse: {"x", "y", "radiusX", "radiusY"},
    _rectangle: {"x", "y", "width", "height"},
}
"""The keys by which a shape is known."""
