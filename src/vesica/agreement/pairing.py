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

    @property
    def turned(self) -> Contacts:
        """The same pairs as the right side sees them, in the same order."""
        return Contacts(self.right, self.left, self.iou)


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
    # By image, row of a and row of b they are already, so that a merge sort has little to do; −1 is in no scene.
    order = np.argsort(scene, kind="stable")[np.count_nonzero(scene < 0) :]
    scene, one, other = scene[order], one[order], other[order]
    within = np.arange(len(drawn)) - _block_begins(drawn)
    left, right = (_begins(side, len(scenes))[scene] for side in (scenes.left, scenes.right))
    return Contacts(left + within[one], right + within[other], iou[order])


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
    partner = np.full(len(scenes.left.row), -1)
    partner[matched.left] = matched.right
    others = touching[np.flatnonzero(partner[touching.left] != touching.right)]
    rank = drawn.objects.rank
    scene = scenes.left.scene[matched.left]
    return Pairing(
        scene,
        scenes.left.row[matched.left],
        scenes.right.row[matched.right],
        matched.iou,
        _partners(scenes.left, scenes.right, matched, others, rank),
        _partners(scenes.right, scenes.left, matched.turned, others.turned, rank),
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
    """Places of the chosen pairs. Two that can be matched with each other alone are a pair; the others are
    matched by the kernel."""
    is_open = np.bincount(allowed.left)[allowed.left] > 1
    is_open |= np.bincount(allowed.right)[allowed.right] > 1
    some = np.flatnonzero(is_open)
    if not len(some):
        return np.arange(len(allowed))

    rest = allowed[some]
    asked, of_pair = np.unique(scenes.left.scene[rest.left], return_inverse=True)
    turned = _leads_right(drawn.geometry, scenes, asked)[of_pair]
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


def _leads_right(geometry: np.ndarray, scenes: ImagePairs, asked: np.ndarray) -> np.ndarray:
    """Does side b of each scene come first, by the geometry of its first object that is not the same on side a?"""
    sides = scenes.left, scenes.right
    at = [np.searchsorted(side.scene, asked) for side in sides]
    ends = [np.searchsorted(side.scene, asked, "right") for side in sides]
    leads, unknown = np.zeros(len(asked), bool), np.arange(len(asked))
    while unknown.size:  # as many times as objects are alike at the beginning of both sides
        there = [here[unknown] < end[unknown] for here, end in zip(at, ends, strict=True)]
        leads[unknown[there[0] & ~there[1]]] = True  # the shorter side comes first
        unknown = unknown[there[0] & there[1]]
        one, other = (geometry[side.row[here[unknown]]] for side, here in zip(sides, at, strict=True))
        leads[unknown[other < one]] = True
        unknown = unknown[one == other]
        for here in at:
            here[unknown] += 1
    return leads


def _begins(side: Side, scenes: int) -> np.ndarray:
    """(S + 1,) where the objects of each scene begin in a side, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(np.bincount(side.scene, minlength=scenes))])


def _partners(side: Side, opposite: Side, matched: Contacts, others: Contacts, rank: np.ndarray) -> Partners:
    """Of each object of a side its partner, and the best of all others that it touches."""
    count = len(side.row)
    partner, alternative = np.full(count, -1), np.full(count, -1)
    iou, best = np.zeros(count), np.zeros(count)
    partner[matched.left], iou[matched.left] = opposite.row[matched.right], matched.iou
    np.maximum.at(best, others.left, others.iou)
    equals = others[np.flatnonzero(others.iou == best[others.left])]
    row = opposite.row[equals.right]
    last_first = order_by(equals.left, rank[row])[::-1]  # what is written last stays: of equals the first by rank
    alternative[equals.left[last_first]] = row[last_first]
    return Partners(partner, iou, alternative, np.subtract(iou, best, out=best))
