"""The table of the ledger: what was lost, by type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vesica._array import objects
from vesica._ragged import taken
from vesica.agreement.ledger import BESIDE, TYPES
from vesica.agreement.tables import Resample, annotator_pairs, labels_of, rate
from vesica.agreement.tallies import Tallies
from vesica.results.tables import Table

if TYPE_CHECKING:
    from vesica.agreement.records import AgreementRecords


class _Written(NamedTuple):
    """Lines of a ledger between different annotators; those of `BESIDE` have the types behind `TYPES`, and amount 0."""

    scene: np.ndarray
    type: np.ndarray
    category: np.ndarray
    amount: np.ndarray


def _written(records: AgreementRecords, tallies: Tallies) -> _Written:
    lines = records.lines
    rows = np.flatnonzero(~records.scenes.is_self[lines.scene])
    parts = [_Written(lines.scene[rows], lines.type[rows], lines.category[rows], lines.amount[rows])]
    matched = np.flatnonzero((tallies.a >= 0) & (tallies.b >= 0) & ~records.scenes.is_self[tallies.scene])
    for number, column in enumerate((records.attributes, records.has_mask, records.crowd), len(TYPES)):
        differ = matched[column[tallies.a[matched]] != column[tallies.b[matched]]]
        parts.append(
            _Written(
                tallies.scene[differ], np.full(len(differ), number), tallies.category[differ], np.zeros(len(differ))
            )
        )
    return _Written(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def ledger_table(
    records: AgreementRecords, tallies: Tallies, by: Sequence[str], resample: Resample | None = None
) -> Table:
    """What was lost, by type: how often, how much, and which share of all units; and how often matched pairs differ in
    what costs nothing. With `by`, for two annotators or a category each."""
    scenes, lines, types = records.scenes, _written(records, tallies), (*TYPES, *BESIDE)
    people, pair_of = annotator_pairs(records)
    pair = pair_of[lines.scene] if "annotators" in by else np.zeros(len(lines.scene), np.int64)
    kind = lines.category if "category" in by else np.zeros(len(lines.scene), np.int64)
    kinds = len(records.categories) if "category" in by else 1
    codes, place, count = np.unique(
        (pair * kinds + kind) * len(types) + lines.type, return_inverse=True, return_counts=True
    )
    amount = np.bincount(place.reshape(-1), weights=lines.amount, minlength=len(codes))
    rest, type = np.divmod(codes, len(types))
    which, category = np.divmod(rest, kinds)
    in_scene = np.bincount(scenes.left.scene, minlength=len(scenes)) + np.bincount(
        scenes.right.scene, minlength=len(scenes)
    )
    others = np.flatnonzero(~scenes.is_self)
    units = np.bincount(pair_of[others], weights=in_scene[others] / 2, minlength=len(people))
    whole = units[which] if "annotators" in by else np.full(len(codes), units.sum())
    ends: dict[str, np.ndarray] = {}
    if resample is not None:
        group = pair_of[others] if "annotators" in by else np.zeros(len(others), np.int64)
        cell, scene = _scenes_of_cells(which, group)
        scene = others[scene]
        lo, hi = resample(
            np.concatenate([place.reshape(-1), cell]),
            scenes.image[np.concatenate([lines.scene, scene])],
            np.concatenate([lines.amount, np.zeros(len(cell))]),
            np.concatenate([np.zeros(len(lines.scene)), in_scene[scene] / 2]),
            len(codes),
        )
        ends = {"lo": lo, "hi": hi}
    columns: dict[str, np.ndarray] = {}
    if "annotators" in by:
        columns["annotator_a"] = records.annotators[people[which, 0]]
        columns["annotator_b"] = records.annotators[people[which, 1]]
    if "category" in by:
        columns["category"] = labels_of(records)[category]
    columns |= {"type": objects(types)[type], "count": count, "amount": amount, "share": rate(amount, whole)}
    return Table(columns | ends)


def _scenes_of_cells(which: np.ndarray, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every cell with each scene of its group, whose units it is a share of: places of both."""
    order = np.argsort(group, kind="stable")
    offsets = np.searchsorted(group[order], np.arange(int(which.max(initial=-1)) + 2))
    ends, places = taken(offsets, which)
    return np.repeat(np.arange(len(which)), np.diff(ends)), order[places]
