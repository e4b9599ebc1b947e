"""Intervals: of what a bootstrap gave, of medians, of paired differences; and p-values of many tests at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from vesica._check import statistics as check

UNDEFINED_AT_MOST = 0.05
"""The share of replicates without a value from which on an interval would speak of the others alone."""
STATUSES = ("ok", "undefined", "too_few")
"""An interval; too many replicates without a value; too few values for this level."""
OK, UNDEFINED, TOO_FEW = range(3)


class Interval(NamedTuple):
    """Both ends, or why there are none."""

    lo: float | None
    hi: float | None
    status: str = "ok"
    """One of STATUSES."""
    undefined: int = 0
    """Replicates in which the score has no value."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals of many scores, as columns."""

    lo: np.ndarray
    """(v,) float64, NaN where there is none."""
    hi: np.ndarray
    status: np.ndarray
    """(v,) int8: places in STATUSES."""
    undefined: np.ndarray
    """(v,) int64: replicates without a value."""

    def one(self, at: int, /) -> Interval:
        """The interval of one score."""
        lo, hi = (None if math.isnan(end[at]) else float(end[at]) for end in (self.lo, self.hi))
        return Interval(lo, hi, STATUSES[int(self.status[at])], int(self.undefined[at]))


def joined(parts: Sequence[Intervals], /) -> Intervals:
    """Those of several parts, one after the other."""
    names = ("lo", "hi", "status", "undefined")
    return Intervals(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def percentile_intervals(
    replicates: np.ndarray, /, *, level: float = 0.95, around: np.ndarray | None = None
) -> Intervals:
    """The interval of each column of (R, v) replicates that leaves (1 − level) / 2 of them out on either side.

    NaN are replicates without a value: they are counted, and beyond 5 % of all there is no interval.

    With `around`, the (v,) scores of the whole, both shares are corrected for bias (Efron's BC): where replicates tend
    to lie above the score, so does the score above the truth, and both ends come down. Scores that are means over
    images need none of it; average precision does, for an envelope rises with chance.

    >>> replicates = np.array([[1.0, np.nan], [2.0, 0.5], [3.0, 0.5], [4.0, 0.5]])
    >>> found = percentile_intervals(replicates, level=0.5)
    >>> found.one(0)
    Interval(lo=1.75, hi=3.25, status='ok', undefined=0)
    >>> found.one(1)
    Interval(lo=None, hi=None, status='undefined', undefined=1)
    >>> corrected = percentile_intervals(replicates, level=0.5, around=np.array([2.0, 0.5]))
    >>> corrected.lo.round(2), corrected.hi.round(2)
    (array([1.28,  nan]), array([2.54,  nan]))
    """
    level = check.level(level)
    values = np.asarray(replicates, np.float64)
    shares = _shares(values, level, around)
    values = np.sort(values, axis=0)  # NaN last
    undefined = np.isnan(values).sum(axis=0)
    defined = len(values) - undefined
    lo, hi = (_quantiles(values, defined, share) for share in shares)
    bad = (undefined > UNDEFINED_AT_MOST * len(values)) | (defined == 0)
    lo, hi = (np.where(bad, np.nan, end) for end in (lo, hi))
    return Intervals(lo, hi, np.where(bad, UNDEFINED, OK).astype(np.int8), undefined.astype(np.int64))


def _shares(values: np.ndarray, level: float, around: np.ndarray | None) -> tuple[Any, Any]:
    """The shares of replicates below either end: of all columns, or of each."""
    tail = (1 - level) / 2
    if around is None:
        return tail, 1 - tail
    from statistics import NormalDist  # late: most intervals have no correction

    normal = NormalDist()
    below, equal = (values < around).sum(axis=0), (values == around).sum(axis=0)
    defined = np.maximum((~np.isnan(values)).sum(axis=0), 1)
    # Half a replicate at least on either side: the share of none at all is not 0.
    share = np.clip((below + equal / 2) / defined, 0.5 / defined, 1 - 0.5 / defined)
    shift = [2 * normal.inv_cdf(one) for one in share.tolist()]
    low, high = ([normal.cdf(one + normal.inv_cdf(end)) for one in shift] for end in (tail, 1 - tail))
    return np.array(low), np.array(high)


def _quantiles(rising: np.ndarray, defined: np.ndarray, share: Any) -> np.ndarray:
    """Linear between the two values beside the place, of the defined ones of each column."""
    place = share * np.maximum(defined - 1, 0)
    before = np.floor(place).astype(np.int64)
    after = np.minimum(before + 1, np.maximum(defined - 1, 0))
    column = np.arange(rising.shape[1])
    if not len(rising):
        return np.full(rising.shape[1], np.nan)
    low, high, part = rising[before, column], rising[after, column], place - before
    # From the nearer end, so that equal values stay what they are.
    found: np.ndarray = np.where(part < 0.5, low + (high - low) * part, high - (high - low) * (1 - part))
    return found


def percentile_interval(replicates: np.ndarray, /, *, level: float = 0.95) -> Interval:
    """The same for one score: (R,) replicates."""
    return percentile_intervals(np.asarray(replicates, np.float64)[:, None], level=level).one(0)


def paired_intervals(a: np.ndarray, b: np.ndarray, /, *, level: float = 0.95) -> Intervals:
    """The intervals of b − a, whose replicates were made with the same weights. Equal scores differ by exactly 0."""
    return percentile_intervals(np.asarray(b, np.float64) - np.asarray(a, np.float64), level=level)


def median_interval(values: Any, /, *, level: float = 0.95) -> Interval:
    """The interval between two of the values that holds the median with at least this probability.

    Whatever the distribution: the number of values below its median is binomial. Six values are the fewest for 95 %.

    >>> median_interval([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    Interval(lo=2.0, hi=9.0, status='ok', undefined=0)
    >>> median_interval([1, 2, 3])
    Interval(lo=None, hi=None, status='too_few', undefined=0)
    """
    level = check.level(level)
    rising = np.sort(check.column(values, "values"))
    rank = _rank_below_median(len(rising), (1 - level) / 2)
    if rank < 1:
        return Interval(None, None, "too_few")
    return Interval(float(rising[rank - 1]), float(rising[len(rising) - rank]))


def _rank_below_median(count: int, tail: float) -> int:
    """The largest r with P(fewer than r of `count` values below the median) ≤ tail."""
    term, total, rank = -count * math.log(2), 0.0, 0
    # Terms of the binomial distribution from its tail on, as logarithms: the first ones are below all floats.
    while rank <= count // 2:
        total += math.exp(term)
        if total > tail:
            break
        term += math.log(count - rank) - math.log(rank + 1) if rank < count else -math.inf
        rank += 1
    return rank


def p_values(differences: np.ndarray, /) -> np.ndarray:
    """(v,) two-sided p-values of (R, v) replicates of differences: twice the share on the smaller side of 0.

    0 itself is on both sides, and one replicate is added to each, so that no p-value is 0. NaN where a difference has
    no interval.
    """
    values = np.asarray(differences, np.float64)
    undefined = np.isnan(values).sum(axis=0)
    below, above = (values <= 0).sum(axis=0), (values >= 0).sum(axis=0)
    found = np.minimum(1.0, 2 * (np.minimum(below, above) + 1) / (len(values) - undefined + 1))
    answer: np.ndarray = np.where(undefined > UNDEFINED_AT_MOST * len(values), np.nan, found)
    return answer


def benjamini_hochberg(p: Any, /) -> np.ndarray:
    """(v,) p-values adjusted for their number: those at most q are discoveries of which a share q is expected false.

    NaN are no tests: they stay what they are, and do not count.

    >>> benjamini_hochberg([0.01, 0.04, 0.03, float("nan")])
    array([0.03, 0.04, 0.04,  nan])
    """
    values = np.asarray(p, np.float64)
    tests = np.flatnonzero(~np.isnan(values))
    order = tests[np.argsort(values[tests], kind="stable")]
    ranked = values[order] * len(order) / np.arange(1, len(order) + 1)
    adjusted = np.full(len(values), np.nan)
    adjusted[order] = np.minimum(np.minimum.accumulate(ranked[::-1])[::-1], 1.0)
    return adjusted
