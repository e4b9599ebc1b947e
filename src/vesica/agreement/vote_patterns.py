"""Vote patterns: how many pixels each set of annotators marked, and all that follows from these counts alone."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._check import vote_patterns as check_votes
from vesica._kernels import pick_arrays
from vesica.regions.pixels import PixelRegions
from vesica.statistics.coefficients import (
    Coefficient,
    fleiss_of,
    fleiss_sums,
    nominal_of,
    nominal_sums_of_counts,
    one_of,
)

TABLE_AT_MOST = 16
"""Annotators for whom a table of all patterns is made; for more there are the patterns that occur."""
FIELDS = ("image", "union_box")


@dataclass(frozen=True, eq=False)
class VotePatterns:
    """How many pixels have each pattern of votes of K annotators: bit k of a pattern is the vote of annotator k.

    Counts of disjoint images add up (`joined`), and everything here follows from them.

    Attributes
    ----------
    annotators : int
        K, up to 64.
    code : (P,) uint64
        The patterns that occur, rising.
    count : (P,) int64
        How many pixels have each.
    field : {"image", "union_box"}
        What was counted: every pixel, or those of the box around all that was marked. It changes how many pixels
        nobody marked, and by that α, Fleiss' κ and STAPLE.

    Examples
    --------
    >>> votes = VotePatterns.from_table([800, 10, 15, 20, 5, 25, 30, 95])
    >>> votes.areas, votes.majority, bool(votes.iou[0, 1] == 115 / 195)
    (array([150, 160, 155]), 170, True)
    >>> round(votes.alpha.value, 6), round(votes.fleiss.value, 6), votes.conformity == 360 / 570
    (0.732863, 0.732773, True)
    """

    annotators: int
    code: np.ndarray
    count: np.ndarray
    field: str = "image"

    def __post_init__(self) -> None:
        for column in (self.code, self.count):
            column.setflags(write=False)

    def __repr__(self) -> str:
        return f"VotePatterns({self.annotators} annotators, {self.pixels} pixels, {len(self.code)} patterns)"

    @classmethod
    def from_table(cls, table: Any, /, *, field: str = "image") -> VotePatterns:
        """From the pixels of each of the 2^K patterns, in their order."""
        counts, annotators = check_votes.table(table)
        there = np.flatnonzero(counts)
        return cls(annotators, there.astype(np.uint64), counts[there], check.one_of(field, FIELDS, "field"))

    @classmethod
    def joined(cls, parts: Any, /) -> VotePatterns:
        """The counts of several images of the same annotators as one, in any order."""
        every = check_votes.same_annotators(list(parts))
        code, place = np.unique(np.concatenate([one.code for one in every]), return_inverse=True)
        count = np.zeros(len(code), np.int64)
        np.add.at(count, place.reshape(-1), np.concatenate([one.count for one in every]))
        return cls(every[0].annotators, code, count, every[0].field)

    @property
    def table(self) -> np.ndarray:
        """(2^K,) int64: the pixels of every pattern, for up to 16 annotators."""
        check_votes.small_table(self.annotators, TABLE_AT_MOST)
        found = np.zeros(1 << self.annotators, np.int64)
        found[self.code.astype(np.int64)] = self.count
        return found

    @property
    def pixels(self) -> int:
        return int(self.count.sum())

    @functools.cached_property
    def votes(self) -> np.ndarray:
        """(P, K) int64: 1 where the annotator marked the pixels of the pattern."""
        place = np.arange(self.annotators, dtype=np.uint64)
        return np.asarray((self.code[:, None] >> place) & np.uint64(1), np.int64)

    @property
    def areas(self) -> np.ndarray:
        """(K,) int64: the pixels that each annotator marked."""
        return np.asarray(self.count @ self.votes)

    @property
    def intersections(self) -> np.ndarray:
        """(K, K) int64: the pixels that two annotators both marked."""
        return np.asarray((self.votes * self.count[:, None]).T @ self.votes)

    @property
    def iou(self) -> np.ndarray:
        """(K, K) float64: of every two annotators; NaN where neither marked anything."""
        inter, areas = self.intersections, self.areas
        return _ratio(inter, areas[:, None] + areas - inter)

    @property
    def dice(self) -> np.ndarray:
        """(K, K) float64: of every two annotators; NaN where neither marked anything."""
        areas = self.areas
        return _ratio(2 * self.intersections, areas[:, None] + areas)

    @property
    def conformity(self) -> float | None:
        """Σ intersection / Σ union over all pairs of annotators; None where nothing was marked, or by one alone."""
        inter, areas = self.intersections, self.areas
        upper = np.triu_indices(self.annotators, 1)
        shared = int(inter[upper].sum())
        either = int((areas[:, None] + areas)[upper].sum()) - shared
        return shared / either if either else None

    @property
    def vote_areas(self) -> np.ndarray:
        """(K + 1,) int64: the pixels with 0, 1, … K votes."""
        found = np.zeros(self.annotators + 1, np.int64)
        np.add.at(found, self.votes.sum(axis=1), self.count)
        return found

    @property
    def majority(self) -> int:
        """The pixels that more than half of the annotators marked."""
        return int(self.vote_areas[self.annotators // 2 + 1 :].sum())

    @property
    def ties(self) -> int:
        """The pixels that exactly half of the annotators marked: no majority decides them."""
        return int(self.vote_areas[self.annotators // 2]) if self.annotators and self.annotators % 2 == 0 else 0

    @property
    def entropy(self) -> float:
        """The mean entropy of the votes of a pixel, in bits: 0 where all agree, 1 where half of them do not."""
        share = np.arange(self.annotators + 1) / max(self.annotators, 1)
        bits = -sum(np.where(p > 0, p * np.log2(np.where(p > 0, p, 1.0)), 0.0) for p in (share, 1 - share))
        return float(bits @ self.vote_areas / self.pixels) if self.pixels else 0.0

    @property
    def alpha(self) -> Coefficient:
        """Krippendorff's α, nominal, of the pixels."""
        sums = nominal_sums_of_counts(self._ratings, self.count)
        return one_of(nominal_of(sums), int(sums[0]))

    @property
    def fleiss(self) -> Coefficient:
        """Fleiss' κ of the pixels."""
        values = fleiss_of(fleiss_sums(self._ratings, self.count), raters=self.annotators)
        return one_of(values, self.pixels if self.annotators > 1 else 0)

    @property
    def _ratings(self) -> np.ndarray:
        """(P, 2): votes against and for."""
        marked = self.votes.sum(axis=1)
        return np.stack([self.annotators - marked, marked], axis=1)


