"""The table of objects: what each is to the other annotators."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from vesica._array import objects
from vesica.agreement.alphas import asked_of
from vesica.agreement.ledger import TYPES
from vesica.agreement.tables import labels_of
from vesica.results.tables import Table

if TYPE_CHECKING:
    from vesica.agreement.records import AgreementRecords


def objects_table(records: AgreementRecords) -> Table:
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
    other = np.searchsorted(first, records.cluster_alternative)
    has_other = records.cluster_alternative >= 0
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
            "margin": records.cluster_margin,
            "alternative": objects(
                place if there else None for place, there in zip(other.tolist(), has_other.tolist(), strict=True)
            ),
            "type": objects(None if one < 0 else TYPES[one] for one in type.tolist()),
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
    names = labels_of(records)
    texts: list[list[str]] = [[] for _ in range(count)]
    for place, name, number in zip(of[order].tolist(), names[kind[order]].tolist(), votes[order].tolist(), strict=True):
        texts[place].append(f"{name} {number}")
    return objects(", ".join(own) for own in texts)


def _partners(records: AgreementRecords, cluster: np.ndarray) -> np.ndarray:
    """Of each object the others of its cluster: (annotator, annotation), by annotator."""
    order = np.argsort(cluster, kind="stable")
    starts = np.flatnonzero(np.diff(cluster[order], prepend=-1)).tolist()
    who, id = records.annotators[records.annotator].tolist(), records.id.tolist()
    found: list[tuple[tuple[object, object], ...]] = [()] * len(cluster)
    listed = order.tolist()
    for begin, end in itertools.pairwise([*starts, len(listed)]):
        members = listed[begin:end]
        for row in members:
            found[row] = tuple((who[other], id[other]) for other in members if other != row)
    return objects(found)
