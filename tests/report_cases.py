"""Results for reports: small ones of every kind, with many, one and no category or image, and under hostile names."""

from __future__ import annotations

from typing import Any

import numpy as np

import vesica
from vesica.dataset import Images

HOSTILE = (
    "</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "$\\bad$ &amp; \u202ex\u0000y",
    "'`{{7*7}}${1}",
)
"""Names that must be shown as they are."""


def label_maps(
    images: int = 12, classes: int = 4, *, size: tuple[int, int] = (24, 36), seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Truths of vertical bands, and guesses whose edges wander and that swap two classes now and then."""
    rng = np.random.default_rng(seed)
    height, width = size
    bands = np.minimum(np.arange(width) * max(classes, 1) // width, max(classes, 1) - 1)
    truth = np.broadcast_to(bands, (images, height, width)).astype(np.uint8)
    shift = rng.integers(-2, 3, (images, height, 1))
    guess = np.take_along_axis(truth, np.clip(np.arange(width) + shift, 0, width - 1), axis=2)
    guess[:, : height // 4] = np.where(rng.random((images, height // 4, width)) < 0.1, 0, guess[:, : height // 4])
    return truth, guess


def segmentation(images: int = 12, names: tuple[str, ...] = ("road", "car", "sky", "tree"), **options: Any) -> Any:
    truth, guess = label_maps(images, len(names))
    return vesica.evaluate_segmentation(truth, guess, categories=list(names), **options)


def drawn(
    images: int = 10,
    people: tuple[str, ...] = ("ann", "ben", "cleo"),
    names: tuple[str, ...] = ("car", "dog"),
    *,
    files: tuple[str, ...] | None = None,
    seed: int = 0,
) -> vesica.Dataset:
    """What people drew, some of it with another label, some moved, some left out; images of two batches."""
    rng = np.random.default_rng(seed)
    boxes, image, category, annotator = [], [], [], []
    for place in range(images):
        for _ in range(4):
            x, y, width, height = rng.uniform((5, 5, 15, 15), (60, 40, 40, 40))
            kind = rng.integers(max(len(names), 1))
            for number, who in enumerate(people):
                if names and rng.random() < 0.85:
                    boxes.append(np.array([x, y, x + width, y + height]) + rng.normal(0, 1.5, 4) + number)
                    image.append(place)
                    category.append(names[kind if rng.random() < 0.9 else rng.integers(len(names))])
                    annotator.append(who)
    table = Images(
        np.arange(images),
        height=np.full(images, 100),
        width=np.full(images, 120),
        names=None if files is None else np.array([files[k % len(files)] + str(k) for k in range(images)], object),
        batch=np.array([f"week {1 + (2 * k) // max(images, 1)}" for k in range(images)], object),
    )
    return vesica.Dataset.from_arrays(
        np.array(boxes, float).reshape(-1, 4),
        image=np.array(image, int),
        category=np.array(category, object),
        annotator=np.array(annotator, object),
        images=table,
        annotators=list(people),
        categories=list(names),
        assignments="all",
    )


def agreement(**options: Any) -> Any:
    return vesica.evaluate_agreement(drawn(**options))


def detections(
    images: int = 24, names: tuple[str, ...] = ("car", "dog", "sign"), *, models: int = 2, seed: int = 0
) -> tuple[vesica.Dataset, list[vesica.Dataset]]:
    """Truths, and the guesses of models of which each later one is better."""
    rng = np.random.default_rng(seed)
    table = Images(np.arange(images), height=np.full(images, 100), width=np.full(images, 120))
    rows: list[tuple[int, str, np.ndarray]] = []
    for place in range(images):
        for _ in range(4 if names else 0):
            x, y, width, height = rng.uniform((5, 5, 15, 15), (60, 40, 40, 40))
            rows.append((place, names[rng.integers(len(names))], np.array([x, y, x + width, y + height])))
    truth = _data(rows, None, table, names)
    guesses = []
    for model in range(models):
        found = [one for one in rows if rng.random() < 0.6 + 0.15 * model]
        moved = [
            (place, kind if rng.random() < 0.9 else names[rng.integers(len(names))], box + rng.normal(0, 2, 4))
            for place, kind, box in found
        ]
        guesses.append(_data(moved, rng.uniform(0.2, 1, len(moved)), table, names))
    return truth, guesses


def _data(rows: list[Any], score: Any, images: Images, names: tuple[str, ...]) -> vesica.Dataset:
    return vesica.Dataset.from_arrays(
        np.array([box for *_, box in rows], float).reshape(-1, 4),
        image=np.array([place for place, *_ in rows], int),
        category=np.array([kind for _, kind, _ in rows], object),
        score=score,
        images=images,
        categories=list(names),
    )


def comparison(
    images: int = 24, names: tuple[str, ...] = ("car", "dog", "sign"), *, called: tuple[str, ...] = ("old", "new")
) -> Any:
    truth, guesses = detections(images, names, models=len(called))
    light = {place: ("day", "night")[place % 2] for place in range(images)}
    slices = {"light": light} if images else None
    return vesica.compare(truth, *guesses, names=list(called), replicates=50, slices=slices)
