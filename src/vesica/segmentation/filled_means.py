"""Means of cells of which the empty ones have a value by what they lack: what the others sum up to is kept, so that
another policy costs no look at the cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica.segmentation.averages import Average, mean_in_any_order, mean_of, sum_in_any_order
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


def filled_mean(cells: Cells, key: tuple[str, float], raw: np.ndarray, fills: Fills, order: str, /) -> Average:
    """The mean of (I, K) cells in some order of averaging: `raw` where both sides have something, else by `fills`.

    `key` is what `raw` was made by.
    """
    if ("sums", key) not in cells.memo:
        cells.memo["sums", key] = _sums(np.where(cells.is_full, raw, 0))
    if "tally" not in cells.memo:
        cells.memo["tally"] = _tally(cells.status)
    sums: Sums = cells.memo["sums", key]
    tally: Tally = cells.memo["tally"]
    gone = int(fills.is_absent.sum())
    by_class = np.where(fills.is_absent[:, None], 0, tally.classes)
    used = int((by_class * fills.counts).sum()) + (gone * len(raw) if fills.absent == fills.absent else 0)
    left_out = raw.size - used
    if order == "classes":
        each = _shares(sums.classes, by_class, fills, np.zeros(len(by_class)), 0)
        each[fills.is_absent] = fills.absent
        return mean_of(each[None], order=order)._replace(used=used, left_out=left_out)
    if order == "images":
        by_image = tally.images.copy()
        by_image[:, BOTH_EMPTY] -= gone
        means = _shares(sums.images, by_image, fills, np.full(len(by_image), fills.absent), gone)
        return Average(mean_in_any_order(means), used, left_out)
    whole = _shares(np.array([sums.all]), by_class.sum(axis=0)[None], fills, np.array([fills.absent]), gone * len(raw))
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


def _sums(full: np.ndarray) -> Sums:
    classes = sum_in_any_order(full, axis=0)
    return Sums(full.sum(axis=1), classes, float(sum_in_any_order(classes)))


def _tally(status: np.ndarray) -> Tally:
    places = (4 * np.arange(len(status))[:, None], 4 * np.arange(status.shape[1])[None, :])
    rows = (np.bincount((place + status).ravel(), minlength=4 * place.size) for place in places)
    return Tally(*(counts.reshape(-1, 4) for counts in rows))
