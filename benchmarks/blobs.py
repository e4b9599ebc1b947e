"""Objects with ragged outlines, as people and detectors draw them: made by columns, so that runs cost no pixels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.case import IMAGE_AREA, sides

WAVES = 12
"""Bumps along an outline."""
ROUGHNESS = 0.25
"""Height of the bumps together, in heights of the object."""
OCCLUDED = 0.3
"""Share of the objects with something else in front of them."""


@dataclass(frozen=True)
class Blob:
    """In column x + k: the rows from edges[k, 0] to edges[k, 1], and those from edges[k, 2] to edges[k, 3]."""

    x: int
    edges: np.ndarray

    def paint(self, picture: np.ndarray, value: Any = True) -> None:
        top, bottom = int(self.edges[:, 0].min()), int(self.edges[:, 3].max())
        rows = np.arange(top, bottom, dtype=np.int16)[:, None]
        first, second, third, last = self.edges.T.astype(np.int16)
        inside = ((rows >= first) & (rows < second)) | ((rows >= third) & (rows < last))
        np.copyto(picture[top:bottom, self.x : self.x + len(self.edges)], value, where=inside)

    def counts(self, height: int, width: int) -> list[int]:
        """Lengths of the runs, column after column, background first."""
        flat = (np.arange(self.x, self.x + len(self.edges))[:, None] * height + self.edges).ravel()
        turns, times = np.unique(flat, return_counts=True)
        turns = turns[times % 2 == 1]  # two turns at one place are none
        runs = np.diff(np.concatenate([[0], turns, [height * width]]))
        counts: list[int] = runs[: len(turns) + (runs[-1] > 0)].tolist()
        return counts

    def moved(self, dx: int, dy: int, height: int, width: int) -> Blob:
        """The same blob a little aside, cut off at the borders of the picture."""
        x = self.x + dx
        left, right = max(0, -x), max(0, x + len(self.edges) - width)
        edges = np.clip(self.edges[left : len(self.edges) - right] + dy, 0, height)
        return Blob(x + left, edges)


def scatter(
    rng: np.random.Generator, count: int, height: int, width: int, scale: float | None = None
) -> Iterator[Blob]:
    """Blobs anywhere in a picture; objects grow with the photograph, or by `scale`."""
    scale = scale or float(np.sqrt(height * width / IMAGE_AREA))
    for w, h in zip(*(scale * side for side in sides(rng, count)), strict=True):
        yield _blob(rng, min(float(w), width), min(float(h), height), height, width)


def _blob(rng: np.random.Generator, w: float, h: float, height: int, width: int) -> Blob:
    x = int(rng.uniform(0, width - w))
    y = rng.uniform(h / 2, height - h / 2)
    columns = max(2, int(w))
    along = (np.arange(columns) + 0.5) / columns
    half = h / 2 * np.sqrt(1 - (2 * along - 1) ** 2) + 0.5

    top = y - half * (1 + _wave(rng, along)) - rng.integers(0, 2, columns)
    bottom = y + half * (1 + _wave(rng, along)) + rng.integers(0, 2, columns)
    # What stands in front takes a slanting band away, over a part of the columns.
    behind = (along > rng.uniform(0, 0.5)) & (along < rng.uniform(0.5, 1)) if rng.random() < OCCLUDED else along < 0
    middle = y + half * rng.uniform(-1, 1) * (along - 0.5)
    band = np.where(behind, half * rng.uniform(0.05, 0.4), 0)
    edges = np.clip(np.rint(np.column_stack([top, middle - band, middle + band, bottom])), 0, height).astype(np.int64)
    return Blob(x, np.maximum.accumulate(edges, axis=1))


def _wave(rng: np.random.Generator, along: np.ndarray) -> np.ndarray:
    """Many small bumps on a few large ones."""
    bumps = np.arange(1, WAVES + 1)[:, None]
    phases, heights = rng.uniform(0, 2 * np.pi, (WAVES, 1)), rng.normal(0, 1, (WAVES, 1)) / bumps
    wave: np.ndarray = ROUGHNESS * (heights * np.sin(2 * np.pi * bumps * along + phases)).sum(axis=0)
    return np.maximum(wave, -0.9)
