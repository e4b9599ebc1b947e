"""Peers that know several annotators: SimpleITK, crowd-kit, krippendorff; and plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.cases_agreement import LABELS, REPLICATES, UNITS
from benchmarks.contender import Call, Contender

FEW = 20
"""Objects that SimpleITK is asked for."""
STEPS = 2000


def _bincount(stack: np.ndarray, _: Any) -> Call:
    def call() -> np.ndarray:
        code = sum((mask != 0).astype(np.int64) << k for k, mask in enumerate(stack))
        return np.bincount(np.ravel(code), minlength=1 << len(stack))

    return call


def _simple_itk(stack: np.ndarray, _: Any) -> Call:
    import SimpleITK as sitk

    images = [[sitk.GetImageFromArray(mask) for mask in masks] for masks in stack[:FEW]]

    def one(masks: list[Any]) -> np.ndarray:
        fit = sitk.STAPLEImageFilter()
        fit.SetForegroundValue(1)
        fit.SetMaximumIterations(STEPS)
        fit.Execute(masks)
        return np.concatenate([fit.GetSensitivity(), fit.GetSpecificity()])

    return lambda: np.stack([one(masks) for masks in images], axis=1)


def _frame(rows: np.ndarray) -> Any:
    import pandas

    return pandas.DataFrame(rows, columns=["task", "worker", "label"])


def _crowd_kit(rows: np.ndarray, _: Any) -> Call:
    from crowdkit.aggregation import DawidSkene

    frame = _frame(rows)
    return lambda: DawidSkene(n_iter=200, tol=1e-12).fit(frame)


def _believed(fit: Any) -> np.ndarray:
    return fit.probas_.sort_index()[range(LABELS)].to_numpy()


def _krippendorff(rows: np.ndarray, _: Any) -> Call:
    import krippendorff

    counts = np.zeros((UNITS, LABELS), np.int64)
    np.add.at(counts, (rows[:, 0], rows[:, 2]), 1)
    return lambda: krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")


def _numpy_draws(sums: np.ndarray, _: Any) -> Call:
    """Images drawn with replacement, some replicates at a time, and the product."""

    def call() -> np.ndarray:
        rng, count, parts = np.random.default_rng(0), len(sums), []
        for first in range(0, REPLICATES, 500):
            size = min(500, REPLICATES - first)
            drawn = rng.integers(0, count, (size, count)) + np.arange(size)[:, None] * count
            weights = np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count)
            parts.append(weights.astype(np.float64) @ sums)
        return np.concatenate(parts)

    return call


def interval_ends(sums: np.ndarray) -> np.ndarray:
    """(2, ratios): 2.5 % and 97.5 % of each ratio."""
    half = sums.shape[1] // 2
    return np.percentile(sums[:, :half] / sums[:, half:], [2.5, 97.5], axis=0)


AGREEMENT_PEERS = (
    Contender("numpy.bincount of votes", "numpy", _bincount),
    Contender("SimpleITK.STAPLE", "SimpleITK", _simple_itk, columns=FEW),
    Contender("crowdkit.DawidSkene", "crowd-kit", _crowd_kit, _believed),
    Contender("krippendorff.alpha", "krippendorff", _krippendorff, np.atleast_1d),
    Contender("numpy draws and product", "numpy", _numpy_draws, interval_ends),
)
