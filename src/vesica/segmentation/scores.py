"""Scores of cells: the formulas, and what the policy says of cells that are empty. No epsilon, no smoothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vesica.segmentation.averages import Average
from vesica.segmentation.cells import BOTH_EMPTY, GUESS_ONLY, TRUTH_ONLY, Cells, status_of
from vesica.segmentation.filled_means import Fills, filled_mean, sums_of
from vesica.segmentation.policy import SegmentationPolicy

LEFT_OUT = np.nan
"""The value of a cell that no mean counts."""

_FILL = {"skip": LEFT_OUT, "one": 1.0, "zero": 0.0}
_WORST = 0.0

# Of TP, TP + FN and TP + FP: what is divided, and by what. All of it is integers until then.
_Parts = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
_FORMULAS: dict[str, _Parts] = {
    "IoU": lambda both, truth, guess: (both, truth + guess - both),
    "Dice": lambda both, truth, guess: (2 * both, truth + guess),
    "precision": lambda both, truth, guess: (both, guess),
    "recall": lambda both, truth, guess: (both, truth),
    "area_difference": lambda both, truth, guess: (guess - truth, truth),
}


def values_of(
    cells: Cells, score: str, policy: SegmentationPolicy, /, *, beta: float, absent: np.ndarray
) -> np.ndarray:
    """(I, K) float64: the score of each cell, LEFT_OUT where the policy leaves it out.

    `absent` (K,) are the classes that neither side has in the whole set, of which these cells may be a part.
    """
    raw = _raw(cells, score, beta)
    if score == "area_difference":
        return raw  # a share of the truth's area: without one there is none, whatever the policy
    if policy.absent == policy.both_empty == "skip" and policy.one_empty == "worst" and score in ("IoU", "Dice"):
        return raw  # the formulas say so themselves
    filled: np.ndarray = np.where(cells.is_full, raw, _fills(policy)[cells.status])
    if absent.any():
        filled[:, absent] = _FILL[policy.absent]
    return filled


def mean_of_filled(
    cells: Cells, score: str, policy: SegmentationPolicy, order: str, /, *, beta: float, absent: np.ndarray
) -> Average:
    """The plain mean of the cells that `values_of` gives, in an order of averaging over several images."""
    fills = Fills(_fills(policy), _FILL[policy.absent], absent)
    found = cells.found
    key = "sums", score, beta if score == "F-beta" else 1.0
    if key not in cells.memo:
        values = _formula(score, beta, found.both, found.truth, found.guess)
        cells.memo[key] = sums_of(cells, values)
    return filled_mean(cells, cells.memo[key], fills, order)


def micro(cells: Cells, /) -> Cells:
    """All classes as one."""
    both, truth, guess = (column.sum(axis=1, keepdims=True) for column in (cells.both, cells.truth, cells.guess))
    return Cells(cells.labels[:1], ("all",), both, truth, guess, cells.pixels)


def accuracy_of(cells: Cells, /) -> np.ndarray:
    """(I,) the share of pixels whose class was found; LEFT_OUT without pixels."""
    return _ratio(cells.both.sum(axis=1), cells.pixels)


def generalised_dice_of(cells: Cells, policy: SegmentationPolicy, /, *, is_absent: bool) -> np.ndarray:
    """(I,) Dice of all classes, each weighted by how little of it there is in the truth."""
    truth = cells.truth.astype(np.float64)
    power = {"square": 2, "simple": 1, "uniform": 0}[policy.gd_weight]
    with np.errstate(divide="ignore"):
        weight = truth**-power if power else np.ones_like(truth)
    none = np.isinf(weight)
    weight[none] = 0
    if policy.gd_absent == "max":
        largest = weight.max(axis=1, keepdims=True, initial=0)
        weight = np.where(none, largest, weight)
    shared = 2 * (weight * cells.both).sum(axis=1)
    whole = (weight * (cells.truth + cells.guess)).sum(axis=1)
    status = status_of(cells.truth.sum(axis=1), cells.guess.sum(axis=1))
    filled: np.ndarray = np.where(status == 0, _ratio(shared, whole), _fills(policy)[status])
    return np.full_like(filled, _FILL[policy.absent]) if is_absent else filled


def _raw(cells: Cells, score: str, beta: float) -> np.ndarray:
    """By the formula alone: NaN for 0 / 0."""
    key = "raw", score, beta if score == "F-beta" else 1.0
    if key not in cells.memo:
        cells.memo[key] = _formula(score, beta, cells.both, cells.truth, cells.guess)
    found: np.ndarray = cells.memo[key]
    return found


def _formula(score: str, beta: float, both: np.ndarray, truth: np.ndarray, guess: np.ndarray) -> np.ndarray:
    if score == "F-beta":
        return _ratio((1 + beta**2) * both, beta**2 * truth + guess)
    return _ratio(*_FORMULAS[score](both, truth, guess))


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole == 0, np.nan, part / whole)


def fill_of_absent(policy: SegmentationPolicy, /) -> float:
    """The value of a class that neither side has."""
    return _FILL[policy.absent]


def _fills(policy: SegmentationPolicy) -> np.ndarray:
    """The value of a cell by what it has."""
    fills = np.full(4, LEFT_OUT)
    fills[BOTH_EMPTY] = _FILL[policy.both_empty]
    if policy.one_empty not in ("skip", "skip_empty_truth"):
        fills[GUESS_ONLY] = _WORST
    if policy.one_empty not in ("skip", "skip_empty_guess"):
        fills[TRUTH_ONLY] = _WORST
    return fills
