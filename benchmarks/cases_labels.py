"""Label maps: street scenes, and the worst that a map can be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.blobs import scatter
from benchmarks.case import SEED, Case, Traffic

HEIGHT, WIDTH, CLASSES = 1024, 2048, 19
OBJECTS = 160
SLIP = 3
"""Pixels by which the guess may miss a border."""
MISTAKEN = 0.1
"""Share of the objects whose class the guess gets wrong."""


@dataclass(frozen=True)
class LabelCase(Case):
    """Truth and guess, 1024 × 2048, 19 classes."""

    is_noise: bool = False
    dtype: str = "uint8"
    is_pinned: bool = True

    @property
    def threads(self) -> int | None:
        return 1 if self.is_pinned else None

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(SEED)
        truth, guess = noise(rng) if self.is_noise else streets(rng)
        return truth.astype(self.dtype), guess.astype(self.dtype)

    def traffic(self, a: np.ndarray, b: np.ndarray, answer: int) -> Traffic:
        return Traffic(a.nbytes + b.nbytes, answer)


def streets(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Sky, houses and road, and objects before them; the guess sees all of it, at slightly other places."""
    truth, guess = np.empty((2, HEIGHT, WIDTH), np.uint8)
    for picture, slip in ((truth, 0), (guess, SLIP)):
        for label, (top, bottom) in enumerate(((0.0, 0.35), (0.35, 0.6), (0.6, 1.0))):
            picture[int(top * HEIGHT) + slip * (label > 0) : int(bottom * HEIGHT) + slip] = label
    for k, blob in enumerate(scatter(rng, OBJECTS, HEIGHT, WIDTH)):
        label = k % CLASSES
        blob.paint(truth, label)
        said = int(rng.integers(CLASSES)) if rng.random() < MISTAKEN else label
        blob.moved(*rng.integers(-SLIP, SLIP + 1, 2), HEIGHT, WIDTH).paint(guess, said)
    return truth, guess


def noise(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Every pixel a run of its own, and every pair of classes met."""
    truth, guess = rng.integers(0, CLASSES, (2, HEIGHT, WIDTH), np.uint8)
    return truth, guess


LABEL_CASES = (
    LabelCase("labels streets, 1 thread"),
    LabelCase("labels noise, 1 thread", is_noise=True),
    LabelCase("labels streets", is_pinned=False),
    LabelCase("labels noise", is_noise=True, is_pinned=False),
    LabelCase("labels streets int64, 1 thread", dtype="int64"),
    LabelCase("labels noise int64, 1 thread", is_noise=True, dtype="int64"),
)
