"""Segmentations: a validation set of street scenes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.case import SEED, Case, Traffic
from benchmarks.cases_labels import noise, streets

MAPS, DIFFERENT = 100, 10
"""Maps of the set, and how many of them are different."""


@dataclass(frozen=True)
class SegmentationCase(Case):
    """Truths and guesses, 100 × 1024 × 2048, 19 classes."""

    is_noise: bool = False
    is_pinned: bool = True

    @property
    def tolerance(self) -> float:
        return 1e-6  # some peers answer in float32

    @property
    def threads(self) -> int | None:
        return 1 if self.is_pinned else None

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(SEED)
        pairs = [noise(rng) if self.is_noise else streets(rng) for _ in range(DIFFERENT)]
        truth, guess = (np.concatenate([np.stack(side)] * (MAPS // DIFFERENT)) for side in zip(*pairs, strict=True))
        return truth, guess

    def traffic(self, a: np.ndarray, b: np.ndarray, answer: int) -> Traffic:
        return Traffic(a.nbytes + b.nbytes, answer)


SEGMENTATION_CASES = (
    SegmentationCase("segmentation streets, 1 thread"),
    SegmentationCase("segmentation noise, 1 thread", is_noise=True),
    SegmentationCase("segmentation streets", is_pinned=False),
    SegmentationCase("segmentation noise", is_noise=True, is_pinned=False),
)
