"""Curves: precision against recall, from records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vesica._kernels.native import precision_recall
from vesica.detection.records import Records

EPSILON = float(np.spacing(1.0))
"""COCO adds it to the denominator of precision, the number of guesses so far. With no guess it makes 0 / 0 into 0, with
one it lowers precision by its last bit; from two on the sum rounds back to the number."""


class Arrays(NamedTuple):
    """Precision and recall as COCO has them, −1 where a category has no truths."""

    precision: np.ndarray
    """(T, R, K, A, M): thresholds, recalls, categories, ranges of areas, limits of guesses."""
    recall: np.ndarray
    """(T, K, A, M)"""
    scores: np.ndarray | None
    """Like precision: the score of the guess that reaches the recall."""


def arrays_of(records: Records, /, *, full: bool = True, threads: int | None = None) -> Arrays:
    """Precision at given recalls. Without `full` for the last limit alone, and without scores."""
    protocol = records.protocol
    limits = np.array(protocol.max_dets, np.int64)
    precision, recall, scores = precision_recall.accumulate(
        precision_recall.Columns(
            *(np.ascontiguousarray(getattr(records, name)).ravel() for name in precision_recall.Columns._fields)
        ),
        (len(protocol.iou), len(protocol.areas)),
        np.array(protocol.recalls, np.float64),
        limits,
        first_limit=0 if full else len(limits) - 1,
        epsilon=EPSILON,
        with_scores=full,
        threads=threads,
    )
    return Arrays(precision, recall, scores)


@dataclass(frozen=True, eq=False)
class Curve:
    """Precision and recall of one category as the confidence falls, one point for each guess that counts.

    Attributes
    ----------
    score : (N,) falling: the confidence of each guess
    right, wrong : (N,) int64: how many guesses down to this one are right, and how many are not
    positives : how many truths there are to be found

    Examples
    --------
    >>> curve = Curve(np.array([0.9, 0.8, 0.4]), np.array([1, 1, 2]), np.array([0, 1, 1]), 4)
    >>> curve.precision, curve.recall
    (array([1.        , 0.5       , 0.66666667]), array([0.25, 0.25, 0.5 ]))
    >>> curve.best_f1
    Best(f1=0.5714285714285714, score=0.4, precision=0.6666666666666666, recall=0.5)
    """

    score: np.ndarray
    right: np.ndarray
    wrong: np.ndarray
    positives: int

    def _repr_html_(self) -> str:
        from vesica import _html  # late: only notebooks ask for it

        line = f"Curve({len(self.score):,} guesses, {self.positives:,} truths)"
        best = [] if self.best_f1 is None else [_html.table(self.best_f1._fields, [list(self.best_f1)])]
        drawn = _html.curve("precision by recall", self.recall.tolist(), self.precision.tolist())
        return _html.page(_html.words(line), *best, drawn)

    @property
    def precision(self) -> np.ndarray:
        """Right guesses among all down to this one."""
        share: np.ndarray = self.right / np.maximum(self.right + self.wrong, 1)
        return share

    @property
    def recall(self) -> np.ndarray:
        """Truths found down to this one; NaN without truths."""
        return self.right / self.positives if self.positives else np.full(len(self.right), np.nan)

    @property
    def f1(self) -> np.ndarray:
        """2 · right / (guesses + truths): the harmonic mean of both."""
        total = self.right + self.wrong + self.positives
        mean: np.ndarray = 2 * self.right / np.maximum(total, 1)
        return mean

    @property
    def best_f1(self) -> Best | None:
        """The point where F1 is highest: the confidence to cut at. None without guesses.

        Of guesses with equal scores only the last is a point, for no cut parts them.
        """
        if not len(self.score):
            return None
        ends = np.append(self.score[1:] != self.score[:-1], True)
        k = int(np.argmax(np.where(ends, self.f1, -1)))
        return Best(*(float(column[k]) for column in (self.f1, self.score, self.precision, self.recall)))

    @property
    def envelope(self) -> np.ndarray:
        """The best precision at this recall or any higher one."""
        return np.maximum.accumulate(self.precision[::-1])[::-1]

    @property
    def average_precision(self) -> float:
        """The area under the envelope, every point counted; NaN without truths."""
        if not self.positives:
            return float("nan")
        recall = np.concatenate([[0.0], self.recall])
        return float(np.sum(np.diff(recall) * self.envelope))

    @property
    def eleven_point_precision(self) -> float:
        """The mean of the best precision at recalls 0, 0.1, … 1, as VOC 2007 has it."""
        if not self.positives:
            return float("nan")
        reached = (self.precision[self.recall >= point] for point in np.arange(0.0, 1.1, 0.1))
        return sum(float(found.max()) if len(found) else 0.0 for found in reached) / 11.0


class Best(NamedTuple):
    """A point of a curve."""

    f1: float
    score: float
    precision: float
    recall: float


def curve_of(records: Records, category: int | None, threshold: int, area: int, /) -> Curve:
    """The curve of one category, or of all guesses together; those that do not count are left out."""
    matched, ignored = records.lane(threshold, area)
    bounds = records.bounds
    here = slice(None) if category is None else slice(int(bounds[category]), int(bounds[category + 1]))
    counts = ~ignored[here]
    score, right = records.score[here][counts], matched[here][counts]
    order = np.argsort(-score, kind="stable")
    positives = records.positives[:, area]
    total = int(positives.sum() if category is None else positives[category])
    return Curve(score[order], np.cumsum(right[order]), np.cumsum(~right[order]), total)
