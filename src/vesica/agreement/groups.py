"""Groups: each object of a scene belongs to one, which says how the two annotators differ about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vesica.agreement.lookup import places_of
from vesica.agreement.scenes import ROUNDING, Members, Touching
from vesica.agreement.stars import Stars, stars_of
from vesica.matching.match import match
from vesica.overlaps.join import join

if TYPE_CHECKING:
    from vesica.agreement.policy import AgreementPolicy


@dataclass(frozen=True, eq=False)
class Groups:
    """Members of all scenes by the group that they enter; the first that fits, in this order.

    Attributes
    ----------
    copies : (D,) unmatched members that repeat another one of the same side
    stars : wholes and their parts
    near : (2, P) pairs that touch but do not match, side a first
    matched : (M,) members of side a of all other matched pairs
    alone : (U,) members that have nothing on the other side
    """

    copies: np.ndarray
    stars: Stars
    near: np.ndarray
    matched: np.ndarray
    alone: np.ndarray


def groups_of(
    members: Members, touching: Touching, /, *, policy: AgreementPolicy, threads: int | None = None
) -> Groups:
    """Sort the members of every scene into groups."""
    free = members.partner < 0
    copies = _copies(members, policy.duplicate, threads)
    free[copies] = False
    stars = stars_of(members, touching, free, part=policy.part, threads=threads)
    in_star = np.zeros(len(free), bool)
    in_star[stars.whole] = in_star[stars.part] = True
    free &= ~in_star
    near = _near(members, touching, free, policy.contact, threads)
    free[near] = False

    matched = np.flatnonzero((members.partner >= 0) & (members.side == 0) & ~in_star)
    return Groups(copies, stars, near, matched, np.flatnonzero(free))


def _copies(members: Members, duplicate: float, threads: int | None) -> np.ndarray:
    """Unmatched members that reach `duplicate` with a matched or an earlier one of the same side."""
    one, other = _alike(members, duplicate, threads)
    # Members of one side stand in the order of their rank: earlier is lower.
    repeats = (members.partner[one] < 0) & ((members.partner[other] >= 0) | (other < one))
    return np.unique(one[repeats])


def _alike(members: Members, duplicate: float, threads: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of members of one side of a scene that reach `duplicate`, in both orders.

    Rows are compared once, however many scenes they stand in.
    """
    count = len(members.regions)
    owner = np.arange(count) + int(members.slot.max(initial=-1)) + 1  # a key of its own without a scene
    owner[members.row[::-1]] = members.slot[::-1]  # the first slot: rows of one annotator and image share all of them
    found = join(members.regions, at_least=duplicate, keys=owner, threads=threads)
    rows = np.concatenate([found.i, found.j]), np.concatenate([found.j, found.i])
    order = np.argsort(rows[0], kind="stable")
    row, like = rows[0][order], rows[1][order]

    has_like = np.zeros(count, bool)
    has_like[row] = True
    some = np.flatnonzero(has_like[members.row])
    begin, end = (np.searchsorted(row, members.row[some], side) for side in ("left", "right"))
    offsets = np.concatenate([[0], np.cumsum(end - begin)])
    one = np.repeat(some, end - begin)
    at = np.repeat(begin - offsets[:-1], end - begin) + np.arange(offsets[-1])
    places, _ = places_of(members.slot[one] * count + like[at], members.slot[some] * count + members.row[some])
    return one, some[places]


def _near(members: Members, touching: Touching, free: np.ndarray, contact: float, threads: int | None) -> np.ndarray:
    """Pairs of free members that reach `contact`, one to one, with the largest sum of IoU.

    Ties are decided by what comes first. So that swapping the sides changes no pair, the side with the first member by
    rank comes first in each scene.
    """
    may_pair = free[touching.a] & free[touching.b] & (touching.iou >= contact - ROUNDING)
    left = np.union1d(touching.a[may_pair], touching.b[may_pair])
    scene = members.scene[left]
    by_rank = np.lexsort((members.rank[left], scene))
    leads = left[by_rank[np.flatnonzero(np.diff(scene[by_rank], prepend=-1))]]
    leading = np.zeros(int(scene.max(initial=-1)) + 1, np.int64)
    leading[members.scene[leads]] = members.side[leads]
    is_first = members.side[left] == leading[scene]
    first, second = left[is_first], left[~is_first]
    keys = (members.scene[first], members.scene[second])

    found = match(members.at(first), members.at(second), at_least=contact, how="optimal", keys=keys, threads=threads)
    pairs = np.stack([first[found.truth], second[found.guess]])

    return np.sort(pairs, axis=0)  # members of side a stand before those of side b
