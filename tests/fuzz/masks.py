"""Dense masks: any dtype, any order in memory, any shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import Masks, _native

from . import sound
from .numbers import STRANGE, Rng, chance, isa_level, pick, side

DTYPES = ("bool", "uint8", "int8", "uint16", "int16", "int32", ">i4", "uint32", "int64", "uint64", ">u8")


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    if chance(rng, 0.1):
        given = _strange(rng)
        found = sound.attempt(lambda: Masks(given), "`masks`")
        if found is not None:
            sound.masks(found, rng)
        return
    expected = _pixels(rng)
    if chance(rng, 0.15):
        found = Masks(np.where(expected, 0.75, rng.choice([0.25, 0.5, -1, np.nan])), above=0.5)
    else:
        found = Masks(_laid_out(rng, _stored(rng, expected)))
    sound.masks(found, rng, expected)
    for kind in sound.dense_kinds(found.array):
        assert np.array_equal(kind.to_masks().array, expected)


def _pixels(rng: Rng) -> np.ndarray:
    """Noise, rectangles, all or nothing."""
    count, height, width = int(rng.integers(0, 5)), side(rng), side(rng)
    stack = rng.random((count, height, width)) < pick(rng, (0.0, 0.01, 0.5, 0.99, 1.0))
    if chance(rng, 0.5):
        stack[:] = False
        for mask in stack:
            x1, x2 = sorted(rng.integers(0, width + 1, 2).tolist())
            y1, y2 = sorted(rng.integers(0, height + 1, 2).tolist())
            mask[y1:y2, x1:x2] = True
    return stack


def _stored(rng: Rng, pixels: np.ndarray) -> np.ndarray:
    """As numbers of some dtype, of which any but 0 belong."""
    dtype = np.dtype(pick(rng, DTYPES))
    if dtype.kind == "b":
        # Booleans whose byte is neither 0 nor 1, as other languages write them.
        return (pixels * np.uint8(pick(rng, (1, 2, 255)))).view(bool) if chance(rng, 0.3) else pixels
    limits = np.iinfo(dtype)
    values = np.array([1, 2, limits.max, limits.min or 1, 2 ** (8 * dtype.itemsize - 2)], dtype)
    return np.where(pixels, rng.choice(values, pixels.shape), np.zeros((), dtype)).astype(dtype)


def _laid_out(rng: Rng, stack: np.ndarray) -> np.ndarray:
    """The same array in some other order in memory."""
    kind = int(rng.integers(6))
    if kind == 1:
        return np.asfortranarray(stack)
    if kind == 2:
        return np.ascontiguousarray(stack.transpose(2, 0, 1)).transpose(1, 2, 0)
    if kind == 3:
        return np.ascontiguousarray(stack[::-1, ::-1, ::-1])[::-1, ::-1, ::-1]
    if kind == 4:
        return np.repeat(np.repeat(stack, 2, axis=2), 3, axis=1)[:, ::3, ::2]
    if kind == 5:
        stack = stack.copy()
        stack.setflags(write=False)
    return stack


def _strange(rng: Rng) -> Any:
    kind = int(rng.integers(3))
    if kind == 0:
        shape = pick(rng, ((2, 3), (1, 2, 3, 4), (3, 0, 2**40), (3, 0, 2**29), (0, 5, 5), (0,), ()))
        return np.empty(shape, bool)
    if kind == 1:
        return np.zeros((1, 2, 3), pick(rng, ("float32", "complex64", "object", "U3", "M8[s]", "V2")))
    lists = ([[[1, 0], [1]]], [], [[]], [[[]]], [[[1, 0]]], [[[True]]], [[["a"]]], [[[None]]], [[[2**70]]])
    return pick(rng, (np.ma.ones((1, 2, 2), bool), *lists, *STRANGE))
