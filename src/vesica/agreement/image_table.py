"""The table of images: what annotators lost in each, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vesica._array import objects
from vesica.agreement.alphas import asked_of, ratings_of
from vesica.agreement.annotator_table import attributed
from vesica.agreement.attribution import LEAST
from vesica.agreement.ledger import EXTRA, MISSING, TYPES
from vesica.agreement.tables import labels_of, rate
from vesica.agreement.tallies import Tallies
from vesica.results.tables import Table

if TYPE_CHECKING:
    from vesica.agreement.records import AgreementRecords

MOST = 3
"""Reasons that are told of an image."""
_BLAMED = {"label": "label", "loose edge": "loose_edge"}
"""Types of which one of three or more annotators can be told to differ from the others, and the count of it."""


class Reason(NamedTuple):
    """A type of disagreement of one image."""

    type: str
    amount: float
    category: str
    """The category that lost most by it."""
    annotator: object
    """Who differs most from the others by it; None where that cannot be told."""

    def __str__(self) -> str:
        whose = f" by {self.annotator}" if self.annotator is not None else f" on {self.category}"
        return f"{self.type} {self.amount:.1f}{whose}"


def images_table(records: AgreementRecords, tallies: Tallies, edge_share: np.ndarray) -> Table:
    """One row for an image, in the order of ids."""
    count = len(records.images)
    scenes = records.scenes
    rows = np.flatnonzero(~scenes.is_self[tallies.scene])
    image, sums = scenes.image[tallies.scene[rows]], tallies.sums
    credit, units = (np.bincount(image, weights=sums[name][rows], minlength=count) for name in ("credit", "units"))
    lost = _lost(records)
    people = _annotators(records)
    order = np.lexsort((np.arange(count), -lost))
    rank = np.empty(count, np.int64)
    rank[order] = np.arange(1, count + 1)
    told = reasons_of(records, np.arange(count))
    columns: dict[str, np.ndarray] = {"image": records.images}
    for name, column in (("group", records.group), ("batch", records.batch)):
        if column is not None:
            columns[name] = column
    return Table(
        {
            **columns,
            "n_annotators": people,
            "n_objects": np.bincount(records.image, minlength=count),
            "agreement": rate(credit, units),
            "units": units,
            "lost": lost,
            "worst_category": _worst_category(records),
            "reasons": objects("; ".join(map(str, own)) for own in told),
            "vote_entropy": _entropy(records),
            "edge_share": edge_share,
            "rank": rank,
            "status": _status(people, units),
        }
    )


def _status(people: np.ndarray, units: np.ndarray) -> np.ndarray:
    alone = np.where(people < 2, "one_annotator", "ok")
    return np.where((people > 1) & (units == 0), "both_empty", alone).astype(object)


def _lost(records: AgreementRecords) -> np.ndarray:
    """The sum of all amounts in each image."""
    lines, scenes = records.lines, records.scenes
    rows = np.flatnonzero(~scenes.is_self[lines.scene])
    return np.bincount(scenes.image[lines.scene[rows]], weights=lines.amount[rows], minlength=len(records.images))


def _annotators(records: AgreementRecords) -> np.ndarray:
    """How many annotators were asked for each image."""
    people = max(len(records.annotators), 1)
    codes = np.unique(records.asked_image * people + records.asked_annotator)
    return np.bincount(codes // people, minlength=len(records.images))


def _worst_category(records: AgreementRecords) -> np.ndarray:
    """The category that lost most in each image, among equals the first; None where nothing was lost."""
    lines, scenes, kinds = records.lines, records.scenes, max(len(records.categories), 1)
    rows = np.flatnonzero(~scenes.is_self[lines.scene])
    codes, place = np.unique(scenes.image[lines.scene[rows]] * kinds + lines.category[rows], return_inverse=True)
    amount = np.bincount(place.reshape(-1), weights=lines.amount[rows], minlength=len(codes))
    image, kind = np.divmod(codes, kinds)
    order = np.lexsort((kind, -amount, image))
    first = order[np.flatnonzero(np.diff(image[order], prepend=-1))]
    found = np.full(len(records.images), None, object)
    found[image[first]] = labels_of(records)[kind[first]]
    return found


def _entropy(records: AgreementRecords) -> np.ndarray:
    """The mean entropy of the votes on each cluster of an image, in bits; NaN where there is none."""
    ratings, values = ratings_of(records), len(records.categories) + 1
    codes, count = np.unique(ratings.unit * values + ratings.value, return_counts=True)
    unit = codes // values
    size = np.bincount(ratings.unit)[unit] if len(unit) else np.empty(0, np.int64)
    share = count / size
    units = int(unit.max(initial=-1)) + 1
    bits = np.bincount(unit, weights=-share * np.log2(share), minlength=units)
    image_of = np.zeros(units, np.int64)
    image_of[ratings.unit] = ratings.image
    count_of = np.bincount(image_of, minlength=len(records.images))
    return rate(np.bincount(image_of, weights=bits, minlength=len(records.images)), count_of)


def reasons_of(records: AgreementRecords, images: np.ndarray, /) -> list[list[Reason]]:
    """The types that cost most in each of some images, at most three, the largest first.

    Where three or more were asked, most of them decide whether an object that only one of two has was missed by the
    other or made up; which of two comes first in the table does not matter then.
    """
    told = _told(records, images)
    cells, place = np.unique(told.image * len(TYPES) + told.type, return_inverse=True)
    place = place.reshape(-1)
    amount = np.bincount(place, weights=told.amount, minlength=len(cells))
    category = _largest(place, told.category, told.amount, len(cells))
    of_image, of_type = np.divmod(cells, len(TYPES))
    known = told.who >= 0
    blamed = _largest(place[known], told.who[known], told.amount[known], len(cells), missing=-1)
    blamed = np.where(blamed >= 0, blamed, _blamed(records, of_image, of_type))
    order = np.lexsort((of_type, -amount, of_image))
    found: dict[int, list[Reason]] = {}
    names, people = labels_of(records).tolist(), records.annotators.tolist()
    for cell in order.tolist():
        own = found.setdefault(int(of_image[cell]), [])
        if len(own) < MOST:
            who = people[blamed[cell]] if blamed[cell] >= 0 else None
            own.append(Reason(TYPES[of_type[cell]], float(amount[cell]), str(names[category[cell]]), who))
    return [found.get(place, []) for place in images.tolist()]


class _Told(NamedTuple):
    """Losses of some images: where, of which type, of which category, how much, and by whom (−1: that is not known)."""

    image: np.ndarray
    type: np.ndarray
    category: np.ndarray
    amount: np.ndarray
    who: np.ndarray


def _told(records: AgreementRecords, images: np.ndarray) -> _Told:
    lines, scenes = records.lines, records.scenes
    several = _annotators(records) >= LEAST
    wanted = np.zeros(len(records.images), bool)
    wanted[images] = True
    image = scenes.image[lines.scene]
    alone = (lines.type == MISSING) | (lines.type == EXTRA)
    kept = np.flatnonzero(~scenes.is_self[lines.scene] & wanted[image] & ~(alone & several[image]))
    parts = [
        _Told(image[kept], lines.type[kept], lines.category[kept], lines.amount[kept], np.full(len(kept), -1)),
        *(_alone(records, name, wanted & several) for name in ("left", "right")),
    ]
    return _Told(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _alone(records: AgreementRecords, name: str, wanted: np.ndarray) -> _Told:
    """What one of two drew alone: missed by the other, if a quorum has it, or else made up."""
    scenes, outcomes = records.scenes, getattr(records, name)
    side, others = getattr(scenes, name), scenes.b if name == "left" else scenes.a
    alone = (outcomes.type == MISSING) | (outcomes.type == EXTRA)
    kept = np.flatnonzero(alone & ~scenes.is_self[side.scene] & wanted[scenes.image[side.scene]])
    row, scene = side.row[kept], side.scene[kept]
    votes, asked = np.bincount(records.cluster, minlength=len(records))[records.cluster], asked_of(records)
    enough = np.array([records.policy.needed(count) for count in range(int(asked.max(initial=0)) + 1)])
    is_there = (votes >= enough[asked])[row]
    who = np.where(is_there, others[scene], records.annotator[row])
    kind = np.where(is_there, MISSING, EXTRA)
    return _Told(scenes.image[scene], kind, records.category[row], outcomes.amount[kept], who)


def _largest(place: np.ndarray, kind: np.ndarray, amount: np.ndarray, cells: int, missing: int = 0) -> np.ndarray:
    """Of each cell the kind with the largest amount, among equals the first; `missing` where it has none."""
    kinds = int(kind.max(initial=0)) + 1
    codes, where = np.unique(place * kinds + kind, return_inverse=True)
    sums = np.bincount(where.reshape(-1), weights=amount, minlength=len(codes))
    cell, which = np.divmod(codes, kinds)
    order = np.lexsort((which, -sums, cell))
    first = order[np.flatnonzero(np.diff(cell[order], prepend=-1))]
    found = np.full(cells, missing)
    found[cell[first]] = which[first]
    return found


def _blamed(records: AgreementRecords, image: np.ndarray, type: np.ndarray) -> np.ndarray:
    """Who differs most from the others by a type in an image; −1 where nobody does, or it cannot be told."""
    found = np.full(len(image), -1)
    counts = attributed(records)
    for number, name in enumerate(TYPES):
        if name not in _BLAMED:
            continue
        amount = getattr(counts, _BLAMED[name])
        some = np.flatnonzero(amount > 0)
        who, of = records.asked_annotator[some], records.asked_image[some]
        order = np.lexsort((who, -amount[some], of))
        first = order[np.flatnonzero(np.diff(of[order], prepend=-1))]
        most = np.full(len(records.images), -1)
        most[of[first]] = who[first]
        found = np.where(type == number, most[image] if len(most) else -1, found)
    return found
