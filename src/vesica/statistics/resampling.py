"""Resampling: weights that depend on a seed, a replicate and a key alone, and the sums that they make.

A score is a function of sums over images, so a replicate is a row of weights, and all replicates are one matrix
product. An image's weight is drawn from a Poisson distribution of mean 1 by a hash of the seed, the number of the
replicate and the key of the image, or of the group that it belongs to: no other image, no order, no shard, no number
of threads and no size of a chunk changes it. All scores of a run share the weights, so that differences are paired.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from vesica._check import statistics as check
from vesica._kernels import pick_arrays
from vesica._kernels.generic.weights import POISSON

# Numbers in a chunk of weights: some megabytes.
_ROWS, _NUMBERS = 1 << 16, 1 << 20
# A sum of weights and numbers is exact below this.
_EXACT = 53
# Where a column is rounded to steps that are not this small beside its numbers, the rest is added up too. A replicate
# without any of so many images is one in 10^8.
_FINE, _FEW = 2.0**-26, 20


def keys_of(ids: Any, /) -> np.ndarray:
    """(N,) uint64: a key for each id, of an image or of a group. Equal ids have equal keys, on every machine.

    >>> keys_of([7, 12, 7])
    array([ 7, 12,  7], dtype=uint64)
    >>> keys_of(["a.jpg", "b.jpg"])
    array([15480091014469434879, 13931417529681426191], dtype=uint64)
    """
    column = np.asarray(ids)
    if column.dtype.kind in "iu":
        return column.astype(np.int64).view(np.uint64) if column.dtype.kind == "i" else column.astype(np.uint64)
    return np.array([_key(one) for one in column.tolist()], np.uint64)


def _key(one: Any) -> int:
    if isinstance(one, int) and -(1 << 63) <= one < 1 << 64:
        return one & ((1 << 64) - 1)
    digest = hashlib.blake2b(f"{type(one).__name__}:{one}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def weights(
    keys: np.ndarray, /, *, seed: int = 0, first: int = 0, count: int, threads: int | None = None
) -> np.ndarray:
    """(count, N) float64: how often each key is drawn in the replicates `first`, `first` + 1, …

    >>> weights(keys_of([7, 12, 7, 3]), count=3)
    array([[0., 0., 0., 0.],
           [1., 0., 1., 1.],
           [0., 3., 0., 1.]])
    """
    kernel = pick_arrays("weights", "keys", keys)
    drawn: np.ndarray = kernel.call(keys, seed=seed & ((1 << 64) - 1), first=first, count=count, threads=threads)
    return drawn


def bootstrap(
    statistics: np.ndarray,
    of: Callable[[np.ndarray], np.ndarray],
    /,
    *,
    keys: np.ndarray | None = None,
    seed: int = 0,
    replicates: int = 2000,
    threads: int | None = None,
) -> np.ndarray:
    """(replicates, …): what a function of sums makes of each replicate.

    Memory is that of the answer and of some megabytes of weights, for any number of images and replicates.

    Parameters
    ----------
    statistics : (images, k) numbers
        What adds up: each image's part of every sum.
    of : function of (R, k) sums
        Gives (R,) or (R, v) values, NaN where a replicate has none. It is called with some replicates at a time.
    keys : (images,) uint64, optional
        By default the place of each image. Images with the same key, those of one patient say, are drawn together.
    seed, replicates : int
    threads : int, optional
        At most so many threads; the answer does not depend on it.

    Examples
    --------
    >>> parts = np.array([[0.9, 1], [1.2, 2], [0.4, 1], [1.6, 2]] * 10)  # sum of IoUs, objects: image by image
    >>> values = bootstrap(parts, lambda sums: sums[:, 0] / sums[:, 1], replicates=1000)
    >>> values.shape, bool(values.min() > 0.4), bool(values.max() < 0.9)
    ((1000,), True, True)
    """
    table = check.statistics(statistics)
    count = check.replicates(replicates)
    own = np.arange(len(table)).astype(np.uint64) if keys is None else check.keys(keys, len(table))
    columns = _Columns(table, own)

    parts = [
        np.asarray(of(columns.sums(seed=seed, first=first, count=size, threads=threads)))
        for first, size in _chunks(count, len(columns.keys))
    ]

    return np.concatenate(parts)


def _chunks(replicates: int, keys: int) -> Iterator[tuple[int, int]]:
    step = max(2, _NUMBERS // max(1, min(keys, _ROWS)) // 2 * 2)
    for first in range(0, replicates, step):
        yield first, min(step, replicates - first)


class _Columns:
    """Columns in fixed point: whole multiples of a power of two, so small in number that every sum of them is exact.
    So sums have the same bits in whatever order, by whatever library and in however many threads they are taken.
    Rows of one key are one row."""

    def __init__(self, table: np.ndarray, keys: np.ndarray) -> None:
        self.width = table.shape[1]
        self.scale = _scales(table)
        fixed = np.rint(table * self.scale)
        rest = table - fixed / self.scale
        self.rest = np.flatnonzero(_is_coarse(table, rest, self.scale))
        self.rest_scale = _scales(rest[:, self.rest])
        fixed = np.concatenate([fixed, np.rint(rest[:, self.rest] * self.rest_scale)], axis=1)
        order = np.argsort(keys, kind="stable")
        starts = np.flatnonzero(np.append(True, np.diff(keys[order]) != 0)) if len(keys) else order
        self.keys = keys[order][starts]
        self.fixed = np.add.reduceat(fixed[order], starts, axis=0) if len(starts) < len(keys) else fixed[order]

    def sums(self, **options: Any) -> np.ndarray:
        """(R, k): the weighted sums of some replicates."""
        total = np.zeros((options["count"], self.fixed.shape[1]))
        for top in range(0, len(self.keys), _ROWS):
            total += weights(self.keys[top : top + _ROWS], **options) @ self.fixed[top : top + _ROWS]
        sums = total[:, : self.width] / self.scale
        sums[:, self.rest] += total[:, self.width :] / self.rest_scale
        return np.asarray(sums)


def _scales(table: np.ndarray) -> np.ndarray:
    """For each column the power of two by which it may be multiplied."""
    most = np.abs(table).max(axis=0, initial=0.0) * max(1, len(table)) * len(POISSON)
    _, exponent = np.frexp(most)  # most < 2^exponent
    return np.ldexp(1.0, np.where(most > 0, _EXACT - exponent, 0))


def _is_coarse(table: np.ndarray, rest: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Which columns lose digits that show: their steps are not small beside the numbers that nearly every replicate
    draws some of, the largest few or else the smallest."""
    coarse = np.zeros(table.shape[1], bool)
    for column in np.flatnonzero((rest != 0).any(axis=0)).tolist():
        size = np.abs(table[:, column])
        size = size[size > 0]
        place = max(0, len(size) - _FEW)
        typical = float(np.partition(size, place)[place])
        coarse[column] = np.sqrt(len(table)) / scale[column] > _FINE * typical
    return coarse
