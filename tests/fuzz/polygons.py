"""Polygons: any nested lists; tangles of any shape, measured and drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

import vesica
from vesica import Polygons, _native

from . import sound
from .numbers import EXTREMES, LARGE, STRANGE, Rng, any_size, chance, isa_level, pick

RULES = ("coco", "centre", "border")
# Columns beyond which an edge is not walked.
MANY = 64


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    if chance(rng, 0.4):
        given, is_sound = [_any(rng) for _ in range(int(rng.integers(0, 4)))], False
    else:
        given, is_sound = _tangles(rng), True
    make = pick(rng, (Polygons, Polygons, _of_arrays)) if is_sound else Polygons

    found = sound.attempt(lambda: make(given), "`polygons`")
    assert found is not None or not is_sound
    if found is None:
        return
    assert len(found) == len(given)
    _areas(found)
    _pairs(found, rng)
    _drawn(found, rng)


def _any(rng: Rng, depth: int = 0) -> Any:
    """Lists in lists, of numbers and of what is none."""
    kind = rng.random()
    if kind < 0.25:
        return [_number(rng) for _ in range(int(rng.integers(0, 12)))]
    if kind < 0.45:
        return [[_number(rng), _number(rng)] for _ in range(int(rng.integers(0, 6)))]
    if kind < 0.5:
        shape = pick(rng, ((0, 2), (3, 2), (4, 3), (6,), (1, 3, 2), ()))
        return rng.integers(0, 9, shape).astype(pick(rng, ("float32", "int8", "uint64", "bool", "object", "U3", ">f8")))
    if kind < 0.6 or depth > 4:
        return pick(rng, (*STRANGE, "0,0,4,0,4,4", {"x": [1, 2]}, {1, 2}, np.float32(3), (0, 0, 1, 1, 2, 0), range(6)))
    return [_any(rng, depth + 1) for _ in range(int(rng.integers(0, 4)))]


def _number(rng: Rng) -> Any:
    kind = rng.random()
    if kind < 0.9:
        return pick(rng, (float(rng.normal(0, 50)), int(rng.integers(-9, 99))))
    return pick(rng, (*EXTREMES, *STRANGE, 1e-320, 1e153, -1e153, -0.0))


def _tangles(rng: Rng) -> list[Any]:
    """Rings that cross themselves and each other, as holes and as parts, near or far, tiny or huge."""
    scale = pick(rng, (1.0, 30.0, 30.0, 1e-140, 1e9, 1e152))
    near = min(pick(rng, (0.0, 0.0, 1e3, 1e12)) * scale, 1e152)

    def ring() -> Any:
        points = rng.normal(0, 1, (int(rng.integers(3, 9)), 2)) * scale + near + rng.normal(0, 1, 2) * scale
        if chance(rng, 0.5):
            points = np.round(points)
        if chance(rng, 0.2):
            points[:, int(rng.integers(2))] = points[0, 0]  # no area
        if chance(rng, 0.2):
            points = np.repeat(points, 2, axis=0)
        return points.tolist() if chance(rng, 0.5) else points

    regions = [
        [[ring() for _ in range(int(rng.integers(1, 3)))] for _ in range(int(rng.integers(1, 4)))]
        for _ in range(int(rng.integers(0, 5)))
    ]
    return regions + [regions[0]] if regions and chance(rng, 0.5) else regions


def _of_arrays(regions: list[Any]) -> Polygons:
    rings = [np.asarray(ring).reshape(-1, 2) for region in regions for part in region for ring in part]
    lengths = ([len(r) for r in rings], [len(p) for region in regions for p in region], [len(r) for r in regions])
    points = np.concatenate([np.empty((0, 2)), *rings])
    return Polygons.from_arrays(points, *(np.cumsum([0, *each]) for each in lengths))


def _areas(found: Polygons) -> None:
    area, boxes = np.asarray(found.area), np.asarray(found.boxes.xyxy)
    around = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)
    assert area.shape == (len(found),) and np.isfinite(area).all()
    assert np.all((area >= 0) & (area <= around * (1 + 1e-9)))
    assert np.array_equal(Polygons.from_arrays(*found.arrays).area, area)


def _pairs(found: Polygons, rng: Rng) -> None:
    """In range, the same from both sides, and a region is all of itself."""
    other = found if chance(rng, 0.7) else found[rng.permutation(len(found))]
    got = np.asarray(vesica.iou(found, other, threads=int(rng.integers(1, 4))))
    assert got.shape == (len(found), len(found))
    assert np.all((got >= 0) & (got <= 1))
    assert np.array_equal(np.asarray(vesica.iou(other, found)).T, got)
    assert np.array_equal(vesica.iou(found, found, aligned=True), np.asarray(found.area) > 0)
    assert np.array_equal(vesica.iou(found, other, aligned=True), np.diagonal(got))
    shared, area = np.asarray(vesica.parts(found, other).inter), np.asarray(found.area)
    assert np.all((shared >= 0) & (shared <= area[:, None]))
    pairs = vesica.join(found, other, at_least=0.25)
    i, j = np.nonzero(got >= 0.25)
    assert np.array_equal(pairs.i, i) and np.array_equal(pairs.j, j) and np.array_equal(pairs.value, got[i, j])


def _drawn(found: Polygons, rng: Rng) -> None:
    """By each rule into some image: sound masks, which no part outside of it disturbs."""
    size = any_size(rng)
    if isinstance(size, tuple) and size in LARGE and _columns(found, size[1]) > MANY:
        size = (size[0], 0)
    for rule in RULES:
        drawn = sound.attempt(lambda r=rule: found.to_rle(size, rule=r), "`polygons`", "`size`")
        if drawn is None:
            continue
        assert drawn.size == tuple(size) and len(drawn) == len(found)
        one_by_one = [found[k].to_rle(size, rule=rule).to_counts()[0] for k in range(len(found))]
        assert drawn.to_counts() == one_by_one
        sound.masks(drawn, rng)


def _columns(found: Polygons, width: int) -> float:
    """Of an image so wide, that the polygons are in."""
    x1, _, x2, _ = np.clip(np.asarray(found.boxes.xyxy), 0, width).T
    return float(np.max(x2 - x1, initial=0))
