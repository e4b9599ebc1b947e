"""Scenes: one image as two annotators drew it, for all images and pairs of annotators at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vesica._check import ledger as check
from vesica.agreement.lookup import places_of
from vesica.agreement.order import order_by
from vesica.regions import Region

ROUNDING = 2.0**-40
"""Shares that differ by less may differ by rounding alone."""


@dataclass(frozen=True, eq=False)
class Objects:
    """What was drawn, by anybody, in any image.

    Attributes
    ----------
    regions : N regions of one kind, measured in float64; masks of images of different size are pasted into the largest
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
    area : (E,) float64
    rank : (E,) int64
    regions : those of `Objects`
    order : (E,) int64: which of the objects of a, then of b, each member is
    """

    slot: np.ndarray
    row: np.ndarray
    label: np.ndarray
    partner: np.ndarray
    iou: np.ndarray
    area: np.ndarray
    rank: np.ndarray
    regions: Region
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


@dataclass(frozen=True, eq=False)
class Touching:
    """Pairs of members of both sides of a scene that share area.

    Attributes
    ----------
    a, b : (C,) int64: members
    iou : (C,) float64
    """

    a: np.ndarray
    b: np.ndarray
    iou: np.ndarray


def members_of(
    objects: Objects, left: Side, right: Side, matched: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], /
) -> Members:
    """All objects of both sides in their order. `matched` are scene, row of a, row of b and IoU of each pair."""
    slot = np.concatenate([left.scene * 2, right.scene * 2 + 1])
    row = np.concatenate([left.row, right.row])
    rank = objects.rank[row]
    order = order_by(slot, rank)
    slot, row, rank = slot[order], row[order], rank[order]

    scene, a, b, iou = matched
    count = len(objects.label)
    wanted = np.concatenate([scene * 2 * count + a, (scene * 2 + 1) * count + b])
    ends, missing = places_of(wanted, slot * count + row)
    check.drawn_in_scenes(wanted[missing], count)
    partner, shared = np.full(len(row), -1), np.zeros(len(row))
    first, second = np.split(ends, 2)
    partner[first], partner[second] = second, first
    shared[first] = shared[second] = iou
    area = np.asarray(objects.regions.area, np.float64)[row]
    return Members(slot, row, objects.label[row], partner, shared, area, rank, objects.regions, order)
