"""YOLO: one text file for each image, a class and shares of the image's sides on each line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from vesica import _check as check
from vesica._array import objects
from vesica.dataset import Categories, CocoMasks, Dataset, Images
from vesica.dataset.arrays import xywh_of
from vesica.dataset.corners import around
from vesica.dataset.ids import places, table_of
from vesica.dataset.masks import segments_of
from vesica.errors import InputError
from vesica.io import yolo_poses
from vesica.io.options import Options
from vesica.io.text_fields import is_number, number, sound, text_of

KINDS = ("polygon", "pose", "obb")
COLUMNS = ("class box score", "class score box")

_SLACK = 1e-3
"""Boxes are rounded, and detectors reach a little over the border."""


class Labels(NamedTuple):
    """What stands beside the label files."""

    images: Images
    place_of: dict[str, int]
    """The place of each label file's image, by the name of the file without ending."""
    names: dict[int, str] | None = None
    """Of the classes."""
    pose: int | None = None
    """If lines are poses, how many numbers their key points have; 0 if that is not known."""
    notes: tuple[str, ...] = ()


class Line(NamedTuple):
    """One line of a label file."""

    image: int
    category: str
    numbers: list[float]
    shape: str
    """box, outline or pose"""
    has_score: bool
    place: str


def dataset_of(files: Iterable[tuple[str, bytes]], labels: Labels, options: Options, /) -> Dataset:
    """The objects of label files, each given by its name and its bytes.

    A line is `class cx cy w h` in shares of the image, perhaps with a score before or behind the box; or the class and
    the corners of a polygon; with kind="obb" those of a rotated box, perhaps with a score behind them. With `boxes=`
    the four numbers are pixels in that form, and no sizes are needed.
    """
    form = None if options.boxes is None else check.one_of(options.boxes, check.FORMS, "boxes")
    kind = None if labels.pose is None else "pose"
    kind = kind if options.kind is None else check.one_of(options.kind, KINDS, "kind")
    read = [line for name, data in files for line in _lines(name, data, labels, kind)]
    if kind is None:
        yolo_poses.look(line for line in read if line.shape == "outline")
    lines = [line if line.shape != "pose" else yolo_poses.box_of(line) for line in read]
    if options.check and form is None:
        _look_at_shares(lines)

    regions, score = _apart(lines, form, options.columns)
    sizes = None if form is not None else _sizes(lines, labels)
    boxes, outlines = _regions(lines, regions, sizes, form)
    if options.check:
        sound({"boxes": boxes, "score": score}, lambda row: lines[row].place)

    image, (categories, category) = np.array([line.image for line in lines], np.int64), _categories(lines, labels)
    data = Dataset(labels.images, categories, image, category, boxes, score=score, notes=labels.notes)
    if kind == "obb":
        data = replace(data, corners=around(np.array(outlines, np.float64).reshape(-1, 4, 2)))
    elif any(outline is not None for outline in outlines) and options.masks:
        data = replace(data, segments=_segments(outlines, image, labels.images))
    poses = sum(line.shape == "pose" for line in read)
    note = f"{poses} lines are poses: their boxes are read, and key points have no place here"
    return data if not poses else replace(data, notes=(*data.notes, note))


def looks_like_labels(text: str, /) -> bool:
    """Is the first line a class and at least four numbers?"""
    words = text.strip().partition("\n")[0].split()
    return len(words) >= 5 and all(is_number(word) for word in words[1:])


def _lines(name: str, data: bytes, labels: Labels, kind: str | None) -> Iterable[Line]:
    if not data:  # an image in which nothing is: folders may have thousands
        return
    image = labels.place_of[PurePath(name).stem]
    for at, line in enumerate(text_of(data, name).splitlines(), 1):
        words, place = line.split(), f"{name}, line {at}"
        if words:
            shape, has_score = _shape(len(words) - 1, kind, labels.pose or 0, place)
            yield Line(image, words[0], [number(word, place) for word in words[1:]], shape, has_score, place)


def _shape(count: int, kind: str | None, key_points: int, place: str) -> tuple[str, bool]:
    """What so many numbers behind a class are, and whether a score is among them."""
    if kind == "obb":
        if count not in (8, 9):
            raise InputError(
                f"{place}: a class is followed by 8 numbers of a rotated box, 9 with a score; got {count}."
            )
        return "outline", count == 9
    if count in (4, 5):
        return "box", count == 5
    if count >= 6 and kind == "pose":
        return "pose", yolo_poses.has_score(count, key_points, place)
    if count >= 6 and count % 2 == 0 and (count != 8 or kind == "polygon"):
        return "outline", False
    if count == 8:
        raise InputError(
            f"{place}: 8 numbers are a polygon of four points, or a rotated box. "
            'Say kind="polygon" for the one, kind="obb" for the other.'
        )
    if count >= 7 and kind == "polygon":
        return "outline", True
    if count >= 7 and (count - 4) % 3 == 0:
        return "pose", False
    raise InputError(
        f"{place}: a class is followed by 4 numbers of a box, 5 with a score, or 6 and more of a polygon; got {count}."
        + (' Say kind="polygon" if the last is a score, or kind="pose".' if count >= 7 else "")
    )


def _look_at_shares(lines: list[Line]) -> None:
    for line in lines:
        if max(line.numbers) > 2 or min(line.numbers) < -1:
            far = next(value for value in line.numbers if not -1 <= value <= 2)
            raise InputError(
                f"{line.place}: numbers of YOLO are shares of the image, from 0 to 1; got {far}. "
                'Pixels are read by their form, such as boxes="xywh".'
            )


