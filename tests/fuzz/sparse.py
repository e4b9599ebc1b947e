"""Sparse masks: any table of indices, any values, any size."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import SparseMasks, _native

from . import sound
from .numbers import EXTREMES, ODD_SIZES, STRANGE, Rng, chance, isa_level, pick, size


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    layers = int(rng.integers(0, 6))
    height, width = size(rng)
    table = _table(rng, layers, height, width)
    given = _given(rng, table)
    values = _values(rng, table.shape[1])
    sides = _sides(rng, (layers, height, width))
    outside = pick(rng, ("error", "drop"))
    threads = int(rng.integers(1, 4))

    found = sound.attempt(
        lambda: SparseMasks(given, values, size=sides, outside=outside, threads=threads),
        "`indices`", "`values`", "`size`",
    )  # fmt: skip
    if found is None:
        return
    is_plain = given is table and sides == (layers, height, width)
    dense = _dense(table, values, sides) if is_plain and layers * height * width <= sound.FEW else None
    sound.masks(found, rng, dense)


def _table(rng: Rng, layers: int, height: int, width: int) -> np.ndarray:
    """Columns n, y, x inside, in clumps, often twice; some of them outside, some far outside."""
    count = pick(rng, (0, 1, 5, 200))
    bounds = np.array([layers, height, width])
    if not bounds.all() and chance(rng, 0.8):
        return np.empty((3, 0), np.int64)
    spread = pick(rng, (1.0, 0.1, 1e-6))
    start = rng.random(3) * (1 - spread)
    start[0] = 0
    table = np.floor((start[:, None] + rng.random((3, count)) * [[1], [spread], [spread]]) * bounds[:, None])
    table = np.clip(table, 0, np.maximum(bounds - 1, 0)[:, None]).astype(np.int64)
    if count and chance(rng, 0.5):
        table = table[:, np.argsort(table[0], kind="stable")]
    if count and chance(rng, 0.2):
        table[int(rng.integers(3)), int(rng.integers(count))] = pick(rng, (*EXTREMES, layers, height, width))
    return table


def _given(rng: Rng, table: np.ndarray) -> Any:
    """The table in any form, mostly as it is."""
    kind = rng.random()
    if kind < 0.7:
        return table
    if kind < 0.75:
        return np.asfortranarray(table)
    if kind < 0.8:
        return np.repeat(table, 2, axis=1)[:, ::2]
    if kind < 0.85:
        return table.tolist()
    return pick(rng, (table.T, table[:2], table.astype(float), table.astype(np.uint64), table[0], [[1], [1, 2], [3]],
                      table.astype(object), table[None], *STRANGE))  # fmt: skip


def _values(rng: Rng, count: int) -> Any:
    kind = rng.random()
    if kind < 0.6:
        return None
    if kind < 0.9:
        return rng.integers(0, 3, count)
    return pick(rng, (np.ones(count + 1), np.zeros(count), rng.random(count) < 0.5, [[1], [1, 2]], 5, "abc", []))


def _sides(rng: Rng, sides: tuple[int, int, int]) -> Any:
    if chance(rng, 0.92):
        return sides
    return pick(rng, (sides[1:], (2**32, 1, 1), (2**62, 1, 1), (2**64, 1, 1), (-1, 5, 5), *ODD_SIZES))


def _dense(table: np.ndarray, values: Any, sides: tuple[int, int, int]) -> np.ndarray:
    """Where a pixel is named, inside and with a value."""
    kept = ((table >= 0) & (table < np.array(sides)[:, None])).all(axis=0)
    if values is not None:
        kept &= np.asarray(values) != 0
    stack = np.zeros(sides, bool)
    stack[tuple(table[:, kept])] = True
    return stack
