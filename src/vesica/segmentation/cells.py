"""Cells: of each image and each class, how many pixels both sides have, the truth has, and the guess has."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from vesica._check import segmentation as check
from vesica.dataset.ids import places
from vesica.segmentation.counts import NO_CLASS, PixelCounts
from vesica.segmentation.policy import SegmentationPolicy

OK, BOTH_EMPTY, GUESS_ONLY, TRUTH_ONLY = range(4)
"""What a cell has: something on both sides, nothing, or something on one."""


class FoundCells(NamedTuple):
    """The cells that a side has something in, by image, then class: of many classes most images have few.

    Attributes
    ----------
    image, label : (F,) places of the image and of the class
    both, truth, guess : (F,) int64
    status : (F,) uint8: OK, GUESS_ONLY or TRUTH_ONLY
    """

    image: np.ndarray
    label: np.ndarray
    both: np.ndarray
    truth: np.ndarray
    guess: np.ndarray
    status: np.ndarray


@dataclass(frozen=True, eq=False)
class Cells:
    """Pixels that count, by image and class.

    Attributes
    ----------
    labels : (K,) int64: the classes
    names : (K,) what they are called; their labels where they have no name
    both, truth, guess : (I, K) int64: TP, TP + FN, TP + FP
    pixels : (I,) int64: N, those that count at all
    """

    labels: np.ndarray
    names: tuple[Any, ...]
    both: np.ndarray
    truth: np.ndarray
    guess: np.ndarray
    pixels: np.ndarray

    @functools.cached_property
    def status(self) -> np.ndarray:
        """(I, K) uint8: OK, BOTH_EMPTY, GUESS_ONLY or TRUTH_ONLY."""
        return status_of(self.truth, self.guess)

    @functools.cached_property
    def found(self) -> FoundCells:
        """The cells that are not empty on both sides."""
        place = np.flatnonzero((self.truth != 0) | (self.guess != 0))  # of booleans it is several times as fast
        both, truth, guess = (column.ravel()[place] for column in (self.both, self.truth, self.guess))
        return FoundCells(*np.divmod(place, max(len(self.labels), 1)), both, truth, guess, status_of(truth, guess))

    @functools.cached_property
    def is_full(self) -> np.ndarray:
        """(I, K) bool: cells that both sides have."""
        return np.asarray(self.status == OK)

    @functools.cached_property
    def is_absent(self) -> np.ndarray:
        """(K,) bool: classes that neither side has in any image."""
        total = self.total
        return np.asarray((total.truth[0] == 0) & (total.guess[0] == 0))

    @functools.cached_property
    def total(self) -> Cells:
        """All images as one."""
        return self if len(self.pixels) == 1 else self.grouped(np.zeros(len(self.pixels), np.int64), 1)

    def grouped(self, group: np.ndarray, count: int, /) -> Cells:
        """The images of each group as one."""
        if count == 1:
            both, truth, guess = (c.sum(axis=0, keepdims=True) for c in (self.both, self.truth, self.guess))
            return Cells(self.labels, self.names, both, truth, guess, self.pixels.sum(keepdims=True))
        parts = []
        for column in (self.both, self.truth, self.guess, self.pixels):
            sums = np.zeros((count, *column.shape[1:]), np.int64)
            np.add.at(sums, group, column)
            parts.append(sums)
        return Cells(self.labels, self.names, *parts)

    def without(self, label: int | None, /) -> Cells:
        """All classes but one, if it is there."""
        keep = np.ones(len(self.labels), bool) if label is None else self.labels != label
        if keep.all():
            return self
        names = tuple(name for name, is_kept in zip(self.names, keep, strict=True) if is_kept)
        if ("without", label) not in self.memo:
            self.memo["without", label] = self._classes(keep, names)
        found: Cells = self.memo["without", label]
        return found

    def _classes(self, keep: np.ndarray, names: tuple[Any, ...]) -> Cells:
        return Cells(
            self.labels[keep], names, self.both[:, keep], self.truth[:, keep], self.guess[:, keep], self.pixels
        )

    @functools.cached_property
    def memo(self) -> dict[Any, Any]:
        """What was made of them before, by what decided it: scores by their formula, means, some of the classes."""
        return {}


def status_of(truth: np.ndarray, guess: np.ndarray, /) -> np.ndarray:
    """What each cell has."""
    # OK 0, BOTH_EMPTY 1, GUESS_ONLY 2, TRUTH_ONLY 3, as (no truth, no guess) = 00, 11, 10, 01.
    table = np.array([OK, TRUTH_ONLY, GUESS_ONLY, BOTH_EMPTY], np.uint8)
    return np.asarray(table[(truth == 0) * np.uint8(2) + (guess == 0)])


def cells_of(counts: PixelCounts, policy: SegmentationPolicy, /) -> Cells:
    """The pixels that count under a policy, by image and class."""
    ignore, where, unknown = policy.pixels
    labels, names = _classes(counts, ignore, unknown)
    is_strange = np.setdiff1d(counts.labels, (*labels.tolist(), *ignore)).size > 0
    if unknown == "error" and (is_strange or not (counts.is_overlapping or counts.is_complete)):
        check.no_unknown(_unknown(counts, labels, ignore), labels)
    if policy.like is None:
        check.nothing_learned_is_ignored(ignore, where, counts.truth, counts.guess, counts.categories)

    # Labels that do not occur decide nothing.
    present = tuple(sorted({*ignore} & {*counts.labels.tolist()}))
    key = "cells", tuple(labels.tolist()), present, where if present else ""
    if key not in counts.memo:
        counts.memo[key] = _counted(counts, present, where, labels, names)
    found: Cells = counts.memo[key]
    return found


def _counted(
    counts: PixelCounts, ignore: tuple[int, ...], where: str, labels: np.ndarray, names: tuple[Any, ...]
) -> Cells:
    left = np.zeros(len(counts.count), bool)
    if ignore:
        ours, theirs = (np.isin(side, np.array(ignore, np.int64)) for side in (counts.truth, counts.guess))
        left = {"truth": ours, "either": ours | theirs, "both": ours & theirs}[where]
    row, column = places(counts.truth, labels), places(counts.guess, labels)
    shape = len(counts), len(labels)
    both, truth, guess = (np.zeros(shape, np.int64) for _ in range(3))
    for table, place, take in (
        (truth, row, row >= 0),
        (guess, column, column >= 0),
        (both, row, (row >= 0) & (row == column)),
    ):
        taken = take & ~left
        np.add.at(table, (counts.image[taken], place[taken]), counts.count[taken])
    pixels = counts.pixels.copy()
    np.subtract.at(pixels, counts.image[left], counts.count[left])
    return Cells(labels, names, both, truth, guess, pixels)


def confusion_of(counts: PixelCounts, labels: np.ndarray, /) -> np.ndarray:
    """(K, K) int64 over all images: rows are classes of the truth, columns classes of the guess."""
    check.has_confusion(counts.is_overlapping)
    row, column = places(counts.truth, labels), places(counts.guess, labels)
    inside = (row >= 0) & (column >= 0)
    table = np.zeros((len(labels), len(labels)), np.int64)
    np.add.at(table, (row[inside], column[inside]), counts.count[inside])
    return table


def _classes(counts: PixelCounts, ignore: tuple[int, ...], unknown: str) -> tuple[np.ndarray, tuple[Any, ...]]:
    """The labels that are classes, and their names."""
    found = counts.labels
    if counts.categories is None:
        labels = found
    else:
        labels = counts.categories.ids
        if unknown == "add":
            more = found[places(found, labels) < 0]
            labels = np.concatenate([labels, more])
    labels = labels[~np.isin(labels, np.array(ignore, np.int64))]
    named: dict[int, Any] = {}
    if counts.categories is not None and counts.categories.names is not None:
        named = dict(zip(counts.categories.ids.tolist(), counts.categories.names.tolist(), strict=True))
    return labels, tuple(one if named.get(one) is None else named[one] for one in labels.tolist())


def _unknown(counts: PixelCounts, labels: np.ndarray, ignore: tuple[int, ...]) -> dict[str, dict[int, int]]:
    """Labels of each side that are no class and not ignored, and how many pixels have them."""
    told = {}
    for side in ("truth", "guess"):
        column = getattr(counts, side)
        known = (*ignore, NO_CLASS) if counts.is_overlapping else ignore
        strange = (places(column, labels) < 0) & ~np.isin(column, np.array(known, np.int64))
        names, at = np.unique(column[strange], return_inverse=True)
        sums = np.zeros(len(names), np.int64)
        np.add.at(sums, at.reshape(-1), counts.count[strange])
        told[side] = dict(zip(names.tolist(), sums.tolist(), strict=True))
    return told
