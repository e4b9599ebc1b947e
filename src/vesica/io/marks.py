"""Marks: objects as people drew them in an annotation tool, one by one, and the data set that they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from vesica._array import objects
from vesica._check.dataset import first_bad_corners, ids
from vesica.dataset import Categories, Dataset, Images
from vesica.dataset.assignments import annotators_of, assignments_of
from vesica.dataset.corners import upright_corners, xywh_around
from vesica.dataset.ids import places
from vesica.dataset.masks import segments_of
from vesica.errors import InputError
from vesica.io.options import Options
from vesica.io.text_fields import sound
from vesica.regions import RleMasks

MOST_PIXELS = 1 << 28
"""Of a mask that is drawn pixel by pixel."""


class Mark(NamedTuple):
    """One object: where it is, what it is, and one region of four kinds."""

    image: int
    """The place in the table of images."""
    category: str
    place: str
    """In the file, for messages."""
    box: Sequence[float] | None = None
    """x, y, width, height"""
    corners: np.ndarray | None = None
    """(4, 2) of a rotated box"""
    rings: list[np.ndarray] | None = None
    """Polygons, (P, 2) each"""
    mask: RleMasks | None = None
    """One mask, as large as its image"""
    annotator: int | str | None = None
    round: int = 0
    score: float | None = None
    id: int | str | None = None
    attributes: dict[str, str] | None = None


class Asked(NamedTuple):
    """Who was asked for which image, also where nothing was marked."""

    image: int
    annotator: int | str
    round: int = 0
    date: str | None = None


def dataset_of(
    images: Images,
    marks: list[Mark],
    options: Options,
    /,
    *,
    asked: list[Asked] | None = None,
    categories: Iterable[str] = (),
    notes: tuple[str, ...] = (),
) -> Dataset:
    """The data set of marks. `categories` are those that a file knows beside the ones that occur.

    Where some boxes are rotated, all rows have corners; the upright box around a polygon or a mask stands there too.
    """
    corners = _corners(marks)
    boxes = _boxes(marks, corners)
    score = _scores(marks)
    if options.check:
        sound({"boxes": boxes, "score": score}, lambda row: marks[row].place)
    image = np.array([mark.image for mark in marks], np.int64)
    known = sorted({*categories, *(mark.category for mark in marks)})
    at = {name: k for k, name in enumerate(known)}
    return Dataset(
        images,
        Categories(objects(known), names=objects(known)),
        image,
        np.array([at[mark.category] for mark in marks], np.int64),
        boxes,
        _segments(marks, images.sizes[image]) if options.masks else None,
        score=score,
        id=_own_ids(marks),
        attributes=objects(mark.attributes for mark in marks) if any(mark.attributes for mark in marks) else None,
        corners=None if corners is None else _filled(corners, boxes),
        notes=notes,
        **_people(images, marks, asked),
    )


def images_of(
    own: Sequence[int | str], sizes: Sequence[tuple[int, int] | None], names: Sequence[str | None], /
) -> Images:
    """The table of images by their ids; None is a size or a name that the file does not tell."""
    height, width = np.array([size or (0, 0) for size in sizes], np.int64).reshape(-1, 2).T.copy()
    is_known = bool(height.any())
    return Images(
        ids(list(own), "images") if own else np.empty(0, np.int64),
        height if is_known else None,
        width if is_known else None,
        objects(names) if any(names) else None,
    )


def _corners(marks: list[Mark]) -> np.ndarray | None:
    """(N, 4, 2), NaN in rows that are no rotated box; None if none is."""
    if all(mark.corners is None for mark in marks):
        return None
    nowhere = np.full((4, 2), np.nan)
    found = np.array([nowhere if mark.corners is None else mark.corners for mark in marks])
    rows = [row for row, mark in enumerate(marks) if mark.corners is not None]
    bad = first_bad_corners(found[rows])
    if bad is not None:
        raise InputError(f"{marks[rows[bad[0]]].place}: {bad[1]}.")
    return found


def _boxes(marks: list[Mark], corners: np.ndarray | None) -> np.ndarray:
    """(N, 4): as they were drawn, or around what was drawn."""
    boxes = np.zeros((len(marks), 4))
    for row, mark in enumerate(marks):
        if mark.box is not None:
            boxes[row] = mark.box
        elif mark.rings is not None:
            points = np.concatenate(mark.rings)
            low, high = points.min(axis=0), points.max(axis=0)
            boxes[row] = [*low, *(high - low)]
        elif mark.mask is not None:
            x1, y1, x2, y2 = mark.mask.boxes.xyxy[0].tolist()
            boxes[row] = [x1, y1, x2 - x1, y2 - y1]
    if corners is not None:
        turned = [row for row, mark in enumerate(marks) if mark.corners is not None]
        boxes[turned] = xywh_around(corners[turned])
    return boxes


def _filled(corners: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """The corners of all rows: those of upright boxes where no other were drawn."""
    return np.where(np.isnan(corners), upright_corners(boxes), corners)


def _segments(marks: list[Mark], sizes: np.ndarray) -> Any:
    if all(mark.rings is None and mark.mask is None for mark in marks):
        return None
    return segments_of([_segment(mark) for mark in marks], sizes, look=False)


def _segment(mark: Mark) -> Any:
    if mark.mask is not None:
        return mark.mask.to_coco()[0]
    return None if mark.rings is None else [ring.reshape(-1) for ring in mark.rings]


def _scores(marks: list[Mark]) -> np.ndarray | None:
    """Of all marks or of none: a score that is missing is never taken as 1."""
    missing = [mark.score is None for mark in marks]
    if all(missing):
        return None
    if any(missing):
        raise InputError(f"{marks[missing.index(True)].place}: has no score, and others have. Give every guess one.")
    return np.array([mark.score for mark in marks], np.float64)


def _own_ids(marks: list[Mark]) -> np.ndarray | None:
    """Ids of the rows, if all have one; none comes twice."""
    if not marks or any(mark.id is None for mark in marks):
        return None
    seen: dict[Any, str] = {}
    for mark in marks:
        if mark.id in seen:
            raise InputError(f"{mark.place}: has the id {mark.id!r}, which {seen[mark.id]} has too.")
        seen[mark.id] = mark.place
    return ids([mark.id for mark in marks], "id")


def _people(images: Images, marks: list[Mark], asked: list[Asked] | None) -> dict[str, Any]:
    """Who marked what, and who was asked."""
    if asked is None:
        return {}
    table = {
        "image": images.ids[[one.image for one in asked]] if asked else images.ids[:0],
        "annotator": [one.annotator for one in asked],
        "round": [one.round for one in asked] if any(one.round for one in asked) else None,
        "date": [one.date for one in asked] if any(one.date for one in asked) else None,
    }
    rows = ids([mark.annotator for mark in marks], "annotator")
    people = annotators_of(None, rows, table)
    has_rounds = table["round"] is not None
    return {
        "annotator": places(rows, people).astype(np.int64),
        "annotators": people,
        "round": np.array([mark.round for mark in marks], np.int64) if has_rounds else None,
        "assignments": assignments_of(table, images.ids, people),
    }


def left_out(counted: Counter[str], words: dict[str, str], /) -> tuple[str, ...]:
    """Notes of what a reader counted, in the order of `words`: "{} polylines were left out"."""
    return tuple(text.format(f"{counted[key]:,}") for key, text in words.items() if counted[key])
