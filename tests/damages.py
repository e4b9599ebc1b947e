"""Sound files of results, and ways of damaging them that people have met."""

from __future__ import annotations

import functools
import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

COCO_IDS = [k for k in range(1, 91) if k not in (12, 26, 29, 30, 45, 66, 68, 69, 71, 83)]


@dataclass(frozen=True)
class Style:
    """How a set looks: ids, sizes and numbers differ, a detector is a detector."""

    images: int = 60
    categories: tuple[int, ...] = tuple(COCO_IDS[:20])
    sizes: tuple[tuple[int, int], ...] = ((480, 640), (640, 427), (375, 500), (612, 612))
    digits: int | None = 2
    """Decimals of numbers; None for all of them, 0 for whole ones."""
    first_image: int = 139
    step: int = 113
    recall: float = 0.75
    jitter: float = 0.06
    wrong: float = 0.1
    """Of the guesses about an object, those by a wrong name."""
    spurious: float = 2.0
    """Guesses of nothing, for each object."""
    unclipped: bool = False


PLAIN = Style()


def sound(seed: int, style: Style = PLAIN) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A truth and the results of a detector that has learned something."""
    rng = np.random.default_rng(seed)
    images = []
    for k in range(style.images):
        height, width = style.sizes[rng.integers(len(style.sizes))]
        images.append({"id": style.first_image + style.step * k, "height": height, "width": width})
    annotations, results = [], []
    below = _frequency(len(style.categories)).cumsum()
    below /= below[-1]
    for image in images:
        count = 1 + rng.poisson(5)
        boxes = objects(rng, count, image["width"], image["height"], style.digits)
        kinds = rng.choice(len(style.categories), count, p=_frequency(len(style.categories)))
        for box, kind in zip(boxes, kinds, strict=True):
            row = {"id": len(annotations) + 1, "image_id": image["id"], "category_id": style.categories[kind]}
            annotations.append({**row, "bbox": box, "area": box[2] * box[3], "iscrowd": 0})
            if rng.random() < style.recall:
                named = kind if rng.random() > style.wrong else rng.integers(len(style.categories))
                moved = displaced(rng, box, style, image)
                results.append(_guess(image, style.categories[named], moved, rng.beta(5, 2)))
        for box in objects(rng, rng.poisson(style.spurious * count), image["width"], image["height"], style.digits):
            kind = below.searchsorted(rng.random(), side="right")  # as `rng.choice` with `p`, which checks it each time
            results.append(_guess(image, style.categories[kind], box, rng.beta(1.2, 6)))
    categories = [{"id": k, "name": f"kind {k}"} for k in style.categories]
    return {"images": images, "annotations": annotations, "categories": categories}, results


def objects(rng, count, width, height, digits):
    """Boxes as pictures have them: many small ones, some cut by the border."""
    area, aspect = np.exp(rng.normal(8.2, 1.6, count)), np.exp(rng.normal(0, 0.5, count))
    w, h = np.minimum(np.sqrt(area * aspect), 0.9 * width), np.minimum(np.sqrt(area / aspect), 0.9 * height)
    x, y = rng.uniform(-w / 4, width - 3 * w / 4), rng.uniform(-h / 4, height - 3 * h / 4)
    return [clipped(one, width, height, digits) for one in np.stack([x, y, w, h], axis=1)]


def displaced(rng, box, style, image):
    x, y, w, h = box
    dx, dy, dw, dh = rng.normal(0, style.jitter, 4)
    moved = [x + dx * w, y + dy * h, w * np.exp(dw), h * np.exp(dh)]
    if style.unclipped:
        return [number(one, style.digits) for one in moved]
    return clipped(moved, image["width"], image["height"], style.digits)


def clipped(box, width, height, digits):
    x, y, w, h = box
    x1, y1 = max(0.0, min(x, width - 2)), max(0.0, min(y, height - 2))
    x2, y2 = max(x1 + 2, min(x + w, width)), max(y1 + 2, min(y + h, height))
    if digits is not None:
        x1, y1, x2, y2 = (round(float(one), digits) for one in (x1, y1, x2, y2))
    return [number(one, digits) for one in (x1, y1, x2 - x1, y2 - y1)]


def number(value, digits):
    return float(value) if digits is None else round(value) if digits == 0 else round(float(value), digits)


def _guess(image, category, box, score):
    return {"image_id": image["id"], "category_id": category, "bbox": box, "score": round(float(score), 5)}


@functools.cache
def _frequency(count):
    weights = 1 / np.arange(1, count + 1) ** 0.7
    return weights / weights.sum()


# --- ways of damaging ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Damage:
    """What is done to the results, the finding that names it, and what sound results it needs."""

    name: str
    code: str
    change: Callable[[list[dict[str, Any]], dict[str, Any]], list[dict[str, Any]]]
    needs_whole: bool = False


def boxes_as(make):
    """Each box changed by x, y, w, h, width and height of its image."""

    def change(results, truth):
        sizes = {one["id"]: (one["width"], one["height"]) for one in truth["images"]}
        return [{**row, "bbox": list(make(*row["bbox"], *sizes[row["image_id"]]))} for row in results]

    return change


def in_frame(kind, side):
    def make(x, y, w, h, width, height):
        if kind == "stretch":
            return x * side / width, y * side / height, w * side / width, h * side / height
        scale = side / max(width, height)
        px, py = ((side - width * scale) / 2, (side - height * scale) / 2) if kind == "letterbox" else (0, 0)
        return x * scale + px, y * scale + py, w * scale, h * scale

    return boxes_as(make)


def ids_as(key, make):
    return lambda results, truth: [{**row, key: make(row[key], truth)} for row in results]


def _position(one, truth):
    return sorted(kind["id"] for kind in truth["categories"]).index(one)


def _some_inside_out(results, truth):
    def turned(x, y, w, h):
        return [x + w, y + h, -w, -h]

    return [{**row, "bbox": turned(*row["bbox"])} if k % 3 == 0 else row for k, row in enumerate(results)]


DAMAGES = [
    Damage("corners", "boxes-layout", boxes_as(lambda x, y, w, h, W, H: (x, y, x + w, y + h))),
    Damage("centres", "boxes-layout", boxes_as(lambda x, y, w, h, W, H: (x + w / 2, y + h / 2, w, h))),
    Damage("corners, y first", "axes-swapped", boxes_as(lambda x, y, w, h, W, H: (y, x, y + h, x + w))),
    Damage("sizes, y first", "axes-swapped", boxes_as(lambda x, y, w, h, W, H: (y, x, h, w))),
    Damage("shares", "boxes-normalised", boxes_as(lambda x, y, w, h, W, H: (x / W, y / H, w / W, h / H))),
    Damage(
        "shares of centres",
        "boxes-normalised",
        boxes_as(lambda x, y, w, h, W, H: ((x + w / 2) / W, (y + h / 2) / H, w / W, h / H)),
    ),
    Damage(
        "percent",
        "boxes-percent",
        boxes_as(lambda x, y, w, h, W, H: (100 * x / W, 100 * y / H, 100 * w / W, 100 * h / H)),
    ),
    Damage("end pixels included", "boxes-inclusive", boxes_as(lambda x, y, w, h, W, H: (x, y, w - 1, h - 1)), True),
    Damage("counted from 1", "pixels-one-based", boxes_as(lambda x, y, w, h, W, H: (x + 1, y + 1, w - 1, h - 1)), True),
    Damage("categories by position", "categories-shifted", ids_as("category_id", _position)),
    Damage("categories one more", "categories-shifted", ids_as("category_id", lambda one, truth: one + 1)),
    Damage("images one more", "images-shifted", ids_as("image_id", lambda one, truth: one + 1)),
    Damage("images as text", "images-unknown", ids_as("image_id", lambda one, truth: f"{one:012d}")),
    Damage("letterbox", "frame-letterbox", in_frame("letterbox", 416)),
    Damage("corner of a square", "frame-letterbox", in_frame("corner", 1024)),
    Damage("stretched", "frame-letterbox", in_frame("stretch", 300)),
    Damage("corners in another order", "negative-size", _some_inside_out),
]


def damaged(damage: Damage, results: list[dict[str, Any]], truth: dict[str, Any]) -> list[dict[str, Any]]:
    return damage.change(pickle.loads(pickle.dumps(results)), truth)  # a copy, and faster than one by `copy`


def other_images(results, truth):
    """Every guess in the next image: another image set with the same ids."""
    ids = [one["id"] for one in truth["images"]]
    following = dict(zip(ids, ids[7:] + ids[:7], strict=True))
    return [{**row, "image_id": following[row["image_id"]]} for row in results]


def write(path, value):
    path.write_text(json.dumps(value))
    return path
