"""Consensus: one object for each cluster, with how it came about. What annotators drew is never changed."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import objects
from vesica._check import consensus as check_consensus
from vesica.agreement.consensus_shapes import Shapes, overlaps_of, shapes_of
from vesica.agreement.consensus_votes import Members, labels_of, members_of, names_of, verdict_of
from vesica.agreement.vote_patterns import FIELDS
from vesica.dataset import Dataset
from vesica.results.tables import Row, rows_of

GEOMETRIES = ("median", "mean", "majority", "staple")
VOTE_TIES = ("review", "foreground", "background")


@dataclass(frozen=True, eq=False)
class Consensus:
    """What several annotators agree on: one row for each cluster, kept or not.

    Attributes
    ----------
    objects : Dataset
        An object for each of C clusters, also for those that are not kept. Their provenance is in `attributes`.
    cluster : (C,) int64
        The numbers of the clusters.
    votes, assigned : (C,) int64
        How many annotators drew it, and how many were asked for the image.
    is_kept : (C,) bool
        Whether the votes reach the quorum.
    needs_review : (C,) bool
        Whether somebody should look at it: a tie of labels, of pixels or at the quorum, or another result at the same
        place. `reason` says which.
    reason, method : (C,) objects
        Texts.
    mean_iou : (C,) float64
        Of every two annotations of the cluster; NaN where there is one.

    Examples
    --------
    >>> data = Dataset.from_arrays(
    ...     [[0, 0, 10, 10], [0, 0, 10, 8], [1, 0, 10, 9], [50, 50, 60, 60]],
    ...     image=[1, 1, 1, 1], category=["car", "car", "truck", "car"], annotator=["ann", "ben", "cleo", "ben"],
    ...     assignments="all",
    ... )
    >>> found = consensus(data, [0, 0, 0, 1])
    >>> found
    Consensus(1 kept of 2, 0 for review)
    >>> found.data.boxes.xyxy, found.data.attributes[0]["label_votes"]
    (array([[ 0.,  0., 10.,  9.]]), {'car': 2, 'truck': 1})
    """

    objects: Dataset
    cluster: np.ndarray
    votes: np.ndarray
    assigned: np.ndarray
    is_kept: np.ndarray
    needs_review: np.ndarray
    reason: np.ndarray
    method: np.ndarray
    mean_iou: np.ndarray

    def __len__(self) -> int:
        return len(self.cluster)

    def __repr__(self) -> str:
        return f"Consensus({int(self.is_kept.sum())} kept of {len(self)}, {int(self.needs_review.sum())} for review)"

    def _repr_html_(self) -> str:
        from vesica import _html  # late: only notebooks ask for it

        names = ("cluster", "votes", "assigned", "is_kept", "needs_review", "reason", "method", "mean_iou")
        columns = [getattr(self, name)[: _html.ROWS].tolist() for name in names]
        table = _html.table(names, [list(row) for row in zip(*columns, strict=True)], total=len(self))
        return _html.page(_html.words(repr(self)), table)

    @property
    def score(self) -> np.ndarray:
        """(C,) float64: votes over assigned, 1 at most."""
        return np.asarray(self.votes / self.assigned)

    @functools.cached_property
    def data(self) -> Dataset:
        """The objects that are kept, to be written or scored."""
        return self.objects.rows(self.is_kept)

    @functools.cached_property
    def rejected(self) -> Dataset:
        """The objects without a quorum."""
        return self.objects.rows(~self.is_kept)

    @functools.cached_property
    def review(self) -> Dataset:
        """The objects that somebody should look at, kept or not."""
        return self.objects.rows(self.needs_review)

    @functools.cached_property
    def table(self) -> list[Row]:
        """A row for each cluster: image, cluster, category, what `attributes` has, and whether it is kept."""
        found = self.objects
        columns: dict[str, Any] = {
            "image": found.images.ids[found.image],
            "cluster": self.cluster,
            "category": names_of(found)[found.category],
            "is_kept": self.is_kept,
        }
        rows = rows_of(columns)
        assert found.attributes is not None
        return [{**row, **said} for row, said in zip(rows, found.attributes.tolist(), strict=True)]


def consensus(
    data: Dataset,
    cluster: Any,
    /,
    *,
    assigned: Any = None,
    geometry: str = "median",
    quorum: str | int = "majority",
    vote_tie: str = "review",
    match_at: float = 0.5,
    field: str = "image",
    regions: str | None = None,
    threads: int | None = None,
) -> Consensus:
    """Make one object of each cluster of annotations: its label by vote, its geometry from all of them.

    Parameters
    ----------
    data : Dataset
        What several annotators drew.
    cluster : (N,) integers
        Which rows are one object; −1 for a row that takes no part. An annotator is in a cluster at most once.
    assigned : (N,) integers, optional
        How many annotators were asked for the image of each row. By default the assignments of the data set tell.
    geometry : {"median", "mean", "majority", "staple"}
        Boxes: the median or the mean of each coordinate. Masks: the pixels that more than half of those who drew the
        object marked, which is their median too, or those that STAPLE believes.
    quorum : "majority" or int
        Votes that an object needs: more than half of those who were asked, or so many. Others are rejected, and kept
        apart.
    vote_tie : {"review", "foreground", "background"}
        What exactly half of the votes are worth, for an object at the quorum "majority" and for a pixel: nothing, but
        somebody is to look at it; enough; or nothing.
    match_at : float
        Two results of one image that overlap so much are for review.
    field : {"image", "union_box"}
        The pixels that STAPLE looks at.
    regions : {"mask", "rotated", "box"}, optional
        By default masks where all rows have one, else rotated boxes, else boxes.
    threads : int, optional

    Returns
    -------
    Consensus
    """
    check.threads(threads)
    check.one_of(vote_tie, VOTE_TIES, "vote_tie")
    check.one_of(field, FIELDS, "field")
    needed = check_consensus.quorum(quorum)
    kind = check_consensus.kind_of(data, regions, check.one_of(geometry, GEOMETRIES, "geometry"))
    members = members_of(data, check_consensus.clusters(cluster, len(data)), assigned)

    label, label_votes, label_ties = labels_of(data, members)
    shape = shapes_of(data, members, kind, geometry, vote_tie, field, threads)
    verdict = verdict_of(members, needed, vote_tie)
    overlaps = overlaps_of(shape, members, match_at, threads)
    reason = objects(
        "; ".join(text for text in texts if text)
        for texts in zip(verdict.reason, label_ties, shape.reason, overlaps, strict=True)
    )

    is_kept = verdict.is_kept & ~shape.is_empty
    needs_review = reason != ""
    made = Consensus(
        objects=_dataset(data, members, label, shape),
        cluster=members.cluster,
        votes=members.votes,
        assigned=members.assigned,
        is_kept=is_kept,
        needs_review=needs_review,
        reason=reason,
        method=objects(shape.method),
        mean_iou=shape.mean_iou,
    )
    return _with_provenance(made, data, members, label_votes)


def _dataset(data: Dataset, members: Members, label: np.ndarray, shape: Shapes) -> Dataset:
    flags: dict[str, Any] = {name: _flag(getattr(data, name), members) for name in ("crowd", "ignore")}
    return Dataset(
        images=data.images,
        categories=data.categories,
        image=members.image.astype(np.int64),
        category=label.astype(np.int64),
        xywh=shape.xywh,
        segments=shape.segments,
        corners=shape.corners,
        area=shape.area,
        id=np.arange(1, len(members.cluster) + 1),
        **flags,
    )


def _flag(column: np.ndarray | None, members: Members) -> np.ndarray | None:
    """What more than half of the members say."""
    if column is None:
        return None
    said = np.bincount(members.owner, weights=column[members.row], minlength=len(members.cluster))
    flags: np.ndarray = 2 * said > members.votes
    return flags


def _with_provenance(made: Consensus, data: Dataset, members: Members, label_votes: list[dict[str, int]]) -> Consensus:
    """The same with what each object came from, in its attributes."""
    annotator, own = check_consensus.annotators(data), np.arange(len(data)) if data.id is None else data.id
    who, which = data.annotators[annotator[members.row]].tolist(), own[members.row].tolist()
    sources = [[name, one] for name, one in zip(who, which, strict=True)]
    starts = members.starts.tolist()
    columns: dict[str, list[Any]] = {
        "votes": made.votes.tolist(),
        "assigned": made.assigned.tolist(),
        "score": made.score.tolist(),
        "sources": [sources[a:b] for a, b in itertools.pairwise(starts)],
        "label_votes": label_votes,
        "method": made.method.tolist(),
        "mean_iou": [None if value != value else value for value in made.mean_iou.tolist()],
        "needs_review": made.needs_review.tolist(),
        "reason": made.reason.tolist(),
    }
    said = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return replace(made, objects=replace(made.objects, attributes=objects(said)))
