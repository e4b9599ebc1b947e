"""Weighted box fusion: boxes that agree become one."""

from __future__ import annotations

from vesica import _native
from vesica._check import Threshold
from vesica._kernels import native
from vesica._kernels.tables import Clusters, Votes


def fuse(votes: Votes, threshold: Threshold, *, threads: int | None) -> Clusters:
    keys = native.NO_KEYS if votes.keys is None else votes.keys
    boxes, first, members = _native.boxes_fuse(
        votes.rows, votes.order, votes.weighted, keys, threshold, native.thread_count(threads)
    )
    return Clusters(boxes.reshape(-1, 4), *native.plain(first, members))
