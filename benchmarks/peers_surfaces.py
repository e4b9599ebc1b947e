"""Peers for outlines. An answer has HD95, ASSD and, but of MedPy, NSD as rows, and a column for each organ."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from benchmarks.cases_surfaces import TAU, Volume
from benchmarks.contender import Call, Contender

FEW = 2
"""Organs of calls that are too slow for all."""


def _cropped(a: Volume, b: Volume, organs: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The masks of each organ in the box that holds both: what a careful user of the peer cuts out first."""
    pairs = []
    for label in range(1, organs + 1):
        truth, guess = a.labels == label, b.labels == label
        either = truth | guess
        ends = [np.flatnonzero(either.any(axis=tuple({0, 1, 2} - {axis}))) for axis in range(3)]
        box = tuple(slice(max(0, int(found[0]) - 1), int(found[-1]) + 2) for found in ends)
        pairs.append((truth[box], guess[box]))
    return pairs


def _medpy(a: Volume, b: Volume) -> Call:
    from medpy.metric import binary

    def one(truth: np.ndarray, guess: np.ndarray) -> list[float]:
        return [float(binary.hd95(guess, truth)), float(binary.assd(guess, truth))]

    return lambda: [one(*pair) for pair in _cropped(a, b, FEW)]


def _monai(a: Volume, b: Volume) -> Call:
    import torch
    from monai import metrics

    def one(label: int) -> list[float]:
        truth, guess = (torch.from_numpy(side.labels == label)[None, None] for side in (a, b))
        options: dict[str, Any] = {"include_background": True}
        return [
            float(metrics.compute_hausdorff_distance(guess, truth, percentile=95, **options)),
            float(metrics.compute_average_surface_distance(guess, truth, symmetric=True, **options)),
            float(metrics.compute_surface_dice(guess, truth, [TAU], **options)),
        ]

    return lambda: [one(label) for label in range(1, FEW + 1)]


def _surface_distance(a: Volume, b: Volume) -> Call:
    import surface_distance

    def one(label: int) -> list[float]:
        found = surface_distance.compute_surface_distances(a.labels == label, b.labels == label, (1, 1, 1))
        there, back = surface_distance.compute_average_surface_distance(found)
        return [
            float(surface_distance.compute_robust_hausdorff(found, 95)),
            float((there + back) / 2),
            float(surface_distance.compute_surface_dice_at_tolerance(found, TAU)),
        ]

    return lambda: [one(label) for label in range(1, FEW + 1)]


def _edt(a: Volume, _: Volume) -> Call:
    import edt

    mask, threads = a.labels > 0, int(os.environ.get("VESICA_NUM_THREADS", "1"))
    return lambda: edt.edt(mask, black_border=False, parallel=threads)


def _scipy(a: Volume, _: Volume) -> Call:
    from scipy import ndimage

    mask = a.labels > 0
    return lambda: ndimage.distance_transform_edt(mask)


def columns(answer: list[list[float]]) -> np.ndarray:
    """Scores as rows, organs as columns."""
    return np.array(answer, np.float64).T


SURFACE_PEERS = (
    Contender("medpy, hd95 and assd", "medpy", _medpy, columns, columns=FEW),
    Contender("monai, HD95, ASD and NSD", "monai", _monai, columns, columns=FEW),
    # Surface elements are weighed by their area there: other numbers of the same name, near ours.
    Contender("surface-distance", "surface_distance", _surface_distance, columns, rounding=0.5, columns=FEW),
    Contender("edt.edt", "edt", _edt),
    Contender("scipy.distance_transform_edt", "scipy", _scipy),
)
