"""Who voted for what: the members of clusters, their labels, and whether they are enough."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vesica._array import objects
from vesica._check import consensus as check
from vesica.dataset import Dataset


class Members(NamedTuple):
    """The rows of each cluster, ordered by the annotator."""

    row: np.ndarray
    """(M,) rows of the data set, cluster by cluster."""
    starts: np.ndarray
    """(C + 1,) where each cluster begins."""
    cluster: np.ndarray
    """(C,) its number."""
    image: np.ndarray
    assigned: np.ndarray

    @property
    def votes(self) -> np.ndarray:
        return np.diff(self.starts)

    @property
    def owner(self) -> np.ndarray:
        """(M,) the place of the cluster of each."""
        return np.repeat(np.arange(len(self.cluster)), self.votes)


def members_of(data: Dataset, cluster: np.ndarray, assigned: Any) -> Members:
    annotator = check.annotators(data)
    taken = np.flatnonzero(cluster >= 0)
    row = taken[np.lexsort((annotator[taken], cluster[taken]))]
    numbers, first, votes = np.unique(cluster[row], return_index=True, return_counts=True)
    starts = np.append(first, len(row)).astype(np.int64)
    check.one_image(data, row, starts)
    check.one_vote_each(data, cluster[row], annotator[row], row)
    asked = _asked(data, row, assigned)[first] if len(row) else np.empty(0, np.int64)
    check.votes_of_assigned(votes, asked, numbers)
    return Members(row, starts, numbers, data.image[row][first], asked)


def _asked(data: Dataset, row: np.ndarray, assigned: Any) -> np.ndarray:
    """(M,) how many were asked for the image of each row, in its round."""
    if assigned is not None:
        return np.asarray(check.assigned(assigned, len(data))[row])
    asked = check.assignments(data)
    rounds = np.zeros(len(data), np.int64) if data.round is None else data.round
    keys = np.concatenate(
        [np.stack([asked.image, asked.rounds], axis=1), np.stack([data.image[row], rounds[row]], axis=1)]
    )
    place = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
    counts = np.bincount(place[: len(asked)], minlength=int(place.max(initial=-1)) + 1)
    return counts[place[len(asked) :]]


def labels_of(data: Dataset, members: Members) -> tuple[np.ndarray, list[dict[str, int]], list[str]]:
    """The category with most votes of each cluster, all votes, and what is tied. Of several the first of the table."""
    many = max(1, len(data.categories))
    codes, counts = np.unique(members.owner * many + data.category[members.row], return_counts=True)
    owner, category = np.divmod(codes, many)
    order = np.lexsort((category, -counts, owner))
    owner, category, counts = owner[order], category[order], counts[order]
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    label = category[first]
    names = names_of(data).tolist()
    votes: list[dict[str, int]] = [{} for _ in members.cluster]
    ties: list[list[str]] = [[] for _ in members.cluster]
    best = counts[first]
    for at, kind, count in zip(owner.tolist(), category.tolist(), counts.tolist(), strict=True):
        votes[at][str(names[kind])] = count
        if count == best[at]:
            ties[at].append(f"{names[kind]} {count}")
    return label, votes, [f"labels are tied: {', '.join(tied)}" if len(tied) > 1 else "" for tied in ties]


class Verdict(NamedTuple):
    is_kept: np.ndarray
    reason: list[str]


def verdict_of(members: Members, quorum: str | int, vote_tie: str) -> Verdict:
    votes, asked = members.votes, members.assigned
    if not isinstance(quorum, str):
        return Verdict(votes >= quorum, [""] * len(votes))
    tied = 2 * votes == asked
    kept = 2 * votes > asked if vote_tie != "foreground" else 2 * votes >= asked
    texts = [
        f"{vote} of {all_} annotators drew it" if tie and vote_tie == "review" else ""
        for vote, all_, tie in zip(votes.tolist(), asked.tolist(), tied.tolist(), strict=True)
    ]
    return Verdict(kept, texts)


def names_of(data: Dataset) -> np.ndarray:
    """What each category is called."""
    table = data.categories
    if table.names is None:
        return table.ids.astype(object)
    return objects(
        name if name is not None else id for name, id in zip(table.names.tolist(), table.ids.tolist(), strict=True)
    )
