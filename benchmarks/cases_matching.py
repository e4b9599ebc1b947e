"""Data of matching: a matrix of values, and truths and guesses of many photographs."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchmarks.case import SEED, Case, Traffic, sides

WIDTH, HEIGHT = 640, 480


class Scene(NamedTuple):
    """Boxes of many photographs, photograph after photograph."""

    boxes: np.ndarray
    image: np.ndarray
    """The photograph of each box."""
    scores: np.ndarray

    def each(self, images: int) -> list[tuple[np.ndarray, np.ndarray, int]]:
        """Boxes and scores of each photograph, and the row of its first box."""
        cuts = np.searchsorted(self.image, np.arange(images + 1))
        return [(self.boxes[p:q], self.scores[p:q], int(p)) for p, q in itertools.pairwise(cuts)]


@dataclass(frozen=True)
class AssignCase(Case):
    """N rows and as many columns: random numbers, or how near random points lie to each other."""

    n: int
    kind: str

    @property
    def tolerance(self) -> float:
        return 1e-9

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(SEED)
        if self.kind == "random":
            return rng.random((self.n, self.n)), np.empty(0)
        p, q = rng.random((2, self.n, 2))
        return 2 - np.linalg.norm(p[:, None] - q, axis=2), np.empty(0)

    def traffic(self, a: np.ndarray, b: np.ndarray, answer: int) -> Traffic:
        return Traffic(a.nbytes, answer)


@dataclass(frozen=True)
class MatchCase(Case):
    """Photographs with some truths each, and a hundred guesses: truths moved a little, and others anywhere."""

    images: int
    truths: int = 7
    guesses: int = 100

    @property
    def tolerance(self) -> float:
        return 1e-9

    def tables(self) -> tuple[Scene, Scene]:
        rng = np.random.default_rng(SEED)
        truth, n, m = self._boxes(rng, self.truths), self.images * self.truths, self.images * self.guesses
        guess = self._boxes(rng, self.guesses).reshape(self.images, self.guesses, 4)
        near = truth.reshape(self.images, self.truths, 4)[:, rng.integers(0, self.truths, self.guesses // 2)]
        size = (near[..., 2:] - near[..., :2]).repeat(2, axis=-1).reshape(near.shape)
        guess[:, : near.shape[1]] = near + size * rng.normal(0, 0.08, near.shape)
        guess[..., 2:] = np.maximum(guess[..., :2], guess[..., 2:])
        image_n, image_m = (np.repeat(np.arange(self.images), count) for count in (self.truths, self.guesses))
        return Scene(truth, image_n, np.ones(n)), Scene(guess.reshape(-1, 4), image_m, rng.random(m))

    def _boxes(self, rng: np.random.Generator, count: int) -> np.ndarray:
        w, h = sides(rng, self.images * count)
        x, y = rng.uniform(0, WIDTH, len(w)), rng.uniform(0, HEIGHT, len(w))
        return np.column_stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2])

    def traffic(self, a: Scene, b: Scene, answer: int) -> Traffic:
        return Traffic(sum(column.nbytes for side in (a, b) for column in side), answer)


IMAGES = 2000
MATCHING_CASES = (
    AssignCase("assign 1000x1000 random", 1000, "random"),
    AssignCase("assign 1000x1000 near", 1000, "near"),
    MatchCase("match 2000 images", IMAGES),
)
