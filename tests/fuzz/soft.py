"""Soft-NMS and merging: any boxes, any scores, any keys."""

from __future__ import annotations

from typing import Any

import numpy as np

import vesica
from vesica import Boxes, _native

from . import sound
from .numbers import EXTREMES, STRANGE, Rng, chance, corners, isa_level, pick

DTYPES = ("float16", "float32", "float64", "int64", "uint8")
NAMES = ("`scores`", "`keys", "`above`", "`min_score`", "`sigma`", "`limit`", "`regions`", "`boxes`")


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    boxes, scores, keys = proposals(rng)
    if boxes is None:
        return
    _picks(boxes, scores, keys, rng)
    _groups(boxes, scores, keys, rng)


def proposals(rng: Rng) -> tuple[Any, Any, Any]:
    """Boxes that nobody may have checked, scores, and keys or none."""
    rows = np.concatenate([corners(rng, 40, 60) for _ in range(int(pick(rng, (1, 2, 12))))])
    rows = np.repeat(rows, int(pick(rng, (1, 1, 3, 40))), axis=0)
    if len(rows) and chance(rng, 0.1):
        rows[int(rng.integers(len(rows))), int(rng.integers(4))] = pick(rng, (np.nan, np.inf, -np.inf, 1e308, 5e-324))
    with np.errstate(all="ignore"):
        rows = rows.astype(pick(rng, DTYPES))
    look = rows.dtype.kind != "f" or chance(rng, 0.5)  # integers that nobody checked may overflow
    boxes = sound.attempt(lambda: Boxes(rows, check=look), "`boxes`")
    scores: Any = rng.choice([0.0, 0.25, 0.5, 1.0, float(rng.random())], len(rows))
    if chance(rng, 0.05):
        scores = pick(rng, (*STRANGE, scores[:-1], scores - 0.5, scores * 1e300, scores * 5e-324, scores.astype("S3")))
    keys: Any = None if chance(rng, 0.4) else rng.integers(0, int(pick(rng, (1, 3, 2**40))), len(rows))
    if chance(rng, 0.05):
        keys = pick(rng, (*STRANGE, scores, (keys, keys), [EXTREMES], np.zeros((len(rows), 3))))
    return boxes, scores, keys


def _picks(boxes: Boxes, scores: Any, keys: Any, rng: Rng) -> None:
    options: dict[str, Any] = {"decay": pick(rng, ("linear", "gaussian")), "keys": keys}
    options["min_score"] = pick(rng, (0, 0.001, 0.3, 1, *STRANGE[:4]))
    options["above"] = pick(rng, (0, 0.3, 0.5, 1, 1 / 3, 1e-300))
    options["sigma"] = pick(rng, (0.5, 5e-324, 1e300))
    options["measure"] = pick(rng, ("iou", "coverage", "giou", "ciou", "tversky"))
    options["limit"] = pick(rng, (None, None, 1, 3))
    kept = sound.attempt(lambda: vesica.soft_nms(boxes, scores, threads=1, **options), *NAMES)
    if kept is None:
        return
    given, left = np.asarray(scores, float), np.asarray(kept.scores)
    assert len(np.unique(kept.index)) == len(kept.index)
    assert np.all(left >= options["min_score"]) and np.all(left <= given[kept.index])
    assert np.all(np.diff(left) <= 0)
    if len(kept):
        assert kept.index[0] == np.argmax(given) and left[0] == given.max()
    again = vesica.soft_nms(boxes, scores, threads=3, **options)
    assert np.array_equal(again.index, kept.index) and np.array_equal(again.scores, kept.scores)


def _groups(boxes: Boxes, scores: Any, keys: Any, rng: Rng) -> None:
    options: dict[str, Any] = {
        "how": pick(rng, ("greedy", "transitive")),
        "above": pick(rng, (0, 0.3, 1)),
        "keys": keys,
    }
    options["score"] = pick(rng, ("max", "mean"))
    merged = sound.attempt(lambda: vesica.nmm(boxes, scores, **options), *NAMES)
    if merged is None:
        return
    assert sorted(set(merged.group.tolist())) == list(range(len(merged)))
    assert np.array_equal(merged.group[merged.index], np.arange(len(merged)))
    assert np.all(np.diff(merged.scores) <= 0)
