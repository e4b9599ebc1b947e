"""Pictures of a detector: the telling images, with their objects as shapes, and the objects of the others as rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from vesica.detection.result import DetectionResult
from vesica.report.detection_objects import MISSED, RIGHT, ROLES, WRONG, Fact, Objects
from vesica.report.detection_shapes import Shapes
from vesica.report.gallery import MOST, ROWS
from vesica.report.views import Item, Row

FACETS = {"cause": 8, "category": 1, "F1 of the image": 1, "size": 1, "score": 1, "IoU": 1, "right up to IoU": 1}
"""What a chart may ask for, and in how many pictures each value of it is shown, if there are so many."""


class Chosen(NamedTuple):
    """Items and rows, and what is in neither."""

    items: tuple[Item, ...]
    rows: tuple[Row, ...]
    left_out: tuple[str, ...]


def chosen_of(result: DetectionResult, found: Objects, f1: Fact, /) -> Chosen:
    """Images that show most kinds of objects. `f1` is the bar that each image stands in."""
    names = names_of(result)
    images = _images(found, f1, len(names))
    order = np.argsort(found.image, kind="stable")
    bounds = np.searchsorted(found.image[order], np.arange(len(names) + 1))
    shapes = Shapes(result, found)
    items = []
    for image in images.tolist():
        rows = order[bounds[image] : bounds[image + 1]]
        bar = f1.of(image)
        facts = {"image": names[image], **({} if bar is None else {"F1 of the image": bar})}
        told = ", ".join(
            f"{n} {ROLES[role]}" for role in (RIGHT, WRONG, MISSED) if (n := int((found.role[rows] == role).sum()))
        )
        width, height, is_known = shapes.size(image)
        caption = f"{names[image]}: {told or 'nothing'}"
        items.append(
            Item(str(image), names[image], caption, width, height, shapes.of(image, rows), facts, has_size=is_known)
        )
    rows = _listed(found, images)
    lost = int((~np.isin(found.image, images) & (found.role != RIGHT)).sum()) - len(rows)
    listed = tuple(Row(names[found.image[row]], facts_of(found, row)) for row in rows.tolist())
    return Chosen(tuple(items), listed, tuple(_left_out(len(names), len(images), lost)))


def facts_of(found: Objects, row: int, /) -> dict[str, str]:
    """What is known of one object."""
    return {name: value for name, fact in found.facts.items() if (value := fact.of(row)) is not None}


def names_of(result: DetectionResult, /) -> list[str]:
    """What images are called: by their file, or else by their id."""
    ids = result.records.images.tolist()
    files = [None] * len(ids) if result.image_names is None else result.image_names.tolist()
    return [str(one if name is None else name) for one, name in zip(ids, files, strict=True)]


def _images(found: Objects, f1: Fact, count: int) -> np.ndarray:
    """Places of the images that are shown: some for each facet, then those with the surest mistakes."""
    crowded = np.bincount(found.image, minlength=count)
    weight = found.weight - 0.004 * crowded[found.image] - (found.role == RIGHT)
    order = np.lexsort((np.arange(len(weight)), -weight))  # of equal ones the picture with less in it
    chosen: dict[int, None] = {}
    for images, most in _facets(found, f1, order):
        for image in images[: most + 50].tolist() if most > 1 else images[:1].tolist():
            if len(chosen) >= MOST or len(chosen.keys() & set(images[:2000].tolist())) >= most:
                break
            chosen.setdefault(image)
        if len(chosen) >= MOST:
            break
    for image in dict.fromkeys([*found.image[order].tolist(), *range(count)]):
        if len(chosen) >= MOST:
            break
        chosen.setdefault(image)
    return np.array(list(chosen), np.int64)


def _facets(found: Objects, f1: Fact, order: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
    """Images whose objects have one value of a fact, the surest first, and how many of them should be seen."""
    image = found.image[order]
    facts = {name: fact.codes[order] for name, fact in found.facts.items()}
    facts["F1 of the image"] = f1.codes[image]
    for name, most in FACETS.items():
        yield from ((own, most) for own in _groups(facts[name], image))
    kinds = len(found.facts["category"].names)
    yield from ((own, 1) for own in _groups(facts["category"] * 3 + found.role[order], image))
    pairs = np.where((facts["truth"] >= 0) & (facts["guess"] >= 0), facts["truth"] * kinds + facts["guess"], -1)
    yield from ((own, 1) for own in sorted(_groups(pairs, image), key=len, reverse=True))


def _groups(codes: np.ndarray, image: np.ndarray) -> list[np.ndarray]:
    """By code the images of its objects, in their order; −1 has none."""
    order = np.argsort(codes, kind="stable")
    order = order[codes[order] >= 0]
    edges = np.flatnonzero(np.diff(codes[order])) + 1
    return [own for own in np.split(image[order], edges) if len(own)]


def _listed(found: Objects, images: np.ndarray) -> np.ndarray:
    """Wrong and missed objects of other images, so that every pair of classes has some before one has many."""
    rows = np.flatnonzero(~np.isin(found.image, images) & (found.role != RIGHT))
    if len(rows) <= ROWS:
        return rows
    kinds = len(found.facts["category"].names) + 1
    pair = (found.facts["truth"].codes[rows] + 1) * kinds + found.facts["guess"].codes[rows] + 1
    order = np.lexsort((-found.weight[rows], pair))
    first = np.flatnonzero(np.diff(pair[order], prepend=-1))
    rank = np.arange(len(rows)) - np.repeat(first, np.diff(first, append=len(rows)))
    kept = order[np.argsort(rank, kind="stable")[:ROWS]]
    return np.sort(rows[kept])


def _left_out(images: int, shown: int, lost: int) -> Iterator[str]:
    if images > shown:
        yield (
            f"{images - shown:,} of {images:,} images have no picture here. Shown are those with the surest mistakes, "
            "some for each cause, category, size and pair of classes. Of the others, what is wrong or missed is listed."
        )
    if lost:
        yield f"{lost:,} objects that are wrong or missed are neither shown nor listed; charts and tables count them."
