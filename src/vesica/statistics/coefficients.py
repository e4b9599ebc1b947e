"""Coefficients of agreement from counts that add up: Cohen's κ, Fleiss' κ, Krippendorff's α.

Each has two halves. `*_sums` makes numbers that may be added over units, images and shards, weighted or not. `*_of`
makes the coefficient of such sums, for any number of them at once, so that a bootstrap is one matrix product. Where a
coefficient is not defined, a status says why; the value is NaN in arrays, and None in a `Coefficient`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vesica._check import statistics as check

STATUSES = ("ok", "no_overlap", "no_variation")
"""Defined; no unit has two ratings; all ratings are one value, so that nothing could have been disagreed about."""
OK, NO_OVERLAP, NO_VARIATION = range(3)

# Denominators of sums that were rounded are differences: below this share of what is subtracted they are nothing else.
_ROUNDED = 2.0**-44
_EXACT = 2.0**53


class Coefficient(NamedTuple):
    """A coefficient of agreement, or why there is none."""

    value: float | None
    """1 for perfect agreement, 0 for what chance would give; None where it is not defined."""
    status: str
    """One of STATUSES."""
    raw: float | None
    """The share of pairs of ratings that agree, without a correction; None where there is no pair, or it is unknown."""
    units: int
    """How many units have two ratings or more."""


class Values(NamedTuple):
    """Coefficients of many sums at once."""

    value: np.ndarray
    """float64, NaN where the status is not 0."""
    status: np.ndarray
    """int8: places in STATUSES."""
    raw: np.ndarray
    """float64, NaN where it is not known."""


def cohen(table: Any, /) -> Coefficient:
    """Cohen's κ of two annotators, from how often each pair of labels was given.

    Parameters
    ----------
    table : (C, C) counts
        Units by the label of one annotator (rows) and of the other (columns).

    Examples
    --------
    >>> cohen([[3, 0, 0, 1], [1, 3, 0, 0], [1, 0, 3, 0], [0, 0, 0, 0]]).value
    0.64

    One label only: everybody agrees, but about nothing that could have been otherwise.

    >>> cohen([[7, 0], [0, 0]])
    Coefficient(value=None, status='no_variation', raw=1.0, units=7)
    """
    counts = check.square_counts(table, "table")
    return one_of(cohen_of(counts), int(counts.sum()))


def cohen_of(tables: np.ndarray, /) -> Values:
    """Cohen's κ of each of (…, C, C) tables, whose sums over images or replicates were taken."""
    tables = np.asarray(tables, np.float64)
    return cohen_of_sums(tables.sum(axis=-1), tables.sum(axis=-2), np.trace(tables, axis1=-2, axis2=-1))


def cohen_of_sums(ours: np.ndarray, theirs: np.ndarray, same: np.ndarray, /) -> Values:
    """The same of (…, C) sums of rows and of columns, and (…) of the diagonal."""
    total = ours.sum(axis=-1)
    expected = (ours * theirs).sum(axis=-1)
    return _chance_corrected(same * total - expected, total * total - expected, same, total, total * total)


def fleiss(counts: Any, /) -> Coefficient:
    """Fleiss' κ of units that all have the same number of ratings.

    Parameters
    ----------
    counts : (N, C) counts
        How many gave each label, unit by unit. Units with different numbers of ratings are an error: `krippendorff`
        takes them.

    Examples
    --------
    >>> round(fleiss([[3, 0, 0], [2, 1, 0], [0, 3, 0], [1, 1, 1], [0, 0, 3], [0, 2, 1]]).value, 6)
    0.411215
    """
    table = check.counts_of_units(counts, "counts")
    raters = check.same_number_of_ratings(table)
    units = len(table) if raters > 1 else 0
    return one_of(fleiss_of(fleiss_sums(table), raters=raters), units)


def fleiss_sums(counts: np.ndarray, weight: np.ndarray | None = None, /) -> np.ndarray:
    """(C + 2,) what Fleiss' κ is made of: the units, Σ n_uc² over all, and the ratings of each label."""
    counts = counts.astype(np.int64)
    weight = np.ones(len(counts), np.int64) if weight is None else weight
    head = np.array([weight.sum(), (weight * (counts * counts).sum(axis=1)).sum()])
    return np.concatenate([head, weight @ counts]).astype(np.float64)


