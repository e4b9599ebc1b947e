"""Label maps: any dtype, any order in memory, any labels, from one to more than a byte can number."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

import vesica
from vesica import LabelMap, _native

from . import sound
from .numbers import EXTREMES, STRANGE, Rng, chance, isa_level, pick, side

DTYPES = ("bool", "uint8", "int8", "uint16", "int16", ">i2", "int32", "uint32", ">u4", "int64", "int64", "uint64")

# More pixels than are looked at at a time, and more than one thread is given.
LARGER = ((300, 300), (1, 70_000), (1100, 500))


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    if chance(rng, 0.1):
        given, words = _strange(rng), {}
    else:
        height, width = (
            (side(rng), side(rng)) if chance(rng, 0.5) else pick(rng, ((300, 300), (1, 70_000), (1100, 500)))
        )
        given = _map(rng, height, width)
        words = _words(rng, given)

    a = sound.attempt(lambda: LabelMap(given, **words), "`array`", "`ids`", "`background`", "`ignore`")
    if a is None:
        return
    b = LabelMap(_map(rng, *a.size), ignore=pick(rng, (None, 0, 255)))
    threads = int(rng.integers(1, 4))
    left, right = (np.asarray(each.array).astype(each.ids.dtype).ravel() for each in (a, b))
    _regions(a, left)
    _contingency(a, b, left, right, threads)
    if len(a) * len(b) <= sound.FEW:
        _pairs(a, b, left, right, threads)


def _map(rng: Rng, height: int, width: int) -> np.ndarray:
    """Noise, blocks, or blocks with some noise, of few labels or many, near each other or anywhere."""
    dtype = np.dtype(pick(rng, DTYPES))
    labels = _labels(rng, dtype, int(pick(rng, (1, 2, 3, 19, 200, 254, 255, 256, 257, 400))))
    cell = pick(rng, (1, 2, 17, 90))
    blocks = rng.choice(labels, (-(-height // cell), -(-width // cell)))
    values = np.repeat(np.repeat(blocks, cell, axis=0), cell, axis=1)[:height, :width]
    share = pick(rng, (0.0, 0.0, 0.05, 1.0))
    values = np.where(rng.random((height, width)) < share, rng.choice(labels, (height, width)), values).astype(dtype)
    if chance(rng, 0.2):
        values[: height // 2] = labels[0]  # so that the labels come late
    return _laid_out(rng, values)


def _labels(rng: Rng, dtype: np.dtype[Any], count: int) -> np.ndarray:
    """So many labels, or as many as the dtype has."""
    if dtype.kind == "b":
        return np.array([False, True])
    info = np.iinfo(dtype)
    low, high = int(info.min), int(info.max)
    kind = int(rng.integers(5))
    if kind == 0:
        numbers = [low + k for k in range(count)]
    elif kind == 1:
        numbers = [high - k for k in range(count)]
    elif kind == 2:
        step = 1 << int(rng.integers(0, 63))
        numbers = [low + k * step % (high - low + 1) for k in range(count)]  # which differ in a few bits only
    elif kind == 3:
        numbers = [*EXTREMES, *range(count)]
    else:
        numbers = rng.integers(low, high, count, np.uint64 if low == 0 else np.int64, endpoint=True).tolist()
    return np.array([min(max(number, low), high) for number in numbers], dtype)


def _laid_out(rng: Rng, values: np.ndarray) -> np.ndarray:
    kind = int(rng.integers(5))
    if kind == 1:
        return np.asfortranarray(values)
    if kind == 2:
        return np.ascontiguousarray(values[::-1, ::-1])[::-1, ::-1]
    if kind == 3:
        return np.repeat(values, 2, axis=1)[:, ::2]
    if kind == 4:
        if values.dtype.kind == "b":
            values = (values * np.uint8(255)).view(bool)  # as other languages write them
        values.setflags(write=False)
    return values


def _words(rng: Rng, given: np.ndarray) -> dict[str, Any]:
    words: dict[str, Any] = {}
    some = [*given.ravel()[:5].astype(object).tolist(), 0, 255, *EXTREMES]
    some = [int(label) for label in some]
    if chance(rng, 0.3):
        words["background"] = pick(rng, (None, pick(rng, some), *STRANGE) if chance(rng, 0.2) else (None, *some))
    if chance(rng, 0.3):
        words["ignore"] = pick(rng, (None, *some))
    if chance(rng, 0.3):
        words["ids"] = [pick(rng, some) for _ in range(int(rng.integers(0, 4)))]
        if chance(rng, 0.5):
            no_regions = [words.get("background", 0), words.get("ignore")]
            words["ids"] = sorted({label for label in words["ids"] if label not in no_regions}, reverse=True)
        if chance(rng, 0.1):
            words["ids"] = pick(rng, STRANGE)
    return words


def _strange(rng: Rng) -> Any:
    kind = int(rng.integers(3))
    if kind == 0:
        return np.zeros(pick(rng, ((), (3,), (0,), (1, 2, 3), (0, 2**29), (5, 0), (0, 0))), np.int32)
    if kind == 1:
        return np.zeros((2, 3), pick(rng, ("float32", "complex64", "object", "U3", "M8[s]", "V2")))
    lists = ([[1, 0], [1]], [], [[]], [[1, 2]], [[True]], [["a"]], [[None]], [[2**70]], [[2**63]], [[-1, 2**63]])
    return pick(rng, (np.ma.ones((2, 2), int), np.full((1, 2), 2**64 - 1, np.uint64), *lists, *STRANGE))


def _kept(a: LabelMap, b: LabelMap, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pixels that neither map ignores."""
    keep = np.ones(left.shape, bool)
    for each, labels in ((a, left), (b, right)):
        if each.ignore is not None:
            keep &= labels != each.ignore
    return left[keep], right[keep]


