"""Dawid and Skene: the truth behind labels of several annotators, who confuse some labels more than others.

The same as STAPLE for any number of labels: instead of two rates, an annotator has a confusion matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._check import staple as check_staple
from vesica._kernels import pick_arrays
from vesica._kernels.generic.dawid_skene import Fit, Ratings
from vesica.agreement.staple import EQUAL, MOST_STEPS, PRIORS, START, TOLERANCE
from vesica.agreement.vote_patterns import LabelPatterns
from vesica.dataset.ids import table_of


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
    rows, raters, given = check_staple.ratings(unit, annotator, label)
    units, row = table_of(rows)
    annotators, rater = table_of(raters)
    labels, said = table_of(given)
    row, said = _in_order(row, rater, said, len(annotators), len(labels))
    check_staple.rated_once(units[row], annotators[said // max(1, len(labels))])
    weights = np.ones(len(units)) if weight is None else check_staple.same_length(weight, len(units))
    sizes = np.bincount(row, minlength=len(units))
    ratings = Ratings(said, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), weights)

    confusion, start = _start(len(annotators), len(labels)), _counts(row, said, weights, len(labels))
    status = _nothing_to_fit(sizes, weights, len(labels))
    if status:
        return DawidSkene(status, units, annotators, labels, _shares(start), confusion, _total_share(start, weights), 0)
    kernel = pick_arrays("dawid_skene", "ratings", ratings.said)
    fit: Fit = kernel.call(
        ratings,
        confusion,
        _total_share(start, weights),
        is_free=prior == "free",
        tolerance=tolerance,
        most=most_steps,
    )

    told = "ok" if fit.is_converged else "not_converged"
    return DawidSkene(told, units, annotators, labels, fit.belief, fit.confusion, fit.prior, fit.steps)


def _in_order(
    row: np.ndarray, rater: np.ndarray, given: np.ndarray, annotators: int, labels: int
) -> tuple[np.ndarray, np.ndarray]:
    """Units, and what was said of them, unit by unit: one order of additions, whatever order the rows had."""
    kinds = max(1, annotators * labels)
    said = rater * np.int64(max(1, labels)) + given
    if (int(row.max(initial=0)) + 1) * kinds > np.iinfo(np.int64).max:
        order = np.lexsort((said, row))
        return row[order], said[order]
    row, said = np.divmod(np.sort(row * np.int64(kinds) + said), kinds)
    return row, said


def _start(annotators: int, labels: int) -> np.ndarray:
    """Annotators that are right nine times of ten."""
    confusion = np.full((annotators, labels, labels), (1 - START) / max(1, labels - 1))
    confusion[:, np.arange(labels), np.arange(labels)] = START if labels > 1 else 1.0
    return confusion


def _counts(row: np.ndarray, said: np.ndarray, weights: np.ndarray, labels: int) -> np.ndarray:
    """(U, C): how often each label was given."""
    cells = row * np.int64(max(1, labels)) + said % max(1, labels)
    counts = np.bincount(cells, minlength=len(weights) * labels)
    return counts.reshape(len(weights), labels).astype(np.float64)


def _shares(counts: np.ndarray) -> np.ndarray:
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


def _total_share(counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(C,) the share of each label in all ratings."""
    given = weights @ counts
    total = given.sum()
    return np.asarray(given / total) if total > 0 else np.full(len(given), 1 / max(1, len(given)))


def _nothing_to_fit(sizes: np.ndarray, weights: np.ndarray, labels: int) -> str:
    if sizes.max(initial=0) < 2 or not weights.sum() > 0:
        return "no_overlap"
    return "one_label" if labels == 1 else ""


def dawid_skene_of_patterns(patterns: LabelPatterns, /, **options: Any) -> DawidSkene:
    """The same for pixels: units are the patterns of labels, in their order."""
    count, annotators = patterns.labels.shape
    unit, annotator = np.repeat(np.arange(count), annotators), np.tile(np.arange(annotators), count)
    return dawid_skene(unit, annotator, patterns.labels.reshape(-1), weight=patterns.count, **options)
