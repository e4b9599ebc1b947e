"""The ledger: what keeps two annotators from agreeing, each loss with a type and an amount; they add up to the gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vesica.agreement.groups import Groups, groups_of
from vesica.agreement.scenes import Members, Objects, Side, Touching, members_of
from vesica.agreement.stars import Stars
from vesica.overlaps.join import join

if TYPE_CHECKING:
    from vesica.agreement.pairing import Contacts, Pairing
    from vesica.agreement.policy import AgreementPolicy

TYPES = ("loose edge", "label", "split", "merge", "missing", "extra", "duplicate")
"""How annotators differ; a type is written as its place here."""
LOOSE_EDGE, LABEL, SPLIT, MERGE, MISSING, EXTRA, DUPLICATE = range(len(TYPES))
BESIDE = ("attribute", "kind", "crowd_flag")
"""How matched pairs may differ that costs nothing: in what else is said of them, as a box and a mask, as a group. They
are counted beside the sum."""
NONE = -1
"""The type of an object that loses nothing."""


@dataclass(frozen=True, eq=False)
class Losses:
    """What each object of one side loses: half of what its pair falls short of full credit, or half a unit alone.

    Attributes
    ----------
    type : (n,) int64: the largest type of its group, a place in `TYPES`; −1 where nothing is lost
    amount : (n,) float64, from 0 to ½
    """

    type: np.ndarray
    amount: np.ndarray


@dataclass(frozen=True, eq=False)
class Cells:
    """Sums of a ledger by scene, category and type; `count` is the number of lines."""

    scene: np.ndarray
    category: np.ndarray
    type: np.ndarray
    count: np.ndarray
    amount: np.ndarray


@dataclass(frozen=True, eq=False)
class Ledger:
    """The losses of S scenes, line by line. In each scene the amounts add up to `units` − `credit`.

    Attributes
    ----------
    units : (S,) float64: half the objects of both sides
    credit : (S,) float64: what matched pairs of one label earn; `credit / units` is the agreement
    scene, type, category : (L,) int64 columns of the lines, by scene, then type. A pair or a star has the label of
        side a, an object alone its own.
    amount : (L,) float64, above 0
    a, b : Losses, in the order of the sides
    """

    units: np.ndarray
    credit: np.ndarray
    scene: np.ndarray
    type: np.ndarray
    category: np.ndarray
    amount: np.ndarray
    a: Losses
    b: Losses

    def by_type(self) -> np.ndarray:
        """(S, 7): the amounts of each scene, in the order of `TYPES`."""
        place = self.scene * len(TYPES) + self.type
        sums = np.bincount(place, weights=self.amount, minlength=len(self.units) * len(TYPES))
        return sums.reshape(-1, len(TYPES))

    def cells(self) -> Cells:
        """Lines of one scene, category and type as one."""
        order = np.lexsort((self.type, self.category, self.scene))
        keys = np.stack([self.scene, self.category, self.type])[:, order]
        is_new = np.ones(len(order), bool)
        is_new[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
        starts = np.flatnonzero(is_new)
        amount = np.add.reduceat(self.amount[order], starts) if starts.size else np.empty(0)
        scene, category, type = keys[:, starts]
        return Cells(scene, category, type, np.diff(starts, append=len(order)), amount)


def ledger(
    pairing: Pairing,
    objects: Objects,
    a: Side,
    b: Side,
    /,
    *,
    scenes: int,
    policy: AgreementPolicy,
    contacts: Contacts | None = None,
    threads: int | None = None,
) -> Ledger:
    """Find out for every object of every scene how the two annotators differ about it, and what that costs.

    An object weighs ½. Each enters one group: a copy of another one of its side; a star, one whole that the other side
    drew in parts; a pair that touches without matching; a matched pair; or it is alone. What a group costs follows
    from its kind.

    Parameters
    ----------
    pairing : the matched pairs: `scene`, the rows `a` and `b` of the objects, `iou`
    objects : what was drawn
    a, b : which objects each side has in each scene
    scenes : how many scenes there are, with those in which nobody drew anything
    policy : its `credit`, `match_at`, `match_strict`, `contact`, `part` and `duplicate`
    contacts : all pairs of both sides that share area, by their places in the sides; looked for where not given
    """
    members = members_of(objects, a, b, (pairing.scene, pairing.a, pairing.b, pairing.iou))
    touching = _touching(members, contacts, len(a.row), threads)
    groups = groups_of(members, touching, policy=policy, threads=threads)

    worth = np.where(members.partner >= 0, _credit(members.iou, policy), 0.0)
    earned = worth * (members.label == members.label[members.partner])
    lines = _lines(members, groups, worth, earned, policy)
    types = _types(members, groups, worth)

    losses = np.empty(len(types), np.int64), np.empty(len(types))
    losses[0][members.order], losses[1][members.order] = types, (1 - earned) / 2
    sides = [Losses(*(column[part] for column in losses)) for part in (slice(len(a.row)), slice(len(a.row), None))]
    units = np.bincount(members.scene, minlength=scenes) / 2
    credit = np.bincount(members.scene, weights=earned * (members.side == 0), minlength=scenes)
    return Ledger(units, credit, *lines, *sides)


def _touching(members: Members, contacts: Contacts | None, count_a: int, threads: int | None) -> Touching:
    """The pairs of both sides that share area, as members."""
    if contacts is None:
        left, right = (np.flatnonzero(members.side == side) for side in (0, 1))
        keys = (members.scene[left], members.scene[right])
        found = join(members.at(left), members.at(right), at_least=0, strict=True, keys=keys, threads=threads)
        return Touching(left[found.i], right[found.j], np.asarray(found.value, np.float64))
    member = np.empty(len(members.order), np.int64)
    member[members.order] = np.arange(len(member))
    return Touching(member[contacts.left], member[count_a + contacts.right], contacts.iou)


def _credit(iou: np.ndarray, policy: AgreementPolicy) -> np.ndarray:
    """What an overlap is worth that reaches `match_at`, as that of every matched pair does."""
    return iou if policy.credit == "iou" else np.ones_like(iou)


def _lines(
    members: Members, groups: Groups, worth: np.ndarray, earned: np.ndarray, policy: AgreementPolicy
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Scene, type, category and amount of all lines, in an order that depends on scenes and ranks alone."""
    label, first = members.label, groups.matched
    differ = label[first] != label[members.partner[first]]
    written = [
        (LOOSE_EDGE, first, label[first], 1 - worth[first]),
        (LABEL, first, label[first], worth[first] * differ),
        *_lines_of_stars(members, groups.stars, earned, policy),
        (LOOSE_EDGE, groups.near[0], label[groups.near[0]], 1.0),
        (np.where(members.side[groups.alone] == 0, MISSING, EXTRA), groups.alone, label[groups.alone], 0.5),
        (DUPLICATE, groups.copies, label[groups.copies], 0.5),
    ]
    type, member, category, amount = (
        np.concatenate([np.broadcast_to(line[place], line[1].shape) for line in written]) for place in range(4)
    )
    some = np.flatnonzero(amount > 0)
    order = some[np.lexsort((member[some], type[some], members.scene[member[some]]))]
    return members.scene[member[order]], type[order], category[order], amount[order]


