"""Counting on another device: tables of known labels, which stay there until they are asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica._array import Array, cast, device, from_numpy, has_visible_values, namespace, tally, to_numpy
from vesica._check import segmentation as check
from vesica.segmentation.counting import Rows
from vesica.segmentation.counts import NO_CLASS
from vesica.segmentation.inputs import Maps

HIGHEST = 2**62
"""No label that is not known is farther from 0 in the extremes that are kept of them."""


@dataclass(frozen=True, eq=False)
class Pending:
    """The tables of a batch, still on their device.

    Attributes
    ----------
    tables : (B, L + 1, L + 1) int64: places of the labels, the last one for all that are not known
    extremes : (2, 2) int64: the lowest and the highest unknown label of truth and guess
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
    truth, guess = (_flat(side) for side in (maps.truth, maps.guess))
    xp = namespace(truth, guess)
    on_device = from_numpy(labels, truth) if known is None else known
    rows, columns = _places(truth, on_device), _places(guess, on_device)
    size = len(labels) + 1
    tables = xp.reshape(tally(rows * size + columns, size * size), (len(maps), size, size))
    ends = []
    for values, places in ((truth, rows), (guess, columns)):
        strange = places == size - 1
        ends += [xp.min(xp.where(strange, values, HIGHEST)), xp.max(xp.where(strange, values, -HIGHEST))]
    return Pending(tables, xp.stack(ends), maps.nan, labels, int(truth.shape[1]))


def _flat(maps: Array) -> Array:
    return namespace(maps).reshape(cast(maps, "int64"), (int(maps.shape[0]), -1))


def _places(values: Array, labels: Array) -> Array:
    """Where each label stands among the known ones; one past the last for all others."""
    xp = namespace(values)
    count = int(labels.shape[0])
    near = xp.clip(xp.searchsorted(labels, values), 0, count - 1)
    return xp.where(labels[near] == values, near, count)


def is_elsewhere(maps: Maps, /) -> bool:
    """Are both maps on one device whose values cannot be seen without waiting?"""
    hidden = [not has_visible_values(side) for side in (maps.truth, maps.guess)]
    if all(hidden):
        check.same_device(device(maps.truth), device(maps.guess))
    return all(hidden)


def known_labels(categories: Any, ignored: tuple[int, ...], /) -> np.ndarray:
    """The labels of categories and those that are ignored, rising."""
    return np.unique(np.concatenate([categories.ids, np.array(ignored, np.int64)]))
