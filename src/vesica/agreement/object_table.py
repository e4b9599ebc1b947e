"""The table of objects: what each is to the other annotators."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from vesica._array import objects
from vesica.agreement.alphas import asked_of
from vesica.agreement.ledger import TYPES
from vesica.agreement.tables import labels_of, taken_or_none
from vesica.results.tables import Table

if TYPE_CHECKING:
    from vesica.agreement.records import AgreementRecords


def objects_table(records: AgreementRecords, boundary_distance: np.ndarray) -> Table:
    """One row for an object, by image, annotator and geometry."""
    first, cluster, size = np.unique(records.cluster, return_inverse=True, return_counts=True)
    cluster = cluster.reshape(-1)
    type, amount = _losses(records)
    columns: dict[str, np.ndarray] = {
        "image": records.images[records.image],
        "cluster": cluster,
        "annotator": records.annotators[records.annotator],
    }
    if len(np.unique(records.asked_round)) > 1:
        columns["round"] = records.round
    other = np.where(records.cluster_alternative >= 0, np.searchsorted(first, records.cluster_alternative), -1)
    return Table(
        {
            **columns,
            "annotation": records.id,
            "category": labels_of(records)[records.category],
            "votes": size[cluster],
            "assigned": asked_of(records),
            "label_votes": _label_votes(records, cluster, len(first))[cluster],
            "partners": _partners(records, cluster),
            "mean_iou": records.mean_iou,
            "boundary_distance": boundary_distance,
            "margin": records.cluster_margin,
            "alternative": taken_or_none(np.arange(len(first)), other),
            "type": taken_or_none(objects(TYPES), type),
            "amount": amount,
        }
    )


def _losses(records: AgreementRecords) -> tuple[np.ndarray, np.ndarray]:
    """The type that cost each object most beside the other annotators, and the mean of what it lost."""
    scenes = records.scenes
    sides = ((records.left, scenes.left), (records.right, scenes.right))
    kept = [np.flatnonzero(~scenes.is_self[own.scene]) for _, own in sides]
    row, type, amount = (
        np.concatenate(parts)
        for parts in zip(
            *(
                (own.row[some], side.type[some], side.amount[some])
                for (side, own), some in zip(sides, kept, strict=True)
            ),
            strict=True,
        )
    )
    times = np.bincount(row, minlength=len(records))
    mean = np.bincount(row, weights=amount, minlength=len(records)) / np.maximum(times, 1)
    lost = type >= 0
    codes, place = np.unique(row[lost] * len(TYPES) + type[lost], return_inverse=True)
    sums = np.bincount(place.reshape(-1), weights=amount[lost], minlength=len(codes))
    which, kind = np.divmod(codes, len(TYPES))
    order = np.lexsort((kind, -sums, which))
    most = order[np.flatnonzero(np.diff(which[order], prepend=-1))]
    found = np.full(len(records), -1)
    found[which[most]] = kind[most]
    return found, mean


def _label_votes(records: AgreementRecords, cluster: np.ndarray, count: int) -> np.ndarray:
    """Of each cluster its labels with their votes, the most first: "car 2, truck 1"."""
    kinds = max(len(records.categories), 1)
    codes, votes = np.unique(cluster * kinds + records.category, return_counts=True)
    of, kind = np.divmod(codes, kinds)
    order = np.lexsort((kind, -votes, of))
    names = labels_of(records).tolist()
    told, which = np.unique(kind * (int(votes.max(initial=0)) + 1) + votes, return_inverse=True)
    texts = objects(f"{names[one]} {number}" for one, number in zip(*_apart(told, votes), strict=True))
    parts, owner = texts[which.reshape(-1)[order]], of[order]
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    found = parts[starts]  # most clusters have one label
    for place in np.flatnonzero(np.diff(starts, append=len(owner)) > 1).tolist():
        end = starts[place + 1] if place + 1 < count else len(owner)
        found[place] = ", ".join(parts[starts[place] : end])
    return np.asarray(found)


def _apart(codes: np.ndarray, votes: np.ndarray) -> tuple[list[int], list[int]]:
    """Kinds and votes that were put into one number."""
    kind, number = np.divmod(codes, int(votes.max(initial=0)) + 1)
    return kind.tolist(), number.tolist()


def _partners(records: AgreementRecords, cluster: np.ndarray) -> np.ndarray:
    """Of each object the others of its cluster: (annotator, annotation), by annotator."""
    order = np.argsort(cluster, kind="stable")
    starts = np.flatnonzero(np.diff(cluster[order], prepend=-1)).tolist()
    who, id = records.annotators[records.annotator[order]].tolist(), records.id[order].tolist()
    named = list(zip(who, id, strict=True))
    found: list[tuple[tuple[object, object], ...]] = []
    for begin, end in itertools.pairwise([*starts, len(named)]):
        members = tuple(named[begin:end])
        found += [members[:k] + members[k + 1 :] for k in range(end - begin)]
    column = np.empty(len(found), object)
    column[order] = objects(found)
    return column
