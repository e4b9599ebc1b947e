"""Random detection jobs that are as awkward as real ones: ties, crowds, edges of thresholds and areas, empty images."""

from __future__ import annotations

import functools
import json
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica.dataset import Categories, CocoMasks, Dataset, Images

SIDE = 128
"""Images are this large, so that a box can have an area on the edge of every range."""


@dataclass(frozen=True)
class Traits:
    """How awkward a job is."""

    images: int = 6
    categories: int = 4
    truths: float = 4.0
    guesses: float = 8.0
    crowds: float = 0.15
    neighbours: float = 0.1
    """The share of truths that have another so near that a guess lies just between them."""
    zero_id: bool = False
    masks: bool = False
    boxes: bool = True
    crowded_cell: int = 0
    """Guesses in one cell, to go beyond every limit."""
    twice: bool = False
    """Some annotation ids occur twice."""
    wild: bool = False
    """Some numbers of boxes and scores are infinite, or none at all."""
    strangers: bool = False
    """Some guesses are of categories that the truth does not have."""
    ignores: bool = False
    """Some truths have an explicit "ignore"."""
    one_score: bool = False
    """All scores are equal."""
    zero_runs: bool = False
    """Some masks have runs of no length."""


_USUAL = Traits()


@dataclass(frozen=True)
class Job:
    """A truth file and results as COCO has them."""

    truth: dict[str, Any]
    results: list[dict[str, Any]]
    traits: Traits = _USUAL

    @property
    def is_sound(self) -> bool:
        """Is there nothing in it that pycocotools gets wrong?"""
        traits = self.traits
        return not (traits.zero_id or traits.twice or traits.wild or traits.ignores or traits.zero_runs)


def awkward(seed: int, *, masks: bool = False) -> Job:
    """The job of that number: every trait comes up, also together with others, and always the same way."""
    return pickle.loads(_awkward(seed, masks))  # one's own: some tests change theirs


@functools.lru_cache(300)
def _awkward(seed: int, masks: bool) -> bytes:
    rng = np.random.default_rng(seed)
    traits = Traits(
        images=int(rng.integers(1, 9)),
        categories=int(rng.integers(1, 7)),
        truths=float(rng.choice([0.5, 3.0, 8.0])),
        guesses=float(rng.choice([2.0, 8.0, 16.0])),
        crowds=float(rng.choice([0.0, 0.15, 0.5])),
        zero_id=seed % 3 == 0,
        masks=masks,
        boxes=not masks or seed % 4 != 1,
        crowded_cell=130 if seed % 7 == 0 else 0,
        twice=seed % 13 == 5,
        wild=seed % 11 == 4 and not masks,
        strangers=seed % 5 == 2,
        ignores=seed % 17 == 9,
        one_score=seed % 19 == 7,
        zero_runs=masks and seed % 6 == 1,
    )
    return pickle.dumps(Job(*job(rng, traits), traits))


# Inputs whose product lies on the edges of COCO's ranges, or on either side of them.
_STEP = 4.0
_SIDES = (32.0, 96.0, 31.0, 33.0, 16.0, 64.0, 8.0, 10.0, 20.0, 40.0)