def _ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    return np.asarray(np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator > 0))


def vote_patterns(masks: Any, /, *, field: str = "image", threads: int | None = None) -> VotePatterns:
    """Count the patterns of votes of K masks of one image or volume, one of each annotator.

    Parameters
    ----------
    masks : (K, height, width) or (K, depth, height, width) array, a list of K such masks, or RleMasks, Masks or
        SparseMasks of K rows
        A pixel belongs where its value is not 0. Run lengths are merged as they are: nothing is decoded.
    field : {"image", "union_box"}
        Count every pixel, or those of the box around all that was marked.
    threads : int, optional
        At most so many threads; the answer does not depend on it.

    Examples
    --------
    >>> a, b = [[1, 1, 0, 0]], [[0, 1, 1, 0]]
    >>> votes = vote_patterns([a, b])
    >>> votes.table
    array([1, 1, 1, 1])
    >>> vote_patterns([a, b], field="union_box").table
    array([0, 1, 1, 1])
    """
    check.threads(threads)
    check.one_of(field, FIELDS, "field")
    if isinstance(masks, PixelRegions):
        check_votes.number_of_masks(len(masks))
        code, count, box = _of_regions(masks, field, threads)
        return VotePatterns(len(masks), *_in_field(code, count, box), field)
    stack = check_votes.stack(masks)
    flat = stack.reshape(len(stack), -1)
    code, count = pick_arrays("vote_patterns", "masks", flat).call(flat, threads=threads)
    box = _union_box(stack) if field == "union_box" else None
    return VotePatterns(len(stack), *_in_field(code, count, box), field)


