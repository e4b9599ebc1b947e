"""Weighted box fusion: boxes that agree become one."""

from __future__ import annotations

from vesica import _native
from vesica._check import Threshold
from vesica._kernels import native
from vesica._kernels.tables import Clusters, Votes


def fuse(votes: Votes, threshold: Threshold, total: float, *, threads: int | None) -> Clusters:
    """`total` is the sum of the weights of all models."""
    keys = native.NO_KEYS if votes.keys is None else votes.keys
    boxes, scores, first, members = _native.boxes_fuse(
        votes.rows,
        votes.order,
        votes.weight,
        votes.weighted,
        keys,
        threshold,
        total,
        native.thread_count(threads),
    )
    return Clusters(boxes.reshape(-1, 4), scores, *native.plain(first, members))
