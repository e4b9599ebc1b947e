"""STAPLE on patterns of votes."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._array import contiguous
from vesica._kernels import native
from vesica._kernels.generic import staple as generic
from vesica._kernels.generic.staple import Fits, Votes

STATUSES = tuple(_native.staple_status_names())
_PLACES = np.array([generic.STATUSES.index(name) for name in STATUSES])
"""Of the statuses of C++ among those of the twin."""


def staple(
    votes: Votes,
    groups: np.ndarray,
    annotators: int,
    *,
    is_free: bool,
    start: float,
    tolerance: float,
    most: int,
    threads: int | None = None,
) -> Fits:
    """A fit for each group of patterns: group g has those from groups[g] up to groups[g + 1]."""
    fits = len(groups) - 1
    found = Fits(
        sensitivity=np.empty((fits, annotators)),
        specificity=np.empty((fits, annotators)),
        belief=np.zeros(len(votes.code)),
        prior=np.empty(fits),
        status=np.empty(fits, np.int64),
        steps=np.empty(fits, np.int64),
    )
    code, asked = (contiguous(column, np.uint64) for column in (votes.code, votes.asked))
    _native.staple(
        (code, asked, contiguous(votes.pixels, np.int64)),
        contiguous(groups, np.int64),
        annotators,
        (is_free, start, tolerance, most),
        native.thread_count(threads),
        (found.sensitivity, found.specificity, found.belief, found.prior),
        (found.status, found.steps),
    )
    return found._replace(status=_PLACES[found.status])
