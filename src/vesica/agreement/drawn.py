"""What was drawn: the regions of a data set as one collection, and their geometry as numbers that can be sorted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica._check import agreement as check
from vesica._check import coco_masks as check_masks
from vesica._kernels.native import coco_masks as native
from vesica._ragged import taken
from vesica.dataset import Dataset
from vesica.regions import Boxes, Polygons, Region, RleMasks

_ROWS = 8192
"""Masks whose runs are looked at at a time: memory does not grow with their number."""


class Drawn(NamedTuple):
    """All regions of a data set."""

    kind: str
    regions: Region
    box: np.ndarray
    """(N, 4) float64: x1, y1, x2, y2 around each."""
    area: np.ndarray
    keys: list[np.ndarray]
    """Columns that differ where geometry differs: x1, y1, x2, y2, area, and what else there is to a shape."""


def drawn_of(data: Dataset, /, *, regions: str | None, missing: str | None, threads: int | None) -> Drawn:
    """The regions that are compared: masks where all objects have one, else rotated boxes, else boxes."""
    kind = check.kind_of_regions(data, regions, missing)
    if kind == "mask":
        return _masks(data, threads)
    box = _corners(data)
    if kind == "rotated":
        assert data.corners is not None
        outlines = Polygons._of_corners(data.corners, "float64", data.corners, None)
        area = np.asarray(outlines.area)
        return Drawn(kind, outlines, box, area, [*box.T, area, *data.corners.reshape(-1, 8).T])
    area = (box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1])
    return Drawn(kind, Boxes(box, check=False), box, area, [*box.T, area])


def _corners(data: Dataset) -> np.ndarray:
    """x1, y1, x2, y2 of the upright boxes."""
    assert data.xywh is not None
    return np.asarray(data.boxes.xyxy)


def _masks(data: Dataset, threads: int | None) -> Drawn:
    """Masks on one canvas, as large as the largest image: none of two images is ever compared."""
    assert data.segments is not None
    column = data.segments.sized(data.images.sizes[data.image]).column(data.xywh)
    rows = np.arange(len(data))
    found = native.decode(column, rows, threads=threads)
    fault = found.measured.fault(rows)
    if fault is not None:
        raise check_masks.bad_segment(fault, "`segments`")
    box, area = found.boxes.astype(np.float64), found.measured.area.astype(np.float64)
    keys = [*box.T, area, _digests(found.counts, found.offsets)]
    return Drawn("mask", _canvas(found.counts, found.offsets, found.sizes), box, area, keys)


def _canvas(counts: np.ndarray, offsets: np.ndarray, sizes: np.ndarray) -> RleMasks:
    if not len(sizes):
        return RleMasks([], size=(1, 1))
    height, width = (int(side) for side in sizes.max(axis=0))
    different, of_row = np.unique(sizes, axis=0, return_inverse=True)
    if len(different) == 1:
        return RleMasks._of(counts, offsets, (height, width))
    groups = [np.flatnonzero(of_row.reshape(-1) == place) for place in range(len(different))]
    pasted = []
    for rows, size in zip(groups, different.tolist(), strict=True):
        begins, places = taken(offsets, rows)
        pasted.append(RleMasks._of(counts[places], begins, tuple(size)).paste((0, 0), (height, width)))
    whole = np.concatenate([one.counts for one in pasted])
    ends = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(one.offsets) for one in pasted]))])
    begins, places = taken(ends, np.argsort(np.concatenate(groups), kind="stable"))
    return RleMasks._of(whole[places], begins, (height, width))


def _digests(counts: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """A number for each mask that other pixels would make another one, as good as always."""
    digests = np.empty(len(offsets) - 1, np.uint64)
    for first in range(0, len(digests), _ROWS):
        ends = offsets[first : first + _ROWS + 1]
        digests[first : first + _ROWS] = _mixed(counts[ends[0] : ends[-1]], ends - ends[0])
    return digests


def _mixed(counts: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Sums of the counts of each mask, multiplied and mixed as splitmix64 does, in uint64, which wraps around."""
    place = np.arange(len(counts)) - np.repeat(offsets[:-1], np.diff(offsets))
    mixed = (counts.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= place.astype(np.uint64) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    found: np.ndarray = sums[offsets[1:]] - sums[offsets[:-1]]
    return found
