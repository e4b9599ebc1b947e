"""Peers for matching: scipy, and the loops that people write."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import formulas
from benchmarks.cases_matching import IMAGES, Scene
from benchmarks.contender import JOIN_AT, Call, Contender


def _scipy(a: np.ndarray, _: np.ndarray) -> Call:
    from scipy.optimize import linear_sum_assignment

    # The best choice need not be the only one, so its sum is compared.
    return lambda: a[linear_sum_assignment(a, maximize=True)].sum()


def _scipy_loop(a: Scene, b: Scene) -> Call:
    """One photograph at a time: the matrix, the gate, the assignment."""
    from scipy.optimize import linear_sum_assignment

    def call() -> float:
        total = 0.0
        for (truth, _, _), (guess, _, _) in zip(a.each(IMAGES), b.each(IMAGES), strict=True):
            iou = formulas.numpy_iou(truth, guess)
            iou[iou < JOIN_AT] = 0
            total += iou[linear_sum_assignment(iou, maximize=True)].sum()
        return total

    return call


def _greedy_loop(a: Scene, b: Scene) -> Call:
    """One photograph at a time: the matrix, and its best free row for each column."""

    def call() -> np.ndarray:
        guess_of = np.full(len(a.boxes), -1)
        for (truth, _, top), (guess, scores, left) in zip(a.each(IMAGES), b.each(IMAGES), strict=True):
            iou = formulas.numpy_iou(truth, guess)
            for j in np.argsort(-scores, kind="stable"):
                i = int(iou[:, j].argmax())
                if iou[i, j] >= JOIN_AT:
                    guess_of[top + i] = left + j
                    iou[i] = 0
        return guess_of

    return call


def total(found: Any) -> np.ndarray:
    """A sum as an answer that can be compared."""
    return np.array([found])


MATCHING_PEERS = (
    Contender("scipy.linear_sum_assignment", "scipy", _scipy, total),
    Contender("numpy iou and scipy, an image at a time", "scipy", _scipy_loop, total),
    Contender("numpy iou and a loop, an image at a time", "numpy", _greedy_loop),
)
