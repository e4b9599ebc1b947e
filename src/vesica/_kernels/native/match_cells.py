"""Guesses against truths in every cell (one image, one category): which guess is matched with which truth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vesica import _native
from vesica._array import contiguous
from vesica._kernels import native
from vesica._kernels.native import coco_masks

RULES = tuple(_native.match_rule_names())


class Request(NamedTuple):
    """What to match by."""

    bars: tuple[float, ...]
    """The least value that matches, one for each threshold."""
    areas: tuple[tuple[float, float], ...]
    """Ranges, both ends included."""
    rule: str
    images: int
    categories: int
    limit: int
    """Guesses of a cell that are looked at."""
    plain: bool
    """One lane and one truth at a time: slow, and right for values that are not numbers."""
    partners: bool
    """Are the truths wanted that each guess found?"""


class Truths(NamedTuple):
    """Columns of the truths. Places below 0 leave a row out."""

    image: np.ndarray
    category: np.ndarray
    area: np.ndarray
    crowd: np.ndarray | None = None
    ignore: np.ndarray | None = None
    id_zero: np.ndarray | None = None
    """Truths with id 0, whose match pycocotools reads as no match (Q1)."""


class Guesses(NamedTuple):
    """Columns of the guesses."""

    image: np.ndarray
    category: np.ndarray
    area: np.ndarray | None
    """None: that of the region."""
    score: np.ndarray
    lenient: np.ndarray | None = None


class Found(NamedTuple):
    """Records, see csrc/detection/match_cells.hpp."""

    starts: np.ndarray
    image: np.ndarray
    guesses: np.ndarray
    counted: np.ndarray
    row: np.ndarray
    score: np.ndarray
    matched: np.ndarray
    ignored: np.ndarray
    partner: np.ndarray
    fault: coco_masks.Fault | None
    """The first mask that cannot be read; then nothing else is of use."""
    short_counts: int
    no_area: int


def match_boxes(
    request: Request,
    truths: Truths,
    truth_boxes: np.ndarray,
    guesses: Guesses,
    guess_boxes: np.ndarray,
    *,
    threads: int | None,
) -> Found:
    """Boxes of x, y, width, height against each other."""
    asked = _asked(request, threads)
    boxes = (contiguous(side, np.float64) for side in (truth_boxes, guess_boxes))
    return _found(_native.match_cells_boxes(asked, _truths(truths), next(boxes), _guesses(guesses), next(boxes)))


def match_masks(
    request: Request,
    truths: Truths,
    truth_masks: coco_masks.Column,
    guesses: Guesses,
    guess_masks: coco_masks.Column,
    *,
    boundary: bool,
    literal: bool,
    threads: int | None,
) -> Found:
    """Masks against each other. `literal`: as pycocotools does it, also where it is wrong."""
    sides = (_truths(truths), truth_masks, _guesses(guesses), guess_masks)
    return _found(_native.match_cells_masks(_asked(request, threads), *sides, boundary, literal))


def match_pairs(
    request: Request,
    truths: Truths,
    guesses: Guesses,
    pairs: tuple[np.ndarray, np.ndarray, np.ndarray],
    *,
    threads: int | None,
) -> Found:
    """Regions of any kind, by their pairs: rows of the guesses (rising), rows of the truths, values."""
    guess, truth, value = pairs
    starts = np.zeros(len(guesses.score) + 1, np.int64)
    np.cumsum(np.bincount(guess, minlength=len(guesses.score)), out=starts[1:])
    columns = (starts, contiguous(truth, np.int64), contiguous(value, np.float64))
    return _found(_native.match_cells_pairs(_asked(request, threads), _truths(truths), _guesses(guesses), *columns))


class Near(NamedTuple):
    """Pairs of one cell whose value reaches a floor, by guess, then truth."""

    starts: np.ndarray
    """The first pair of each guess, and the end."""
    truth: np.ndarray
    """Of each pair: the row of its truth."""
    value: np.ndarray
    fault: coco_masks.Fault | None = None
    """The first mask that cannot be read; then nothing else is of use."""


class Places(NamedTuple):
    """Which cells there are, and the least value of a pair."""

    images: int
    categories: int
    floor: float


def near_boxes(
    places: Places,
    truths: Truths,
    truth_boxes: np.ndarray,
    guesses: Guesses,
    guess_boxes: np.ndarray,
    *,
    threads: int | None,
) -> Near:
    """Boxes of x, y, width, height that are near each other; their values are numbers."""
    boxes = (contiguous(side, np.float64) for side in (truth_boxes, guess_boxes))
    sides = (_truths(truths), next(boxes), _guesses(guesses), next(boxes))
    return _near(_native.near_boxes(_placed(places, threads), *sides))


def near_masks(
    places: Places,
    truths: Truths,
    truth_masks: coco_masks.Column,
    guesses: Guesses,
    guess_masks: coco_masks.Column,
    *,
    boundary: bool,
    literal: bool,
    threads: int | None,
) -> Near:
    """Masks that are near each other, by what `match_masks` compares."""
    sides = (_truths(truths), truth_masks, _guesses(guesses), guess_masks)
    return _near(_native.near_masks(_placed(places, threads), *sides, boundary, literal))


def _placed(places: Places, threads: int | None) -> tuple[int, int, int, float]:
    return places.images, places.categories, native.thread_count(threads), places.floor


def _near(columns: tuple[Any, ...]) -> Near:
    starts, truth, value, fault = columns
    return Near(starts, truth, value, coco_masks.fault_of(*fault))


def _found(columns: tuple[Any, ...]) -> Found:
    named = dict(zip(Found._fields, columns, strict=True))
    return Found(**{**named, "fault": coco_masks.fault_of(*named["fault"])})


def _asked(request: Request, threads: int | None) -> _Asked:
    lowest, highest = ([float(ends[k]) for ends in request.areas] for k in (0, 1))
    lanes = (list(request.bars), lowest, highest, RULES.index(request.rule))
    sizes = (request.images, request.categories, request.limit)
    return *lanes, *sizes, request.plain, request.partners, native.thread_count(threads)


_Asked = tuple[list[float], list[float], list[float], int, int, int, int, bool, bool, int]
_NO_FLAGS, _NO_AREA = np.empty(0, np.uint8), np.empty(0, np.float64)


_Column = np.ndarray


def _truths(side: Truths) -> tuple[_Column, _Column, _Column, _Column, _Column, _Column]:
    area = contiguous(side.area, np.float64)
    return *_places(side), area, _flags(side.crowd), _flags(side.ignore), _flags(side.id_zero)


def _guesses(side: Guesses) -> tuple[_Column, _Column, _Column, _Column, _Column]:
    area = _NO_AREA if side.area is None else contiguous(side.area, np.float64)
    return *_places(side), area, contiguous(side.score, np.float64), _flags(side.lenient)


def _places(side: Truths | Guesses) -> tuple[np.ndarray, np.ndarray]:
    return contiguous(side.image, np.int32), contiguous(side.category, np.int32)


def _flags(column: np.ndarray | None) -> np.ndarray:
    return _NO_FLAGS if column is None else contiguous(column, np.uint8)
