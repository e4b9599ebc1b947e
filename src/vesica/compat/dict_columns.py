"""Dicts of annotations as columns, where columns say the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica._kernels.native.match_cells import Guesses, Truths
from vesica.dataset import Categories, CocoMasks, Dataset
from vesica.dataset.masks import segments_of
from vesica.detection.inputs import Inputs, is_tame
from vesica.detection.protocol import Protocol

Row = dict[str, Any]
Images = Mapping[Any, Row]

_WHOLE: set[type] = {int, bool, np.int64, np.uint32}
_NUMBERS: set[type] = {*_WHOLE, float, np.float64}


class NoColumns(Exception):
    """Columns would not say what the dicts say."""


def protocol_of_params(p: Any) -> Protocol:
    """The parameters as the conventions of a score."""
    caps = p.maxDets
    bars = [_number(value) for value in p.iouThrs]
    if set(map(type, caps)) != {int} or caps[0] < 1 or len(set(caps)) < len(caps):
        raise NoColumns
    if not all(map(len, (bars, p.areaRng, p.imgIds, p.catIds))):
        raise NoColumns
    if p.useCats and p.useCats != 1:
        raise NoColumns  # there are categories for the matching, and none for the curves
    return Protocol(
        regions={"bbox": "box", "segm": "mask"}[p.iouType],
        iou=tuple(bars),
        areas=tuple((str(k), _number(low), _number(high)) for k, (low, high) in enumerate(p.areaRng)),
        max_dets=tuple(caps),
        by_class=bool(p.useCats),
        quirks="pycocotools",
    )


def inputs_of_dicts(truths: list[Row], guesses: list[Row], images: tuple[Images, Images], p: Any) -> Inputs:
    """Truths and guesses, their images and categories by their places in the parameters.

    `images` are those of either side, by id: polygons are drawn in their sizes.
    """
    are_boxes = p.iouType == "bbox"
    boxes = [_boxes(rows) if are_boxes else None for rows in (truths, guesses)]
    masks = [None if are_boxes else _masks(*side) for side in zip((truths, guesses), images, strict=True)]
    areas = [_column(rows, "area", _NUMBERS) for rows in (truths, guesses)]
    ids = [_column(rows, "id", _WHOLE) for rows in (truths, guesses)]
    score = _column(guesses, "score", {*_NUMBERS, np.float32} - {bool})
    flags = _column(truths, "iscrowd", _WHOLE)
    # A guess is told by an id above 0, an area of NaN lies in every range, and flags are bytes.
    if (ids[1] <= 0).any() or any(np.isnan(area).any() for area in areas) or ((flags < 0) | (flags > 255)).any():
        raise NoColumns
    crowd = flags != 0
    plain = any(bar <= 0 for bar in p.iouThrs) or not all(map(is_tame, boxes))
    places = [_places(rows, p) for rows in (truths, guesses)]
    return Inputs(
        np.arange(len(p.imgIds)),
        Categories(np.arange(len(p.catIds) if p.useCats else 1)),
        Truths(*places[0], areas[0], crowd, crowd, ids[0] == 0),
        Guesses(*places[1], areas[1], score),
        boxes[0],
        boxes[1],
        truth_segments=masks[0],
        guess_segments=masks[1],
        truth_rows=None,
        guess_rows=None,
        plain=bool(plain),
        notes=(),
    )


def has_all(truth: Dataset, p: Any) -> bool:
    """Are all images and categories of a file asked for?"""
    tables = ((truth.images.ids, p.imgIds), (truth.categories.ids, p.catIds))
    return all(ids.dtype != object and sorted(ids.tolist()) == list(asked) for ids, asked in tables)


def has_regions(side: Dataset, p: Any) -> bool:
    """Does every row say what is compared? A guess that is a box alone is drawn as one."""
    if p.iouType == "bbox":
        return side.xywh is not None
    return (side.score is not None and side.xywh is not None) or has_masks(side)


def has_masks(side: Dataset) -> bool:
    """Does every row have a mask?"""
    return side.segments is not None and bool((side.segments.form != CocoMasks.NONE).all())


def by_category(rows: list[Row], p: Any) -> list[Row]:
    """Rows in the order in which they are compared: without categories, one category after the other."""
    if p.useCats:
        return rows
    rank = {category: k for k, category in enumerate(p.catIds)}
    if len(rank) < len(p.catIds):
        raise NoColumns  # a category that is listed twice is compared twice
    return sorted((row for row in rows if row["category_id"] in rank), key=lambda row: rank[row["category_id"]])


def _places(rows: list[Row], p: Any) -> tuple[np.ndarray, np.ndarray]:
    images = {image: k for k, image in enumerate(p.imgIds)}
    categories = {category: k if p.useCats else 0 for k, category in enumerate(p.catIds)}
    image = [images.get(row["image_id"], -1) for row in rows]
    category = [categories.get(row["category_id"], -1) for row in rows]
    return np.array(image, np.int32), np.array(category, np.int32)


def _boxes(rows: list[Row]) -> np.ndarray:
    try:
        boxes = np.array([row.get("bbox") for row in rows], np.float64)
    except (TypeError, ValueError):
        raise NoColumns from None
    if len(rows) and boxes.shape != (len(rows), 4):
        raise NoColumns
    return boxes.reshape(-1, 4)


def _masks(rows: list[Row], images: Images) -> CocoMasks:
    if any(row.get("segmentation") is None for row in rows):
        raise NoColumns
    sides = [[images.get(row["image_id"], {}).get(side, 0) for side in ("height", "width")] for row in rows]
    if not {type(side) for pair in sides for side in pair} <= _WHOLE:
        raise NoColumns
    try:
        return segments_of([row["segmentation"] for row in rows], np.array(sides, np.int64).reshape(-1, 2), look=False)
    except (TypeError, ValueError):
        raise NoColumns from None


def _column(rows: list[Row], key: str, types: set[type]) -> np.ndarray:
    """One value of each row, if all of them stay what they are as numbers of 64 bits."""
    values = [row.get(key) for row in rows]
    if not set(map(type, values)) <= types:
        raise NoColumns
    return np.array(values, np.float64)


def _number(value: Any) -> float:
    if type(value) not in _NUMBERS or value != value:
        raise NoColumns
    return float(value)
