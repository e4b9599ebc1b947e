"""Numbers of segmentations where images are drawn again: what a policy makes of the sums of each replicate."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica.results.resampling import Resampling
from vesica.segmentation.averages import rows_of_means
from vesica.segmentation.cells import BOTH_EMPTY, Cells
from vesica.segmentation.policy import SegmentationPolicy
from vesica.segmentation.rules import MEANS, OVERALL, SCORES, WEIGHTED
from vesica.segmentation.scores import accuracy_of, fill_of_absent, generalised_dice_of, micro, values_of
from vesica.statistics.resampling import bootstrap

if TYPE_CHECKING:
    from vesica.segmentation.result import SegmentationResult


@dataclass(frozen=True, eq=False)
class SegmentationReplicates:
    """The numbers of a result, each as a column of replicates.

    Attributes
    ----------
    result : SegmentationResult
    resampling : how images are drawn again
    """

    result: SegmentationResult
    resampling: Resampling

    def number(self, name: str, category: str | None = None, /) -> np.ndarray | None:
        """(R,) a number of the summary, or the score of a category by its name; None if it has none."""
        if category is not None:
            names = [str(one) for one in self.result.categories]
            return self.classes(name)[:, names.index(category)] if name in SCORES else None
        if self.result.policy.classes == "each":
            score, _, own = name.partition("[")
            return self.number(score, own.removesuffix("]"))
        if name in WEIGHTED:
            return self._mean(WEIGHTED[name], "weighted")
        return self._mean(MEANS.get(name, name), None)

    def classes(self, score: str, /) -> np.ndarray:
        """(R, K) a score of each class."""
        if score not in self._known:
            self._known[score] = self._classes(score)
        return self._known[score]

    @functools.cached_property
    def _known(self) -> dict[str, np.ndarray]:
        return {}

    def _classes(self, score: str) -> np.ndarray:
        own = self.result.policy.of(score, each=True)
        cells, absent = self.result.cells, self.result.cells.is_absent
        if own.average == "totals":
            return _of_totals(self._totals, score, own, absent)
        return self._means(values_of(cells, score, own, beta=1.0, absent=absent))

    def _mean(self, score: str, reduction: str | None) -> np.ndarray:
        own = self.result.policy.of(score)
        if score in OVERALL:
            return self._overall(score, own)
        reduction = reduction or own.classes
        background = self.result.policy.background
        absent = self.result.cells.without(background).is_absent
        cells = (self._totals if own.average == "totals" else self.result.cells).without(background)
        if reduction == "micro":
            cells, absent = micro(cells), np.array([absent.all()])
        if own.average == "totals":
            values = _of_totals(cells, score, own, absent)
        else:
            values = values_of(cells, score, own, beta=1.0, absent=absent)
        weights = cells.truth if reduction == "weighted" else None
        empty = 0.0 if own.both_empty == "zero" else np.nan
        if own.average == "totals":
            return rows_of_means(values, weights, empty)
        if own.average == "images":
            return self._means(rows_of_means(values, weights, empty)[:, None])[:, 0]
        if own.average == "classes":
            total = None if weights is None else self._totals.without(background).truth
            return rows_of_means(self._means(values), total, empty)
        counted = ~np.isnan(values)
        weight = counted.astype(np.float64) if weights is None else np.where(counted, weights, 0)
        parts = (np.where(counted, values, 0) * weight).sum(axis=1), weight.sum(axis=1)
        return self._drawn(np.stack(parts, axis=1), lambda sums: _ratio(sums[:, 0], sums[:, 1]))

    def _overall(self, score: str, own: SegmentationPolicy) -> np.ndarray:
        is_accuracy = score == "pixel_accuracy"
        background = None if is_accuracy else self.result.policy.background
        cells = (self._totals if own.average == "totals" else self.result.cells).without(background)
        if is_accuracy:
            values = accuracy_of(cells)
        else:
            gone = bool(self.result.cells.without(background).is_absent.all())
            values = generalised_dice_of(cells, own, is_absent=gone)
        return values if own.average == "totals" else self._means(values[:, None])[:, 0]

    @functools.cached_property
    def _totals(self) -> Cells:
        """The counts of each replicate, as if it were an image."""
        cells = self.result.cells
        table = np.concatenate([cells.both, cells.truth, cells.guess, cells.pixels[:, None]], axis=1)
        sums = np.rint(self._drawn(table, lambda sums: sums)).astype(np.int64)
        both, truth, guess, pixels = np.split(sums, np.cumsum([cells.both.shape[1]] * 3), axis=1)
        return Cells(cells.labels, cells.names, both, truth, guess, pixels[:, 0])

    def _means(self, values: np.ndarray) -> np.ndarray:
        return means(values, self.result.counts.ids.tolist(), self.resampling)

    def _drawn(self, table: np.ndarray, of: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        return drawn(table, of, self.result.counts.ids.tolist(), self.resampling)


def means(values: np.ndarray, ids: Sequence[Any], how: Resampling, /) -> np.ndarray:
    """(R, k) of (I, k) values: the mean over images of those that are there; NaN where none is."""
    counted = ~np.isnan(values)
    table = np.concatenate([np.where(counted, values, 0), counted], axis=1)
    width = values.shape[1]
    return drawn(table, lambda sums: _ratio(sums[:, :width], sums[:, width:]), ids, how)


def drawn(
    table: np.ndarray, of: Callable[[np.ndarray], np.ndarray], ids: Sequence[Any], how: Resampling, /
) -> np.ndarray:
    """(R, …) what a function makes of the weighted sums of (I, k) parts of images."""
    return bootstrap(table, of, keys=how.keys(ids), seed=how.seed, replicates=how.replicates)


def _of_totals(cells: Cells, score: str, own: SegmentationPolicy, absent: np.ndarray) -> np.ndarray:
    """(R, K) the score of each replicate; a class that neither side has in one is absent from it."""
    values = values_of(cells, score, own, beta=1.0, absent=absent)
    if score == "area_difference":
        return values
    found: np.ndarray = np.where(cells.status == BOTH_EMPTY, fill_of_absent(own), values)
    return found


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return found
