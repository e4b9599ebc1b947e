"""Peers that know several annotators: SimpleITK, crowd-kit, krippendorff; and plain NumPy."""

from __future__ import annotations

import itertools
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


def _scipy_loop(rows: np.ndarray, asked: np.ndarray) -> Call:
    """Image by image, person by person: the matrix of IoU, and SciPy's assignment."""
    from scipy.optimize import linear_sum_assignment

    def iou(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
        inter = np.maximum(high - low, 0).prod(axis=2)
        areas = [(side[:, 2:] - side[:, :2]).prod(axis=1) for side in (a, b)]
        return inter / (areas[0][:, None] + areas[1][None, :] - inter)

    def call() -> np.ndarray:
        matched, total = 0, 0.0
        order = np.lexsort((rows[:, 1], rows[:, 0]))
        keys, starts = np.unique(rows[order][:, :2], axis=0, return_index=True)
        parts = np.split(rows[order][:, 3:], starts[1:])
        drawn = {(int(image), int(who)): part for (image, who), part in zip(keys, parts, strict=True)}
        people: dict[int, list[int]] = {}
        for image, who in asked.tolist():
            people.setdefault(image, []).append(who)
        for image, both in people.items():
            for one, other in itertools.combinations(sorted(both), 2):
                a, b = drawn.get((image, one)), drawn.get((image, other))
                if a is None or b is None:
                    continue
                values = iou(a, b)
                values[values < 0.5] = 0
                chosen = values[linear_sum_assignment(values, maximize=True)]
                matched, total = matched + int((chosen > 0).sum()), total + float(chosen.sum())
        return np.array([matched, total])

    return call


AGREEMENT_PEERS = (
    Contender("loop of SciPy's assignment", "scipy", _scipy_loop),
    Contender("numpy.bincount of votes", "numpy", _bincount),
    Contender("SimpleITK.STAPLE", "SimpleITK", _simple_itk, columns=FEW),
    Contender("crowdkit.DawidSkene", "crowd-kit", _crowd_kit, _believed),
    Contender("krippendorff.alpha", "krippendorff", _krippendorff, np.atleast_1d),
    Contender("numpy draws and product", "numpy", _numpy_draws, interval_ends),
)
