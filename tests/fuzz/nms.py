"""NMS: boxes of any size and place, any scores, few or so many that they go through a grid."""

from __future__ import annotations

from typing import Any

import numpy as np

import vesica
from vesica import _native

from . import sound
from .numbers import STRANGE, Rng, chance, isa_level, pick

COUNTS = (0, 1, 2, 15, 16, 17, 33, 200)
MANY = 8500
"""More than are looked at one by one."""


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    count = MANY if chance(rng, 0.03) else int(pick(rng, COUNTS))
    boxes, scores = _boxes(rng, count), _scores(rng, count)
    settings: dict[str, Any] = {
        "above": float(pick(rng, (0.0, 1e-9, 0.1, 0.5, 2 / 3, 0.95, 1.0))),
        "measure": pick(rng, ("iou", "iou", "dice", "overlap", "giou", "coverage")),
        "keys": pick(rng, (None, rng.integers(0, 3, count), rng.integers(-(2**62), 2**62, (count, 2)) % 3)),
    }
    if chance(rng, 0.1):
        settings[pick(rng, tuple(settings))] = pick(rng, STRANGE)
    threads = int(rng.integers(1, 4))
    names = ("`regions`", "`scores`", "`above`", "`measure`", "`keys`", "float64")
    found = sound.attempt(lambda: vesica.nms(boxes, scores, suppressed_by=True, threads=threads, **settings), *names)
    if found is not None and settings["measure"] != "coverage":
        kept, by = found
        assert (kept.tolist(), by.tolist()) == _walked(boxes, np.asarray(scores, float), settings)


def _boxes(rng: Rng, count: int) -> np.ndarray:
    scale, offset = pick(rng, (1.0, 1e-30, 1e17, 1e5)), pick(rng, (0.0, -1e4, 1e6))
    low = rng.uniform(0, (2 * count) ** 0.5, (count, 2))
    rows = np.hstack([low, low + rng.exponential(1, (count, 2))])
    if chance(rng, 0.5):
        rows = np.round(rows * 2) / 2  # ties, touching edges, no area
    dtypes = ("float32", "float64", "int64") if scale == 1 else ("float32", "float64")
    rows = ((rows + offset) * scale).astype(pick(rng, dtypes))
    if count and chance(rng, 0.05):
        rows[rng.integers(count)] = pick(rng, ((3, 3, 1, 1), (2**30, 0, 2**31, 1)))
    return rows


def _scores(rng: Rng, count: int) -> Any:
    scores = rng.random(count) if chance(rng, 0.5) else pick(rng, (0.0, 0.5, -1.0)) + rng.integers(0, 3, count)
    if count and chance(rng, 0.3):
        scores = scores.astype(float)
        scores[rng.integers(count)] = pick(rng, (np.inf, -np.inf, np.nan, -0.0, 5e-324))
    return scores


def _walked(boxes: np.ndarray, scores: np.ndarray, settings: dict[str, Any]) -> tuple[list[int], list[int]]:
    """A plain walk over the pairs that a join finds."""
    keys = None if isinstance(settings["keys"], tuple) else settings["keys"]  # no columns: no keys
    pairs = vesica.join(boxes, at_least=settings["above"], strict=True, measure=settings["measure"], keys=keys)
    near: dict[int, list[int]] = {}
    for i, j in zip(pairs.i.tolist(), pairs.j.tolist(), strict=True):
        near.setdefault(i, []).append(j)
        near.setdefault(j, []).append(i)
    place = {row: k for k, row in enumerate(np.lexsort((np.arange(len(scores)), -scores)).tolist())}
    kept, by = [], [-1] * len(scores)
    for row in place:
        if by[row] < 0:
            kept.append(row)
            for other in near.get(row, ()):
                if place[other] > place[row] and by[other] < 0:
                    by[other] = row
    return kept, by
