"""Counting two label maps, and the components of one, in array-API code: on any device."""

from __future__ import annotations

import itertools

import numpy as np

from vesica._array import Array, cast, from_numpy, namespace, to_numpy


def count(a: Array, b: Array, *, threads: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels of a, labels of b, and how many pixels have both; sorted by the labels. Only they leave the device."""
    xp = namespace(a, b)
    left = xp.unique_inverse(xp.reshape(cast(a, "int64"), (-1,)))
    right = xp.unique_inverse(xp.reshape(cast(b, "int64"), (-1,)))
    labels_a, labels_b = to_numpy(left.values), to_numpy(right.values)
    width = max(1, labels_b.shape[0])
    pairs = xp.unique_counts(cast(left.inverse_indices, "int64") * width + cast(right.inverse_indices, "int64"))
    codes, counts = to_numpy(pairs.values), to_numpy(pairs.counts).astype(np.int64)
    order = np.argsort(codes)  # the array API promises no order
    codes, counts = codes[order], counts[order]
    return labels_a[codes // width], labels_b[codes % width], counts


def table(
    a: Array, b: Array, *, ignored: tuple[int | None, int | None], threads: int | None = None
) -> tuple[np.ndarray, np.ndarray, Array]:
    """All labels of a, all of b, rising, and the table of how many pixels have both, of those that no side ignores."""
    of_a, of_b, pixels = count(a, b, threads=threads)
    is_seen = np.ones(len(pixels), bool)
    for column, label in zip((of_a, of_b), ignored, strict=True):
        if label is not None:
            is_seen &= column != label
    rows, at_a = np.unique(of_a[is_seen], return_inverse=True)
    columns, at_b = np.unique(of_b[is_seen], return_inverse=True)
    counts = np.zeros((len(rows), len(columns)), np.int64)
    counts[at_a, at_b] = pixels[is_seen]
    return rows, columns, from_numpy(counts, a)


def components(a: Array, *, background: int, diagonal: bool) -> tuple[Array, np.ndarray]:
    """The number of its connected component for each pixel, 0 for the background; and the label of each component.

    Each pixel takes the lowest place among its neighbours of the same label, until nothing changes.
    """
    xp = namespace(a)
    labels = cast(a, "int64")
    size = int(np.prod(labels.shape))
    place = xp.reshape(from_numpy(np.arange(size), labels), labels.shape)
    steps = [step for step in itertools.product((-1, 0, 1), repeat=labels.ndim) if any(step)]
    steps = [step for step in steps if diagonal or sum(map(abs, step)) == 1]
    changed = size > 0
    while changed:
        before = place
        for step in steps:
            there, here = (tuple(_part(sign * one) for one in step) for sign in (1, -1))
            lower = xp.minimum(place[here], place[there])
            better = xp.where(labels[here] == labels[there], lower, place[here])
            place = xp.asarray(place, copy=True)
            place[here] = better
        changed = bool(xp.any(place != before))
    flat, own = to_numpy(place).ravel(), to_numpy(labels).ravel()
    roots, numbers = np.unique(np.where(own == background, -1, flat), return_inverse=True)
    has_background = roots.size > 0 and roots[0] == -1
    ids = numbers.reshape(labels.shape) + (0 if has_background else 1)
    return from_numpy(ids.astype(np.int64), a), own[roots[1:] if has_background else roots]


def _part(step: int) -> slice:
    """All pixels that have a neighbour in this direction."""
    return slice(None, -1) if step < 0 else slice(1, None) if step > 0 else slice(None)
