"""Pairing: which object of one annotator is which of another, in all image pairs at once, by geometry alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vesica import _check as check
from vesica._kernels import pick_arrays
from vesica.agreement.order import order_by
from vesica.agreement.scenes import Side
from vesica.overlaps.join import join
from vesica.regions import Region

if TYPE_CHECKING:
    from vesica.agreement.annotations import Annotations
    from vesica.agreement.image_pairs import ImagePairs
    from vesica.agreement.policy import AgreementPolicy

_NEAR = 2.0**-40
"""Values this near a threshold are decided exactly; others cannot be wrong by rounding."""


@dataclass(frozen=True, eq=False)
class Contacts:
    """Pairs of objects of both sides that share area, by place in the sides, then by the other's place.

    Attributes
    ----------
    left, right : (C,) int64: places in the two sides
    iou : (C,) float64
    """

    left: np.ndarray
    right: np.ndarray
    iou: np.ndarray

    def __len__(self) -> int:
        return len(self.iou)

    def __getitem__(self, places: np.ndarray) -> Contacts:
        return Contacts(self.left[places], self.right[places], self.iou[places])


@dataclass(frozen=True, eq=False)
class Partners:
    """What became of each object of one side, in the order of the side.

    Attributes
    ----------
    partner : (n,) int64: the object it is matched with, −1 if none
    iou : (n,) float64 with it, 0 if none
    alternative : (n,) int64: of all others that it touches, the one with the largest IoU; −1 if there is none
    margin : (n,) float64: the IoU with the partner less that with the alternative. It may be below 0, where the best
        for all was not the best for each.
    """

    partner: np.ndarray
    iou: np.ndarray
    alternative: np.ndarray
    margin: np.ndarray


@dataclass(frozen=True, eq=False)
class Pairing:
    """The matched pairs of all scenes, by scene, then row of a.

    Attributes
    ----------
    scene, a, b : (M,) int64: the scene, and the objects of both sides
    iou : (M,) float64
    left, right : Partners of each object of side a and of side b
    objective : (S,) float64: the sum of IoU that was reached in each scene, the largest there is
    """

    scene: np.ndarray
    a: np.ndarray
    b: np.ndarray
    iou: np.ndarray
    left: Partners
    right: Partners
    objective: np.ndarray

    def __len__(self) -> int:
        return len(self.iou)


def contacts_of(drawn: Annotations, scenes: ImagePairs, /, *, threads: int | None = None) -> Contacts:
    """All pairs of both sides of a scene that share area. Objects are compared once, however many scenes have them."""
    found = join(drawn.objects.regions, at_least=0, strict=True, keys=drawn.image, threads=threads)
    one, other, iou = (np.asarray(column) for column in found)  # by image, annotator and round: side a first
    scene = scenes.find(drawn, one, other)
    if np.any(scene < 0):
        met = np.flatnonzero(scene >= 0)
        scene, one, other, iou = scene[met], one[met], other[met], iou[met]
    begin = _block_begins(drawn)
    places = [
        _begins(side, len(scenes))[scene] + row - begin[row]
        for side, row in ((scenes.left, one), (scenes.right, other))
    ]
    order = order_by(*places)
    return Contacts(places[0][order], places[1][order], iou[order])


def _block_begins(drawn: Annotations) -> np.ndarray:
    """(N,) of each object the first of its annotator in its image and round."""
    is_new = np.ones(len(drawn), bool)
    for column in (drawn.image, drawn.annotator, drawn.round):
        is_new[1:] &= column[1:] == column[:-1]
    is_new[1:] = ~is_new[1:]
    starts = np.flatnonzero(is_new)
    begins: np.ndarray = starts[np.cumsum(is_new) - 1] if len(drawn) else starts
    return begins


def pair(
    drawn: Annotations,
    scenes: ImagePairs,
    contacts: Contacts,
    /,
    *,
    policy: AgreementPolicy,
    threads: int | None = None,
) -> Pairing:
    """Match objects one to one: of the pairs that reach `match_at`, those with the largest sum of IoU.

    Ties are decided by geometry, then ids: the side with the first object in that order chooses, so that no answer
    depends on which side is a. No third annotator matters, and no label.
    """
    touching = contacts[reaching(drawn.objects.regions, scenes, contacts, policy.contact)]
    strict = policy.match_strict
    allowed = touching[reaching(drawn.objects.regions, scenes, touching, policy.match_at, strict=strict)]
    chosen = _optimal(drawn, scenes, allowed, threads)

    matched = allowed[chosen]  # by place on the left, as all contacts are
    partner = np.full(len(scenes.left.row), -1), np.full(len(scenes.right.row), -1)
    partner[0][matched.left], partner[1][matched.right] = matched.right, matched.left
    rank = drawn.objects.rank
    scene = scenes.left.scene[matched.left]
    return Pairing(
        scene,
        scenes.left.row[matched.left],
        scenes.right.row[matched.right],
        matched.iou,
        _partners(scenes.right, partner[0], touching.left, touching.right, touching.iou, rank),
        _partners(scenes.left, partner[1], touching.right, touching.left, touching.iou, rank),
        np.bincount(scene, weights=matched.iou, minlength=len(scenes)),
    )


def reaching(
    regions: Region, scenes: ImagePairs, contacts: Contacts, threshold: float, /, *, strict: bool = False
) -> np.ndarray:
    """Which contacts reach a threshold, or exceed it: places, rising. What rounding could change is decided exactly."""
    bound = check.threshold(threshold, "match_at", strict=strict).value
    reaches = contacts.iou > bound if strict else contacts.iou >= bound
    near = np.flatnonzero(np.abs(contacts.iou - bound) <= _NEAR)
    if near.size:
        one, other = scenes.left.row[contacts.left[near]], scenes.right.row[contacts.right[near]]
        keys = np.arange(len(near))
        found = join(regions[one], regions[other], at_least=threshold, strict=strict, keys=(keys, keys))
        reaches[near] = False
        reaches[near[np.asarray(found.i)]] = True
    return np.flatnonzero(reaches)


def _optimal(drawn: Annotations, scenes: ImagePairs, allowed: Contacts, threads: int | None) -> np.ndarray:
    """Places of the chosen pairs. Two that may have nobody else are one: only the others are a question."""
    is_open = np.bincount(allowed.left)[allowed.left] > 1
    is_open |= np.bincount(allowed.right)[allowed.right] > 1
    some = np.flatnonzero(is_open)
    if not len(some):
        return np.arange(len(allowed))

    rest = allowed[some]
    turned = _leads_right(drawn.geometry, scenes)[scenes.left.scene[rest.left]]
    right = rest.right + len(scenes.left.row)
    (rows, row), (columns, column) = (
        np.unique(np.where(turned, *sides), return_inverse=True) for sides in ((right, rest.left), (rest.left, right))
    )
    order = order_by(row, column)
    kernel = pick_arrays("optimal", "pairs", rest.iou)
    places, _ = kernel.call(
        row[order], column[order], rest.iou[order], (len(rows), len(columns)), "sum", threads=threads
    )
    is_open[some[order[places]]] = False
    return np.flatnonzero(~is_open)


def _leads_right(geometry: np.ndarray, scenes: ImagePairs) -> np.ndarray:
    """(S,) bool: does side b come first, by the geometry of its first object that is not the same on side a?"""
    count = len(scenes)
    bounds = [_begins(side, count) for side in (scenes.left, scenes.right)]
    leads, open_scenes, place = np.zeros(count, bool), np.arange(count), 0
    while open_scenes.size:  # as many times as objects are alike at the beginning of both sides
        at = [begin[open_scenes] + place for begin in bounds]
        there = [here < begin[open_scenes + 1] for here, begin in zip(at, bounds, strict=True)]
        both = there[0] & there[1]
        leads[open_scenes[there[0] & ~there[1]]] = True  # the shorter side comes first
        open_scenes, at = open_scenes[both], [here[both] for here in at]
        one, other = geometry[scenes.left.row[at[0]]], geometry[scenes.right.row[at[1]]]
        leads[open_scenes[other < one]] = True
        open_scenes, place = open_scenes[one == other], place + 1
    return leads


def _begins(side: Side, scenes: int) -> np.ndarray:
    """(S + 1,) where the objects of each scene begin in a side, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(np.bincount(side.scene, minlength=scenes))])


def _partners(
    others: Side, partner: np.ndarray, own: np.ndarray, other: np.ndarray, value: np.ndarray, rank: np.ndarray
) -> Partners:
    """Of each object of a side its partner, and the best of all others that it touches."""
    count = len(partner)
    is_own = partner[own] == other
    iou, best = np.zeros(count), np.zeros(count)
    iou[own[is_own]] = value[is_own]
    rest = np.flatnonzero(~is_own)
    np.maximum.at(best, own[rest], value[rest])
    rest = rest[value[rest] == best[own[rest]]]
    place = rank[others.row[other[rest]]]
    first = np.full(count, np.iinfo(np.int64).max)  # ranks differ, so among equals one comes first
    np.minimum.at(first, own[rest], place)
    rest = rest[place == first[own[rest]]]
    alternative = np.full(count, -1)
    alternative[own[rest]] = others.row[other[rest]]
    row = np.where(partner >= 0, others.row[partner] if len(others.row) else -1, -1)
    return Partners(row, iou, alternative, iou - best)
