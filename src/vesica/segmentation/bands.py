"""How far the inner bands of two masks overlap: boundary IoU, at every width."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from vesica._answer import Answer
from vesica._array import Array
from vesica._check import surfaces as check
from vesica._kernels import pick_arrays
from vesica.segmentation.surface_inputs import by_label, sides_of, status_of


@dataclass(frozen=True, eq=False, repr=False)
class BoundaryBands(Answer):
    """The pixels of a truth and a guess by how deep they lie in their masks; boundary IoU follows from the counts.

    A pixel is as deep as it takes steps along rows, columns and diagonals to leave the mask; beyond the image there is
    no mask. The inner band of width d is what is at most d deep: what d erosions by 3 × 3 pixels take away.

    Attributes
    ----------
    truth, guess : int64: pixels 1, 2, 3, … deep
    both : int64: pixels of both masks, by where they lie deeper
    shape : of the image
    """

    truth: np.ndarray
    guess: np.ndarray
    both: np.ndarray
    shape: tuple[int, ...]

    @property
    def status(self) -> str:
        """`ok`; `both_empty` (no score) or `one_empty` (the worst score) where a side has no pixels."""
        return status_of(len(self.truth), len(self.guess))

    def iou(self, width: int | str = "2%", /) -> float:
        """Boundary IoU: the IoU of the inner bands that are `width` pixels wide.

        "2%" are two hundredths of the diagonal of the image, rounded, and at least one pixel: the width that was
        published, and that depends on the size of the image. NaN where both sides are empty, 0 where one is.

        >>> import vesica
        >>> truth, guess = [[1, 1, 1, 1]] * 4, [[1, 1, 1, 0]] * 4
        >>> bands = vesica.segmentation.boundary_bands(truth, guess)
        >>> bands.iou(1), bands.iou(2)  # 8 of 14 pixels, and the masks themselves: 12 of 16
        (0.5714285714285714, 0.75)
        """
        pixels = check.band_width(width, self.shape)
        truth, guess, both = (int(depths[:pixels].sum()) for depths in (self.truth, self.guess, self.both))
        return both / (truth + guess - both) if self.status != "both_empty" else math.nan

    def __repr__(self) -> str:
        if self.status != "ok":
            return f"<BoundaryBands: {self.status}>"
        return f"<BoundaryBands: {self.truth.sum()} and {self.guess.sum()} pixels, boundary IoU(2%) {self.iou():.6g}>"


@overload
def boundary_bands(truth: Any, guess: Any, /, *, labels: None = None, threads: int | None = None) -> BoundaryBands: ...
@overload
def boundary_bands(
    truth: Any, guess: Any, /, *, labels: Any, threads: int | None = None
) -> dict[int, BoundaryBands]: ...
def boundary_bands(
    truth: Any, guess: Any, /, *, labels: Any = None, threads: int | None = None
) -> BoundaryBands | dict[int, BoundaryBands]:
    """Compare the inner bands of two masks, or of each label of two label maps.

    Parameters
    ----------
    truth, guess : (H, W) or (D, H, W) arrays or nested lists
        Masks of bool, or of 0 and 1; with `labels`, maps of integers.
    labels : list of int, optional
        Which labels to compare, each as a mask; the answer is a dict of them.
    threads : int, optional
        At most so many threads; the answer does not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> import vesica
    >>> truth, guess = np.zeros((2, 32, 32), bool)
    >>> truth[8:20, 8:20] = guess[9:21, 8:20] = True
    >>> bands = vesica.segmentation.boundary_bands(truth, guess)
    >>> [round(bands.iou(width), 3) for width in (1, 2, 6)]
    [0.333, 0.6, 0.846]
    """
    sides = sides_of(truth, guess, labels, threads)
    return by_label(sides, compare_bands(sides.truth, sides.guess, sides.labels, threads=threads))


def compare_bands(a: Array, b: Array, labels: np.ndarray, /, *, threads: int | None) -> list[BoundaryBands]:
    """The same for arrays that were checked."""
    shape = tuple(int(side) for side in a.shape)
    found = pick_arrays("bands", "labels", a, b).call(a, b, labels, threads=threads)
    return [BoundaryBands(pair.a, pair.b, pair.both, shape) for pair in found]
