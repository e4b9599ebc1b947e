"""Patterns of votes of masks, runs and label maps."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._array import contiguous
from vesica._kernels import native
from vesica._kernels.generic import vote_patterns as twin
from vesica._kernels.generic.vote_patterns import Patterns

_MOST_MAPS, _MOST_LABELS = 8, 256
"""Label maps go in as bytes, and their patterns come out as words of eight bytes."""


def dense(masks: np.ndarray, *, threads: int | None = None) -> Patterns:
    """Patterns of K masks, (K, pixels): what is not 0 belongs."""
    stack = contiguous(masks)
    stack = stack.view(np.uint8) if stack.dtype.itemsize == 1 else (stack != 0).view(np.uint8)
    return _plain(*_native.vote_patterns_dense(stack, native.thread_count(threads)))


def runs(
    counts: np.ndarray, offsets: np.ndarray, groups: np.ndarray, pixels: np.ndarray, *, threads: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same for groups of masks as canonical counts: how many patterns each group has, and those of all groups."""
    sizes, code, count = _native.vote_patterns_runs(
        counts, offsets, contiguous(groups, np.int64), contiguous(pixels, np.int64), native.thread_count(threads)
    )
    return sizes.view(np.int64), *_plain(code, count)


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
    """One mask for each group, as counts and offsets: the pixels whose pattern is among its chosen ones."""
    made, ends = native.plain(
        *_native.vote_patterns_choose(
            counts,
            offsets,
            contiguous(groups, np.int64),
            contiguous(pixels, np.int64),
            contiguous(code, np.uint64),
            contiguous(chosen, np.int64),
            native.thread_count(threads),
        )
    )
    return made, ends


def labels(maps: np.ndarray, *, threads: int | None = None) -> Patterns:
    """Patterns of K label maps, (K, pixels): (P, K) int64 labels, rising from the last map to the first, and counts.

    Maps that do not go into eight bytes a pixel are left to the array code.
    """
    found = _as_bytes(maps) if 0 < len(maps) <= _MOST_MAPS else None
    if found is None:
        return twin.labels(maps)
    numbers, names = found
    code, count = _plain(*_native.vote_patterns_labels(numbers, native.thread_count(threads)))
    shifts = np.arange(len(maps), dtype=np.uint64) * np.uint64(8)
    place = (code[:, None] >> shifts) & np.uint64(255)
    rows = np.stack([names[k][place[:, k].astype(np.int64)] for k in range(len(maps))], axis=1)
    return rows, count


def _as_bytes(maps: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]] | None:
    """Small numbers for the labels of each map, rising as they do, and whose they are; None if there are too many."""
    if maps.dtype in (np.uint8, bool):
        plain = contiguous(maps) if maps.dtype == np.uint8 else np.not_equal(contiguous(maps).view(np.uint8), 0)
        return plain.view(np.uint8), [np.arange(_MOST_LABELS)] * len(maps)
    out, names = np.empty(maps.shape, np.uint8), []
    for k, one in enumerate(maps):
        low, high = (int(one.min()), int(one.max())) if one.size else (0, 0)
        if high - low < _MOST_LABELS:
            np.subtract(one, low, out=out[k], casting="unsafe")
            names.append(np.arange(_MOST_LABELS, dtype=np.int64) + low)
            continue
        values, place = np.unique(one, return_inverse=True)
        if len(values) > _MOST_LABELS:
            return None
        out[k] = place.reshape(-1)
        names.append(values.astype(np.int64))
    return out, names


def _plain(code: np.ndarray, count: np.ndarray) -> Patterns:
    """As the dtypes that NumPy calls uint64 and int64."""
    return code.view(np.uint64), count.view(np.int64)
