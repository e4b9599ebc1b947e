"""Votes: any masks of several annotators, any clusters of what they drew."""

from __future__ import annotations

import math

import numpy as np

from vesica import Dataset, RleMasks, _native
from vesica._kernels.generic import vote_patterns as twin
from vesica.agreement.consensus import consensus
from vesica.agreement.staple import staple
from vesica.agreement.vote_patterns import VotePatterns, label_patterns, vote_patterns
from vesica.errors import InputError

from . import sound
from .numbers import STRANGE, Rng, chance, isa_level, pick, side


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    pick(rng, (_masks, _masks, _labels, _clusters, _strange))(rng)


def _stack(rng: Rng) -> np.ndarray:
    """Masks of one to many annotators: noise, empty, full, runs."""
    shape = int(pick(rng, (1, 2, 3, 4, 6, 7, 9, 12, 64))), side(rng), side(rng)
    stack = rng.random(shape) < pick(rng, (0.0, 0.02, 0.5, 1.0))
    if chance(rng, 0.5):
        stack[:, : shape[1] // 2] = False
    return stack if chance(rng, 0.7) else stack.astype(pick(rng, ("uint8", "int16", "int64")))


def _masks(rng: Rng) -> None:
    stack = _stack(rng)
    found = vote_patterns(stack, threads=int(rng.integers(1, 4)))
    code, count = twin.dense(stack.reshape(len(stack), -1))
    assert np.array_equal(found.code, code) and np.array_equal(found.count, count)
    if min(stack.shape[1:]):
        runs = vote_patterns(RleMasks.from_masks(stack != 0))
        assert np.array_equal(runs.code, code) and np.array_equal(runs.count, count)
    fit = staple(found, prior=str(pick(rng, ("fixed", "free"))), most_steps=50)
    assert ((fit.belief >= 0) & (fit.belief <= 1)).all()
    for one in (found.alpha, found.fleiss):
        assert (one.value is None) == (one.status != "ok") and (one.value is None or math.isfinite(one.value))


def _labels(rng: Rng) -> None:
    shape = int(rng.integers(1, 11)), side(rng), side(rng)
    maps = rng.integers(0, int(pick(rng, (1, 2, 300, 10**12))), shape)
    found = label_patterns(maps)
    labels, count = twin.labels(maps.reshape(len(maps), -1))
    assert np.array_equal(found.labels, labels) and np.array_equal(found.count, count)


def _clusters(rng: Rng) -> None:
    """Anything may be called a cluster: the answer is sound, or the refusal says what is wrong."""
    count = int(rng.integers(1, 9))
    stack = rng.random((count, 9, 11)) < pick(rng, (0.0, 0.3, 0.9))
    people = rng.integers(0, 4, count)
    data = Dataset.from_arrays(
        masks=stack, image=rng.integers(0, 2, count), annotator=people, assignments="all", sizes=(9, 11)
    )
    options = {"geometry": str(pick(rng, ("median", "majority", "staple"))), "match_at": 0.5}
    try:
        found = sound.attempt(lambda: consensus(data, rng.integers(-1, 4, count), **options), "cluster", "annotator")
    except InputError:
        return
    if found is not None:
        assert (found.score <= 1).all() and len(found.data) + len(found.rejected) == len(found)
        assert np.array_equal(found.objects.segments.areas(), found.objects.area)


def _strange(rng: Rng) -> None:
    value = pick(rng, STRANGE)
    call = pick(
        rng, (lambda: vote_patterns(value), lambda: label_patterns([value]), lambda: VotePatterns.from_table(value))
    )
    sound.attempt(call, "masks", "maps", "table")
