"""The ledger of label maps: what 1 − mIoU is made of, pixel by pixel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._check import surfaces as check_maps
from vesica.agreement.ledger import TYPES
from vesica.agreement.outlines import distance_to, outline

PIXEL_TYPES = ("loose edge", "label", "missing", "extra")
"""The types that pixels have, in the order of the columns of counts."""
assert set(PIXEL_TYPES) <= set(TYPES)


@dataclass(frozen=True, eq=False)
class PixelLedger:
    """For each class how many pixels only one side gave to it, by type.

    Attributes
    ----------
    classes : (C,) int64, rising: those that either side has
    union : (C,) int64: the pixels that either side gave to the class
    counts : (C, 4) int64: those that only one gave to it, in the order of `PIXEL_TYPES`
    """

    classes: np.ndarray
    union: np.ndarray
    counts: np.ndarray

    def __add__(self, other: PixelLedger) -> PixelLedger:
        """The ledger of both images together."""
        classes = np.union1d(self.classes, other.classes)
        union, counts = np.zeros(len(classes), np.int64), np.zeros((len(classes), len(PIXEL_TYPES)), np.int64)
        for one in (self, other):
            places = np.searchsorted(classes, one.classes)
            union[places] += one.union
            counts[places] += one.counts
        return PixelLedger(classes, union, counts)

    @property
    def amounts(self) -> np.ndarray:
        """(4,) what each type takes from the mean IoU; their sum is the gap, 1 − mIoU. Zeros where no class is."""
        shares = self.counts / self.union[:, None]
        amounts: np.ndarray = shares.sum(axis=0) / max(len(self.classes), 1)
        return amounts

    @property
    def edge_share(self) -> float:
        """The share of differing pixels that lie near an outline; NaN where none differ."""
        differing = int(self.counts.sum())
        return int(self.counts[:, 0].sum()) / differing if differing else float("nan")


def pixel_ledger(
    a: Any,
    b: Any,
    /,
    *,
    background: int | None = None,
    ignore: Iterable[int] = (),
    within: float = 2,
    threads: int | None = None,
) -> PixelLedger:
    """Sort the pixels in which two label maps differ by type, class by class.

    A pixel that only one side gave to a class is `loose edge` if it lies within `within` pixels of either side's
    outline of the class; else `label` if both sides have something there, a background being nothing; else `missing`
    if a has it, `extra` if b has it.

    Parameters
    ----------
    a, b : (H, W) or (D, H, W) maps of integers
    background : int, optional
        The label that stands for nothing; it is no class. By default every label is a class.
    ignore : list of int
        Pixels that have one of these labels on either side take no part.
    within : float, default 2
        Pixels.

    Examples
    --------
    >>> a, b = [[1, 1, 1, 0, 2, 2, 0, 0]], [[1, 1, 0, 0, 2, 2, 0, 2]]
    >>> found = pixel_ledger(a, b, background=0, within=1)
    >>> found.classes, found.union
    (array([1, 2]), array([3, 3]))
    >>> dict(zip(PIXEL_TYPES, found.amounts.round(4).tolist()))
    {'loose edge': 0.3333, 'label': 0.0, 'missing': 0.0, 'extra': 0.0}
    """
    check.threads(threads)
    first, second = (np.asarray(check_maps.surface_map(side, name)) for side, name in ((a, "a"), (b, "b")))
    check_maps.same_shape(first, second, "a", "b")

    ignored = np.array(list(ignore), np.int64)
    valid = ~(np.isin(first, ignored) | np.isin(second, ignored))
    classes = np.union1d(first[valid], second[valid]).astype(np.int64)
    classes = classes[classes != background] if background is not None else classes
    both = valid if background is None else valid & (first != background) & (second != background)
    rows = [_of_class((first == label) & valid, (second == label) & valid, both, within, threads) for label in classes]

    found = np.array(rows, np.int64).reshape(-1, 1 + len(PIXEL_TYPES))
    return PixelLedger(classes, found[:, 0], found[:, 1:])


def _of_class(
    a: np.ndarray, b: np.ndarray, both: np.ndarray, within: float, threads: int | None
) -> tuple[int, int, int, int, int]:
    """The union, and the differing pixels of each type, of one class; `both` are pixels where both have something."""
    either = a | b
    axes = range(either.ndim)
    window = tuple(_ends(either.any(axis=tuple(other for other in axes if other != axis))) for axis in axes)
    a, b, both = a[window], b[window], both[window]
    differ = a ^ b
    edge = differ & (distance_to(outline(a) | outline(b), threads) <= within)
    label = differ & ~edge & both
    alone = differ & ~edge & ~both
    counts = (edge, label, alone & a, alone & b)
    return (int(either.sum()), *(int(np.count_nonzero(one)) for one in counts))  # type: ignore[return-value]


def _ends(occupied: np.ndarray) -> slice:
    """From the first to the last row that is occupied."""
    places = np.flatnonzero(occupied)
    return slice(int(places[0]), int(places[-1]) + 1)
