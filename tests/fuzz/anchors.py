"""Anchors and grids: shapes, boxes, offsets and outputs of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import _native, anchors, grid

from . import sound
from .numbers import EXTREMES, STRANGE, Rng, chance, corners, isa_level, pick

DTYPES = ("float64", "float32", "float16", "int64", "int32", "uint8")


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    pick(rng, (_cluster, _assign, _assign, _encode))(rng)


def _cluster(rng: Rng) -> None:
    shapes = _shapes(rng)
    options = {"k": _odd(rng, int(rng.integers(1, 12))), "seed": _odd(rng, int(rng.integers(0, 99)))}
    options |= {"rounds": int(rng.integers(1, 30)), "update": pick(rng, ("mean", "median"))}
    names = ("`shapes`", "`k`", "`seed`")
    found = sound.attempt(lambda: anchors.cluster(shapes, threads=int(rng.integers(1, 4)), **options), *names)
    if found is None:
        return
    rows = np.asarray(shapes)
    assert found.sizes.shape == (options["k"], 2) and np.all(found.sizes > 0) and np.all(np.isfinite(found.sizes))
    assert int(found.counts.sum()) == len(rows) and 1 <= found.rounds <= options["rounds"]
    assert 0 < found.mean_iou <= 1 and 0 <= found.recall <= 1
    again = anchors.cluster(shapes, threads=1, **options)
    assert found.sizes.tobytes() == again.sizes.tobytes() and found.mean_iou == again.mean_iou
    if found.sizes.dtype == np.float64:
        nearest = anchors.shape_iou(rows.astype(np.float64), found.sizes).max(axis=1)
        assert abs(nearest.mean() - found.mean_iou) < 1e-9


def _shapes(rng: Rng) -> Any:
    if chance(rng, 0.05):
        return pick(rng, (*STRANGE, [[]], [[1, 2, 3]], [[1, 2], [3]], np.zeros((2, 2), "U3")))
    count, scale = int(pick(rng, (0, 1, 5, 300, 9000))), pick(rng, (1.0, 100.0, 1e-60, 1e60, 1e150))
    shapes = rng.lognormal(0, pick(rng, (0.0, 0.5, 3.0)), (count, 2)) * scale
    if chance(rng, 0.4):
        shapes = np.clip(np.round(shapes), 1, 200).astype(pick(rng, DTYPES))
    if count and chance(rng, 0.1):
        shapes[-1] = pick(rng, (0, 1))
    if count and shapes.dtype.kind == "f" and chance(rng, 0.1):
        shapes[int(rng.integers(count)), 0] = pick(rng, (np.nan, np.inf, -1, 0, 1e300 if shapes.dtype == float else 2))
    return shapes


def _assign(rng: Rng) -> None:
    boxes = np.concatenate([corners(rng, 100, 100) for _ in range(int(rng.integers(1, 40)))])
    truths = corners(rng, 100, 100)
    dtype = pick(rng, ("float64", "float64", "float32", "int64"))
    if dtype != "float64":
        boxes, truths = (np.clip(np.round(rows), -1e4, 1e4).astype(dtype) for rows in (boxes, truths))
    offsets = None if chance(rng, 0.5) else _offsets(rng, len(truths))
    low, high = np.sort(rng.integers(1, 21, 2)) / 20
    options = {"positive": _odd(rng, high), "negative": _odd(rng, low), "low_quality": chance(rng, 0.5)}
    names = ("`anchors`", "`truths`", "`offsets`", "`positive`", "`negative`")

    def call(threads: int) -> Any:
        return anchors.assign(boxes, truths, offsets=offsets, threads=threads, **options)

    found = sound.attempt(lambda: call(int(rng.integers(1, 5))), *names)
    if found is None:
        return
    again = call(1)
    assert found.truth.tobytes() == again.truth.tobytes() and found.value.tobytes() == again.value.tobytes()
    truth, value = (np.atleast_2d(column) for column in (found.truth, found.value))
    starts = [0, len(truths)] if offsets is None else offsets
    assert truth.shape == value.shape == (len(starts) - 1, len(boxes))
    for k, (rows, values) in enumerate(zip(truth, value, strict=True)):
        taken = rows[rows >= 0]
        assert np.all((rows >= -2) & (rows < starts[k + 1])) and np.all(taken >= starts[k])
        assert np.all((values >= 0) & (values <= 1)) and np.all(values[rows >= 0] > 0)


def _offsets(rng: Rng, count: int) -> Any:
    inner = np.sort(rng.integers(0, count + 1, int(rng.integers(0, 5)))).tolist()
    offsets = [0, *inner, count]
    if chance(rng, 0.1):
        offsets[int(rng.integers(len(offsets)))] = pick(rng, (*EXTREMES[3:6], -1, 1 << 40))
    return pick(rng, STRANGE[1:]) if chance(rng, 0.03) else offsets


def _encode(rng: Rng) -> None:
    strides = tuple(pick(rng, ((32,), (32, 16), (8, 24), (5, 3, 1))))
    side = int(np.lcm.reduce(strides))
    size = (side * int(rng.integers(1, 4)), side * int(rng.integers(1, 4)))
    sizes = [rng.uniform(1, 100, (int(rng.integers(1, 4)), 2)) for _ in strides]
    made = grid.Grid(size, strides=strides, anchors=sizes)
    rows = corners(rng, size[1], size[0])
    slots = sound.attempt(lambda: made.encode(rows), "`truths`")
    if slots is None:
        return
    assert np.all((slots.index >= 0) & (slots.index < made.count))
    assert np.all((slots.offsets >= 0) & (slots.offsets <= 1)) and np.all(slots.sizes >= 0)
    found = made.decode(slots.targets(), activation="fraction")
    first = np.ones(len(rows), bool)
    first[slots.collisions[:, 1]] = False
    assert np.allclose(found.boxes[0][slots.index[first]], rows[first], rtol=1e-9, atol=1e-9 * max(size))
    assert found.objectness.sum() == first.sum()


def _odd(rng: Rng, value: Any) -> Any:
    """Mostly the value."""
    return pick(rng, STRANGE[1:]) if chance(rng, 0.02) else value
