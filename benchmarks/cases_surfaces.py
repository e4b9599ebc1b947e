"""Outlines: the organs of a CT volume, and a guess that misses their borders by a little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.case import SEED, Case, Traffic

SHAPE, ORGANS = (128, 512, 512), 10
TAU = 2.0
RADII = (8, 60)
"""Of organs, in pixels within a slice; slices are twice as far apart."""
SLIP = 2


@dataclass(frozen=True, eq=False)
class Volume:
    """A label map of organs 1 … 10; as long as there are organs, of which each is a column of the answer."""

    labels: np.ndarray

    def __len__(self) -> int:
        return ORGANS

    @property
    def nbytes(self) -> int:
        return int(self.labels.nbytes)


@dataclass(frozen=True)
class OrganCase(Case):
    """Truth and guess, 128 × 512 × 512."""

    is_pinned: bool = True

    @property
    def tolerance(self) -> float:
        return 1e-5  # some peers answer in float32

    @property
    def threads(self) -> int | None:
        return 1 if self.is_pinned else None

    def tables(self) -> tuple[Volume, Volume]:
        rng = np.random.default_rng(SEED)
        truth, guess = np.zeros((2, *SHAPE), np.uint8)
        for label in range(1, ORGANS + 1):
            centre = rng.uniform(0.2, 0.8, 3) * SHAPE
            radii = rng.uniform(*RADII, 3) / (2, 1, 1)
            _paint(truth, label, centre, radii)
            _paint(guess, label, centre + rng.uniform(-SLIP, SLIP, 3), radii * rng.uniform(0.95, 1.05, 3))
        return Volume(truth), Volume(guess)

    def traffic(self, a: Volume, b: Volume, answer: int) -> Traffic:
        return Traffic(a.nbytes + b.nbytes, answer)


@dataclass(frozen=True)
class TransformCase(OrganCase):
    """The mask of all organs together."""

    def traffic(self, a: Volume, b: Volume, answer: int) -> Traffic:
        return Traffic(a.nbytes, answer)


def _paint(volume: np.ndarray, label: int, centre: np.ndarray, radii: np.ndarray) -> None:
    """An ellipsoid, with a bumpy surface as drawn by hand."""
    box = tuple(
        slice(max(0, int(c - 1.2 * r)), min(side, int(c + 1.2 * r) + 2))
        for c, r, side in zip(centre, radii, SHAPE, strict=True)
    )
    z, y, x = ((np.arange(part.start, part.stop) - c) / r for part, c, r in zip(box, centre, radii, strict=True))
    bumps = 0.06 * (np.sin(9 * x)[None, None, :] + np.sin(7 * y)[None, :, None])
    volume[box][z[:, None, None] ** 2 + y[None, :, None] ** 2 + x[None, None, :] ** 2 + bumps <= 1] = label


SURFACE_CASES = (
    OrganCase("organs 128x512x512, 1 thread"),
    OrganCase("organs 128x512x512", is_pinned=False),
    TransformCase("distance transform 128x512x512, 1 thread"),
    TransformCase("distance transform 128x512x512", is_pinned=False),
)