_Line = tuple[int | np.ndarray, np.ndarray, np.ndarray, float | np.ndarray]
"""Type, member, category, amount."""


def _lines_of_stars(members: Members, stars: Stars, earned: np.ndarray, policy: AgreementPolicy) -> list[_Line]:
    """What the union leaves to be wished is edge or label; the rest is that there are several parts."""
    whole, is_split = stars.whole, members.side[stars.whole] == 0
    own, other = members.label[whole], members.label[_speakers(members, stars)]
    reaches = stars.iou > policy.match_at if policy.match_strict else stars.iou >= policy.match_at
    worth = np.where(reaches, _credit(stars.iou, policy), 0.0)

    loose, label = 1 - worth, worth * (own != other)
    rest = (stars.sizes + 1) / 2 - earned[whole] - loose - label
    category = np.where(is_split, own, other)
    kinds = (LOOSE_EDGE, loose), (LABEL, label), (np.where(is_split, SPLIT, MERGE), rest)
    return [(type, whole, category, amount) for type, amount in kinds]


def _speakers(members: Members, stars: Stars) -> np.ndarray:
    """The part whose label counts: the matched one, or else the largest, among equals the first by rank."""
    partner = members.partner[stars.whole]
    star = np.repeat(np.arange(len(stars.whole)), stars.sizes)
    largest = np.lexsort((stars.part, -members.area[stars.part], star))[stars.starts]
    speaker: np.ndarray = np.where(partner >= 0, partner, stars.part[largest])
    return speaker


def _types(members: Members, groups: Groups, worth: np.ndarray) -> np.ndarray:
    """For each member the largest type of its group; of edge and label that are equal, label."""
    types = np.full(len(members.row), NONE)
    for one in (groups.matched, members.partner[groups.matched]):
        differs = members.label[one] != members.label[members.partner[one]]
        of_label = differs & (worth[one] >= 1 - worth[one])
        types[one] = np.where(of_label, LABEL, np.where(worth[one] < 1, LOOSE_EDGE, NONE))
    kind = np.where(members.side[groups.stars.whole] == 0, SPLIT, MERGE)
    types[groups.stars.whole], types[groups.stars.part] = kind, np.repeat(kind, groups.stars.sizes)
    types[groups.near] = LOOSE_EDGE
    types[groups.alone] = np.where(members.side[groups.alone] == 0, MISSING, EXTRA)
    types[groups.copies] = DUPLICATE
    return types
