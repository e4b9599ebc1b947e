"""Guesses as rows of bytes, by score; and walks over many such runs at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vesica import _native
from vesica._kernels import native
from vesica._kernels.native.precision_recall import Columns


class Rows(NamedTuple):
    """Some rows of one category of a run."""

    content: np.ndarray
    """(bytes,) uint8"""
    images: np.ndarray
    """int32: the rank of each of the run's images among those of all runs."""
    score_bytes: int
    is_end: bool
    """No more rows follow."""


class How(NamedTuple):
    """What a walk asks for."""

    recalls: np.ndarray
    limits: np.ndarray
    first_limit: int
    """Precision is made from this limit on."""
    epsilon: float
    thresholds: int
    positives: np.ndarray
    """(A,) int64: how many truths are to be found, in each range of areas."""


class Seen(NamedTuple):
    """What a walk over one category has seen so far: nothing, as `nothing_seen` makes it."""

    right: np.ndarray
    wrong: np.ndarray
    best: np.ndarray
    reached: np.ndarray | None
    top: np.ndarray


def row_bytes(score_bytes: int, rank_bytes: int, lanes: int, /) -> int:
    """How long a row is: score, image, rank, lanes that found a truth, lanes that do not count."""
    return score_bytes + 4 + rank_bytes + 2 * -(-lanes // 8)


def sorted_rows(
    found: Columns,
    image: np.ndarray,
    shape: tuple[int, int],
    /,
    *,
    score_bytes: int,
    rank_bytes: int,
    threads: int | None,
) -> np.ndarray:
    """(N, bytes) uint8: the guesses by category, best first. `shape` is the number of thresholds and of ranges."""
    rows = np.empty((len(found.score), row_bytes(score_bytes, rank_bytes, shape[0] * shape[1])), np.uint8)
    _native.sorted_run((*found, *shape), image, score_bytes, rank_bytes, rows, native.thread_count(threads))
    return rows


def nothing_seen(how: How, /, *, with_scores: bool) -> Seen:
    lanes, made = how.thresholds * len(how.positives), len(how.limits) - how.first_limit
    best = np.zeros((made, lanes, len(how.recalls)))
    return Seen(
        np.zeros((len(how.limits), lanes), np.uint32),
        np.zeros((made, lanes), np.uint32),
        best,
        np.zeros_like(best) if with_scores else None,
        np.zeros((made, 2)),
    )


def walk(runs: Sequence[Rows], how: How, seen: Seen, /, *, rank_bytes: int) -> tuple[np.ndarray, int]:
    """Go on, as far as the rows reach: how many of each run were taken; and which run is damaged, −1 for none."""
    taken = np.empty(len(runs), np.int64)
    return taken, _native.walk_runs(list(runs), rank_bytes, how, seen, taken)


def answer(how: How, seen: Seen, /) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """precision (T, R, 1, A, M), recall (T, 1, A, M) and scores like precision, −1 without truths."""
    limits, areas = len(how.limits), len(how.positives)
    precision = np.full((how.thresholds, len(how.recalls), 1, areas, limits - how.first_limit), -1.0)
    recall = np.full((how.thresholds, 1, areas, limits), -1.0)
    scores = None if seen.reached is None else np.full_like(precision, -1.0)
    _native.walk_answer(how, seen, precision, recall, scores)
    return precision, recall, scores


def joined(
    runs: Sequence[Rows], count: int, lanes: int, /, *, rank_bytes: int
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], int]:
    """Score, lanes that found a truth and lanes that do not count, of all rows in their order; and as of `walk`."""
    words = -(-lanes // 64)
    columns = np.empty(count), np.empty((count, words), np.uint64), np.empty((count, words), np.uint64)
    return columns, _native.joined_runs(list(runs), rank_bytes, lanes, *columns)
