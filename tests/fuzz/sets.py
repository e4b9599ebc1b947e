"""Finite sets: anything that can be walked, of anything that can be a member."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import vesica
from vesica import Sets

from . import sound
from .numbers import EXTREMES, STRANGE, Rng, chance, pick

NAMES = ("", "cat", "\ud800", b"cat", ("cat", 1), frozenset({1}), None, ..., 1j, Fraction(1, 3), int, 2**200)
FORMS = (list, tuple, set, frozenset, iter, dict.fromkeys, np.array, lambda members: np.array(members)[::-1])


def trial(rng: Rng) -> None:
    (given, plain), (other, plain_other) = _collection(rng), _collection(rng)
    found, second = (sound.attempt(lambda g=g: Sets(g), "`sets`") for g in (given, other))
    for sets, expected in ((found, plain), (second, plain_other)):
        if expected is not None and sets is not None:
            assert sets.to_list() == expected
            assert sets.area.tolist() == [len(one) for one in expected]
    if found is None or second is None:
        return
    lists = found.to_list(), second.to_list()
    threads = int(rng.integers(1, 4))
    got = sound.attempt(lambda: np.asarray(vesica.iou(found, second, threads=threads)), "`a` and `b`")
    if got is not None:
        _pairs(found, second, lists, got)


def _collection(rng: Rng) -> tuple[Any, list[set[Any]] | None]:
    """Sets in some form; and as Python's own, where they can be."""
    if chance(rng, 0.05):
        return pick(rng, (*STRANGE, "abc", [1, 2], {1, 2}, [[[1]]], np.zeros((2, 3), int), np.array([]))), None
    count = int(pick(rng, (0, 1, 3, 40)))
    if chance(rng, 0.15):
        return [_any(rng) for _ in range(count)], None
    plain = [_members(rng) for _ in range(count)] if chance(rng, 0.7) else [_names(rng) for _ in range(count)]
    forms = FORMS[:6] if any(isinstance(member, str) for one in plain for member in one) else FORMS
    given = [pick(rng, forms)(sorted(one) * 2) if one else [] for one in plain]
    return pick(rng, (list, tuple, iter))(given), plain


def _members(rng: Rng) -> set[Any]:
    """Integers, few or many, near each other or anywhere."""
    size, span = int(pick(rng, (0, 1, 5, 60))), int(pick(rng, (3, 100, 2**62)))
    members = set(rng.integers(-span, span, size).tolist())
    return members | {pick(rng, EXTREMES)} if chance(rng, 0.1) else members


def _names(rng: Rng) -> set[Any]:
    return {f"name {number}" for number in rng.integers(0, pick(rng, (3, 100)), int(rng.integers(0, 9)))}


def _any(rng: Rng) -> Any:
    members = [pick(rng, pick(rng, (NAMES, NAMES, EXTREMES, STRANGE))) for _ in range(int(rng.integers(0, 4)))]
    dtypes = ("object", "uint64", "float64", "bool", "U3", "S3", "M8[s]", "V2", ">i4")
    array = rng.integers(0, 9, 4).astype("int64").astype(pick(rng, dtypes)) if chance(rng, 0.3) else None
    return pick(rng, (members, tuple(members), [np.uint64(2**63)], [np.int8(3), 3], array, np.array(3), 5, "abc", b"ab",
                      np.array([*members, None], object), np.array([2**63, 1], np.uint64)))  # fmt: skip


def _pairs(a: Sets, b: Sets, lists: tuple[list[set[Any]], list[set[Any]]], got: np.ndarray) -> None:
    left, right = lists
    shared = np.array([[len(p & q) for q in right] for p in left], float).reshape(len(left), len(right))
    union = np.array([[len(p | q) for q in right] for p in left], float).reshape(len(left), len(right))
    expected = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    assert np.array_equal(got, expected)
    assert np.array_equal(vesica.parts(a, b).inter, shared)
    pairs = vesica.join(a, b, at_least=0.25)
    i, j = np.nonzero((4 * shared >= union) & (union > 0))
    assert np.array_equal(pairs.i, i) and np.array_equal(pairs.j, j) and np.array_equal(pairs.value, expected[i, j])
    few = min(len(a), len(b))
    assert np.array_equal(vesica.iou(a[:few], b[:few], aligned=True), np.diagonal(expected))