def job(rng: np.random.Generator, traits: Traits = _USUAL) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A truth file and at least one result as COCO has them; without results pycocotools has no answer."""
    image_ids = rng.permutation(np.arange(10, 10 + traits.images)).tolist()
    category_ids = rng.permutation(np.arange(1, 1 + traits.categories)).tolist()
    # Some categories have no truth, some no guess, some neither.
    with_truth = category_ids[: max(1, len(category_ids) - 1)]
    with_guess = category_ids[-max(1, len(category_ids) - 1) :]
    annotations = [
        _truth(rng, int(rng.choice(image_ids)), int(rng.choice(with_truth)), traits)
        for _ in range(rng.poisson(traits.truths * traits.images))
    ]
    annotations += [_neighbour(rng, one, traits) for one in annotations if rng.random() < traits.neighbours]
    ids = rng.permutation(np.arange(len(annotations))) + (0 if traits.zero_id else 1)
    if traits.twice and len(ids) > 2:
        ids[rng.integers(len(ids), size=2)] = ids[0]
    for annotation, one in zip(annotations, ids.tolist(), strict=True):
        annotation["id"] = one
    results = [
        _guess(rng, annotations, int(rng.choice(image_ids)), int(rng.choice(with_guess)), traits)
        for _ in range(1 + rng.poisson(traits.guesses * traits.images))
    ]
    results += [
        _guess(rng, annotations, image_ids[0], category_ids[0], traits, stays=True) for _ in range(traits.crowded_cell)
    ]
    _upset(rng, annotations, results, traits)
    truth = {
        "images": [{"id": one, "height": SIDE, "width": SIDE} for one in image_ids],
        "annotations": annotations,
        "categories": [{"id": one, "name": f"c{one}"} for one in category_ids],
    }
    return truth, results


def _upset(rng: np.random.Generator, annotations: list[Any], results: list[Any], traits: Traits) -> None:
    """What must not be in a file, and is."""
    if traits.strangers and len(results) > 2:
        for k in rng.integers(len(results), size=2):
            results[k]["category_id"] = 900 + int(k)
    if traits.one_score:
        for result in results:
            result["score"] = 0.5
    if traits.wild:
        odd = (np.nan, np.inf, -np.inf)
        for row in [results[k] for k in rng.integers(len(results), size=6)] + annotations[:3]:
            row["bbox"] = list(row["bbox"])
            row["bbox"][int(rng.integers(4))] = float(rng.choice(odd))
        for k in rng.integers(len(results), size=6):
            results[k]["score"] = float(rng.choice(odd))


def _truth(rng: np.random.Generator, image: int, category: int, traits: Traits) -> dict[str, Any]:
    box = _box(rng)
    crowd = bool(rng.random() < traits.crowds)
    area = box[2] * box[3] if rng.random() < 0.8 else float(rng.choice([1024.0, 9216.0, 1023.99, 9216.01, 0.0]))
    found = {"image_id": image, "category_id": category, "bbox": box, "area": area, "iscrowd": int(crowd)}
    if traits.ignores and rng.random() < 0.3:
        found["ignore"] = 1
    if traits.masks:
        found["segmentation"] = _counts(rng, box, traits) if crowd or traits.zero_runs else _polygons(rng, box)
    return found


def _neighbour(rng: np.random.Generator, near: dict[str, Any], traits: Traits) -> dict[str, Any]:
    """The same object a few pixels on. See `_moved` for what lies between them."""
    found = _truth(rng, near["image_id"], near["category_id"], traits)
    x, y, width, height = near["bbox"]
    found |= {"bbox": [x + _STEP, y, width, height], "iscrowd": near["iscrowd"]}
    if traits.masks:
        found["segmentation"] = _counts(rng, found["bbox"], traits)
    return found


def _guess(
    rng: np.random.Generator, truths: list[Any], image: int, category: int, traits: Traits, stays: bool = False
) -> dict[str, Any]:
    box = _box(rng)
    if truths and rng.random() < 0.8:
        near = truths[int(rng.integers(len(truths)))]
        box = _moved(rng, near["bbox"])
        if not stays and rng.random() < 0.9:
            image, category = near["image_id"], near["category_id"]
    found: dict[str, Any] = {"image_id": image, "category_id": category, "score": _score(rng)}
    if traits.boxes:
        found["bbox"] = box
    if traits.masks:
        found["segmentation"] = _string(rng, box, traits)
    return found


def _score(rng: np.random.Generator) -> float:
    """Few different ones, so that many are equal; zeros of both signs among them."""
    return float(rng.choice([0.1, 0.25, 0.5, 0.5, 0.75, 0.9, 0.0, -0.0, float(rng.random())]))


def _box(rng: np.random.Generator) -> list[float]:
    width, height = (float(side) for side in rng.choice(_SIDES, 2))
    x, y = (float(rng.integers(0, int(SIDE - side) + 1)) for side in (width, height))
    return [x, y, width, height] if rng.random() < 0.95 else [0.0, 0.0, width, height]


def _moved(rng: np.random.Generator, box: list[float]) -> list[float]:
    """The same box, one whose iou with it is a simple fraction, or one beside it."""
    x, y, width, height = box
    kind = rng.integers(7)
    if kind == 0:
        return [x, y, width, height]
    if kind == 1:  # a part of it: iou is a whole number of twentieths, many of them thresholds
        return [x, y, width * float(rng.integers(8, 21)) / 20, height]
    if kind == 2:  # shifted by a whole share: iou (n − k) / (n + k)
        return [x + width * float(rng.integers(-4, 5)) / 10, y, width, height]
    if kind == 3:
        return [x + float(rng.normal(0, 2)), y + float(rng.normal(0, 2)), width, height]
    if kind == 4:  # so near that only a threshold of 1 could tell
        return [x + 1e-13 * float(rng.integers(0, 4)), y, width, height * (1 - 1e-12 * float(rng.integers(0, 3)))]
    if kind == 5:  # as far from it as from its neighbour: equal ious
        return [x + _STEP / 2, y, width, height]
    return [x, y, width, 0.0] if rng.random() < 0.2 else [x, y, width, height * float(rng.integers(1, 41)) / 20]


def _polygons(rng: np.random.Generator, box: list[float]) -> list[list[float]]:
    x, y, w, h = box
    corners = [x, y, x + w, y, x + w, y + h, x, y + h]
    if rng.random() < 0.5:
        return [corners]
    middle = x + w / 2
    left, right = [x, y, middle, y, middle, y + h, x, y + h], [middle, y, x + w, y, x + w, y + h, middle, y + h / 2]
    return [left, right] if rng.random() < 0.7 else [[x, y, x + w, y + h / 3, x + w / 2, y + h]]


def _mask(box: list[float]) -> np.ndarray:
    x1, y1 = (int(max(0, round(edge))) for edge in box[:2])
    x2, y2 = (int(min(SIDE, round(box[k] + box[k + 2]))) for k in (0, 1))
    mask = np.zeros((SIDE, SIDE), np.uint8, order="F")
    mask[y1:y2, x1:x2] = 1
    return mask


def _counts(rng: np.random.Generator, box: list[float], traits: Traits) -> dict[str, Any]:
    return {"size": [SIDE, SIDE], "counts": _runs(rng, _mask(box), traits)}


def _runs(rng: np.random.Generator, mask: np.ndarray, traits: Traits) -> list[int]:
    """Run lengths column by column, the first of background; some cut in two by a run of no length."""
    flat = mask.ravel(order="F")
    ends = np.flatnonzero(np.diff(flat)) + 1
    counts = np.diff(np.concatenate([[0], ends, [flat.size]])).tolist()
    counts = [0, *counts] if flat[0] else counts
    if not traits.zero_runs:
        return counts
    cut = [[n] if n < 2 or rng.random() < 0.8 else [n // 2, 0, n - n // 2] for n in counts]
    return [n for run in cut for n in run]


def _string(rng: np.random.Generator, box: list[float], traits: Traits) -> dict[str, Any]:
    from pycocotools import mask

    drawn = _mask(box)
    if rng.random() < 0.3:
        drawn[rng.integers(SIDE, size=40), rng.integers(SIDE, size=40)] ^= 1
    found = mask.frPyObjects({"size": [SIDE, SIDE], "counts": _runs(rng, drawn, traits)}, SIDE, SIDE)
    return {"size": list(found["size"]), "counts": found["counts"].decode()}


# ---- The same as columns


def datasets(truth: dict[str, Any], results: list[dict[str, Any]]) -> tuple[Dataset, Dataset]:
    """A truth file and results as data sets, without a file between."""
    images, categories = _images(truth["images"]), _categories(truth["categories"])
    strangers = sorted({row["category_id"] for row in results} - set(categories.ids.tolist()))
    known = _categories([*truth["categories"], *({"id": one, "name": f"stranger {one}"} for one in strangers)])
    rows = truth["annotations"]
    flags = {
        name: np.array([bool(row.get(key, 0)) for row in rows], bool)
        for name, key in (("crowd", "iscrowd"), ("ignore", "ignore"))
    }
    return (
        Dataset(
            images,
            categories,
            **_columns(rows, images, categories),
            **flags,
            area=np.array([row["area"] for row in rows], np.float64),
            id=np.array([row["id"] for row in rows], np.int64),
        ),
        Dataset(
            Images(images.ids, images.height, images.width),
            known,
            **_columns(results, images, known),
            score=np.array([row["score"] for row in results], np.float64),
        ),
    )


def _images(rows: list[dict[str, Any]]) -> Images:
    ids, height, width = (np.array([row[key] for row in rows], np.int64) for key in ("id", "height", "width"))
    return Images(ids, height, width)


def _categories(rows: list[dict[str, Any]]) -> Categories:
    return Categories(np.array([row["id"] for row in rows], np.int64), np.array([row["name"] for row in rows], object))


def _columns(rows: list[dict[str, Any]], images: Images, categories: Categories) -> dict[str, Any]:
    places = ({one: place for place, one in enumerate(table.ids.tolist())} for table in (images, categories))
    image, category = (
        np.array([table[row[key]] for row in rows], np.int32)
        for table, key in zip(places, ("image_id", "category_id"), strict=True)
    )
    has_box, has_mask = (not rows or key in rows[0] for key in ("bbox", "segmentation"))
    return {
        "image": image,
        "category": category,
        "xywh": np.array([row["bbox"] for row in rows], np.float64).reshape(-1, 4) if has_box else None,
        "segments": _segments(rows, images, image) if has_mask and rows else None,
    }


def _segments(rows: list[dict[str, Any]], images: Images, image: np.ndarray) -> CocoMasks:
    written = [json.dumps(row["segmentation"]).encode() for row in rows]
    end = np.cumsum([len(one) for one in written])
    assert images.height is not None and images.width is not None
    return CocoMasks(
        np.frombuffer(b"".join(written), np.uint8),
        end - [len(one) for one in written],
        end,
        np.full(len(rows), CocoMasks.JSON, np.uint8),
        np.stack([images.height[image], images.width[image]], axis=1),
    )
