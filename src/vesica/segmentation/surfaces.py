"""How far the outlines of two masks are apart: Hausdorff distance, its percentiles, mean distances, surface Dice."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np

from vesica import _check as check
from vesica._answer import Answer
from vesica._array import Array
from vesica._check import surfaces as check_surfaces
from vesica._kernels import Histogram, SurfacePair, pick_arrays
from vesica.segmentation.surface_inputs import by_label, sides_of, status_of


@dataclass(frozen=True, eq=False, repr=False)
class SurfaceDistances(Answer):
    """The distances between the surfaces of a truth and a guess, counted; every score follows from the counts.

    A surface pixel belongs to its mask and has a neighbour along an axis that does not; beyond the image there is no
    mask. From each surface pixel of one side the distance goes to the nearest surface pixel of the other, from centre
    to centre.

    Attributes
    ----------
    size_truth, size_guess : how many pixels each surface has
    squared_truth, count_truth : squared distances from the surface of the truth, rising, and how many pixels have each
    squared_guess, count_guess : those from the surface of the guess
    worst : what distances count as where one side has no surface: the diagonal of the image
    """

    size_truth: int
    size_guess: int
    squared_truth: np.ndarray
    count_truth: np.ndarray
    squared_guess: np.ndarray
    count_guess: np.ndarray
    worst: float

    @property
    def status(self) -> str:
        """`ok`; `both_empty` (no score) or `one_empty` (the worst score) where a side has no surface."""
        return status_of(self.size_truth, self.size_guess)

    def hd(self, percentile: float = 100, /, *, percentile_of: Literal["directed", "pooled"] = "directed") -> float:
        """The Hausdorff distance: the largest distance, or a percentile of the distances.

        Percentiles are `directed`, the larger one of both directions (as MONAI and Metrics Reloaded have it), or
        `pooled`, that of all distances together (as MedPy has it). NaN where both sides are empty.

        >>> import vesica
        >>> truth, guess = [[1, 1, 0, 0, 0, 0]], [[1, 1, 1, 0, 0, 1]]
        >>> distances = vesica.surface_distances(truth, guess)
        >>> distances.hd(), distances.hd(50), distances.hd(50, percentile_of="pooled")
        (4.0, 0.5, 0.0)
        """
        share = check_surfaces.percentile(percentile) / 100
        check_surfaces.percentile_of(percentile_of)
        if self.status != "ok":
            return self._unusual(self.worst)
        if percentile_of == "pooled":
            return _percentile(_joined(self._from_truth, self._from_guess), share)
        return max(_percentile(self._from_truth, share), _percentile(self._from_guess, share))

    @property
    def hd95(self) -> float:
        """The larger one of both 95th percentiles: `hd(95)`."""
        return self.hd(95)

    @property
    def assd(self) -> float:
        """The average symmetric surface distance: the mean of all distances of both directions."""
        if self.status != "ok":
            return self._unusual(self.worst)
        return (_sum(self._from_truth) + _sum(self._from_guess)) / (self.size_truth + self.size_guess)

    @property
    def masd(self) -> float:
        """The mean of the two directed means: another number than `assd` where the surfaces differ in size."""
        if self.status != "ok":
            return self._unusual(self.worst)
        return (_sum(self._from_truth) / self.size_truth + _sum(self._from_guess) / self.size_guess) / 2

    @property
    def asd(self) -> float:
        """The mean distance from the surface of the guess to that of the truth."""
        return self._unusual(self.worst) if self.status != "ok" else _sum(self._from_guess) / self.size_guess

    def nsd(self, tau: float, /) -> float:
        """The normalised surface distance, or surface Dice: the share of both surfaces within `tau` of the other."""
        limit = check_surfaces.tau(tau)
        if self.status != "ok":
            return self._unusual(0.0)
        return (self._within_truth(limit) + self._within_guess(limit)) / (self.size_truth + self.size_guess)

    def boundary_f(self, tau: float, /) -> float:
        """The F-measure of the outlines: precision of the guess's surface and recall of the truth's, within `tau`."""
        limit = check_surfaces.tau(tau)
        if self.status != "ok":
            return self._unusual(0.0)
        precision = self._within_guess(limit) / self.size_guess
        recall = self._within_truth(limit) / self.size_truth
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    def _unusual(self, worst: float) -> float:
        return worst if self.status == "one_empty" else math.nan

    @functools.cached_property
    def _from_truth(self) -> Histogram:
        return Histogram(self.squared_truth, self.count_truth)

    @functools.cached_property
    def _from_guess(self) -> Histogram:
        return Histogram(self.squared_guess, self.count_guess)

    def _within_truth(self, tau: float) -> int:
        return _within(self._from_truth, tau)

    def _within_guess(self, tau: float) -> int:
        return _within(self._from_guess, tau)

    def __repr__(self) -> str:
        if self.status != "ok":
            return f"<SurfaceDistances: {self.status}, {self.size_truth} and {self.size_guess} surface pixels>"
        return (
            f"<SurfaceDistances: {self.size_truth} and {self.size_guess} surface pixels, "
            f"HD {self.hd():.6g}, HD95 {self.hd95:.6g}, ASSD {self.assd:.6g}>"
        )


@overload
def surface_distances(
    truth: Any, guess: Any, /, *, labels: None = None, spacing: Any = None, threads: int | None = None
) -> SurfaceDistances: ...
@overload
def surface_distances(
    truth: Any, guess: Any, /, *, labels: Any, spacing: Any = None, threads: int | None = None
) -> dict[int, SurfaceDistances]: ...
def surface_distances(
    truth: Any, guess: Any, /, *, labels: Any = None, spacing: Any = None, threads: int | None = None
) -> SurfaceDistances | dict[int, SurfaceDistances]:
    """Compare the outlines of two masks, or of each label of two label maps.

    Distances are exact: squares of whole numbers where the spacing is the same along all axes. Each pair is looked at
    in the box that holds both masks, so that large volumes with small organs are quick.

    Parameters
    ----------
    truth, guess : (H, W) or (D, H, W) arrays or nested lists
        Masks of bool, or of 0 and 1; with `labels`, maps of integers.
    labels : list of int, optional
        Which labels to compare, each as a mask; the answer is a dict of them.
    spacing : float or one for each axis, default 1
        The distance between neighbours along each axis, in the order of the shape: (slice, row, column) of a volume.
        Scores are in its unit; without it in pixels.
    threads : int, optional
        At most so many threads; the answer does not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> import vesica
    >>> truth, guess = np.zeros((2, 32, 32), bool)
    >>> truth[8:20, 8:20] = True
    >>> guess[9:21, 8:20] = guess[14, 20:28] = True
    >>> distances = vesica.surface_distances(truth, guess)
    >>> distances
    <SurfaceDistances: 44 and 51 surface pixels, HD 8, HD95 5.5, ASSD 0.852632>
    >>> distances.nsd(1)  # 88 of 95
    0.9263157894736842

    Voxels that are 5 mm high and 1 mm wide:

    >>> vesica.surface_distances([[[1]], [[0]]], [[[0]], [[1]]], spacing=(5, 1, 1)).hd()
    5.0

    Each organ of a label map:

    >>> found = vesica.surface_distances([[1, 1, 2, 2]], [[1, 2, 2, 2]], labels=[1, 2, 3])
    >>> {label: one.hd() for label, one in found.items()}
    {1: 1.0, 2: 1.0, 3: nan}
    """
    sides = sides_of(truth, guess, labels, threads)
    steps = check_surfaces.spacing(spacing, sides.truth.ndim)
    return by_label(sides, compare(sides.truth, sides.guess, sides.labels, spacing=steps, threads=threads))


def compare(
    a: Array, b: Array, labels: np.ndarray, /, *, spacing: tuple[float, ...], threads: int | None
) -> list[SurfaceDistances]:
    """The same for arrays that were checked."""
    kernel = pick_arrays("surfaces", "labels", a, b)
    worst = diagonal_of(tuple(a.shape), spacing)
    return [_distances(pair, worst) for pair in kernel.call(a, b, labels, spacing=spacing, threads=threads)]


def diagonal_of(shape: tuple[int, ...], spacing: tuple[float, ...], /) -> float:
    """The diagonal of an image: no distance inside it is larger."""
    return math.hypot(*(side * step for side, step in zip(shape, spacing, strict=True)))


def distance_transform(mask: Any, /, *, spacing: Any = None, threads: int | None = None) -> Array:
    """The exact Euclidean distance from each pixel of a mask to the nearest pixel outside it.

    0 outside the mask; infinite where nothing is outside: beyond the image there are no pixels. float32 where it
    holds the squares (no spacing, the diagonal below 4096 pixels), else float64.

    >>> distance_transform([[0, 1, 1, 1, 0]])
    array([[0., 1., 2., 1., 0.]], dtype=float32)
    >>> distance_transform([[0, 1], [0, 1]], spacing=(1, 0.5))
    array([[0. , 0.5],
           [0. , 0.5]])
    """
    check.threads(threads)
    array = check_surfaces.boolean_mask(mask, "mask")
    steps = check_surfaces.spacing(spacing, array.ndim)
    return pick_arrays("distance", "masks", array).call(array, spacing=steps, threads=threads)


def _distances(pair: SurfacePair, worst: float) -> SurfaceDistances:
    return SurfaceDistances(pair.size_a, pair.size_b, *pair.from_a, *pair.from_b, worst)


def _joined(a: Histogram, b: Histogram) -> Histogram:
    squared, place = np.unique(np.concatenate([a.squared, b.squared]), return_inverse=True)
    counts = np.zeros(len(squared), np.int64)
    np.add.at(counts, place.reshape(-1), np.concatenate([a.pixels, b.pixels]))
    return Histogram(squared, counts)


def _percentile(of: Histogram, share: float) -> float:
    """Linear between the two distances that stand beside the place, as NumPy's percentile."""
    ends = np.cumsum(of.pixels)
    place = share * (int(ends[-1]) - 1)
    before = math.floor(place)
    low, high = (
        math.sqrt(of.squared[np.searchsorted(ends, rank, side="right")])
        for rank in (before, min(before + 1, int(ends[-1]) - 1))
    )
    part = place - before
    return high - (high - low) * (1 - part) if part >= 0.5 else low + (high - low) * part


def _sum(of: Histogram) -> float:
    """Exactly rounded, so that no order of the pixels matters."""
    return math.fsum(
        math.sqrt(squared) * count for squared, count in zip(of.squared.tolist(), of.pixels.tolist(), strict=True)
    )


def _within(of: Histogram, tau: float) -> int:
    """How many distances are at most tau, the distance itself being compared: its square may be rounded."""
    return int(of.pixels[np.sqrt(of.squared) <= tau].sum())