def fleiss_of(sums: np.ndarray, /, *, raters: int) -> Values:
    """Fleiss' κ of each of (…, C + 2) sums of units with `raters` ratings each."""
    sums = np.asarray(sums, np.float64)
    units, squares, ratings = sums[..., 0], sums[..., 1], sums[..., 2:]
    pairs = units * (raters * (raters - 1))
    same = squares - units * raters
    total = units * raters
    expected = (ratings * ratings).sum(axis=-1)  # of total², by chance
    # (same / pairs − expected / total²) / (1 − expected / total²), with the divisions taken last.
    return _chance_corrected(
        same * total * total - expected * pairs, pairs * (total * total - expected), same, pairs, pairs * total * total
    )


def krippendorff(unit: Any, value: Any, /, *, interval: bool = False) -> Coefficient:
    """Krippendorff's α of ratings in any number a unit; units with one rating do not count.

    Parameters
    ----------
    unit : (N,) integers
        What was rated, for each rating.
    value : (N,) integers, or with `interval` any finite numbers
        The rating: the number of a label, or a quantity.
    interval : bool
        Are values numbers whose differences mean something? By default two values are the same or they are not.

    Examples
    --------
    >>> krippendorff([1, 1, 2, 2, 3, 3, 4], [0, 0, 1, 1, 0, 1, 1])
    Coefficient(value=0.4444444444444444, status='ok', raw=0.6666666666666666, units=3)
    >>> krippendorff([1, 1, 2, 2], [10.0, 10.5, 20.0, 20.25], interval=True).value
    0.9976003839385699

    Nobody rated what another one did:

    >>> krippendorff([1, 2, 3], [0, 0, 1])
    Coefficient(value=None, status='no_overlap', raw=None, units=0)
    """
    units, values = check.ratings(unit, value, interval=interval)
    place = np.zeros(len(units), np.int64)
    if interval:
        # About the middle: differences of large numbers would have few digits.
        values = values - (np.sort(values)[len(values) // 2] if len(values) else 0.0)
        sums = interval_sums(units, values, place, 1)[0]
        return one_of(interval_of(sums), int(sums[0]))
    labels, values = np.unique(values, return_inverse=True)
    sums = nominal_sums(units, values.reshape(-1), place, 1, len(labels))[0]
    return one_of(nominal_of(sums), int(sums[0]))


def nominal_sums(unit: np.ndarray, value: np.ndarray, image: np.ndarray, images: int, labels: int, /) -> np.ndarray:
    """(images, C + 2) what nominal α is made of: units, Σ o_cc, and the ratings of each label, image by image.

    A rating is a row: its unit, its label below `labels`, and the image that its unit lies in. The order of rows
    changes no bit.
    """
    kind, inverse = np.unique(unit, return_inverse=True)
    place = np.zeros(len(kind), np.int64)
    place[inverse.reshape(-1)] = image
    pair, counts = np.unique(inverse.reshape(-1) * np.int64(max(labels, 1)) + value, return_counts=True)
    owner, label = np.divmod(pair, np.int64(max(labels, 1)))
    size = np.bincount(inverse.reshape(-1), minlength=len(kind))
    same = np.zeros(len(kind), np.int64)
    np.add.at(same, owner, counts * (counts - 1))
    rated = size[owner] > 1
    sums = np.zeros((images, labels + 2))
    np.add.at(sums, (place[owner][rated], label[rated] + 2), counts[rated])
    _add_shares(sums, place, size, same)
    return sums


def nominal_sums_of_counts(counts: np.ndarray, weight: np.ndarray, /) -> np.ndarray:
    """(C + 2,) the same from (U, C) ratings of kinds of units, of which there are `weight` each."""
    size = counts.sum(axis=1)
    rated = size > 1
    sums = np.zeros((1, counts.shape[1] + 2))
    sums[0, 2:] = weight[rated] @ counts[rated]
    same = weight * (counts * (counts - 1)).sum(axis=1)
    _add_shares(sums, np.zeros(len(counts), np.int64), size, same, weight)
    return np.asarray(sums[0])


def _add_shares(
    sums: np.ndarray, place: np.ndarray, size: np.ndarray, same: np.ndarray, weight: np.ndarray | None = None
) -> None:
    """Units to the first column, Σ same / (m − 1) to the second. Whole numbers are added, size by size, and divided
    once: in any order of units the same bits."""
    weight = np.ones(len(size), np.int64) if weight is None else weight
    for ratings in np.unique(size[size > 1]).tolist():
        rows = size == ratings
        pairs, units = np.zeros(len(sums), np.int64), np.zeros(len(sums), np.int64)
        np.add.at(pairs, place[rows], same[rows])
        np.add.at(units, place[rows], weight[rows])
        sums[:, 0] += units
        sums[:, 1] += pairs / (ratings - 1)


def nominal_of(sums: np.ndarray, /) -> Values:
    """Nominal α of each of (…, C + 2) sums."""
    sums = np.asarray(sums, np.float64)
    same, ratings = sums[..., 1], sums[..., 2:]
    total = ratings.sum(axis=-1)
    squares = (ratings * ratings).sum(axis=-1)
    # α = 1 − (n − 1)(n − Σ o_cc) / (n² − Σ n_c²)
    denominator = total * total - squares
    return _chance_corrected(
        denominator - (total - 1) * (total - same), denominator, same, total, total * total, is_whole=_is_whole(ratings)
    )


def interval_sums(unit: np.ndarray, value: np.ndarray, image: np.ndarray, images: int, /) -> np.ndarray:
    """(images, 5) what interval α is made of: units, ratings n, Σx, Σx², and Σ_u (m Σ_u x² − (Σ_u x)²) / (m − 1).

    Values far from 0 lose digits: give them as differences from one number that all shards share.
    """
    order = np.lexsort((value, unit))  # one order of additions, whatever order the rows had
    unit, value, image = unit[order], value[order].astype(np.float64), image[order]
    starts = np.flatnonzero(np.diff(unit, prepend=unit[:1] - 1)) if len(unit) else np.empty(0, np.int64)
    size = np.diff(starts, append=len(unit))
    first, second = (np.add.reduceat(part, starts) if len(starts) else part for part in (value, value * value))
    place = image[starts]
    rated = size > 1
    size, first, second, place = size[rated], first[rated], second[rated], place[rated]
    # Of two ratings the spread is the square of their difference: no digits are lost.
    spread = np.maximum(size * second - first * first, 0.0) / (size - 1)
    twos = starts[rated][size == 2]
    spread[size == 2] = (value[twos] - value[twos + 1]) ** 2
    columns = np.stack([np.ones(len(size)), size.astype(np.float64), first, second, spread], axis=1)
    order = np.lexsort((*columns.T[1:], place))
    sums = np.zeros((images, 5))
    np.add.at(sums, place[order], columns[order])
    return sums


def interval_of(sums: np.ndarray, /) -> Values:
    """Interval α of each of (…, 5) sums."""
    sums = np.asarray(sums, np.float64)
    total, first, second, spread = (sums[..., column] for column in (1, 2, 3, 4))
    # α = 1 − (n − 1) W / (n Σx² − (Σx)²)
    denominator = total * second - first * first
    found = _chance_corrected(
        denominator - (total - 1) * spread,
        denominator,
        np.zeros_like(total),
        total,
        total * second,
        is_whole=_is_whole(sums[..., 1:4]),
    )
    return found._replace(raw=np.where(found.status == NO_VARIATION, 1.0, np.nan))


def _chance_corrected(
    numerator: np.ndarray,
    denominator: np.ndarray,
    same: np.ndarray,
    pairs: np.ndarray,
    size: np.ndarray,
    *,
    is_whole: Any = True,
) -> Values:
    """numerator / denominator, and same / pairs for the raw agreement, where they are defined.

    `size` is what the denominator was subtracted from, and `is_whole` whether that was done in whole numbers.
    """
    none = ~(pairs > 0)
    least = np.where(is_whole & (size < _EXACT), 0.0, _ROUNDED * size)
    flat = ~none & ~(denominator > least)
    status = np.where(none, NO_OVERLAP, np.where(flat, NO_VARIATION, OK)).astype(np.int8)
    value = np.divide(numerator, denominator, out=np.full(np.shape(pairs), np.nan), where=status == OK)
    raw = np.divide(same, pairs, out=np.full(np.shape(pairs), np.nan), where=~none)
    return Values(value, status, np.where(flat, 1.0, raw))


def _is_whole(sums: np.ndarray) -> np.ndarray:
    whole: np.ndarray = (sums == np.floor(sums)).all(axis=-1)
    return whole


def one_of(values: Values, units: int, /) -> Coefficient:
    """The one coefficient that was asked for."""
    value, raw = (None if np.isnan(part) else float(part) for part in (values.value, values.raw))
    return Coefficient(value, STATUSES[int(values.status)], raw, units)
