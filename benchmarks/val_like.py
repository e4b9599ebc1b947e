"""A set like COCO's val2017, of any seed: truths, and what detectors of several tempers say about them.

Everything here is synthetic. Counts, sizes, classes and crowds follow val2017; guesses are truths displaced, doubled,
missed and confused, and boxes of nothing, so that most of them are wrong, as they are with real detectors. `python -m
benchmarks.val_like FOLDER` writes the files.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

HEIGHT, WIDTH = 480, 640
IMAGES, PER_IMAGE, MOST = 5000, 7.36, 60
CATEGORIES = np.array([k for k in range(1, 91) if k not in (12, 26, 29, 30, 45, 66, 68, 69, 71, 83)])
FREQUENCY = 1 / np.arange(1, 81) ** 1.05
CORNERS, FREE_CORNERS = (20, 60), 24
"""Of the outline of an object; of one that a detector made up."""
CROWDED = 0.012
FIRST, STEP = 139, 113
"""Of the ids of images."""
CHUNK = 20_000
"""Masks that are drawn at once."""

FEW = 500
"""Images of the small set, for peers that need minutes for the large one."""

FILES = {
    "truth": "truth.json",
    "truth, few": "truth_few.json",
    "boxes 50k": "boxes_50k.json",
    "boxes 180k": "boxes_180k.json",
    "boxes 180k, full digits": "boxes_180k_full.json",
    "boxes 500k": "boxes_500k.json",
    "masks 180k": "masks_180k.json",
    "masks 180k, no bbox": "masks_180k_bare.json",
    "masks 18k": "masks_18k.json",
}
COLUMNS = {"truth": "truth.npz", "boxes 500k": "boxes_500k.npz"}
"""The same values without JSON."""
SIZES = {"boxes 50k": 10, "boxes 180k": 36, "boxes 500k": 100}
"""Guesses an image."""


@dataclass(frozen=True)
class Scene:
    """Rows of objects, by image; `kinds` and `frequency` are what the images tend to hold."""

    image: np.ndarray
    category: np.ndarray
    xywh: np.ndarray
    outline: np.ndarray
    """(N, corners, 2); where an object has fewer, its first corner again."""
    corners: np.ndarray
    crowd: np.ndarray
    kinds: np.ndarray
    """(images, many): the categories of each image."""
    kind_count: np.ndarray
    frequency: np.ndarray

    def a_kind(self, rng: np.random.Generator, image: np.ndarray) -> np.ndarray:
        """For each row one of the categories of its image."""
        return self.kinds[image, (rng.random(len(image)) * self.kind_count[image]).astype(np.int64)]


@dataclass(frozen=True)
class Guesses:
    """Rows of guesses, by image, the best of an image first."""

    image: np.ndarray
    category: np.ndarray
    xywh: np.ndarray
    score: np.ndarray
    source: np.ndarray
    """The object that a guess is about, or -1."""

    def rows(self, rows: np.ndarray) -> Guesses:
        return Guesses(*(getattr(self, column.name)[rows] for column in fields(self)))


def write(folder: Path, seed: int = 2017) -> None:
    """All files, some seconds a file."""
    scene = objects(np.random.default_rng(seed))
    annotations = list(_annotations(scene))
    _write(folder, "truth", _truth(annotations, IMAGES))
    _write(folder, "truth, few", _truth([row for row in annotations if row["image_id"] < FIRST + STEP * FEW], FEW))
    ids = {"image_ids": _image_ids(np.arange(IMAGES)), "category_ids": CATEGORIES}
    np.savez(folder / COLUMNS["truth"], **ids, **_columns(annotations))

    for name, count in SIZES.items():
        found = guesses(np.random.default_rng([seed, count]), scene, count, exactly=count == 100)
        rows = _rows(found, _boxes(found))
        _write(folder, name, rows)
        if name in COLUMNS:
            np.savez(folder / COLUMNS[name], **_columns(rows))
        if count == 36:
            _write(folder, "boxes 180k, full digits", _full(found))

    rng = np.random.default_rng([seed, 0])
    found = guesses(rng, scene, 36)
    masks = {"segmentation": list(_masks(rng, scene, found))}
    _write(folder, "masks 180k, no bbox", _rows(found, masks))
    rows = _rows(found, _boxes(found) | masks)
    _write(folder, "masks 180k", rows)
    _write(folder, "masks 18k", [row for row in rows if row["image_id"] < FIRST + STEP * FEW])


def objects(rng: np.random.Generator) -> Scene:
    """What the images show: few categories an image, several objects of each."""
    frequency = FREQUENCY.copy()
    frequency[0] *= 1.6
    rng.shuffle(frequency[1:])
    frequency /= frequency.sum()
    kind_count = rng.poisson(1.9, IMAGES) + 1
    kinds = rng.choice(len(frequency), (IMAGES, kind_count.max()), p=frequency)

    image = np.repeat(np.arange(IMAGES), np.minimum(rng.geometric(1 / (PER_IMAGE + 1), IMAGES) - 1, MOST))
    count = len(image)
    area, aspect = np.exp(rng.normal(8.2, 2.1, count)), np.exp(rng.normal(0, 0.5, count))
    w = np.clip(np.sqrt(area * aspect), 4, WIDTH - 2)
    h = np.clip(np.sqrt(area / aspect), 4, HEIGHT - 2)
    x, y = rng.uniform(0, WIDTH - w), rng.uniform(0, HEIGHT - h)
    corners = rng.integers(*CORNERS, count, endpoint=True)
    outline = np.round(_outlines(rng, np.column_stack([x, y, w, h]), corners), 2)
    low, high = outline.min(1), outline.max(1)
    columns: dict[str, Any] = {
        "image": image,
        "category": kinds[image, (rng.random(count) * kind_count[image]).astype(np.int64)],
        "xywh": np.round(np.hstack([low, high - low]), 2),
        "outline": outline,
        "corners": corners,
        "crowd": rng.random(count) < CROWDED,
    }
    seen = (high - low >= 1).all(1)
    columns = {name: column[seen] for name, column in columns.items()}
    return Scene(**columns, kinds=kinds, kind_count=kind_count, frequency=frequency)


def guesses(rng: np.random.Generator, scene: Scene, mean: int, *, exactly: bool = False) -> Guesses:
    """About so many guesses an image: first what is about an object, then more or less nothing."""
    limit = np.clip(rng.normal(mean, mean / 3, IMAGES), 1, 100).astype(np.int64)
    if exactly:
        limit[:] = mean
    hits = _hits(rng, scene)
    missing = np.maximum(0, limit - np.bincount(hits.image, minlength=IMAGES))
    others = _others(rng, scene, np.repeat(np.arange(IMAGES), missing))

    joined = Guesses(
        *(np.concatenate([getattr(hits, column.name), getattr(others, column.name)]) for column in fields(Guesses))
    )
    joined = joined.rows(np.lexsort((-joined.score, joined.image)))
    starts = np.searchsorted(joined.image, np.arange(IMAGES))
    rank = np.arange(len(joined.image)) - starts[joined.image]
    return joined.rows(rank < limit[joined.image])


def _hits(rng: np.random.Generator, scene: Scene) -> Guesses:
    """Most objects are found, some of them twice or three times, some by a wrong name."""
    count = len(scene.image)
    times = np.where(rng.random(count) < 0.12, 0, 1 + (rng.random(count) < 0.5) + (rng.random(count) < 0.2))
    source = np.repeat(np.arange(count), times)
    again = np.arange(len(source)) - np.repeat(np.cumsum(times) - times, times)
    jitter = rng.normal(0, 1, (len(source), 4)) * (0.04 + 0.05 * again)[:, None]
    score = rng.beta(5, 2, len(source)) * (1 - 0.35 * again) - 0.3 * np.abs(jitter).sum(1)
    named = rng.random(len(source)) < 0.92
    category = np.where(named, scene.category[source], rng.integers(80, size=len(source)))
    xywh = _displaced(scene.xywh[source], jitter)
    return Guesses(scene.image[source], category, xywh, np.clip(score, 0.01, 0.999), source)


def _others(rng: np.random.Generator, scene: Scene, image: np.ndarray) -> Guesses:
    """Near an object but badly so, or anywhere."""
    count = len(image)
    per_image = np.bincount(scene.image, minlength=IMAGES)
    near = (rng.random(count) < 0.55) & (per_image[image] > 0)
    first = np.cumsum(per_image) - per_image
    source = np.where(near, first[image] + (rng.random(count) * per_image[image]).astype(np.int64), -1)

    w = np.minimum(np.exp(rng.normal(3.7, 0.9, count)), WIDTH - 2)
    h = np.minimum(np.exp(rng.normal(3.7, 0.9, count)), HEIGHT - 2)
    anywhere = np.column_stack([rng.uniform(0, WIDTH - w), rng.uniform(0, HEIGHT - h), w, h])
    beside = _displaced(scene.xywh[source], rng.normal(0, 0.25, (count, 4)))
    known = rng.random(count) < np.where(near, 0.6, 0.3)
    category = np.where(known, scene.a_kind(rng, image), rng.choice(80, count, p=scene.frequency))
    score = np.where(near, rng.beta(1.2, 9, count), rng.beta(1.1, 12, count))
    return Guesses(image, category, np.where(near[:, None], beside, anywhere), score, source)


def _displaced(xywh: np.ndarray, jitter: np.ndarray) -> np.ndarray:
    size = xywh[:, 2:]
    return np.hstack([xywh[:, :2] + jitter[:, :2] * size, size * np.exp(jitter[:, 2:])])


def _inside(xywh: np.ndarray) -> np.ndarray:
    """Cut off at the borders, a pixel wide at least."""
    low = np.maximum(xywh[:, :2], 0)
    high = np.minimum(xywh[:, :2] + xywh[:, 2:], [WIDTH, HEIGHT])
    return np.hstack([low, np.where(high - low < 1, 1, high - low)])


def _outlines(rng: np.random.Generator, xywh: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """A bumpy ring in each box."""
    most = int(corners.max())
    is_corner = np.arange(most) < corners[:, None]
    angle = np.sort(np.where(is_corner, rng.uniform(0, 2 * np.pi, is_corner.shape), np.inf), axis=1)
    angle = np.where(is_corner, angle, 0)
    phase, height = rng.uniform(0, 6.28, (len(xywh), 1)), rng.uniform(0.3, 1, (len(xywh), 1))
    radius = 0.75 + 0.25 * np.sin(3 * angle + phase) * height + rng.normal(0, 0.03, angle.shape)
    ring = radius[..., None] * np.stack([np.cos(angle), np.sin(angle)], -1)
    size = xywh[:, None, 2:]
    points = np.clip(xywh[:, None, :2] + size / 2 + size / 2 * ring, 0, [WIDTH, HEIGHT])
    return np.where(is_corner[..., None], points, points[:, :1])


def _masks(rng: np.random.Generator, scene: Scene, found: Guesses) -> Iterator[dict[str, Any]]:
    """The outline of the object, moved with the box and a little shaky, as runs."""
    from pycocotools import mask

    for start in range(0, len(found.image), CHUNK):
        part = found.rows(np.arange(start, min(start + CHUNK, len(found.image))))
        corners = np.where(part.source < 0, FREE_CORNERS, scene.corners[part.source])
        outline = scene.outline[part.source]
        low, high = outline.min(1, keepdims=True), outline.max(1, keepdims=True)
        moved = (outline - low) / (high - low) * part.xywh[:, None, 2:] + part.xywh[:, None, :2]
        moved = np.clip(moved + rng.normal(0, 1, moved.shape), 0, [WIDTH, HEIGHT])
        free = np.flatnonzero(part.source < 0)
        moved[free, :FREE_CORNERS] = _outlines(rng, part.xywh[free], corners[free])
        polygons = [points[:n].ravel().tolist() for points, n in zip(moved, corners, strict=True)]
        for runs in mask.frPyObjects(polygons, HEIGHT, WIDTH):
            yield {"size": runs["size"], "counts": runs["counts"].decode()}


def _truth(annotations: list[dict[str, Any]], count: int) -> dict[str, Any]:
    return {
        "info": {"description": "synthetic, like val2017"},
        "licenses": [],
        "images": [
            {
                "id": image_id,
                "width": WIDTH,
                "height": HEIGHT,
                "file_name": f"{k:012d}.jpg",
                "license": 1,
                "coco_url": f"file:{k:012d}.jpg",
                "date_captured": "2013-11-14 17:02:52",
            }
            for k, image_id in enumerate(_image_ids(np.arange(count)))
        ],
        "annotations": annotations,
        "categories": [{"id": k, "name": f"c{k}", "supercategory": "s"} for k in CATEGORIES.tolist()],
    }


def _annotations(scene: Scene) -> Iterator[dict[str, Any]]:
    x, y = scene.outline[..., 0], scene.outline[..., 1]
    area = np.abs((x * np.roll(y, 1, 1) - y * np.roll(x, 1, 1)).sum(1)) / 2
    columns = (_image_ids(scene.image), CATEGORIES[scene.category].tolist(), scene.xywh.tolist(), area.tolist())
    for k, (image, category, box, size) in enumerate(zip(*columns, strict=True)):
        segmentation: Any = [scene.outline[k, : scene.corners[k]].ravel().tolist()]
        if scene.crowd[k]:
            segmentation, size = _runs(segmentation)
        yield {
            "segmentation": segmentation,
            "area": round(size, 4),
            "iscrowd": int(scene.crowd[k]),
            "image_id": image,
            "bbox": box,
            "category_id": category,
            "id": k + 1,
        }


def _runs(polygons: list[list[float]]) -> tuple[dict[str, Any], float]:
    """Lengths of the runs, as crowds are written, and the pixels of the foreground."""
    from pycocotools import mask

    pixels = mask.decode(mask.frPyObjects(polygons, HEIGHT, WIDTH)[0]).ravel(order="F")
    turns = np.flatnonzero(np.diff(pixels, prepend=0))
    counts = np.diff(turns, prepend=0, append=pixels.size).tolist()
    return {"counts": counts, "size": [HEIGHT, WIDTH]}, float(pixels.sum())


def _boxes(found: Guesses) -> dict[str, list[Any]]:
    return {"bbox": np.round(_inside(found.xywh), 2).tolist()}


def _full(found: Guesses) -> list[dict[str, Any]]:
    """As detectors write them: float32 of the network, printed as float64."""
    wide = {"bbox": _inside(found.xywh).astype(np.float32).astype(np.float64).tolist()}
    return _rows(found, wide, found.score.astype(np.float32).astype(np.float64))


def _rows(found: Guesses, more: dict[str, list[Any]], score: np.ndarray | None = None) -> list[dict[str, Any]]:
    columns = {
        "image_id": _image_ids(found.image),
        "category_id": CATEGORIES[found.category].tolist(),
        "score": (np.round(found.score, 5) if score is None else score).tolist(),
        **more,
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _image_ids(image: np.ndarray) -> list[int]:
    ids: list[int] = (image * STEP + FIRST).tolist()
    return ids


def _columns(rows: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    return {name: np.array([row[name] for row in rows]) for name in rows[0] if name != "segmentation"}


def _write(folder: Path, name: str, content: Any) -> None:
    (folder / FILES[name]).write_text(json.dumps(content))


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    write(target)
