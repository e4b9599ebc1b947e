"""Means of cells of which the empty ones have a value by what they lack: what the others sum up to is kept, so that
another policy costs no look at the cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica.segmentation.averages import Average, mean_in_any_order, mean_of, sum_in_any_order, sums_in_any_order
from vesica.segmentation.cells import BOTH_EMPTY, OK, Cells


class Sums(NamedTuple):
    """What the cells that both sides have sum up to: by image, by class, and in all."""

    images: np.ndarray
    classes: np.ndarray
    all: float


class Tally(NamedTuple):
    """How many cells there are of each status: (I, 4) by image, (K, 4) by class."""

    images: np.ndarray
    classes: np.ndarray


def filled_mean(cells: Cells, sums: Sums, fills: Fills, order: str, /) -> Average:
    """The mean of (I, K) cells in some order: `sums` are of those that both sides have, the others count by `fills`."""
    if "tally" not in cells.memo:
        cells.memo["tally"] = _tally(cells)
    tally: Tally = cells.memo["tally"]
    images, gone = len(cells.pixels), int(fills.is_absent.sum())
    by_class = np.where(fills.is_absent[:, None], 0, tally.classes)
    used = int((by_class * fills.counts).sum()) + (gone * images if fills.absent == fills.absent else 0)
    left_out = cells.both.size - used
    if order == "classes":
        each = _shares(sums.classes, by_class, fills, np.zeros(len(by_class)), 0)
        each[fills.is_absent] = fills.absent
        return mean_of(each[None], order=order)._replace(used=used, left_out=left_out)
    if order == "images":
        by_image = tally.images.copy()
        by_image[:, BOTH_EMPTY] -= gone
        means = _shares(sums.images, by_image, fills, np.full(len(by_image), fills.absent), gone)
        return Average(mean_in_any_order(means), used, left_out)
    whole = _shares(np.array([sums.all]), by_class.sum(axis=0)[None], fills, np.array([fills.absent]), gone * images)
    return Average(float(whole[0]), used, left_out)


class Fills(NamedTuple):
    """What cells count as that are not full; NaN for those that are left out."""

    by_status: np.ndarray
    """(4,): the entry of OK is not looked at."""
    absent: float
    is_absent: np.ndarray
    """(K,) bool: classes that neither side has in the whole set."""

    @property
    def counts(self) -> np.ndarray:
        """(4,) bool: which of them count."""
        counted = self.by_status == self.by_status
        counted[OK] = True
        return np.asarray(counted)


def _shares(sums: np.ndarray, tally: np.ndarray, fills: Fills, absent: np.ndarray, gone: int) -> np.ndarray:
    """Rows of means: sums of full cells and values of the others, over how many count; NaN where none does."""
    values = np.where(fills.counts, fills.by_status, 0)
    values[OK] = 0
    number, total = tally @ fills.counts.astype(np.int64), sums + tally @ values
    if gone:
        is_counted = absent == absent
        number, total = number + gone * is_counted, total + np.where(is_counted, absent, 0) * gone
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(number > 0, total / number, np.nan))


def sums_of(cells: Cells, values: np.ndarray, /) -> Sums:
    """What `values`, those of the cells that were found, sum up to where both sides have something."""
    found = cells.found
    full = np.flatnonzero(found.status == OK)
    images, classes = cells.both.shape
    value, image, label = values[full], found.image[full], found.label[full]
    by_class = sums_in_any_order(value, label, classes)
    by_image = np.bincount(image, weights=value, minlength=images)
    return Sums(by_image, by_class, float(sum_in_any_order(by_class)))


def _tally(cells: Cells) -> Tally:
    found, (images, classes) = cells.found, cells.both.shape
    by_image, by_class = (
        np.bincount(4 * place + found.status, minlength=4 * count).reshape(count, 4)
        for place, count in ((found.image, images), (found.label, classes))
    )
    by_image[:, BOTH_EMPTY] = classes - by_image.sum(axis=1)
    by_class[:, BOTH_EMPTY] = images - by_class.sum(axis=1)
    return Tally(by_image, by_class)
