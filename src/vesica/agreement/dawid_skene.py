"""Dawid and Skene: the truth behind labels of several annotators, who confuse some labels more than others.

The same as STAPLE for any number of labels: instead of two rates, an annotator has a confusion matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._check import staple as check_staple
from vesica.agreement.staple import MOST_STEPS, PRIORS, START, TOLERANCE
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
        """(U,) bool: whether another label is as probable."""
        top = self.belief.max(axis=1, initial=0.0)
        tied: np.ndarray = (self.belief == top[:, None]).sum(axis=1) > 1
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
    """Ratings in the two orders in which they are summed: by unit, and by annotator and label."""

    def __init__(self, unit: np.ndarray, annotator: np.ndarray, label: np.ndarray, weight: Any) -> None:
        self.units, row = np.unique(unit, return_inverse=True)
        self.annotators, rater = np.unique(annotator, return_inverse=True)
        self.labels, given = np.unique(label, return_inverse=True)
        row, rater, given = (part.reshape(-1) for part in (row, rater, given))
        many = len(self.units)
        self.weight = np.ones(many) if weight is None else check_staple.same_length(weight, many)
        said = rater * np.int64(max(1, len(self.labels))) + given
        order = np.lexsort((said, row))
        self.said_by_unit, self.unit_starts = said[order], _starts(row[order])
        order = np.lexsort((row, said))
        self.unit_by_said, self.said_starts = row[order], _starts(said[order])
        self.said = said[order][self.said_starts]

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
        names = self.units, self.annotators, self.labels
        return DawidSkene(status or "not_converged", *names, belief, confusion, prior, step)

    def _nothing_to_fit(self) -> str:
        if len(self.said_by_unit) == len(self.units) or not self.weight.sum() > 0:
            return "no_overlap"
        return "one_label" if len(self.labels) == 1 else ""

    def _start(self) -> tuple[np.ndarray, np.ndarray]:
        """Annotators that are right nine times of ten, and labels as frequent as they were given."""
        many = len(self.labels)
        confusion = np.full((len(self.annotators), many, many), (1 - START) / max(1, many - 1))
        confusion[:, np.arange(many), np.arange(many)] = START if many > 1 else 1.0
        shares = self.weight @ self._counts()
        return confusion, shares / max(shares.sum(), 1e-300)

    def _counts(self) -> np.ndarray:
        """(U, C): how often each label was given."""
        given = np.zeros((len(self.units), len(self.labels)))
        unit = np.repeat(np.arange(len(self.units)), np.diff(self.unit_starts, append=len(self.said_by_unit)))
        np.add.at(given, (unit, self.said_by_unit % max(1, len(self.labels))), 1)
        return given

    def _shares(self) -> np.ndarray:
        counts = self._counts()
        return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)

    def _belief(self, confusion: np.ndarray, prior: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            # (K · C, C): what each thing that an annotator can say tells of each label.
            logs = np.log(confusion).transpose(0, 2, 1).reshape(-1, len(self.labels))
            told = np.add.reduceat(logs[self.said_by_unit], self.unit_starts, axis=0) + np.log(prior)
        top = told.max(axis=1, keepdims=True)
        likely = np.exp(told - np.where(np.isneginf(top), 0.0, top))
        total = likely.sum(axis=1, keepdims=True)
        # A unit of no weight may be impossible by now.
        belief: np.ndarray = np.divide(likely, total, out=np.tile(prior, (len(told), 1)), where=total > 0)
        return belief

    def _confusion(self, belief: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
        weighted = belief * self.weight[:, None]
        many = len(self.labels)
        sums = np.zeros((len(self.annotators) * many, many))
        sums[self.said] = np.add.reduceat(weighted[self.unit_by_said], self.said_starts, axis=0)
        counts = sums.reshape(-1, many, many).transpose(0, 2, 1)  # annotator, truth, given
        total = counts.sum(axis=2, keepdims=True)
        fresh: np.ndarray = np.divide(counts, total, out=otherwise.copy(), where=total > 0)
        return fresh

    def _prior(self, belief: np.ndarray) -> np.ndarray:
        shares = self.weight @ belief
        fresh: np.ndarray = shares / shares.sum()
        return fresh


def _starts(rising: np.ndarray) -> np.ndarray:
    """Where each of equal neighbours begins."""
    return np.flatnonzero(np.diff(rising, prepend=-1))
