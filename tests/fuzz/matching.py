"""Matching: matrices of any numbers, and boxes that share scores, keys and places. scipy has the right sums."""

from __future__ import annotations

from typing import Any

import numpy as np

import vesica
from vesica import _native, assign, match

from . import sound
from .numbers import EXTREMES, STRANGE, Rng, chance, corners, isa_level, pick

NUMBERS = (0.0, -0.0, 1.0, -1.0, 5e-324, 1e-300, 1e280, -1e280, 2.0**960, 1e300, np.inf, -np.inf, np.nan)


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    _matrix(rng) if chance(rng, 0.6) else _boxes(rng)


def _matrix(rng: Rng) -> None:
    values, minimise = _values(rng), chance(rng, 0.5)
    aim = pick(
        rng, ({"complete": False}, {"complete": True}, {"count_first": True}, {"complete": True, "count_first": True})
    )
    options: dict[str, Any] = {**aim, "minimise": minimise, "threads": int(rng.integers(1, 4))}
    limit = pick(rng, (None, None, 0.0, 0.5, -1, 3, *STRANGE))
    if limit is not None:
        options |= {"at_most" if minimise else "at_least": limit, "strict": chance(rng, 0.5)}
    found = sound.attempt(lambda: assign(values, **options), "`values`", "`at_least`", "`at_most`")
    if found is None:
        return
    table = np.asarray(values)
    costs = table.astype(float) * (1 if minimise else -1)
    if limit is not None:
        is_narrow = table.dtype.kind == "f" and abs(float(limit)) <= float(np.finfo(table.dtype).max)
        bound = float(table.dtype.type(limit)) if is_narrow else float(limit)
        bound *= 1 if minimise else -1
        costs[costs >= bound if options.get("strict") else costs > bound] = np.inf
    _sound(found, table)
    _best(found, costs, aim)


def _values(rng: Rng) -> Any:
    shape = tuple(int(pick(rng, (0, 1, 2, 3, 8, 9, 17, 40, 70))) for _ in range(2))
    if chance(rng, 0.05):
        return pick(
            rng, (*STRANGE, [[]], [[1, 2], [3]], [1, 2], np.zeros((1, 1, 1)), np.array([["a"]]), [[None]], [[1j]])
        )
    kind = pick(rng, ("smooth", "ties", "wide", "few", "odd", "extreme"))
    if kind == "ties":
        dtype = pick(rng, ("int8", "uint8", "int64", "float16", "float32", "float64"))
        return rng.integers(0, 4, shape).astype(dtype)
    if kind == "extreme":
        return rng.choice(np.array(EXTREMES), shape)
    values = rng.normal(0, 1, shape)
    if kind == "wide":
        values *= 10.0 ** rng.integers(-280, 280)
    if kind == "few":
        values[rng.random(shape) < rng.random()] = pick(rng, (-np.inf, np.inf))
    if kind == "odd" and values.size:
        values.flat[rng.integers(0, values.size, 5)] = rng.choice(NUMBERS, 5)
    return values.T if chance(rng, 0.3) else values


def _sound(found: Any, values: np.ndarray) -> None:
    assert len(set(found.truth.tolist())) == len(set(found.guess.tolist())) == len(found)
    assert np.array_equal(found.value, values[found.truth, found.guess])
    assert np.all(np.diff(found.truth) > 0)
    assert np.array_equal(found.guess_of[found.truth], found.guess)
    assert np.array_equal(found.truth_of[found.guess], found.truth)
    for partner, left in ((found.guess_of, found.unmatched_truth), (found.truth_of, found.unmatched_guess)):
        assert np.array_equal(np.flatnonzero(partner < 0), left) and len(left) == len(partner) - len(found)


def _best(found: Any, costs: np.ndarray, aim: dict[str, bool]) -> None:
    chosen = costs[found.truth, found.guess]
    assert np.all(chosen < np.inf)
    allowed = costs < np.inf
    scale = np.abs(costs[allowed]).max(initial=0)
    if aim.get("complete"):
        assert len(found) == min(costs.shape)
        want = costs[_optimal(costs)].sum()
    elif aim.get("count_first"):
        assert len(found) == _optimal(allowed, maximize=True)[0].size - _misses(allowed)
        return  # of the sums, the tests of small whole numbers take care: a large number added here would round
    else:
        worth = np.where(allowed, np.minimum(costs, 0), 0)
        want = worth[_optimal(worth)].sum()
    assert abs(chosen.sum() - want) <= 1e-12 * scale * (1 + min(costs.shape)), (chosen.sum(), want)


def _optimal(costs: np.ndarray, *, maximize: bool = False) -> Any:
    from scipy.optimize import linear_sum_assignment  # late: SciPy is large, and few trials need it

    return linear_sum_assignment(costs, maximize=maximize)


def _misses(allowed: np.ndarray) -> int:
    """How many pairs of the largest choice are not allowed ones."""
    return int((~allowed[_optimal(allowed, maximize=True)]).sum())


def _boxes(rng: Rng) -> None:
    truth, guess = (corners(rng, 20, 20) for _ in range(2))
    if len(truth) and chance(rng, 0.5):
        guess = truth[rng.integers(0, len(truth), len(guess))]  # the same boxes again and again
    keys = None if chance(rng, 0.5) else tuple(rng.integers(0, 2, len(side)) for side in (truth, guess))
    t, threads = pick(rng, (0.1, 0.5, 1)), int(rng.integers(1, 4))
    values = sound.attempt(lambda: vesica.iou(truth, guess), "`a`", "`b`")
    shared = {"at_least": t, "keys": keys, "threads": threads}
    names = "`truth`", "`guess`"
    greedy = sound.attempt(lambda: match(truth, guess, scores=rng.integers(0, 3, len(guess)), **shared), *names)
    best = sound.attempt(lambda: match(truth, guess, how="optimal", **shared), *names)
    if values is None:
        assert greedy is None and best is None
        return
    for found in (greedy, best):
        _sound(found, values)
        assert np.all(found.value >= t * (1 - 1e-12))
        assert keys is None or np.array_equal(keys[0][found.truth], keys[1][found.guess])
    assert greedy.value.sum() <= best.value.sum() * (1 + 1e-12)
