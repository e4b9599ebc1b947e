"""What must hold of any masks, whatever they were made of. The right answers come from NumPy and from plain loops."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import vesica
from vesica import Masks, RleMasks, SparseMasks

from .numbers import Rng, chance, corners, pick

# Pixels up to which masks are made dense, and held against NumPy.
FEW = 1 << 18


def attempt(call: Callable[[], Any], *names: str) -> Any:
    """The answer; None where vesica refuses, in words of its own that name an argument."""
    try:
        return call()
    except (ValueError, TypeError) as error:
        refusal = error
    place = refusal.__traceback__
    while place.tb_next is not None:
        place = place.tb_next
    module = place.tb_frame.f_globals.get("__name__", "")
    assert module.partition(".")[0] == "vesica", f"{module} raised {refusal!r}"
    assert any(name in str(refusal) for name in names), f"no argument of {names} is named: {refusal!r}"
    return None


def masks(found: Any, rng: Rng, dense: np.ndarray | None = None) -> None:
    """All that holds of one collection. `dense` is the right answer, where it is known."""
    height, width = found.size
    lists = _run_lengths(found)
    if is_small(found):
        expected = decoded(lists, (height, width)) if dense is None else dense
        _dense(found, expected, rng)
    _round_trips(found, lists)
    _pairs(found, lists, rng)
    _boxes(found, rng)


def is_small(found: Any) -> bool:
    """Can these masks be made dense, and is there room for one more?"""
    return max(1, len(found)) * math.prod(max(1, side) for side in found.size) <= FEW


def decoded(lists: list[list[int]], size: tuple[int, int]) -> np.ndarray:
    """Run lengths as dense masks."""
    flat = [np.repeat(np.arange(len(counts)) % 2 == 1, counts) for counts in lists]
    return np.array(flat, bool).reshape(len(lists), size[1], size[0]).swapaxes(1, 2)


def _run_lengths(found: Any) -> list[list[int]]:
    """The counts, canonical and of the right area and box."""
    height, width = found.size
    rle = found.to_rle()
    lists = rle.to_counts()
    area, boxes = np.asarray(found.area), np.asarray(found.boxes.xyxy)
    assert len(lists) == len(found) == len(area) == len(boxes)
    for counts, count, (x1, y1, x2, y2) in zip(lists, area.tolist(), boxes.tolist(), strict=True):
        assert sum(counts) == height * width, counts
        assert counts[0] >= 0 and all(length > 0 for length in counts[1:]), counts
        assert sum(counts[1::2]) == count
        assert (0 <= x1 < x2 <= width and 0 <= y1 < y2 <= height) if count else x1 == y1 == x2 == y2 == 0
        assert count <= (x2 - x1) * (y2 - y1)
    return lists


def _round_trips(found: Any, lists: list[list[int]]) -> None:
    size, rle = found.size, found.to_rle()
    texts = rle.to_strings()
    assert RleMasks(lists, size=size).to_counts() == lists
    assert RleMasks(texts, size=size).to_counts() == lists
    assert RleMasks([text.decode() for text in texts], size=size).to_strings() == texts
    assert RleMasks.from_arrays(rle.counts, rle.offsets, size=size).to_counts() == lists
    mixed = [pair[k % 2] for k, pair in enumerate(zip(lists, texts, strict=True))]
    assert RleMasks(mixed, size=size).to_counts() == lists
    if len(found):
        assert RleMasks.from_coco(rle.to_coco()).to_counts() == lists
    if int(np.sum(found.area)) <= FEW:
        sparse = SparseMasks.from_masks(found)
        again = SparseMasks(sparse.indices, size=(len(found), *size))
        assert again.to_rle().to_counts() == lists
        assert again.indices.tolist() == sparse.indices.tolist()


def _dense(found: Any, expected: np.ndarray, rng: Rng) -> None:
    height, width = found.size
    stack = np.asarray(found.to_masks().array)
    assert stack.dtype == bool and stack.shape == expected.shape
    assert np.array_equal(stack, expected)
    rle = found.to_rle()
    assert RleMasks.from_masks(expected).to_counts() == rle.to_counts()
    assert SparseMasks.from_masks(expected).to_rle().to_counts() == rle.to_counts()
    for k, (x1, y1, x2, y2) in enumerate(np.asarray(found.boxes.xyxy).tolist()):
        assert [x1, x2] == _span(expected[k].any(axis=0)) and [y1, y2] == _span(expected[k].any(axis=1))
    x1, x2 = sorted(rng.integers(0, width + 1, 2).tolist())
    y1, y2 = sorted(rng.integers(0, height + 1, 2).tolist())
    assert np.array_equal(rle.crop(x1, y1, x2, y2).to_masks().array, expected[:, y1:y2, x1:x2])
    assert np.array_equal(rle.union().to_masks().array[0], expected.any(axis=0))
    if len(rle):
        assert np.array_equal(rle.intersection().to_masks().array[0], expected.all(axis=0))
    rows = rng.integers(0, len(rle), 3) if len(rle) else np.empty(0, int)
    for kind in (rle, SparseMasks.from_masks(found)):
        assert np.array_equal(kind[rows].to_masks().array, expected[rows])


def _span(seen: np.ndarray) -> list[int]:
    places = np.flatnonzero(seen)
    return [int(places[0]), int(places[-1]) + 1] if places.size else [0, 0]


def _shared(p: list[int], q: list[int]) -> int:
    """The pixels that two lists of counts share, run by run."""
    first, second = ([(sum(c[:k]), sum(c[: k + 1])) for k in range(1, len(c), 2)] for c in (p, q))
    return sum(max(0, min(e, f) - max(b, d)) for b, e in first for d, f in second)


def _pairs(found: Any, lists: list[list[int]], rng: Rng) -> None:
    """Masks against themselves in another form."""
    if sum(map(len, lists)) > 400 and not is_small(found):
        return
    other = _other_form(found, rng)
    got = np.asarray(vesica.iou(found, other, threads=int(rng.integers(1, 4))))
    if is_small(found):
        flat = decoded(lists, found.size).reshape(len(lists), math.prod(found.size)).astype(float)
        shared = flat @ flat.T
    else:
        shared = np.array([[_shared(p, q) for q in lists] for p in lists], float).reshape(len(lists), len(lists))
    area = np.array([sum(counts[1::2]) for counts in lists], float)
    union = area[:, None] + area[None, :] - shared
    expected = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    assert got.shape == expected.shape
    assert np.all((got >= 0) & (got <= 1))
    assert np.allclose(got, expected, rtol=1e-14, atol=0)
    aligned = np.asarray(vesica.iou(found, other, aligned=True))
    assert np.array_equal(aligned, np.diagonal(got))
    pairs = vesica.join(found, other, at_least=0.5)
    i, j = np.nonzero(got >= 0.5)
    assert np.array_equal(pairs.i, i) and np.array_equal(pairs.j, j)
    assert np.array_equal(pairs.value, got[i, j])


def _other_form(found: Any, rng: Rng) -> Any:
    forms = [found, found.to_rle(), SparseMasks.from_masks(found)]
    forms += [RleMasks(found.to_rle().to_counts(), size=found.size)]
    if is_small(found):
        forms.append(found.to_masks())
    return pick(rng, forms)


def _boxes(found: Any, rng: Rng) -> None:
    """Masks against boxes: the share of each pixel that a box covers, summed."""
    height, width = found.size
    rows = corners(rng, height, width)
    if chance(rng, 0.3):
        rows = np.repeat(rows, 40, axis=0)  # so many that tables of sums are worth their making
    parts = attempt(lambda: vesica.parts(found, rows), "`b`")
    if parts is None:
        return
    got, area = np.asarray(parts.inter), np.asarray(found.area)
    sides = np.maximum(rows[:, 2:] - rows[:, :2], 0)
    assert got.shape == (len(found), len(rows))
    assert np.all(got >= 0)
    assert np.all(got <= area[:, None] * (1 + 1e-12))
    assert np.all(got <= sides.prod(axis=1) * (1 + 1e-9))
    turned = np.asarray(vesica.parts(rows, found).inter)
    assert np.array_equal(turned, got.T)
    if is_small(found):
        across, down = _shares(rows[:, 0], rows[:, 2], width), _shares(rows[:, 1], rows[:, 3], height)
        stack = np.asarray(found.to_masks().array, float)
        expected = np.einsum("ky,nyx,kx->nk", down, stack, across, optimize=True)
        assert np.allclose(got, expected, rtol=1e-9, atol=1e-9)


def _shares(low: np.ndarray, high: np.ndarray, count: int) -> np.ndarray:
    pixel = np.arange(count)
    return np.clip(np.minimum(high[:, None], pixel + 1) - np.maximum(low[:, None], pixel), 0, None)


def dense_kinds(stack: np.ndarray) -> tuple[Any, ...]:
    """The same pixels in every form."""
    return Masks(stack), RleMasks.from_masks(stack), SparseMasks.from_masks(stack)
