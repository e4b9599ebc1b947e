"""Checks of matching: scores, matrices of values, and what cannot be had."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Literal, get_args

import numpy as np

from vesica import _check as check
from vesica._array import Array, dtype_name, is_traced
from vesica._check import selection as check_selection

Way = Literal["greedy", "optimal"]
WAYS: tuple[str, ...] = get_args(Way)

# Beyond this, a sum along a path could overflow.
_LIMIT = 2.0**960

_WORDS = {
    "`a`": "`truth`",
    "`b`": "`guess`",
    "keys of a": "keys of truth",
    "keys of b": "keys of guess",
    "a join": "matching",
}


@contextlib.contextmanager
def in_words_of_matching() -> Iterator[None]:
    """What a join says about `a` and `b` is about `truth` and `guess` here."""
    try:
        yield
    except (TypeError, ValueError) as error:
        said = str(error)
        for word, ours in _WORDS.items():
            said = said.replace(word, ours)
        if said == str(error):
            raise
        raise type(error)(said) from None


def goal(*, count_first: bool, complete: bool | None) -> str:
    """What the best choice is, as the kernels call it. Completeness has the most pairs anyway."""
    return "complete" if complete else "count" if count_first else "sum"


def options_of_greedy(*, count_first: bool, complete: bool) -> None:
    for name, is_given in (("count_first", count_first), ("complete", complete)):
        if is_given:
            raise TypeError(f'`{name}` weighs all pairs against each other, which greedy never does: how="optimal".')


def no_scores(scores: Any) -> None:
    if scores is not None:
        raise TypeError('`scores` say who chooses first, and how="optimal" has no first: leave them out.')


def scores(value: Any, count: int) -> np.ndarray | None:
    """One number for each guess, as the kernel reads them."""
    if value is None:
        return None
    numbers = check_selection.host_scores(check_selection.scores(value, count))
    strange = np.flatnonzero(np.isnan(numbers))
    if strange.size:
        raise check_selection.nan_score(int(strange[0]))
    return numbers


def matrix(value: Any) -> Array:
    """A matrix of numbers, in its own library."""
    check.not_masked(value, "values", "fill it with −inf, which forbids a pair (or inf, where they are costs)")
    array = check.listed(value, "values")
    if dtype_name(array) not in check.NUMBERS:
        hint = " Where they say which pairs may be: values.astype(float)." if dtype_name(array) == "bool" else ""
        raise TypeError(f"`values` must hold integers or floats up to 64 bits; got {dtype_name(array)}.{hint}")
    if array.ndim != 2:
        shape = tuple(int(side) for side in array.shape)
        hint = " A batch is one call for each matrix." if array.ndim == 3 else ""
        raise ValueError(f"`values` must have shape (N, M); got {shape}.{hint}")
    if is_traced(array):
        raise TypeError("`values` must be there to be looked at: call assign outside of compile, jit, vmap and grad.")
    return array


def costs(values: np.ndarray, costs: np.ndarray, minimise: bool) -> None:
    """No NaN, no infinite reward, nothing so large that sums overflow."""
    if costs.min(initial=0) >= -_LIMIT and costs.max(initial=0) <= _LIMIT:  # both are NaN where an entry is
        return
    strange = ~((np.abs(costs) <= _LIMIT) | (costs == np.inf))
    if not strange.any():
        return
    i, j = (int(k) for k in np.argwhere(strange)[0])
    forbid = "inf" if minimise else "−inf"
    place = f"got {values[i, j]} at ({i}, {j})"
    if np.isnan(costs[i, j]):
        raise ValueError(f"`values` must be numbers; {place}. {forbid} forbids a pair.")
    if np.isinf(costs[i, j]):
        way = "costs: minimise=True" if not minimise else "values of which the largest are wanted: minimise=False"
        raise ValueError(f"`values` must not be infinitely good; {place}. {forbid} forbids a pair; for {way}.")
    raise ValueError(f"`values` must lie within ±2^960, or their sums overflow; {place}. {forbid} forbids a pair.")


def is_cost(maximise: bool | None, minimise: bool | None, at_least: Any, at_most: Any) -> bool:
    """Are the values costs? It must have been said, by `maximise`, `minimise` or a limit."""
    if maximise is not None and minimise is not None and bool(maximise) == bool(minimise):
        raise TypeError(f"`maximise` and `minimise` contradict each other: both are {bool(minimise)}. Say one of them.")
    if minimise is not None:
        return bool(minimise)
    if maximise is not None:
        return not maximise
    if at_least is None and at_most is None:
        raise TypeError(
            "A matrix does not say whether the largest or the smallest sum is wanted: say maximise=True for values "
            "such as ious, or minimise=True for costs, as scipy's linear_sum_assignment takes them."
        )
    return at_least is None


def gate(at_least: Any, at_most: Any, minimise: bool) -> float | None:
    """The limit that a pair must keep, above for values and below for costs."""
    if minimise and at_least is not None:
        raise TypeError("`at_least` is for values; costs have a limit above: at_most=….")
    if not minimise and at_most is not None:
        raise TypeError("`at_most` is for costs (minimise=True); values have a limit below: at_least=….")
    name, limit = ("at_most", at_most) if minimise else ("at_least", at_least)
    return None if limit is None else check.finite(limit, name)


def aim_of_costs(*, count_first: bool, complete: bool | None) -> None:
    if complete is None and not count_first:
        raise TypeError(
            "`complete` has no default with minimise=True, because nothing is cheaper than no pair at all: say "
            "complete=True for the cheapest pairs that leave no row of the shorter side out, count_first=True for as "
            "many as may be and then the cheapest, or complete=False for pairs of negative cost alone."
        )


def incomplete_truth(row: int, rows: int) -> ValueError:
    start = f"`complete=True` needs a guess for every truth; row {row}"
    way = "Lower `at_least`, or leave `complete` out."
    if rows == 1:
        return ValueError(f"{start} of `truth` has none that reaches the threshold. {way}")
    return ValueError(
        f"{start} and {_several(rows - 1, 'other')} have only {_several(rows - 1, 'guess')} in reach. {way}"
    )


def incomplete_matrix(row: int, rows: int, is_turned: bool) -> ValueError:
    near, far = ("column", "row") if is_turned else ("row", "column")
    start = f"`complete=True` needs a pair for every {near} of `values`; {near} {row}"
    way = f"Allow more pairs, or say count_first=True for as many {near}s as may be."
    if rows == 1:
        return ValueError(f"{start} has none that is allowed. {way}")
    left = f"{_several(rows - 1, far)} that {'is' if rows == 2 else 'are'} allowed"
    return ValueError(f"{start} and {_several(rows - 1, 'other')} have only {left}. {way}")


def _several(count: int, noun: str) -> str:
    plural = {"guess": "guesses"}.get(noun, f"{noun}s")
    return f"{count} {noun if count == 1 else plural}"
