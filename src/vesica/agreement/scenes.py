"""Scenes: one image as two annotators drew it, for all images and pairs of annotators at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vesica._check import ledger as check
from vesica.regions import Region


@dataclass(frozen=True, eq=False)
class Objects:
    """What was drawn, by anybody, in any image.

    Attributes
    ----------
    regions : N regions of one kind; masks of images of different size are pasted into the largest
    label : (N,) int64
    rank : (N,) int64: a place for each in one order, by geometry, then by id. All ties are decided by it, so that no
        answer depends on the order of the rows.
    """

    regions: Region
    label: np.ndarray
    rank: np.ndarray


@dataclass(frozen=True, eq=False)
class Side:
    """The objects of one annotator in each scene: `row[k]`, a row of `Objects`, stands in scene `scene[k]`.

    A row may stand in many scenes, once for each annotator that it is compared with.
    """

    scene: np.ndarray
    row: np.ndarray


@dataclass(frozen=True, eq=False)
class Members:
    """The objects of all scenes, those of a scene and side together and by rank: what is in order needs no sorting.

    Attributes
    ----------
    slot : (E,) int64: scene · 2 + side; side a is 0, side b is 1. `slot ^ 1` is the other side of the scene.
    row, label : (E,) int64
    partner : (E,) int64: the member it is matched with, −1 if none
    iou : (E,) float64 with the partner, 0 if none
    regions : those of `Objects`
    rank : (E,) int64
    order : (E,) int64: which of the objects of a, then of b, each member is
    """

    slot: np.ndarray
    row: np.ndarray
    label: np.ndarray
    partner: np.ndarray
    iou: np.ndarray
    regions: Region
    rank: np.ndarray
    order: np.ndarray

    @property
    def scene(self) -> np.ndarray:
        return self.slot >> 1

    @property
    def side(self) -> np.ndarray:
        return self.slot & 1

    def at(self, members: np.ndarray, /) -> Region:
        """The regions of some members."""
        return self.regions[self.row[members]]


def members_of(
    objects: Objects, left: Side, right: Side, matched: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], /
) -> Members:
    """All objects of both sides in their order. `matched` are scene, row of a, row of b and IoU of each pair."""
    slot = np.concatenate([left.scene * 2, right.scene * 2 + 1])
    row = np.concatenate([left.row, right.row])
    rank = objects.rank[row]
    order = np.lexsort((rank, slot))
    slot, row, rank = slot[order], row[order], rank[order]

    scene, a, b, iou = matched
    ends = _places(slot, row, np.concatenate([scene * 2, scene * 2 + 1]), np.concatenate([a, b]), len(objects.label))
    partner, shared = np.full(len(row), -1), np.zeros(len(row))
    first, second = np.split(ends, 2)
    partner[first], partner[second] = second, first
    shared[first] = shared[second] = iou
    return Members(slot, row, objects.label[row], partner, shared, objects.regions, rank, order)


def _places(slot: np.ndarray, row: np.ndarray, slots: np.ndarray, rows: np.ndarray, count: int) -> np.ndarray:
    """Which members stand in these slots and have these rows."""
    codes, wanted = slot * count + row, slots * count + rows
    order = np.argsort(codes)
    found = np.searchsorted(codes, wanted, sorter=order)
    check.drawn_in_scenes(codes[order], found, wanted, count)
    return order[found]
