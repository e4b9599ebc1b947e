"""Calls that use threads, whose answers are known: what forks, threads and signals disturb."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable

import numpy as np

import vesica
from vesica import Masks, Polygons, RleMasks, RotatedBoxes, matching
from vesica._kernels.native.coco_file import read

from .numbers import Rng

Call = Callable[[int], bytes]
"""Takes the number of threads and gives its answer as bytes."""


@functools.cache
def calls() -> dict[str, Call]:
    """Each takes some milliseconds, so that whatever happens meanwhile happens inside."""
    rng = np.random.default_rng(0)
    corner = rng.random((3000, 2)) * 300
    boxes, scores = np.concatenate([corner, corner + 20], 1), rng.random(3000)
    turned = RotatedBoxes(np.concatenate([corner, 1 + rng.random((3000, 3)) * 20], 1)[:600], unit="deg", direction="cw")
    masks = Masks(rng.random((60, 64, 64)) < 0.5)
    strings = RleMasks.from_masks(masks.array).to_strings() * 3
    polygons = Polygons([rng.random((20, 2)) * 60 for _ in range(16)])
    text = np.frombuffer(_file(rng), np.uint8)
    costs = rng.random((300, 300))
    return {
        "iou": lambda n: np.asarray(vesica.iou(boxes[:250], boxes, threads=n)).tobytes(),
        "nms": lambda n: vesica.nms(boxes, scores, threads=n).tobytes(),
        "nms of rotated boxes": lambda n: vesica.nms(turned, scores[:600], above=0.1, threads=n).tobytes(),
        "soft-nms": lambda n: vesica.soft_nms(boxes, scores, threads=n).scores.tobytes(),
        "fusion": lambda n: vesica.fuse(boxes, scores, threads=n).scores.tobytes(),
        "join": lambda n: vesica.join(boxes, boxes, at_least=0.3, threads=n).value.tobytes(),
        "best": lambda n: vesica.best(boxes, boxes, threads=n).value.tobytes(),
        "masks": lambda n: np.asarray(vesica.iou(masks, masks, threads=n)).tobytes(),
        "strings": lambda n: RleMasks(strings, size=(64, 64)).area.tobytes(),
        "polygons": lambda n: np.asarray(vesica.iou(polygons, polygons, threads=n)).tobytes(),
        "drawing": lambda n: polygons.to_rle((64, 64), rule="coco", threads=n).counts.tobytes(),
        "assignment": lambda n: vesica.assign(costs, minimise=True, complete=True, threads=n).guess.tobytes(),
        "k-means": lambda n: matching.kmeans.cluster(1 + corner, k=5, threads=n).sizes.tobytes(),
        "reader": lambda n: read(text, masks=True, spans=True, block=4096, threads=n).annotations.xywh.tobytes(),
    }


@functools.cache
def answers() -> dict[str, bytes]:
    """By one thread."""
    return {name: call(1) for name, call in calls().items()}


def some(rng: Rng, count: int) -> list[str]:
    """Names of that many calls."""
    return rng.choice(list(calls()), count).tolist()


def _file(rng: Rng) -> bytes:
    rows = [
        {"image_id": k // 7, "category_id": 1, "bbox": np.round(rng.random(4) * 99, 3).tolist(), "score": rng.random()}
        for k in range(2000)
    ]
    return json.dumps(rows).encode()