def _regions(a: LabelMap, left: np.ndarray) -> None:
    counts = Counter(left.tolist())
    assert a.area.tolist() == [counts[label] for label in a.ids.tolist()]
    assert np.unique(a.ids).size == a.ids.size == len(a)
    if len(a) * left.size <= sound.FEW:
        assert np.array_equal(a.to_masks().array.reshape(len(a), left.size), left == a.ids[:, None])


def _contingency(a: LabelMap, b: LabelMap, left: np.ndarray, right: np.ndarray, threads: int) -> None:
    found = a.contingency(b, threads=threads)
    left, right = _kept(a, b, left, right)
    met = Counter(zip(left.tolist(), right.tolist(), strict=True))
    ids_a, ids_b = (np.unique(side) if map_._ids is None else map_.ids for map_, side in ((a, left), (b, right)))
    assert np.array_equal(found.ids_a, ids_a) and np.array_equal(found.ids_b, ids_b)
    expected = [[met.pop((i, j), 0) for j in ids_b.tolist()] for i in ids_a.tolist()]
    assert np.array_equal(found.counts, np.reshape(expected, (ids_a.size, ids_b.size)))
    rest_a, rest_b = Counter(), Counter()
    for (i, j), pixels in met.items():
        (rest_a if i in ids_a else rest_b)[i if i in ids_a else j if j in ids_b else None] += pixels
    assert found.rest_a.tolist() == [rest_a[i] for i in ids_a.tolist()]
    assert found.rest_b.tolist() == [rest_b[j] for j in ids_b.tolist()] and found.rest == rest_b[None]


def _pairs(a: LabelMap, b: LabelMap, left: np.ndarray, right: np.ndarray, threads: int) -> None:
    """The measures, from what the pixels say."""
    left, right = _kept(a, b, left, right)
    met = Counter(zip(left.tolist(), right.tolist(), strict=True))
    shared = np.array([[met[i, j] for j in b.ids.tolist()] for i in a.ids.tolist()], float).reshape(len(a), len(b))
    area_a, area_b = (_areas(labels, ids) for labels, ids in ((left, a.ids), (right, b.ids)))
    union = np.add.outer(area_a, area_b) - shared
    expected = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    assert np.array_equal(vesica.iou(a, b, threads=threads), expected)
    pairs = vesica.join(a, b, at_least=0.5)
    i, j = np.nonzero(2 * shared >= np.where(union > 0, union, np.inf))
    assert np.array_equal(pairs.i, i) and np.array_equal(pairs.j, j) and np.array_equal(pairs.value, expected[i, j])


def _areas(labels: np.ndarray, ids: np.ndarray) -> np.ndarray:
    counts = Counter(labels.tolist())
    return np.array([counts[label] for label in ids.tolist()], float)
