"""Causes of error: objects of images like val2017, and what a detector says of them, as rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks import val_like
from benchmarks.case import Case, Traffic


@dataclass(frozen=True)
class CausesCase(Case):
    """Rows of image, category, x, y, width, height and crowd; and of guesses with a score that no other has."""

    images: int = 500
    per_image: int = 36

    @property
    def tolerance(self) -> float:
        return 1e-9

    @property
    def threads(self) -> int | None:
        return 1

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        scene = val_like.objects(np.random.default_rng(2017))
        found = val_like.guesses(np.random.default_rng([2017, self.per_image]), scene, self.per_image)
        own = scene.image < self.images
        said = np.isin(found.image, scene.image[own])  # images without truths are none to the peer
        # Scores in the same order, and none twice: the peer breaks ties in another way in each repaired run.
        rank = np.argsort(np.argsort(found.score[said], kind="stable"))
        truth = np.column_stack([scene.image, scene.category, scene.xywh, scene.crowd])[own]
        guess = np.column_stack([found.image[said], found.category[said], found.xywh[said], (rank + 0.5) / len(rank)])
        return truth, guess

    def traffic(self, a: np.ndarray, b: np.ndarray, answer: int) -> Traffic:
        return Traffic(a.nbytes + b.nbytes, answer)


CAUSES_CASES = (CausesCase("causes of 18k guesses"), CausesCase("causes of 180k guesses", images=5000))
