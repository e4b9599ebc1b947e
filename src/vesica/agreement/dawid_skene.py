"""Dawid and Skene: the truth behind labels of several annotators, who confuse some labels more than others.

The same as STAPLE for any number of labels: instead of two rates, an annotator has a confusion matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._check import staple as check_staple
from vesica.agreement.staple import EQUAL, MOST_STEPS, PRIORS, START, TOLERANCE
from vesica.agreement.vote_patterns import LabelPatterns


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """What a fit found. U units, K annotators, C labels, each in rising order of its number.

    Attributes
    ----------
    status : {"ok", "not_converged", "no_overlap", "one_label"}
        Whether to trust the numbers; nothing can be told where no unit has two ratings, or all ratings are one label.
    units, annotators, labels : (U,), (K,), (C,) int64
        The numbers they came with.
    belief : (U, C) float64
        The probability of each label.
    confusion : (K, C, C) float64
        How often an annotator gives each label (last axis), for each true one.
    prior : (C,) float64
        The share of units of each label.
    steps : int
    """

    status: str
    units: np.ndarray
    annotators: np.ndarray
    labels: np.ndarray
    belief: np.ndarray
    confusion: np.ndarray
    prior: np.ndarray
    steps: int

    def __repr__(self) -> str:
        sizes = f"{len(self.units)} units, {len(self.annotators)} annotators, {len(self.labels)} labels"
        return f"DawidSkene({self.status}, {sizes}, {self.steps} steps)"

    @property
    def best(self) -> np.ndarray:
        """(U,) int64: the most probable label of each unit; the lowest of several."""
        return self.labels[self.belief.argmax(axis=1)] if len(self.units) else self.units

    @property
    def is_tied(self) -> np.ndarray:
        """(U,) bool: whether another label is as probable, to nine digits."""
        top = self.belief.max(axis=1, initial=0.0)
        tied: np.ndarray = (self.belief >= top[:, None] - EQUAL).sum(axis=1) > 1
        return tied


def dawid_skene(
    unit: Any,
    annotator: Any,
    label: Any,
    /,
    *,
    weight: Any = None,
    prior: str = "free",
    tolerance: float = TOLERANCE,
    most_steps: int = MOST_STEPS,
) -> DawidSkene:
    """Estimate the true labels behind ratings, and how each annotator confuses them.

    Parameters
    ----------
    unit, annotator, label : (N,) integers
        A row is a rating: what was rated, by whom, as what. Not everybody has to rate everything.
    weight : (U,) numbers, optional
        How many units are like each, in rising order of their numbers: patterns of labels, and their pixels.
    prior : {"free", "fixed"}
        The share of each label: found, or that of all ratings throughout.
    tolerance, most_steps
        As for `staple`.

    Examples
    --------
    >>> unit, annotator = [0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 1, 2, 0, 1, 2, 0, 1, 2]
    >>> found = dawid_skene(unit, annotator, [5, 5, 5, 7, 7, 5, 7, 7, 7])
    >>> found.best, found.status
    (array([5, 7, 7]), 'ok')
    """
    check.one_of(prior, PRIORS, "prior")
    tolerance = check_staple.tolerance(tolerance)
    check.positive(most_steps, "most_steps")
    units, raters, labels = check_staple.ratings(unit, annotator, label)
    ratings = _Ratings(units, raters, labels, weight)
    return ratings.fit(is_free=prior == "free", tolerance=tolerance, most=most_steps)


def dawid_skene_of_patterns(patterns: LabelPatterns, /, **options: Any) -> DawidSkene:
    """The same for pixels: units are the patterns of labels, in their order."""
    count, annotators = patterns.labels.shape
    unit, annotator = np.repeat(np.arange(count), annotators), np.tile(np.arange(annotators), count)
    return dawid_skene(unit, annotator, patterns.labels.reshape(-1), weight=patterns.count, **options)


class _Ratings:
    """Ratings as numbers of what was said, an annotator and a label in one, unit by unit: those with most ratings come
    first, so that the r-th ratings are of the first so many units."""

    def __init__(self, unit: np.ndarray, annotator: np.ndarray, label: np.ndarray, weight: Any) -> None:
        self.units, row = np.unique(unit, return_inverse=True)
        self.annotators, rater = np.unique(annotator, return_inverse=True)
        self.labels, given = np.unique(label, return_inverse=True)
        row, rater, given = (part.reshape(-1) for part in (row, rater, given))
        many = len(self.units)
        weights = np.ones(many) if weight is None else check_staple.same_length(weight, many)
        sizes = np.bincount(row, minlength=many)
        self.order = np.argsort(-sizes, kind="stable")
        place = np.empty(many, np.int64)
        place[self.order] = np.arange(many)
        self.weight, sizes = weights[self.order], sizes[self.order]
        said = rater * np.int64(max(1, len(self.labels))) + given
        by_unit = np.lexsort((said, place[row]))
        self.said, self.unit = said[by_unit], place[row][by_unit]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]) if many else sizes
        self.layers = [self.said[starts[sizes > r] + r] for r in range(int(sizes.max(initial=0)))]

    def fit(self, *, is_free: bool, tolerance: float, most: int) -> DawidSkene:
        confusion, prior = self._start()
        status, belief, step = self._nothing_to_fit(), self._shares(), 0
        while not status and step < most:
            step += 1
            belief = self._belief(confusion, prior)
            fresh = self._confusion(belief, confusion)
            fresh_prior = self._prior(belief) if is_free else prior
            change = max(np.abs(fresh - confusion).max(), np.abs(fresh_prior - prior).max())
            confusion, prior = fresh, fresh_prior
            status = "ok" if change <= tolerance else ""
        back = np.empty_like(belief)
        back[self.order] = belief
        names = self.units, self.annotators, self.labels
        return DawidSkene(status or "not_converged", *names, back, confusion, prior, step)

    def _nothing_to_fit(self) -> str:
        if len(self.layers) < 2 or not self.weight.sum() > 0:
            return "no_overlap"
        return "one_label" if len(self.labels) == 1 else ""

    def _start(self) -> tuple[np.ndarray, np.ndarray]:
        """Annotators that are right nine times of ten, and labels as frequent as they were given."""
        many = len(self.labels)
        confusion = np.full((len(self.annotators), many, many), (1 - START) / max(1, many - 1))
        confusion[:, np.arange(many), np.arange(many)] = START if many > 1 else 1.0
        shares = self.weight @ self._counts()
        total = shares.sum()
        return confusion, shares / total if total > 0 else np.full(many, 1 / max(1, many))

    def _counts(self) -> np.ndarray:
        """(U, C): how often each label was given."""
        many = max(1, len(self.labels))
        given = np.bincount(self.unit * many + self.said % many, minlength=len(self.units) * len(self.labels))
        return given.reshape(len(self.units), len(self.labels)).astype(np.float64)

    def _shares(self) -> np.ndarray:
        counts = self._counts()
        return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))

    def _belief(self, confusion: np.ndarray, prior: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            # (K · C, C): what each thing that an annotator can say tells of each label.
            logs = np.log(confusion).transpose(0, 2, 1).reshape(-1, len(self.labels))
            told = np.tile(np.log(prior), (len(self.units), 1))
        for said in self.layers:
            told[: len(said)] += logs[said]
        top = told.max(axis=1, keepdims=True)
        likely = np.exp(told - np.where(np.isneginf(top), 0.0, top))
        total = likely.sum(axis=1, keepdims=True)
        # A unit of no weight may be impossible by now.
        return np.asarray(np.divide(likely, total, out=np.tile(prior, (len(told), 1)), where=total > 0))

    def _confusion(self, belief: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
        many = len(self.labels)
        kinds = len(self.annotators) * many
        weighted = belief.T * self.weight
        sums = np.stack([np.bincount(self.said, weights=one[self.unit], minlength=kinds) for one in weighted])
        counts = sums.reshape(many, -1, many).transpose(1, 0, 2)  # annotator, truth, given
        total = counts.sum(axis=2, keepdims=True)
        return np.asarray(np.divide(counts, total, out=otherwise.copy(), where=total > 0))

    def _prior(self, belief: np.ndarray) -> np.ndarray:
        shares = self.weight @ belief
        return np.asarray(shares / shares.sum())
