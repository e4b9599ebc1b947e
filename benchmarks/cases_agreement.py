"""Agreement: masks, labels and sums of several annotators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.case import SEED, Case, Traffic

ANNOTATORS = 3
SIDE = 2048
"""Of the image whose votes are counted."""
OBJECTS, OBJECT_SIDE = 1000, 128
UNITS, RATERS, LABELS = 20_000, 5, 8
IMAGES, STATISTICS, REPLICATES = 10_000, 60, 10_000
SIZES = (2_500, 5_000, 10_000)
"""Images whose masks are compared."""


def ellipses(rng: np.random.Generator, count: int, side: int) -> np.ndarray:
    """(annotators, side, side) uint8: what each annotator drew of the same objects, with an unsteady hand."""
    y, x = np.mgrid[:side, :side].astype(np.float32)
    masks = np.zeros((ANNOTATORS, side, side), np.uint8)
    for _ in range(count):
        centre, axes = rng.uniform(0.2, 0.8, 2) * side, rng.uniform(0.05, 0.2, 2) * side
        for mask in masks:
            own, size = centre + rng.normal(0, 0.01, 2) * side, axes * rng.uniform(0.9, 1.1, 2)
            low, high = np.maximum(own - size, 0).astype(int), np.minimum(own + size + 2, side).astype(int)
            part = slice(low[0], high[0]), slice(low[1], high[1])
            mask[part] |= ((y[part] - own[0]) / size[0]) ** 2 + ((x[part] - own[1]) / size[1]) ** 2 <= 1
    return masks


@dataclass(frozen=True)
class _AgreementCase(Case):
    @property
    def threads(self) -> int | None:
        return 1

    def traffic(self, a: Any, b: Any, answer: int) -> Traffic:
        return Traffic(a.nbytes, answer)


@dataclass(frozen=True)
class VotesCase(_AgreementCase):
    """Three masks of four megapixels."""

    is_noise: bool = False

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(SEED)
        nothing = np.empty(0)
        if self.is_noise:
            return (rng.random((ANNOTATORS, SIDE, SIDE)) < 0.3).astype(np.uint8), nothing
        return ellipses(rng, 30, SIDE), nothing


@dataclass(frozen=True)
class StapleCase(_AgreementCase):
    """Three masks of each of a thousand objects, 128 × 128."""

    @property
    def tolerance(self) -> float:
        return 1e-3  # single precision, and other rules of when to stop

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(SEED)
        return np.stack([ellipses(rng, 1, OBJECT_SIDE) for _ in range(OBJECTS)]), np.arange(OBJECTS)


@dataclass(frozen=True)
class LabelsCase(_AgreementCase):
    """Five labels of each of twenty thousand units: unit, annotator, label."""

    @property
    def tolerance(self) -> float:
        return 1e-4  # a peer keeps every probability above 1e-10

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(SEED)
        truth = rng.integers(0, LABELS, UNITS)
        unit = np.repeat(np.arange(UNITS), RATERS)
        annotator = np.argsort(rng.random((UNITS, 4 * RATERS)), axis=1)[:, :RATERS].ravel()
        right = rng.random(len(unit)) < rng.uniform(0.6, 0.95, 4 * RATERS)[annotator]
        label = np.where(right, truth[unit], rng.integers(0, LABELS, len(unit)))
        return np.stack([unit, annotator, label], axis=1), np.empty(0)


@dataclass(frozen=True)
class BootstrapCase(_AgreementCase):
    """Sixty sums of ten thousand images."""

    @property
    def tolerance(self) -> float:
        return 0.02  # of intervals whose weights are others

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(SEED)
        units = rng.integers(1, 9, (IMAGES, STATISTICS // 2))
        return np.concatenate([units * rng.random(units.shape), units], axis=1), np.empty(0)


@dataclass(frozen=True)
class CrowdCase(_AgreementCase):
    """Boxes of several people in many images: image, annotator, category, corners; and who was asked for what."""

    images: int = 1448
    people: int = 43
    asked: int = 7
    boxes: int = 2
    """In an image; most people draw most of them."""
    labels: int = 1

    @property
    def tolerance(self) -> float:
        return 1e-6  # of sums of tens of thousands of IoU

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(SEED)
        low, side = (
            rng.uniform(0, 500, (self.images, self.boxes, 2)),
            rng.uniform(20, 120, (self.images, self.boxes, 2)),
        )
        who = np.argsort(rng.random((self.images, self.people)), axis=1)[:, : self.asked]
        drawn = rng.random((self.images, self.asked, self.boxes)) < 0.85
        image, place, box = np.nonzero(drawn)
        corner = low[image, box] + rng.normal(0, 4, (len(image), 2))
        size = np.maximum(side[image, box] + rng.normal(0, 4, (len(image), 2)), 5)
        label = np.where(rng.random(len(image)) < 0.95, image * self.boxes + box, image) % self.labels
        rows = np.column_stack([image, who[image, place], label, corner, corner + size])
        return rows, np.column_stack([np.repeat(np.arange(self.images), self.asked), who.ravel()])


@dataclass(frozen=True)
class DrawnCase(CrowdCase):
    """The same with a mask in each box: an ellipse, as run lengths."""

    @property
    def threads(self) -> int | None:
        return None


CORNERS, IMAGE_SIDE = 16, 640
"""Of the polygon that stands for an ellipse; of the image."""


def ellipse_polygons(boxes: np.ndarray) -> np.ndarray:
    """(N, CORNERS, 2): points on the ellipses in boxes, inside the image."""
    angle = np.arange(CORNERS) * (2 * np.pi / CORNERS)
    around = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    low, high = boxes[:, None, :2], boxes[:, None, 2:]
    return np.clip((low + high) / 2 + (high - low) / 2 * around, 0, IMAGE_SIDE)


_MANY = {"people": 3, "asked": 3, "boxes": 7, "labels": 80}
AGREEMENT_CASES = (
    VotesCase("votes of 3 × 4 Mpx"),
    VotesCase("votes of 3 × 4 Mpx, noise", is_noise=True),
    StapleCase("STAPLE of 3 × 1000 masks"),
    LabelsCase("labels of 20 000 units"),
    LabelsCase("ratings of 20 000 units"),
    BootstrapCase("bootstrap, 10 000 × 10 000 × 60"),
    CrowdCase("pairs of 1448 images × 7 people"),
    CrowdCase("3 people × 10 000 images × 7 boxes", images=10_000, **_MANY),
    *(
        DrawnCase(f"3 people × {images:,} images × 7 RLE masks".replace(",", " "), images=images, **_MANY)
        for images in SIZES
    ),
)
