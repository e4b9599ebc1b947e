"""A case: named, seeded data, with the sizes that objects in photographs have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

# Areas and shapes of objects in COCO-like photographs, in pixels, and the photograph they are counted in.
LOG_AREA, LOG_AREA_SPREAD, LOG_ASPECT_SPREAD = 8.2, 2.1, 0.5
SHORTEST_SIDE, LONGEST_SIDE = 4.0, 640.0
IMAGE_AREA = 640 * 480

SEED = 20_240_229


class Traffic(NamedTuple):
    """Bytes that no implementation can avoid moving."""

    read: int
    written: int


@dataclass(frozen=True)
class Case:
    """Two inputs, and what is known about their answer."""

    name: str

    @property
    def tolerance(self) -> float:
        """How far two right answers may lie apart: formulas round in another order."""
        return 1e-12

    @property
    def threads(self) -> int | None:
        """Threads that everyone gets; None: as many as there are cores."""
        return None

    @property
    def recorded(self) -> float | None:
        """The sum of the answer, where somebody wrote it down before us."""
        return None

    def tables(self) -> tuple[Any, Any]:
        raise NotImplementedError

    def traffic(self, a: Any, b: Any, answer: int) -> Traffic:
        """`a` and `b` are the tables, `answer` is the size of our answer in bytes."""
        raise NotImplementedError


def sides(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    area = np.exp(rng.normal(LOG_AREA, LOG_AREA_SPREAD, count))
    aspect = np.exp(rng.normal(0, LOG_ASPECT_SPREAD, count))
    w, h = np.sqrt(area * aspect), np.sqrt(area / aspect)
    return np.clip(w, SHORTEST_SIDE, LONGEST_SIDE), np.clip(h, SHORTEST_SIDE, LONGEST_SIDE)
