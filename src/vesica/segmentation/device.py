"""Counting on another device: tables of known labels, which stay there until they are asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica._array import Array, device, has_visible_values, to_numpy
from vesica._check import segmentation as check
from vesica._kernels import pick_arrays
from vesica.segmentation.counting import Rows
from vesica.segmentation.counts import NO_CLASS
from vesica.segmentation.inputs import Maps


@dataclass(frozen=True, eq=False)
class Pending:
    """The tables of a batch, still on their device.

    Attributes
    ----------
    tables : (B, L + 1, L + 1) int64: places of the labels, the last one for all that are not known
    extremes : (4,) int64: the lowest and the highest unknown label of the truth, and of the guess
    nan : how many scores were NaN, or None
    labels : (L,) the known labels, rising
    pixels : how many pixels an image has
    """

    tables: Array
    extremes: Array
    nan: Array | None
    labels: np.ndarray
    pixels: int

    def __len__(self) -> int:
        return int(self.tables.shape[0])

    @property
    def bytes(self) -> int:
        """How much memory of the device it takes."""
        return 8 * math.prod(int(side) for side in self.tables.shape)

    def rows(self, *, drop: bool) -> list[Rows]:
        """The counts of each image, on the host: here the device is waited for. `drop` lets unknown labels pass."""
        if self.nan is not None:
            check.nan_scores(int(to_numpy(self.nan)))
        tables = to_numpy(self.tables)
        unknown = int(tables[:, -1, :].sum()), int(tables[:, :, -1].sum())
        if not drop:
            check.no_unknown_on_device(unknown, to_numpy(self.extremes).tolist(), self.labels)
        names = np.append(self.labels, NO_CLASS)
        found = []
        for table in tables:
            i, j = np.nonzero(table)
            found.append(Rows(names[i], names[j], table[i, j], self.pixels))
        return found


def pending_of(maps: Maps, labels: np.ndarray, known: Array | None, /) -> Pending:
    """Count a batch where it is. `labels` rise; `known` are the same on the device, from the call before."""
    kernel = pick_arrays("contingency", "labels", maps.truth, maps.guess)
    tables, extremes = kernel.call(maps.truth, maps.guess, labels, known)
    return Pending(tables, extremes, maps.nan, labels, math.prod(int(side) for side in maps.truth.shape[1:]))


def is_elsewhere(maps: Maps, /) -> bool:
    """Are both maps on one device whose values cannot be seen without waiting?"""
    hidden = [not has_visible_values(side) for side in (maps.truth, maps.guess)]
    if all(hidden):
        check.same_device(device(maps.truth), device(maps.guess))
    return all(hidden)


def known_labels(categories: Any, ignored: tuple[int, ...], /) -> np.ndarray:
    """The labels of categories and those that are ignored, rising."""
    return np.unique(np.concatenate([categories.ids, np.array(ignored, np.int64)]))
