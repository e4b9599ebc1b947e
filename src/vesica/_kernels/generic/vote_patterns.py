"""Patterns of votes in plain array code: the specification of the compiled ones."""

from __future__ import annotations

import itertools

import numpy as np

Patterns = tuple[np.ndarray, np.ndarray]
"""Patterns that occur, rising, uint64: bit k is the vote of mask k. And how many pixels have each, int64."""


def dense(masks: np.ndarray, *, threads: int | None = None) -> Patterns:
    """Patterns of K masks, (K, pixels): what is not 0 belongs."""
    return _counted(codes(masks), np.ones(masks.shape[1], np.int64))


def codes(masks: np.ndarray) -> np.ndarray:
    """The pattern of each pixel of (K, …) masks: uint64, of the shape of one mask."""
    code = np.zeros(masks.shape[1:], np.uint64)
    for k, mask in enumerate(masks):
        code |= (mask != 0).astype(np.uint64) << np.uint64(k)
    return code


def runs(
    counts: np.ndarray, offsets: np.ndarray, groups: np.ndarray, pixels: np.ndarray, *, threads: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same for groups of masks as canonical counts, each group in an image of so many pixels.

    How many patterns each group has, and those of all groups.
    """
    found = [
        _counted(*_stretches(counts, offsets[a : b + 1], size)[::2])
        for (a, b), size in zip(itertools.pairwise(groups.tolist()), pixels.tolist(), strict=True)
    ]
    sizes = np.array([len(code) for code, _ in found], np.int64)
    code, count = (
        np.concatenate([part[at] for part in found]) if found else np.empty(0, dtype)
        for at, dtype in enumerate((np.uint64, np.int64))
    )
    return sizes, code, count


def choose(
    counts: np.ndarray,
    offsets: np.ndarray,
    groups: np.ndarray,
    pixels: np.ndarray,
    code: np.ndarray,
    chosen: np.ndarray,
    *,
    threads: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """One mask for each group, as counts and offsets: the pixels whose pattern is among its chosen ones.

    Those of group g are code[chosen[g] : chosen[g + 1]], rising.
    """
    lists = []
    for g, (a, b) in enumerate(itertools.pairwise(groups.tolist())):
        pattern, _, length = _stretches(counts, offsets[a : b + 1], int(pixels[g]))
        belongs = np.isin(pattern, code[chosen[g] : chosen[g + 1]])
        lists.append(_alternating(belongs, length))
    ends = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return np.concatenate([np.empty(0, np.int64), *lists]), ends


def _stretches(counts: np.ndarray, offsets: np.ndarray, pixels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stretches of pixels with one pattern: the pattern, where it begins, and its length."""
    ends = [np.cumsum(counts[a:b]) for a, b in itertools.pairwise(offsets)]
    begin = np.unique(np.concatenate([[0], *ends])).astype(np.int64)
    begin = begin[begin < pixels]
    code = np.zeros(len(begin), np.uint64)
    for k, end in enumerate(ends):
        # Counts of background and foreground take turns.
        inside = np.searchsorted(end, begin, side="right") % 2
        code |= inside.astype(np.uint64) << np.uint64(k)
    return code, begin, np.diff(begin, append=pixels).astype(np.int64)


def _alternating(belongs: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Canonical counts of stretches."""
    starts = np.flatnonzero(np.diff(belongs.astype(np.int8), prepend=2))
    if not len(starts):
        return np.zeros(1, np.int64)
    sums = np.add.reduceat(length, starts)
    return np.concatenate([[0], sums]) if belongs[0] else sums


def _counted(code: np.ndarray, count: np.ndarray) -> Patterns:
    values, place = np.unique(code, return_inverse=True)
    sums = np.zeros(len(values), np.int64)
    np.add.at(sums, place.reshape(-1), count)
    return values, sums


def labels(maps: np.ndarray, *, threads: int | None = None) -> Patterns:
    """Patterns of K label maps, (K, pixels): (P, K) int64 labels, rising from the last map to the first, and counts."""
    rows, count = np.unique(maps[::-1].T.astype(np.int64), axis=0, return_counts=True)
    return rows[:, ::-1], count.astype(np.int64)
