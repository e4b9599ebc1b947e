"""The data: named, seeded, with the sizes that objects in photographs have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Areas and shapes of objects in COCO-like photographs, in pixels, and the photograph they are counted in.
LOG_AREA, LOG_AREA_SPREAD, LOG_ASPECT_SPREAD = 8.2, 2.1, 0.5
SHORTEST_SIDE, LONGEST_SIDE = 4.0, 640.0
IMAGE_AREA = 640 * 480

ONE_IMAGE = 0.0
"""All boxes in one photograph of 1333 × 800, as proposals and anchors are when their matrix is wanted."""
THIN = 7.3
"""Objects an image in COCO, scattered over a scene that grows with their number."""
DENSE = 300.0
"""As crowded as raw proposals; 100 000 boxes against as many give some 30 000 pairs with an iou of one half."""


@dataclass(frozen=True)
class Case:
    """Two tables of N and M regions, `per_image` of them to each image of the scene."""

    name: str
    kind: str
    n: int
    m: int
    dtype: str
    per_image: float = THIN

    @property
    def tolerance(self) -> float:
        """How far two right answers may lie apart: formulas round in another order."""
        if self.kind == "rotated":
            return 1e-9  # corners of polygons far from the origin lose digits when they are subtracted
        return 2e-6 if self.dtype == "float32" else 1e-12

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(20_240_229)
        images = max(self.n, self.m) / self.per_image if self.per_image else 1333 * 800 / IMAGE_AREA
        scene = float(np.sqrt(images * IMAGE_AREA))
        rows = rotated if self.kind == "rotated" else boxes
        return rows(rng, self.n, scene).astype(self.dtype), rows(rng, self.m, scene).astype(self.dtype)

    def bytes_moved(self, answer: int) -> int:
        """What no implementation can avoid. A matrix dwarfs its tables; a join must at least read them."""
        tables = 4 * (self.n + self.m) * np.dtype(self.dtype).itemsize
        return answer + tables if self.kind == "join" else answer


def sides(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    area = np.exp(rng.normal(LOG_AREA, LOG_AREA_SPREAD, count))
    aspect = np.exp(rng.normal(0, LOG_ASPECT_SPREAD, count))
    w, h = np.sqrt(area * aspect), np.sqrt(area / aspect)
    return np.clip(w, SHORTEST_SIDE, LONGEST_SIDE), np.clip(h, SHORTEST_SIDE, LONGEST_SIDE)


def boxes(rng: np.random.Generator, count: int, scene: float) -> np.ndarray:
    """Rows of x1, y1, x2, y2."""
    w, h = sides(rng, count)
    x, y = rng.uniform(0, scene, (2, count))
    return np.column_stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2])


def rotated(rng: np.random.Generator, count: int, scene: float) -> np.ndarray:
    """Rows of cx, cy, w, h, angle; the angle in degrees."""
    w, h = sides(rng, count)
    x, y = rng.uniform(0, scene, (2, count))
    return np.column_stack([x, y, w, h, rng.uniform(-90, 90, count)])


CASES = {
    case.name: case
    for case in (
        Case("100x100 float32", "boxes", 100, 100, "float32", ONE_IMAGE),
        Case("1000x1000 float32", "boxes", 1000, 1000, "float32", ONE_IMAGE),
        Case("5000x5000 float32", "boxes", 5000, 5000, "float32", ONE_IMAGE),
        Case("20000x2000 float32", "boxes", 20_000, 2000, "float32", ONE_IMAGE),
        Case("5000x5000 float32 scattered", "boxes", 5000, 5000, "float32", THIN),
        Case("1000x1000 float64", "boxes", 1000, 1000, "float64", ONE_IMAGE),
        Case("5000x5000 float64", "boxes", 5000, 5000, "float64", ONE_IMAGE),
        Case("rotated 1000x1000 thin", "rotated", 1000, 1000, "float64"),
        Case("rotated 1000x1000 dense", "rotated", 1000, 1000, "float64", DENSE),
        Case("join 10k dense", "join", 10_000, 10_000, "float32", DENSE),
        Case("join 100k dense", "join", 100_000, 100_000, "float32", DENSE),
        Case("join 1M dense", "join", 1_000_000, 1_000_000, "float32", DENSE),
        Case("join 100k thin", "join", 100_000, 100_000, "float32"),
    )
}
