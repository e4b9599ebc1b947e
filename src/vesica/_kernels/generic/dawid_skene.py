"""Dawid and Skene in plain array code: the specification of the compiled one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Ratings(NamedTuple):
    """Ratings unit by unit. Every unit has one at least."""

    said: np.ndarray
    """(N,) int64: annotator · labels + label."""
    begins: np.ndarray
    """(U + 1,) int64: where the ratings of each unit begin, and the end."""
    weight: np.ndarray
    """(U,) float64"""


class Fit(NamedTuple):
    """What was found."""

    belief: np.ndarray
    """(U, C) float64"""
    confusion: np.ndarray
    """(K, C, C) float64: annotator, truth, given."""
    prior: np.ndarray
    """(C,) float64"""
    steps: int
    is_converged: bool


def dawid_skene(
    ratings: Ratings, confusion: np.ndarray, prior: np.ndarray, *, is_free: bool, tolerance: float, most: int
) -> Fit:
    """Believe and learn in turn, beginning with these confusions and this prior."""
    unit = np.repeat(np.arange(len(ratings.weight)), np.diff(ratings.begins))
    belief = np.empty((len(ratings.weight), len(prior)))
    for step in range(1, most + 1):
        belief = _belief(ratings, confusion, prior)
        weighted = belief * ratings.weight[:, None]
        fresh = _confusion(ratings.said, weighted[unit], confusion)
        fresh_prior = weighted.sum(axis=0) / weighted.sum() if is_free else prior
        change = max(np.abs(fresh - confusion).max(), np.abs(fresh_prior - prior).max())
        confusion, prior = fresh, fresh_prior
        if change <= tolerance:
            return Fit(belief, confusion, prior, step, True)
    return Fit(belief, confusion, prior, most, False)


def _belief(ratings: Ratings, confusion: np.ndarray, prior: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        logs = np.log(confusion).transpose(0, 2, 1).reshape(-1, len(prior))
        told = np.log(prior) + np.add.reduceat(logs[ratings.said], ratings.begins[:-1], axis=0)
    top = told.max(axis=1, keepdims=True)
    likely = np.exp(told - np.where(np.isneginf(top), 0.0, top))
    total = likely.sum(axis=1, keepdims=True)
    # A unit of no weight may be impossible by now.
    return np.asarray(np.divide(likely, total, out=np.tile(prior, (len(told), 1)), where=total > 0))


def _confusion(said: np.ndarray, believed: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    annotators, labels, _ = otherwise.shape
    sums = np.zeros((annotators * labels, labels))
    np.add.at(sums, said, believed)
    counts = sums.reshape(annotators, labels, labels).transpose(0, 2, 1)
    total = counts.sum(axis=2, keepdims=True)
    return np.asarray(np.divide(counts, total, out=otherwise.copy(), where=total > 0))
