"""Bias: who draws further out than whom, edge by edge, with its sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vesica import _check as check
from vesica._array import to_numpy
from vesica._kernels import pick_arrays
from vesica.regions import Boxes
from vesica.regions.pixels import PixelRegions

EDGES = ("left", "top", "right", "bottom")
COLUMNS = (*EDGES, *(f"relative {edge}" for edge in EDGES), "log area")
"""What is kept of each pair: pixels, shares of the side that the edge cuts, and the logarithm of the ratio of areas."""


@dataclass(frozen=True, eq=False)
class EdgeBias:
    """Sums over pairs of boxes, group by group; those of other pairs are added to them.

    Positive: b draws further out than a.

    Attributes
    ----------
    n : (G,) int64: how many pairs
    total, squares : (G, 9) float64: the sum of each of `COLUMNS`, and that of its squares
    """

    n: np.ndarray
    total: np.ndarray
    squares: np.ndarray

    def __add__(self, other: EdgeBias) -> EdgeBias:
        return EdgeBias(self.n + other.n, self.total + other.total, self.squares + other.squares)

    @property
    def mean(self) -> np.ndarray:
        """(G, 9); NaN where there are no pairs."""
        with np.errstate(invalid="ignore"):
            mean: np.ndarray = self.total / self.n[:, None]
        return mean

    @property
    def area_ratio(self) -> np.ndarray:
        """(G,) the geometric mean of area of b / area of a; NaN where there are no pairs."""
        ratio: np.ndarray = np.exp(self.mean[:, -1])
        return ratio


def edge_offsets(a: Boxes, b: Boxes, /) -> np.ndarray:
    """(P, 9) for boxes that belong together, row by row: how far b lies outside a, in the order of `COLUMNS`.

    Exactly the negative where a and b are exchanged.

    >>> edge_offsets(Boxes([[2, 2, 10, 10]]), Boxes([[1, 2, 11, 8]]))[0, :4]
    array([ 1.,  0.,  1., -2.])
    """
    first, second = (to_numpy(side.xyxy).astype(np.float64) for side in (a, b))
    pixels = np.concatenate([first[:, :2] - second[:, :2], second[:, 2:] - first[:, 2:]], axis=1)
    sides = [np.maximum(box[:, 2:] - box[:, :2], 0.0) for box in (first, second)]
    mean_side = np.tile(np.sqrt(sides[0] * sides[1]), 2)
    relative = np.divide(pixels, mean_side, out=np.zeros_like(pixels), where=mean_side > 0)
    areas = [side.prod(axis=1) for side in sides]
    has_area = (areas[0] > 0) & (areas[1] > 0)
    logs = [np.log(area, out=np.zeros_like(area), where=has_area) for area in areas]
    return np.concatenate([pixels, relative, (logs[1] - logs[0])[:, None]], axis=1)


def edge_bias(offsets: np.ndarray, group: np.ndarray, /, *, groups: int) -> EdgeBias:
    """Add up the offsets of each group; `group[k]` is that of row k."""
    total, squares = (
        np.stack([np.bincount(group, weights=column, minlength=groups) for column in columns.T], axis=1)
        for columns in (offsets, offsets * offsets)
    )
    return EdgeBias(np.bincount(group, minlength=groups), total, squares)


def medians_of_others(boxes: np.ndarray, cluster: np.ndarray, /) -> tuple[np.ndarray, np.ndarray]:
    """For each box of a cluster of three or more, the median of the others, coordinate by coordinate.

    Returns the rows that have one, rising, and their (M, 4) medians. In a cluster of two nobody can tell who is off.
    """
    order = np.argsort(cluster, kind="stable")
    starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    sizes = np.diff(starts, append=len(order))
    rows: list[np.ndarray] = [np.empty(0, np.int64)]
    medians: list[np.ndarray] = [np.empty((0, 4))]
    for size in np.unique(sizes[sizes > 2]).tolist():
        members = order[starts[sizes == size][:, None] + np.arange(size)]  # (clusters, size)
        rows.append(members.reshape(-1))
        medians.append(_medians_without_each(boxes[members]).reshape(-1, 4))
    found = np.concatenate(rows)
    rising = np.argsort(found)
    return found[rising], np.concatenate(medians)[rising]


def _medians_without_each(boxes: np.ndarray) -> np.ndarray:
    """Of (C, m, 4) numbers, for each of the m the median of the m − 1 others."""
    others = boxes.shape[1] - 1
    order = np.argsort(boxes, axis=1)
    rank = np.argsort(order, axis=1)
    ascending = np.take_along_axis(boxes, order, axis=1)

    def without(place: int) -> np.ndarray:
        """Number `place` of the others: one further where the one left out stands before it."""
        there: np.ndarray = np.take_along_axis(ascending, place + (rank <= place), axis=1)
        return there

    low, high = without((others - 1) // 2), without(others // 2)
    medians: np.ndarray = low + (high - low) / 2
    return medians


class OutlineOffsets(NamedTuple):
    """How far apart the outlines of pairs of masks are, in pixels; NaN where a mask is empty.

    `offset`: how far b lies outside a, below 0 inside. `distance`: the mean of all distances of both outlines.
    """

    offset: np.ndarray
    distance: np.ndarray


def outline_offsets(
    a: PixelRegions,
    b: PixelRegions,
    rows_a: np.ndarray | None = None,
    rows_b: np.ndarray | None = None,
    /,
    *,
    threads: int | None = None,
) -> OutlineOffsets:
    """Compare the outlines of masks that belong together: row by row, or these rows of both.

    The offset is half of (the mean signed distance of the outline of b from a − that of the outline of a from b);
    outside is positive. Distances go from pixel centre to pixel centre of the outline. Exactly the negative where a and
    b are exchanged.

    >>> from vesica import Masks
    >>> import numpy as np
    >>> small, large = np.zeros((2, 1, 9, 9), bool)
    >>> small[0, 3:6, 3:6] = large[0, 2:7, 2:7] = True
    >>> outline_offsets(Masks(small), Masks(large)).offset.round(3)
    array([1.052])
    """
    check.same_image(a.size, b.size)
    first = a.to_rle()
    second = first if b is a else b.to_rle()
    rows = [np.arange(len(side)) if some is None else some for side, some in ((first, rows_a), (second, rows_b))]
    check.same_rows(len(rows[0]), len(rows[1]))

    kernel = pick_arrays("outline_offsets", "runs", first.counts)
    runs = [(side.counts, side.offsets) for side in (first, second)]
    return OutlineOffsets(*kernel.call(runs[0], rows[0], runs[1], rows[1], a.size[0], threads=threads))
