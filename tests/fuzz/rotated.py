"""Rotated boxes: any rows, any angle, near and far; measured, joined and chosen among."""

from __future__ import annotations

from typing import Any

import numpy as np

import vesica
from vesica import RotatedBoxes, _native

from . import sound
from .numbers import EXTREMES, STRANGE, Rng, chance, isa_level, pick

ANGLES = (0.0, 45.0, 90.0, -90.0, 180.0, 1e-300, 30.000000000000004, 1e15)


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    rows = _rows(rng) if chance(rng, 0.9) else _any(rng)
    words = {"unit": pick(rng, ("deg", "rad")), "direction": pick(rng, ("cw", "ccw"))}
    found = sound.attempt(lambda: RotatedBoxes(rows, **words), "`boxes`", "`array`")
    if found is None:
        return
    assert len(found) == len(rows)
    _areas(found)
    _pairs(found, rng)
    _kept(found, rng)


def _rows(rng: Rng) -> np.ndarray:
    """Rows that are right: tiny, huge, flat, turned by angles at which edges meet, some of them twice."""
    count, scale = int(rng.integers(0, 12)), pick(rng, (1.0, 100.0, 1e-140, 1e140))
    sides = rng.exponential(1, (count, 2)) * pick(rng, ([1, 1], [1, 1e-9], [1e6, 1]))
    rows = np.hstack([rng.normal(0, 1, (count, 2)), sides, rng.normal(0, 90, (count, 1))])
    if chance(rng, 0.4):
        rows = np.round(rows)
    if chance(rng, 0.5):
        rows[:, 4] = [pick(rng, ANGLES) for _ in range(count)]
    rows[:, :4] *= scale
    if chance(rng, 0.3):
        rows[:, 3] = 0
    if count and chance(rng, 0.5):
        rows = np.concatenate([rows, rows[rng.integers(0, count, 4)]])
    return rows if chance(rng, 0.7) or scale != 1 else rows.astype("float32")


def _any(rng: Rng) -> Any:
    rows = _rows(rng).astype(float)
    if len(rows):
        strange = pick(rng, (np.nan, np.inf, -1.0, 1e200, 1e308, *map(float, EXTREMES)))
        rows[int(rng.integers(len(rows))), int(rng.integers(5))] = strange
    return pick(rng, (rows, rows[:, :4], rows.astype("S4"), [rows.tolist(), []], rows.ravel(), pick(rng, STRANGE)))


def _areas(found: RotatedBoxes) -> None:
    """No larger than the box around, where that is not too far out to have the sides of its own."""
    area, boxes = np.asarray(found.area, float), np.asarray(found.boxes.xyxy, float)
    sides = boxes[:, 2:] - boxes[:, :2]
    assert np.isfinite(area).all() and np.all(area >= 0)
    is_near = np.abs(boxes).max(axis=1, initial=0) < 1e3 * sides.min(axis=1, initial=np.inf)
    assert np.all((area <= sides.prod(axis=1) * (1 + 1e-3))[is_near])


def _pairs(found: RotatedBoxes, rng: Rng) -> None:
    """In range, the same from both sides, all of itself; a join finds what the matrix has."""
    got = np.asarray(vesica.iou(found, found, threads=int(rng.integers(1, 4))))
    assert got.shape == (len(found), len(found)) and np.all((got >= 0) & (got <= 1))
    assert np.array_equal(got, got.T)
    normal = np.asarray(found.area, float) >= np.finfo(np.float64).tiny
    assert np.all(np.diagonal(got)[normal] == 1)
    assert np.array_equal(vesica.iou(found, found, aligned=True), np.diagonal(got))
    least = pick(rng, (0.1, 0.5, 1.0))
    pairs = vesica.join(found, found, at_least=least)
    i, j = np.nonzero(got >= least)
    assert np.array_equal(pairs.i, i) and np.array_equal(pairs.j, j) and np.array_equal(pairs.value, got[i, j])


def _kept(found: RotatedBoxes, rng: Rng) -> None:
    """NMS is a plain walk over the matrix."""
    scores = rng.choice([0.0, 0.5, 1.0, float(rng.random())], len(found))
    above = pick(rng, (0.0, 0.3, 0.5))
    got = np.asarray(vesica.iou(found, found))
    kept: list[int] = []
    for row in np.lexsort((np.arange(len(scores)), -scores)).tolist():
        if not any(got[other, row] > above for other in kept):
            kept.append(row)
    assert vesica.nms(found, scores, above=above, threads=int(rng.integers(1, 4))).tolist() == kept
