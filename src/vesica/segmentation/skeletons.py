"""Thin shapes by their centrelines: skeletons, and how much of each lies inside the other mask (clDice)."""

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
class Centrelines(Answer):
    """How much of the skeleton of a truth lies inside the guess, and the other way round.

    Attributes
    ----------
    size_truth, found : pixels of the truth's skeleton, and those of them that lie inside the guess
    size_guess, right : pixels of the guess's skeleton, and those of them that lie inside the truth
    """

    size_truth: int
    found: int
    size_guess: int
    right: int

    @property
    def status(self) -> str:
        """`ok`; `both_empty` (no score) or `one_empty` (the worst score) where a side has no pixels."""
        return status_of(self.size_truth, self.size_guess)

    @property
    def precision(self) -> float:
        """Topology precision: the share of the guess's skeleton that lies inside the truth."""
        return _share(self.right, self.size_guess, self.status)

    @property
    def sensitivity(self) -> float:
        """Topology sensitivity: the share of the truth's skeleton that lies inside the guess."""
        return _share(self.found, self.size_truth, self.status)

    @property
    def cldice(self) -> float:
        """clDice: the harmonic mean of both. NaN where both sides are empty, 0 where one is."""
        both = self.precision + self.sensitivity
        return 2 * self.precision * self.sensitivity / both if both else both

    def __repr__(self) -> str:
        if self.status != "ok":
            return f"<Centrelines: {self.status}, {self.size_truth} and {self.size_guess} pixels>"
        return f"<Centrelines: {self.size_truth} and {self.size_guess} pixels, clDice {self.cldice:.6g}>"


def skeleton(mask: Any, /) -> Array:
    """The skeleton of a mask: lines one pixel wide, which hang together as the mask did.

    Thinning from the border inwards by Lee, Kashyap and Chu (1994): up, down, right, left, and in a volume the planes
    behind and before, over and over. Of the pixels that lie open to a direction, those that are simple and no ends of
    lines are looked at once more, in the order of their places, and removed if they still are. A pixel is simple when
    without it object and background hang together as before; corners connect the object, sides alone the background.
    The end of a line has one neighbour. No part of a mask is lost, none is joined, and no hole is opened or closed.

    Parameters
    ----------
    mask : (H, W) or (D, H, W), bool, or integers of 0 and 1

    Examples
    --------
    >>> import vesica
    >>> vesica.segmentation.skeleton([[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]).astype(int)
    array([[0, 0, 0, 0, 0],
           [0, 0, 0, 0, 0],
           [1, 1, 1, 1, 1],
           [0, 0, 0, 0, 0]])
    """
    array = check.boolean_mask(mask, "mask")
    return pick_arrays("skeleton", "masks", array).call(array)


@overload
def centrelines(truth: Any, guess: Any, /, *, labels: None = None, threads: int | None = None) -> Centrelines: ...
@overload
def centrelines(truth: Any, guess: Any, /, *, labels: Any, threads: int | None = None) -> dict[int, Centrelines]: ...
def centrelines(
    truth: Any, guess: Any, /, *, labels: Any = None, threads: int | None = None
) -> Centrelines | dict[int, Centrelines]:
    """Compare the skeletons of two masks, or of each label of two label maps, with the other's mask.

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
    A vessel 3 pixels wide, once with a gap and once drawn only 1 wide. Dice likes the broken one better:

    >>> import numpy as np
    >>> import vesica
    >>> vessel = np.zeros((9, 40), bool)
    >>> vessel[3:6, 2:38] = True
    >>> broken, narrow = vessel.copy(), np.zeros_like(vessel)
    >>> broken[:, 19:21] = False
    >>> narrow[4, 2:38] = True
    >>> for guess in (broken, narrow):
    ...     dice = 2 * (vessel & guess).sum() / (vessel.sum() + guess.sum())
    ...     print(f"Dice {dice:.3f}, clDice {vesica.segmentation.centrelines(vessel, guess).cldice:.3f}")
    Dice 0.971, clDice 0.971
    Dice 0.500, clDice 1.000
    """
    sides = sides_of(truth, guess, labels, threads)
    return by_label(sides, compare_centrelines(sides.truth, sides.guess, sides.labels, threads=threads))


def compare_centrelines(a: Array, b: Array, labels: np.ndarray, /, *, threads: int | None) -> list[Centrelines]:
    """The same for arrays that were checked."""
    found = pick_arrays("centrelines", "labels", a, b).call(a, b, labels, threads=threads)
    return [Centrelines(*pair) for pair in found]


def _share(part: int, whole: int, status: str) -> float:
    return part / whole if status == "ok" else 0.0 if status == "one_empty" else math.nan
