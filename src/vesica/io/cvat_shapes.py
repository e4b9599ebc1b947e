"""Shapes of CVAT: boxes, upright or turned about their centre, polygons, ellipses, and masks in a frame."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from vesica import _check as check
from vesica.errors import InputError
from vesica.io.ellipses import CORNERS, ellipse_ring
from vesica.io.exact_corners import xywh_of_words
from vesica.io.marks import MOST_PIXELS, Mark
from vesica.io.text_fields import number
from vesica.io.turned_boxes import about_centre
from vesica.regions import RleMasks

NOTES = {
    "polyline": "{} polylines were left out",
    "points": "{} shapes of points were left out",
    "cuboid": "{} cuboids were left out",
    "skeleton": "{} skeletons were left out",
    "tag": "{} tags, which are of whole images, were left out",
    "other": "{} shapes of unknown kinds were left out",
    "short": "{} polygons of fewer than three corners were left out",
    "nothing": "{} masks without a pixel were left out",
    "tail": "{} masks end before their frame does: the rest is background",
    "ellipse": f"{{}} ellipses became polygons of {CORNERS} corners and the same area",
    "twice": "{} attributes are there twice, and the last is taken",
}
"""What is counted, in words."""
_LEFT_OUT = ("polyline", "points", "cuboid", "skeleton", "tag")
_SIDES = ("xtl", "ytl", "xbr", "ybr")


def mark_of(
    shape: Any, place: str, image: int, size: tuple[int, int], counted: Counter[str], /, *, label: str | None = None
) -> Mark | None:
    """The object of a shape; None of one that has no place here, which is counted. A track has the label of its own."""
    if shape.tag in _LEFT_OUT or shape.tag not in _KINDS:
        counted[shape.tag if shape.tag in _LEFT_OUT else "other"] += 1
        return None
    told = [(one.get("name") or "", (one.text or "").strip()) for one in shape.iterfind("attribute")]
    attributes = dict(told) or None
    counted["twice"] += len(told) - len(attributes or ())
    label = (label or shape.get("label") or "").strip()
    if not label:
        raise InputError(f"{place}: `label` is missing.")
    return _KINDS[shape.tag](shape, Mark(image, label, place, attributes=attributes), size, counted)


def _box(shape: Any, mark: Mark, size: tuple[int, int], counted: Counter[str]) -> Mark:
    box = xywh_of_words([_word(shape, side, mark.place) for side in _SIDES], mark.place)
    degrees = _degrees(shape, mark.place)
    if degrees % 360 == 0:
        return mark._replace(box=box)
    x, y, w, h = box
    return mark._replace(corners=about_centre(x, y, w, h, degrees))


def _polygon(shape: Any, mark: Mark, size: tuple[int, int], counted: Counter[str]) -> Mark | None:
    pairs = [pair.split(",") for pair in _word(shape, "points", mark.place).split(";") if pair.strip()]
    wrong = next((pair for pair in pairs if len(pair) != 2), None)
    if wrong is not None:
        raise InputError(f"{mark.place}: `points` must be x,y;x,y;…; got {check.brief(','.join(wrong))}.")
    ring = np.array([[number(word.strip(), mark.place) for word in pair] for pair in pairs]).reshape(-1, 2)
    if not np.isfinite(ring).all():
        raise InputError(f"{mark.place}: `points` must be finite.")
    if len(ring) < 3:
        counted["short"] += 1
        return None
    return mark._replace(rings=[ring])


def _ellipse(shape: Any, mark: Mark, size: tuple[int, int], counted: Counter[str]) -> Mark:
    numbers = [number(_word(shape, key, mark.place), mark.place) for key in ("cx", "cy", "rx", "ry")]
    if not np.isfinite(numbers).all() or min(numbers[2:]) < 0:
        raise InputError(f"{mark.place}: an ellipse has a finite centre and radii of 0 or more; got {numbers}.")
    counted["ellipse"] += 1
    x, y, across, down = numbers
    return mark._replace(rings=[ellipse_ring(x, y, across, down, _degrees(shape, mark.place))])


def _mask(shape: Any, mark: Mark, size: tuple[int, int], counted: Counter[str]) -> Mark | None:
    """Run lengths row by row, background first, in a frame whose upper left pixel is at left, top."""
    left, top, width, height = (_whole(shape, key, mark.place) for key in ("left", "top", "width", "height"))
    if not all(size):
        raise InputError(f"{mark.place}: a mask needs the size of its image, which the file does not say.")
    if min(left, top) < 0 or left + width > size[1] or top + height > size[0]:
        raise InputError(
            f"{mark.place}: the mask reaches from {left}, {top} to {left + width}, {top + height}, beyond its image of "
            f"{size[0]}×{size[1]} pixels (height × width)."
        )
    if width * height > MOST_PIXELS:
        raise InputError(f"{mark.place}: a mask may have {MOST_PIXELS:,} pixels; its frame has {width * height:,}.")
    words = [word for word in _word(shape, "rle", mark.place).split(",") if word.strip()]
    counts = np.array([_count(word, mark.place) for word in words], np.int64)
    total = int(counts.sum())
    if total > width * height:
        raise InputError(f"{mark.place}: `rle` has {total:,} pixels; its frame has {width * height:,}.")
    counted["tail"] += total < width * height
    flat = np.zeros(width * height, bool)
    flat[:total] = np.repeat(np.arange(len(counts)) % 2 == 1, counts)
    if not flat.any():
        counted["nothing"] += 1
        return None
    tile = RleMasks.from_masks(flat.reshape(1, height, width))
    return mark._replace(mask=tile.paste((left, top), size))


_KINDS = {"box": _box, "polygon": _polygon, "ellipse": _ellipse, "mask": _mask}


def _word(shape: Any, key: str, place: str) -> str:
    text: str = (shape.get(key) or "").strip()
    if not text and key not in ("points", "rle"):
        raise InputError(f"{place}: `{key}` is missing.")
    return text


def _degrees(shape: Any, place: str) -> float:
    degrees = number((shape.get("rotation") or "0").strip(), f"{place}, rotation")
    if not np.isfinite(degrees):
        raise InputError(f"{place}: `rotation` must be finite; got {degrees}.")
    return degrees


def _whole(shape: Any, key: str, place: str) -> int:
    found = number(_word(shape, key, place), place)
    if not (found.is_integer() and abs(found) < 2**30):
        raise InputError(f"{place}: `{key}` must be a whole number below 2^30; got {found}.")
    return int(found)


def _count(word: str, place: str) -> int:
    if not re.fullmatch(r"\s*\d{1,10}\s*", word, re.ASCII):
        raise InputError(f"{place}: `rle` must be whole numbers with commas between them; got {check.brief(word)}.")
    return int(word)
