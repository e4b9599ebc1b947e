"""Groups: each object of a scene belongs to one, which says how the two annotators differ about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vesica._check import Share
from vesica.agreement.scenes import Members
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


def groups_of(members: Members, /, *, policy: AgreementPolicy, threads: int | None = None) -> Groups:
    """Sort the members of every scene into groups."""
    free = members.partner < 0
    copies = _copies(members, policy.duplicate, threads)
    free[copies] = False
    stars = stars_of(members, free, part=policy.part, threads=threads)
    in_star = np.zeros(len(free), bool)
    in_star[stars.whole] = in_star[stars.part] = True
    free &= ~in_star
    near = _near(members, free, policy.contact, threads)
    free[near] = False

    matched = np.flatnonzero((members.partner >= 0) & (members.side == 0) & ~in_star)
    return Groups(copies, stars, near, matched, np.flatnonzero(free))


def _copies(members: Members, duplicate: Share, threads: int | None) -> np.ndarray:
    """Unmatched members that reach `duplicate` with a matched or an earlier one of the same side."""
    unmatched = np.flatnonzero(members.partner < 0)
    others = np.flatnonzero(np.isin(members.slot, members.slot[unmatched]))
    keys = (members.slot[unmatched], members.slot[others])
    found = join(members.at(unmatched), members.at(others), at_least=duplicate, keys=keys, threads=threads)
    one, other = unmatched[found.i], others[found.j]
    # Members of one side stand in the order of their rank: earlier is lower.
    repeats = (members.partner[other] >= 0) | (other < one)
    return np.unique(one[repeats])


def _near(members: Members, free: np.ndarray, contact: Share, threads: int | None) -> np.ndarray:
    """Pairs of free members that reach `contact`, one to one, with the largest sum of IoU.

    Ties are decided by what comes first. So that swapping the sides changes no pair, the side with the first member by
    rank comes first in each scene.
    """
    left = np.flatnonzero(free)
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