def _of_regions(masks: PixelRegions, field: str, threads: int | None) -> tuple[np.ndarray, np.ndarray, int | None]:
    """Patterns, counts, and the pixels of the box around all masks if that is the field."""
    runs = masks.to_rle()
    groups = np.array([0, len(runs)], np.int64)
    pixels = np.array([runs.size[0] * runs.size[1]], np.int64)
    kernel = pick_arrays("vote_patterns", "runs", runs.counts)
    _, code, count = kernel.call(runs.counts, runs.offsets, groups, pixels, threads=threads)
    box = int(areas_of_union_boxes(np.asarray(runs.boxes.xyxy), groups)[0]) if field == "union_box" else None
    return code, count, box


def areas_of_union_boxes(boxes: np.ndarray, groups: np.ndarray, /) -> np.ndarray:
    """(G,) int64: the pixels of the box around the masks of each group, whose own boxes are given."""
    low, high = boxes[:, :2].copy(), boxes[:, 2:]
    low[(high == 0).any(axis=1)] = np.iinfo(np.int64).max  # the box of an empty mask is all zeros
    low, high = np.minimum.reduceat(low, groups[:-1]), np.maximum.reduceat(high, groups[:-1])
    sides = np.where(high > low, high - low, 0)
    return sides[:, 0] * sides[:, 1]


def _union_box(stack: np.ndarray) -> int:
    """The pixels of the box around all masks."""
    union = (stack != 0).any(axis=0)
    sides = []
    for axis in range(union.ndim):
        line = np.flatnonzero(union.any(axis=tuple(other for other in range(union.ndim) if other != axis)))
        sides.append(int(line[-1] - line[0]) + 1 if len(line) else 0)
    return int(np.prod(sides))


def _in_field(code: np.ndarray, count: np.ndarray, box: int | None) -> tuple[np.ndarray, np.ndarray]:
    """The same with as many pixels that nobody marked as the field has."""
    if box is None:
        return code, count
    marked = code != 0
    code, count = code[marked], count[marked]
    rest = box - int(count.sum())
    if not rest:
        return code, count
    return np.concatenate([np.zeros(1, np.uint64), code]), np.concatenate([np.array([rest]), count])


@dataclass(frozen=True, eq=False)
class LabelPatterns:
    """How many pixels have each combination of labels of K annotators.

    Attributes
    ----------
    labels : (P, K) int64
        The combinations that occur.
    count : (P,) int64
        How many pixels have each.
    """

    labels: np.ndarray
    count: np.ndarray

    @property
    def annotators(self) -> int:
        return int(self.labels.shape[1])

    @property
    def classes(self) -> np.ndarray:
        """(C,) int64: the labels that occur, rising."""
        return np.unique(self.labels)

    @property
    def ratings(self) -> np.ndarray:
        """(P, C) int64: how many annotators gave each label."""
        classes = self.classes
        place = np.searchsorted(classes, self.labels)
        found = np.zeros((len(self.labels), len(classes)), np.int64)
        np.add.at(found, (np.arange(len(self.labels))[:, None], place), 1)
        return found

    @property
    def alpha(self) -> Coefficient:
        """Krippendorff's α, nominal, of the pixels."""
        sums = nominal_sums_of_counts(self.ratings, self.count)
        return one_of(nominal_of(sums), int(sums[0]))

    @property
    def fleiss(self) -> Coefficient:
        """Fleiss' κ of the pixels."""
        values = fleiss_of(fleiss_sums(self.ratings, self.count), raters=self.annotators)
        return one_of(values, int(self.count.sum()) if self.annotators > 1 else 0)


def label_patterns(maps: Any, /, *, threads: int | None = None) -> LabelPatterns:
    """Count the combinations of labels of K label maps of one image or volume, one of each annotator.

    Parameters
    ----------
    maps : (K, height, width) or (K, depth, height, width) integers, or a list of K label maps
    threads : int, optional
        At most so many threads; the answer does not depend on it.

    Examples
    --------
    >>> found = label_patterns([[[0, 0, 7]], [[0, 7, 7]]])
    >>> found.labels.tolist(), found.count
    ([[0, 0], [0, 7], [7, 7]], array([1, 1, 1]))
    """
    check.threads(threads)
    stack = check_votes.stack(maps, are_labels=True)
    flat = stack.reshape(len(stack), -1)
    labels, count = pick_arrays("vote_patterns", "labels", flat).call(flat, threads=threads)
    return LabelPatterns(labels, count)
