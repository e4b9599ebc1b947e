"""Anchors and grids: boxes, offsets and outputs of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import _native, anchors, grid

from . import sound
from .numbers import EXTREMES, STRANGE, Rng, chance, corners, isa_level, odd, pick


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    pick(rng, (_assign, _assign, _encode))(rng)


def _assign(rng: Rng) -> None:
    boxes = np.concatenate([corners(rng, 100, 100) for _ in range(int(rng.integers(1, 40)))])
    truths = corners(rng, 100, 100)
    dtype = pick(rng, ("float64", "float64", "float32", "int64"))
    if dtype != "float64":
        boxes, truths = (np.clip(np.round(rows), -1e4, 1e4).astype(dtype) for rows in (boxes, truths))
    offsets = None if chance(rng, 0.5) else _offsets(rng, len(truths))
    low, high = np.sort(rng.integers(1, 21, 2)) / 20
    options = {"positive": odd(rng, high), "negative": odd(rng, low), "low_quality": chance(rng, 0.5)}
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
