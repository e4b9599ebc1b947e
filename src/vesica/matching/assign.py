"""Assignment: the best pairs of rows and columns of a matrix."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from vesica import _check as check
from vesica._array import FLOATS, Array, dtype_name, from_numpy, namespace, to_numpy
from vesica._check import matching as check_matching
from vesica._check import names
from vesica._kernels import lane, pick_arrays
from vesica._kernels.tables import Shortage
from vesica.matching.matches import Matches, from_columns, from_rows


@names.shown_without_more
def assign(
    values: Any,
    /,
    *more: NoReturn,
    at_least: float | None = None,
    at_most: float | None = None,
    strict: bool = False,
    maximise: bool | None = None,
    minimise: bool | None = None,
    count_first: bool = False,
    complete: bool | None = None,
    threads: int | None = None,
    **options: NoReturn,
) -> Matches:
    """Choose pairs of rows and columns of a matrix, each in one at most, so that the sum of their values is best.

    A matrix does not say whether it holds values or costs, so you do: `maximise=True` or `minimise=True`. Rows may stay
    unmatched, which is worth 0: a pair that adds nothing is not chosen. That is the difference to
    `scipy.optimize.linear_sum_assignment`, whose answer `minimise=True, complete=True` gives.

    Parameters
    ----------
    values : (N, M) array
        −inf forbids a pair; with `minimise`, inf does. NaN is an error that names its place.
    at_least : float, optional
        Only pairs whose value reaches it; so they are values, and `maximise` need not be said.
    at_most : float, optional
        The same for costs: only pairs that cost no more; `minimise` need not be said.
    strict : bool, default False
        Only pairs beyond that limit, not those at it.
    maximise : bool, optional
        The largest sum.
    minimise : bool, optional
        They are costs: the smallest sum. Say `complete` or `count_first` then: no pair at all costs nothing.
    count_first : bool, default False
        As many pairs as may be, and among those choices the best sum.
    complete : bool, default False
        Every row must be in a pair; or every column, if they are fewer. Where that cannot be, an error names one.
    threads : int, optional
        At most this many; by default VESICA_NUM_THREADS, or all processors.

    Returns
    -------
    Matches
        Rows are `truth` and columns are `guess`; `value` as it stands in the matrix.

    Examples
    --------
    >>> values = [[0.9, 0.8, 0.0], [0.7, 0.1, -0.5]]
    >>> found = assign(values, maximise=True)
    >>> found.truth, found.guess, found.value
    (array([0, 1]), array([1, 0]), array([0.8, 0.7]))

    Costs, as scipy takes them:

    >>> assign([[4, 1, 3], [2, 0, 5], [3, 2, 2]], minimise=True, complete=True).guess_of
    array([1, 0, 2])

    >>> assign([[-1.0, 0.0]], maximise=True)
    <Matches: 0 pairs, 1 of 1 truths unmatched, 2 of 2 guesses unmatched>
    """
    if more or options:
        raise names.not_taken(assign, "assign", more, options)
    # Is it plain what is wanted? Of costs that is more than their smallest sum.
    if at_least is at_most is threads is None and (
        maximise is True
        if minimise is None
        else minimise is True and maximise is None and (count_first or complete is not None)
    ):
        aim = check_matching.goal(count_first=count_first, complete=complete)
        found = lane.serve_assign(values, minimise is True, aim)
        if found is not None:
            return from_columns(found)
    matrix = check_matching.matrix(values)
    check.threads(threads)
    minimise = check_matching.is_cost(maximise, minimise, at_least, at_most)
    limit = check_matching.gate(at_least, at_most, minimise)
    if minimise:
        check_matching.aim_of_costs(count_first=count_first, complete=complete)
    goal = check_matching.goal(count_first=count_first, complete=complete)
    host = to_numpy(matrix)
    costs = host.astype(np.float64)
    if not minimise:
        np.negative(costs, out=costs)
    check_matching.costs(host, costs, minimise)
    if limit is not None:
        bound = _as_cost(limit, matrix, minimise)
        costs[costs >= bound if strict else costs > bound] = np.inf
    if goal == "sum":
        costs[costs >= 0] = np.inf  # no better than no pair

    is_turned = host.shape[0] > host.shape[1]  # the shorter side looks for partners
    near, far, shortage = _choose(costs.T if is_turned else costs, goal, threads)
    if shortage:
        raise check_matching.incomplete_matrix(*shortage, is_turned)

    rows, columns = (far, near) if is_turned else (near, far)
    in_order = np.argsort(rows)
    rows, columns = rows[in_order], columns[in_order]
    xp = namespace(matrix)
    places = from_numpy(rows * host.shape[1] + columns, matrix)
    return from_rows(rows, columns, xp.take(xp.reshape(matrix, (-1,)), places, axis=0), host.shape)


def _as_cost(limit: float, matrix: Array, minimise: bool) -> float:
    """The limit in the dtype of floats: to a float32, 0.7 is the float32 that is nearest to it."""
    xp = namespace(matrix)
    if dtype_name(matrix) in FLOATS and abs(limit) <= float(xp.finfo(matrix.dtype).max):
        limit = float(xp.asarray(limit, dtype=matrix.dtype))
    return limit if minimise else -limit


def _choose(costs: np.ndarray, goal: str, threads: int | None) -> tuple[np.ndarray, np.ndarray, Shortage | None]:
    """Rows and columns of the chosen pairs. Few pairs among many entries are chosen by connected components."""
    allowed = costs < np.inf
    if np.count_nonzero(allowed) * 4 < costs.size:
        i, j = np.nonzero(allowed)
        kernel = pick_arrays("optimal", "pairs", costs)
        places, shortage = kernel.call(i, j, -costs[i, j], costs.shape, goal, threads=threads)
        return i[places], j[places], shortage
    column, shortage = pick_arrays("optimal", "matrix", costs).call(costs, goal)
    rows = np.flatnonzero(column >= 0)
    return rows, column[rows], shortage
