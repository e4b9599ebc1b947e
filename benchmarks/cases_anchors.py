"""Shapes of many objects, and anchors with the truths of a batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.case import SEED, Case, Traffic, sides

IMAGE = 640.0
IMAGES, TRUTHS = 16, 5000
"""A batch of images, far more crowded than photographs are."""
STRIDES = (8, 16, 32)
CLUSTERS = 9


@dataclass(frozen=True)
class ShapeCase(Case):
    """N widths and heights."""

    n: int

    @property
    def tolerance(self) -> float:
        return 1e-6  # pixels: sums of many shapes round in another order

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        shapes = np.column_stack(sides(np.random.default_rng(SEED), self.n))
        return shapes, np.empty((0, 2))

    def traffic(self, a: np.ndarray, b: np.ndarray, answer: int) -> Traffic:
        return Traffic(a.nbytes, answer)


@dataclass(frozen=True)
class AssignCase(Case):
    """8400 square anchors on three grids of cells, and the truths of all images one after the other."""

    @property
    def tolerance(self) -> float:
        return 0.0

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(SEED)
        w, h = sides(rng, IMAGES * TRUTHS)
        x, y = rng.uniform(0, IMAGE, (2, IMAGES * TRUTHS))
        truths = np.column_stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2])
        return np.concatenate([_cells(stride) for stride in STRIDES]), truths

    def traffic(self, a: np.ndarray, b: np.ndarray, answer: int) -> Traffic:
        return Traffic(a.nbytes + b.nbytes, answer)


def _cells(stride: int) -> np.ndarray:
    """An anchor of four strides around the centre of each cell."""
    middle = np.arange(stride / 2, IMAGE, stride)
    y, x = (axis.ravel() for axis in np.meshgrid(middle, middle, indexing="ij"))
    return np.column_stack([x - 2 * stride, y - 2 * stride, x + 2 * stride, y + 2 * stride])


ANCHOR_CASES = (ShapeCase("shapes 500k", 500_000), AssignCase("assign 8400x5000x16"))
