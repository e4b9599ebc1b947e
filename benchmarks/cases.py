"""The data of every benchmark, by name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.case import IMAGE_AREA, SEED, Case, Traffic, sides
from benchmarks.cases_agreement import AGREEMENT_CASES
from benchmarks.cases_anchors import ANCHOR_CASES
from benchmarks.cases_causes import CAUSES_CASES
from benchmarks.cases_intervals import INTERVAL_CASES
from benchmarks.cases_labels import LABEL_CASES
from benchmarks.cases_masks import MASK_CASES
from benchmarks.cases_matching import MATCHING_CASES
from benchmarks.cases_nms import NMS_CASES
from benchmarks.cases_recorded import RECORDED_CASES
from benchmarks.cases_segmentation import SEGMENTATION_CASES
from benchmarks.cases_surfaces import SURFACE_CASES

ONE_IMAGE = 0.0
"""All boxes in one photograph of 1333 × 800, as proposals and anchors are when their matrix is wanted."""
THIN = 7.3
"""Objects an image in COCO, scattered over a scene that grows with their number."""
DENSE = 300.0
"""As crowded as raw proposals; 100 000 boxes against as many give some 30 000 pairs with an iou of one half."""


@dataclass(frozen=True)
class BoxCase(Case):
    """Two tables of N and M boxes, `per_image` of them to each image of the scene."""

    kind: str
    n: int
    m: int
    dtype: str
    per_image: float = THIN

    @property
    def tolerance(self) -> float:
        if self.kind == "rotated":
            return 1e-9  # corners of polygons far from the origin lose digits when they are subtracted
        return 2e-6 if self.dtype == "float32" else 1e-12

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(SEED)
        images = max(self.n, self.m) / self.per_image if self.per_image else 1333 * 800 / IMAGE_AREA
        scene = float(np.sqrt(images * IMAGE_AREA))
        rows = rotated if self.kind == "rotated" else boxes
        return rows(rng, self.n, scene).astype(self.dtype), rows(rng, self.m, scene).astype(self.dtype)

    def traffic(self, a: np.ndarray, b: np.ndarray, answer: int) -> Traffic:
        """A matrix dwarfs its tables; a join must at least read them."""
        return Traffic(a.nbytes + b.nbytes if self.kind == "join" else 0, answer)


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


BOX_CASES = (
    BoxCase("100x100 float32", "boxes", 100, 100, "float32", ONE_IMAGE),
    BoxCase("1000x1000 float32", "boxes", 1000, 1000, "float32", ONE_IMAGE),
    BoxCase("5000x5000 float32", "boxes", 5000, 5000, "float32", ONE_IMAGE),
    BoxCase("20000x2000 float32", "boxes", 20_000, 2000, "float32", ONE_IMAGE),
    BoxCase("5000x5000 float32 scattered", "boxes", 5000, 5000, "float32", THIN),
    BoxCase("1000x1000 float64", "boxes", 1000, 1000, "float64", ONE_IMAGE),
    BoxCase("5000x5000 float64", "boxes", 5000, 5000, "float64", ONE_IMAGE),
    BoxCase("rotated 1000x1000 thin", "rotated", 1000, 1000, "float64"),
    BoxCase("rotated 1000x1000 dense", "rotated", 1000, 1000, "float64", DENSE),
    BoxCase("join 10k dense", "join", 10_000, 10_000, "float32", DENSE),
    BoxCase("join 100k dense", "join", 100_000, 100_000, "float32", DENSE),
    BoxCase("join 1M dense", "join", 1_000_000, 1_000_000, "float32", DENSE),
    BoxCase("join 100k thin", "join", 100_000, 100_000, "float32"),
)
CASES: dict[str, Case] = {
    case.name: case
    for group in (
        BOX_CASES,
        MASK_CASES,
        RECORDED_CASES,
        LABEL_CASES,
        SEGMENTATION_CASES,
        AGREEMENT_CASES,
        CAUSES_CASES,
        INTERVAL_CASES,
        SURFACE_CASES,
        NMS_CASES,
        ANCHOR_CASES,
        MATCHING_CASES,
    )
    for case in group
}
