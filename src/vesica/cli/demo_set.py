"""A detection set for the demo: truths, and the guesses of a detector that has its strengths and weaknesses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

WIDTH, HEIGHT = 640, 480


class Kind(NamedTuple):
    """A category, and how a detector fares with it."""

    name: str
    share: float
    """Of all objects."""
    side: float
    """Its usual size in pixels."""
    aspect: float
    """Width over height."""
    seen: float
    """How many of its objects are noticed."""
    care: float
    """How far edges are off, as a share of the side."""


KINDS = (
    Kind("person", 0.38, 80, 0.45, 0.92, 0.045),
    Kind("car", 0.2, 75, 1.6, 0.92, 0.035),
    Kind("bicycle", 0.08, 70, 1.3, 0.8, 0.07),
    Kind("dog", 0.07, 95, 1.2, 0.95, 0.035),
    Kind("cat", 0.06, 110, 1.1, 0.96, 0.03),
    Kind("chair", 0.11, 60, 0.85, 0.75, 0.09),
    Kind("bottle", 0.07, 30, 0.4, 0.75, 0.08),
    Kind("kite", 0.03, 45, 1.0, 0.85, 0.06),
)
_LOOKS_LIKE = {3: 4, 4: 3, 2: 1}
"""A dog is taken for a cat now and then, and a bicycle for a car."""


def generate(images: int, seed: int, /) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A truth file and a file of results as COCO has them; the same seed gives the same."""
    rng = np.random.default_rng(seed)
    image = np.repeat(np.arange(1, images + 1), rng.poisson(6, images))
    kind = rng.choice(len(KINDS), len(image), p=[one.share for one in KINDS])
    boxes = _boxes(kind, rng)
    crowd = (kind == 0) & (rng.random(len(kind)) < 0.03)
    boxes[crowd] = _grown(boxes[crowd], 2.5)
    size = {"width": WIDTH, "height": HEIGHT}
    truth = {
        "images": [{"id": k, "file_name": f"{k:06}.jpg", **size} for k in range(1, images + 1)],
        "categories": [{"id": k + 1, "name": one.name} for k, one in enumerate(KINDS)],
        "annotations": [
            {
                "id": row + 1,
                "image_id": int(image[row]),
                "category_id": int(kind[row]) + 1,
                "bbox": box,
                "area": round(box[2] * box[3], 2),
                "iscrowd": int(crowd[row]),
            }
            for row, box in enumerate(boxes.tolist())
        ],
    }
    return truth, _results(image, kind, boxes, images, rng)


def _boxes(kind: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Boxes of x, y, w, h inside the image."""
    side, aspect = (np.array([getattr(one, name) for one in KINDS])[kind] for name in ("side", "aspect"))
    side, aspect = side * np.exp(rng.normal(0, 0.6, len(kind))), aspect * np.exp(rng.normal(0, 0.25, len(kind)))
    size = np.minimum(np.stack([side * np.sqrt(aspect), side / np.sqrt(aspect)], axis=1), [WIDTH - 8, HEIGHT - 8])
    corner = rng.uniform(0, 1, size.shape) * ([WIDTH, HEIGHT] - size)
    boxes: np.ndarray = np.concatenate([corner, size], axis=1).round(1)
    return boxes


def _grown(boxes: np.ndarray, times: float) -> np.ndarray:
    """The same, about the same centre, cut off at the border."""
    low = np.maximum(boxes[:, :2] - boxes[:, 2:] * (times - 1) / 2, 0)
    high = np.minimum(boxes[:, :2] + boxes[:, 2:] * (times + 1) / 2, [WIDTH, HEIGHT])
    grown: np.ndarray = np.concatenate([low, high - low], axis=1).round(1)
    return grown


def _results(
    image: np.ndarray, kind: np.ndarray, boxes: np.ndarray, images: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Objects that were noticed, some of them twice or as something else, and things that are not there."""
    seen, care = (np.array([getattr(one, name) for one in KINDS])[kind] for name in ("seen", "care"))
    large = np.sqrt(boxes[:, 2] * boxes[:, 3])
    noticed = np.flatnonzero(rng.random(len(kind)) < seen * large / (large + 8))
    rows = np.concatenate([noticed, rng.choice(noticed, len(noticed) // 8)]) if len(noticed) else noticed
    again = np.arange(len(rows)) >= len(noticed)
    off = rng.normal(0, care[rows][:, None] * (1 + again[:, None]), (len(rows), 4))
    edges = boxes[rows] + off * np.tile(boxes[rows, 2:], 2)
    taken_for = np.array([_LOOKS_LIKE.get(k, k) for k in range(len(KINDS))])
    mistaken = rng.random(len(rows)) < 0.08
    sure = 1.6 - 14 * np.abs(off).mean(axis=1) - 1.2 * again - mistaken + rng.normal(0, 1.1, len(rows))
    invented = rng.poisson(2.5, images)
    kinds = rng.choice(len(KINDS), int(invented.sum()), p=[one.share for one in KINDS])
    found = (
        np.concatenate([image[rows], np.repeat(np.arange(1, images + 1), invented)]),
        np.concatenate([np.where(mistaken, taken_for[kind[rows]], kind[rows]), kinds]),
        np.concatenate([_inside(edges), _boxes(kinds, rng)]),
        np.concatenate([sure, rng.normal(-1.2, 1.2, len(kinds))]),
    )
    # Image by image, as a detector writes them; the surest first.
    order = np.lexsort((-found[3], found[0]))
    score = 1 / (1 + np.exp(-found[3]))
    columns = (column[order].tolist() for column in (*found[:3], score.round(3)))
    return [
        {"image_id": one, "category_id": which + 1, "bbox": box, "score": sure}
        for one, which, box, sure in zip(*columns, strict=True)
    ]


def _inside(boxes: np.ndarray) -> np.ndarray:
    """The part that is in the image, at least a pixel wide and high."""
    low = np.clip(boxes[:, :2], 0, [WIDTH - 1, HEIGHT - 1])
    high = np.clip(boxes[:, :2] + boxes[:, 2:], low + 1, [WIDTH, HEIGHT])
    inside: np.ndarray = np.concatenate([low, high - low], axis=1).round(1)
    return inside
