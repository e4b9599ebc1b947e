"""Proposals of detectors: boxes, and their scores and classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.case import IMAGE_AREA, SEED, Case, Traffic, sides

CLASSES = 80
PROPOSALS = 50
"""Of one object, where proposals are clustered."""
STRIDES, IMAGE_SIDE = (8, 16, 32), 640
"""Of a YOLO head: 80² + 40² + 20² cells, one box each."""
YOLO_LOG_SIDE, YOLO_SPREAD = 1.85, 0.3
"""Inputs of its boxes, in strides."""
OBJECTS = 7.3
"""In an image of COCO."""


@dataclass(frozen=True)
class NmsCase(Case):
    """Boxes in float32; and columns of scores, all different, and of classes."""

    kind: str
    n: int

    @property
    def tolerance(self) -> float:
        return 0.0

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(SEED)
        boxes, classes = {"scattered": scattered, "clustered": clustered, "yolo": yolo}[self.kind](rng, self.n)
        scores = (1 + rng.permutation(self.n)) / self.n
        return boxes.astype(np.float32), np.column_stack([scores, classes])

    def traffic(self, a: np.ndarray, b: np.ndarray, answer: int) -> Traffic:
        return Traffic(a.nbytes + b[:, 0].nbytes, answer)


def scattered(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Objects over a scene that grows with their number: few of them meet."""
    scene = np.sqrt(count / OBJECTS * IMAGE_AREA)
    return _around(rng.uniform(0, scene, (count, 2)), np.column_stack(sides(rng, count))), _classes(rng, count)


def clustered(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Many proposals for each object: a tenth of its size aside, a tenth larger or smaller."""
    objects = max(1, count // PROPOSALS)
    scene = np.sqrt(objects / OBJECTS * IMAGE_AREA)
    centre, size = rng.uniform(0, scene, (objects, 2)), np.column_stack(sides(rng, objects))
    classes, of = _classes(rng, objects), rng.integers(0, objects, count)
    moved = centre[of] + rng.normal(0, 0.1, (count, 2)) * size[of]
    return _around(moved, size[of] * np.exp(rng.normal(0, 0.1, (count, 2)))), classes[of]


def yolo(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Every cell of a head has a box near it, several strides large: neighbours overlap, and about a third stays."""
    cells = []
    for stride in STRIDES:
        y, x = np.mgrid[0 : IMAGE_SIDE // stride, 0 : IMAGE_SIDE // stride]
        cells.append(np.column_stack([x.ravel(), y.ravel(), np.ones(x.size)]) * stride)
    table = np.concatenate(cells)
    assert len(table) == count
    centre = table[:, :2] + table[:, 2:] * rng.uniform(-0.5, 1.5, (count, 2))
    size = table[:, 2:] * np.exp(rng.normal(YOLO_LOG_SIDE, YOLO_SPREAD, (count, 2)))
    return _around(centre, size), _classes(rng, count)


def _around(centre: np.ndarray, size: np.ndarray) -> np.ndarray:
    return np.concatenate([centre - size / 2, centre + size / 2], axis=1)


def _classes(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.integers(0, CLASSES, count)


NMS_CASES = (
    NmsCase("nms 1000 clustered", "clustered", 1000),
    NmsCase("nms 1000 scattered", "scattered", 1000),
    NmsCase("nms 8400 yolo", "yolo", 8400),
    NmsCase("nms 10k clustered", "clustered", 10_000),
    NmsCase("nms 10k scattered", "scattered", 10_000),
    NmsCase("nms 100k clustered", "clustered", 100_000),
    NmsCase("nms 100k scattered", "scattered", 100_000),
    NmsCase("nms 1M clustered", "clustered", 1_000_000),
    NmsCase("nms 1M scattered", "scattered", 1_000_000),
)
