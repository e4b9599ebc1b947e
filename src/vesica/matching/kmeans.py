"""Anchor shapes from the shapes of objects: k-means in which near means a large IoU."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._answer import Answer
from vesica._array import Array, cast, dtype_name, from_numpy, result_name, to_numpy, widened
from vesica._check import anchors as check_anchors
from vesica._check import names
from vesica._kernels import pick_arrays
from vesica._kernels.tables import Nearest

SIDE_RATIO = 4
"""Inputs further apart than this are out of an anchor's reach: what `recall` counts."""


@dataclass(frozen=True, eq=False, repr=False)
class Anchors(Answer):
    """k anchor shapes, and how well they serve the shapes they were made from.

    Attributes
    ----------
    sizes : (k, 2) floats, width and height of each anchor, by rising area
    counts : (k,) int64, for how many shapes each is the nearest
    mean_iou : the mean over all shapes of the IoU with the nearest anchor
    recall : the share of shapes with an anchor whose sides are both within a factor of 4 of theirs
    rounds : how many rounds it took
    """

    sizes: Array
    counts: Array
    mean_iou: float
    recall: float
    rounds: int

    def __len__(self) -> int:
        return int(self.sizes.shape[0])


@names.explained("anchors.cluster", "anchors.cluster")
def cluster(
    shapes: Any,
    /,
    *,
    k: int = 9,
    seed: int = 0,
    update: str = "mean",
    rounds: int = 300,
    threads: int | None = None,
) -> Anchors:
    """Find k anchor shapes for objects of these widths and heights.

    k-means with the distance 1 − IoU of two shapes laid on one corner, from a k-means++ start. The mean of a cluster is
    not what minimises this distance, so rounds may make things worse: the best one is kept. It ends when no shape
    changes its cluster. A cluster that lost all its members takes the shape that is served worst.

    The same shapes and seed give the same anchors with any number of threads, on every machine.

    Parameters
    ----------
    shapes : (N, 2) array
        Widths and heights, all with area. Of boxes: `boxes.to("xywh")[:, 2:]`.
    k : int, default 9
        How many anchors. At least so many of the shapes must differ.
    seed : int, default 0
        Chooses the start.
    update : {"mean", "median"}, default "mean"
        What a centre becomes: mean or median width and height of its members. The median cares less for outliers.
    rounds : int, default 300
        Stop after so many.
    threads : int, optional
        At most this many; by default VESICA_NUM_THREADS, or all processors.

    Returns
    -------
    Anchors
        `sizes` (k, 2) by rising area, `counts`, `mean_iou`, `recall`, `rounds`.

    Examples
    --------
    >>> found = cluster([[10, 12], [12, 10], [11, 11], [80, 40], [90, 50], [85, 46]], k=2)
    >>> found.sizes, found.counts
    (array([[11., 11.],
           [85., 46.]]), array([3, 3]))
    >>> round(found.mean_iou, 4), found.recall
    (0.8944, 1.0)

    Two shapes make no three anchors:

    >>> cluster([[4, 4], [4, 4], [8, 8]], k=3)
    Traceback (most recent call last):
    ...
    ValueError: `shapes` must hold at least k = 3 different shapes; got 2. Ask for k=2: then each is an anchor.
    """
    given = check_anchors.shapes(shapes, "shapes", with_area=True)
    k, rounds = check.positive(k, "k"), check.positive(rounds, "rounds")
    seed = check_anchors.whole(seed, "seed")
    update = check.one_of(update, check_anchors.UPDATES, "update")
    check.threads(threads)
    columns = np.ascontiguousarray(to_numpy(given).T, np.float64)
    check_anchors.enough_shapes(columns.shape[1], k)

    centres, found, turns = _settled(columns, _start(columns, k, seed, threads), update, rounds, threads)

    order = np.lexsort((centres[:, 0], centres.prod(axis=1)))
    sizes = cast(from_numpy(np.ascontiguousarray(centres[order]), given), widened(result_name(dtype_name(given))))
    counts = from_numpy(found.counts[order], given)
    return Anchors(sizes, counts, found.total / columns.shape[1], _recall(columns, centres), turns)


def _start(columns: np.ndarray, k: int, seed: int, threads: int | None) -> np.ndarray:
    """k-means++: each new centre is a shape, drawn with a chance in proportion to its distance from those before."""
    draw = random.Random(seed).random  # the one generator whose numbers Python promises never to change
    count = columns.shape[1]
    rows = [int(draw() * count)]
    far = np.ones(count)
    while len(rows) < k:
        newest = _nearest(columns, _shapes(columns, rows[-1:]), threads=threads)
        np.minimum(far, 1 - newest.iou, out=far)
        reach = np.cumsum(far)
        if reach[-1] == 0:
            raise check_anchors.too_few(len(rows), k)
        rows.append(int(np.searchsorted(reach, draw() * reach[-1], side="right")))
    return _shapes(columns, rows)


def _settled(
    columns: np.ndarray, centres: np.ndarray, update: str, rounds: int, threads: int | None
) -> tuple[np.ndarray, Nearest, int]:
    """The centres of the best round, what belongs to them, and how many rounds there were."""
    found = _nearest(columns, centres, threads=threads)
    best = centres, found
    for turn in range(2, rounds + 1):
        before = found
        centres = _moved(columns, centres, found, update, threads)
        found = _nearest(columns, centres, threads=threads)
        if found.total > best[1].total:
            best = centres, found
        if np.array_equal(found.label, before.label):
            return *best, turn
    return *best, rounds


def _moved(columns: np.ndarray, centres: np.ndarray, found: Nearest, update: str, threads: int | None) -> np.ndarray:
    """Each centre in the middle of its members."""
    if update == "median":
        kernel = pick_arrays("medians", "shapes", columns)
        moved: np.ndarray = kernel.call(columns, found.label, centres, threads=threads)
    else:
        moved = found.sums / np.maximum(found.counts, 1)[:, None]
    served = found.iou
    for empty in np.flatnonzero(found.counts == 0).tolist():
        moved[empty] = _shapes(columns, [int(np.argmin(served))])[0]
        # Equal shapes are served well from now on: the next empty cluster takes another one.
        served = np.maximum(served, _nearest(columns, moved[empty][None], threads=threads).iou)
    return moved


def _nearest(columns: np.ndarray, centres: np.ndarray, *, threads: int | None) -> Nearest:
    found: Nearest = pick_arrays("nearest", "shapes", columns).call(columns, centres, threads=threads)
    return found


def _shapes(columns: np.ndarray, rows: list[int]) -> np.ndarray:
    return np.ascontiguousarray(columns[:, rows].T)


def _recall(columns: np.ndarray, centres: np.ndarray) -> float:
    """The share of shapes with a centre near enough on both sides; a factor of exactly 4 is near enough."""
    near = np.zeros(columns.shape[1], bool)
    for centre in centres:
        low, high = columns * SIDE_RATIO >= centre[:, None], columns <= SIDE_RATIO * centre[:, None]
        near |= (low & high).all(axis=0)
    return float(near.mean())
