"""Means of cells: in four orders, plain or weighted, and how many cells they count.

The order of images changes no bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Average(NamedTuple):
    """A mean, and the cells that it counts. Without any it is NaN."""

    value: Any
    """A float; of each class, an array."""
    used: int
    left_out: int


def mean_of(values: np.ndarray, /, *, order: str, weights: np.ndarray | None = None, empty: float = np.nan) -> Average:
    """The mean of (I, K) cells, NaN where they are left out.

    `order` is "images", "classes" or "cells"; for the scores of totals, I is 1. `weights` (I, K) weigh classes;
    where no class has any, the answer is `empty`.
    """
    counted = ~np.isnan(values)
    used = int(counted.sum() if weights is None else (counted & (weights > 0)).sum())
    tally = used, values.size - used
    if len(values) == 1:
        return Average(_mean(values[0], None if weights is None else weights[0], empty), *tally)
    if order == "images":
        return Average(mean_in_any_order(rows_of_means(values, weights, empty)), *tally)
    if order == "classes":
        total = None if weights is None else weights.sum(axis=0)
        return Average(_mean(each_of(values), total, empty), *tally)
    if weights is None:
        return Average(mean_in_any_order(values), *tally)
    weight = np.where(counted, weights, 0)
    whole = int(weight.sum())
    shares = float(sum_in_any_order(np.where(counted, values, 0) * weight))
    return Average(shares / whole if whole else empty if counted.any() else np.nan, *tally)


def rows_of_means(values: np.ndarray, weights: np.ndarray | None = None, empty: float = np.nan, /) -> np.ndarray:
    """(I,) the mean of the classes inside each image; NaN where none counts."""
    counted = ~np.isnan(values)
    weight = counted if weights is None else np.where(counted, weights, 0)
    whole = weight.sum(axis=1)
    filled = np.where(counted, values, 0)
    sums = filled.sum(axis=1) if weights is None else (filled * weight).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        means: np.ndarray = np.where(whole > 0, sums / whole, np.where(counted.any(axis=1), empty, np.nan))
    return means


def each_of(values: np.ndarray, /) -> np.ndarray:
    """(K,) the mean of each class over images; NaN where no image counts."""
    if len(values) == 1:
        return np.array(values[0])
    counted = ~np.isnan(values)
    number = counted.sum(axis=0)
    sums = sum_in_any_order(np.where(counted, values, 0), axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(number > 0, sums / number, np.nan)


def mean_in_any_order(values: np.ndarray, /) -> float:
    """The mean of what is not NaN; NaN if nothing is."""
    is_left_out = np.isnan(values)
    number = values.size - int(is_left_out.sum())
    filled = np.where(is_left_out, 0, values) if number < values.size else values
    return float(sum_in_any_order(filled)) / number if number else np.nan


def sum_in_any_order(values: np.ndarray, /, axis: int | None = None) -> np.ndarray:
    """The sum of up to 2^26 finite numbers, the same to the bit in whichever order they come.

    Each number is split into two on grids so coarse that sums on them are exact; what lies below 2^-54 of the largest
    number is dropped.
    """
    scale = _scale_of(values)
    if scale is None:
        return np.asarray(values.sum(axis=axis))
    high, low = _split(values, scale)
    return np.asarray((high.sum(axis=axis) + low.sum(axis=axis)) / scale)


def sums_in_any_order(values: np.ndarray, place: np.ndarray, count: int, /) -> np.ndarray:
    """(count,) the same of the numbers of each place."""
    scale = _scale_of(values)
    if scale is None:
        return np.bincount(place, weights=values, minlength=count)
    high, low = (np.bincount(place, weights=part, minlength=count) for part in _split(values, scale))
    return np.asarray((high + low) / scale)


def _scale_of(values: np.ndarray) -> float | None:
    """The power of two that brings the largest number to ½ … 1; None where there is nothing to scale."""
    top = max(-float(values.min(initial=0.0)), float(values.max(initial=0.0)))
    if not np.isfinite(top) or top == 0:
        return None
    return 1.0 if 0.5 <= top <= 1 else float(np.ldexp(1.0, -int(np.frexp(top)[1])))


def _split(values: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Scaled numbers as two. Adding 1.5 · 2^26 leaves 26 bits behind the point, adding 0.75 leaves 53. In place: most
    of the time is memory."""
    low = values * scale
    high = low + _COARSE
    high -= _COARSE
    low -= high
    low += _FINE
    low -= _FINE
    return high, low


_COARSE, _FINE = 1.5 * 2.0**26, 0.75


def _mean(values: np.ndarray, weights: np.ndarray | None, empty: float) -> float:
    """Of one row of classes, as NumPy sums them: the same bits as scikit-learn has."""
    counted = ~np.isnan(values)
    if not counted.any():
        return np.nan
    if weights is None:
        return float(values[counted].mean())
    if not weights[counted].sum():
        return empty
    return float(np.average(values[counted], weights=weights[counted]))