def _apart(lines: list[Line], form: str | None, columns: str | None) -> tuple[list[list[float]], np.ndarray | None]:
    """The numbers of each region, and the scores, wherever they stand."""
    given = [line.has_score for line in lines]
    if not any(given):
        return [line.numbers for line in lines], None
    if not all(given):
        place = lines[given.index(False)].place
        raise InputError(f"{place}: has no score, and other lines have. Give every guess one, or no truth.")
    boxes = np.array([line.numbers for line in lines if line.shape == "box"], np.float64).reshape(-1, 5)
    at = 0 if _order(boxes, form, columns) == "class score box" else 4
    cuts = [at if line.shape == "box" else len(line.numbers) - 1 for line in lines]
    pairs = list(zip(lines, cuts, strict=True))
    return [line.numbers[:cut] + line.numbers[cut + 1 :] for line, cut in pairs], np.array(
        [line.numbers[cut] for line, cut in pairs], np.float64
    )


def _order(numbers: np.ndarray, form: str | None, columns: str | None) -> str:
    """Where the score stands: the order that keeps nearly all boxes inside their images."""
    if columns is not None:
        return check.one_of(columns, COLUMNS, "columns")
    if not len(numbers):
        return COLUMNS[0]
    fits = [name for name, at in zip(COLUMNS, (4, 0), strict=True) if _fits(numbers, at, form)]
    if len(fits) == 1:
        return fits[0]
    which = "either place" if fits else "neither place"
    raise InputError(
        f"The score of {len(numbers)} lines fits in {which}, behind the box or before it. "
        'Say which: columns="class box score" or columns="class score box".'
    )


def _fits(numbers: np.ndarray, at: int, form: str | None) -> bool:
    """Would the score be one at this place, and the boxes lie in their images?"""
    score, box = numbers[:, at], np.delete(numbers, at, axis=1)
    is_score = (score >= 0) & (score <= 1)
    if form is not None:
        return bool(is_score.all())  # pixels are mostly above 1
    low, high = box[:, :2] - box[:, 2:] / 2, box[:, :2] + box[:, 2:] / 2
    inside = (low >= -_SLACK).all(axis=1) & (high <= 1 + _SLACK).all(axis=1) & (box >= 0).all(axis=1)
    return bool(np.mean(inside & is_score) >= 0.99)


def _sizes(lines: list[Line], labels: Labels) -> np.ndarray:
    """(N, 2): height and width of each row's image."""
    found = labels.images.sizes[np.array([line.image for line in lines], np.int64)]
    unknown = np.flatnonzero((found <= 0).any(axis=1))
    if unknown.size:
        raise InputError(
            f"{lines[unknown[0]].place}: YOLO's boxes are shares of an image whose size is not known. Say where the "
            "pictures are, `images=FOLDER`; or how large they are, `sizes=(height, width)`."
        )
    return found


def _regions(
    lines: list[Line], regions: list[list[float]], sizes: np.ndarray | None, form: str | None
) -> tuple[np.ndarray, list[np.ndarray | None]]:
    """Boxes in pixels, also around the outlines; and the outlines."""
    boxes = np.empty((len(lines), 4))
    rows = np.array([row for row, line in enumerate(lines) if line.shape != "outline"], np.int64)
    table = np.array([regions[row] for row in rows.tolist()], np.float64).reshape(-1, 4)
    boxes[rows] = xywh_of(table, form or "cxcywh", None if sizes is None else sizes[rows], look=False)
    outlines: list[np.ndarray | None] = [None] * len(lines)
    for row, line in enumerate(lines):
        if line.shape == "outline":
            points = np.reshape(regions[row], (-1, 2)) * (1 if sizes is None else sizes[row, ::-1])
            low, high = points.min(axis=0), points.max(axis=0)
            boxes[row], outlines[row] = [*low, *(high - low)], points.reshape(-1)
    return boxes, outlines


def _segments(outlines: list[Any], image: np.ndarray, images: Images) -> CocoMasks:
    masks = [None if outline is None else [outline] for outline in outlines]
    return segments_of(masks, images.sizes[image])


def _categories(lines: list[Line], labels: Labels) -> tuple[Categories, np.ndarray]:
    """Classes as integers; as strings where they are written by name."""
    words = [line.category for line in lines]
    numbers = [_class(word) for word in words]
    if None in numbers:
        return _by_name(words, labels)
    ids = np.array(numbers, np.int64)
    if labels.names is None:
        table, where = table_of(ids)
        return Categories(table), where
    table = np.array(list(labels.names), np.int64)
    where = places(ids, table)
    if where.size and where.min() < 0:
        line = lines[int(np.argmin(where))]
        raise InputError(
            f"{line.place}: class {line.category} has no name; {len(table)} are named, from {table[0]} on."
        )
    return Categories(table, names=objects(labels.names.values())), where


def _class(word: str) -> int | None:
    """The number of a class; None where it is no number. Some tools write 3.0."""
    digits = word[:-2] if word.endswith(".0") else word
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None


def _by_name(words: list[str], labels: Labels) -> tuple[Categories, np.ndarray]:
    named = sorted(set(words)) if labels.names is None else list(labels.names.values())
    if not set(words) <= set(named):
        odd = next(word for word in words if word not in named)
        raise InputError(f"Class {check.brief(odd)} is neither a number nor one of the {len(named)} names.")
    ids = objects(named)
    return Categories(ids, names=ids), places(objects(words), ids)
