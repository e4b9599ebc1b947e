"""Matching regions: which guess belongs to which truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Unpack

from vesica import _check as check
from vesica._array import cast, device, from_numpy, library, namespace, to_numpy
from vesica._check import Share, names
from vesica._check import matching as check_matching
from vesica._check import selection as check_selection
from vesica._kernels import has_kernel, lane, pick_arrays
from vesica.matching.matches import Matches, from_columns, from_rows
from vesica.overlaps.join import Pairs, wide_join
from vesica.overlaps.measures import Measure, Options, Similarity, iou


@names.explained("join")
def match(
    truth: Any,
    guess: Any,
    /,
    *,
    scores: Any = None,
    at_least: Share = 0.5,
    how: check_matching.Way = "greedy",
    measure: Measure | Similarity = iou,
    strict: bool = False,
    keys: Any = None,
    count_first: bool = False,
    complete: bool = False,
    threads: int | None = None,
    **options: Unpack[Options],
) -> Matches:
    """Match guesses to truths whose measure reaches `at_least`, each to one at most.

    `how="greedy"`: guesses choose one after the other, the highest score first (ties and no scores: in the order of
    their rows); each takes the free truth with the largest measure, among equals the first. `how="optimal"`: the pairs
    with the largest sum of measures. Nothing of the size of the matrix is built: memory is O(N + M + pairs in reach).

    Parameters
    ----------
    truth, guess : regions
        N and M regions of any kinds that `join` compares.
    scores : array of M numbers, optional
        How sure each guess is. Greedy only.
    at_least : float or Fraction, default 0.5
        Threshold in (0, 1], as in `join`; 0 only with `strict=True`.
    how : {"greedy", "optimal"}
    measure : measure or its name, default iou
        Any but `distance`; `truth` is its first argument.
    strict : bool, default False
        Only pairs above the threshold.
    keys : pair of arrays, optional
        Keys of truth and keys of guess: image, class. Only regions with equal keys are matched.
    count_first : bool, default False
        Optimal only: as many pairs as may be, and among those choices the largest sum.
    complete : bool, default False
        Optimal only: every truth must have a guess; where that cannot be, an error names a row.
    threads : int, optional
        At most this many; by default VESICA_NUM_THREADS, or all processors.
    **options
        Options of the measure: `alpha`, `beta`, `of`.

    Returns
    -------
    Matches
        `truth`, `guess`, `value` of each pair, ordered by truth, and the unmatched rows of both sides.

    Examples
    --------
    >>> truth = [[0, 0, 10, 10], [4, 0, 14, 10]]
    >>> guess = [[2, 0, 12, 10], [0, 0, 8, 10]]
    >>> found = match(truth, guess, scores=[0.9, 0.8], at_least=0.3)
    >>> found
    <Matches: 1 pair, 1 of 2 truths unmatched, 1 of 2 guesses unmatched>
    >>> found.guess_of, found.truth_of
    (array([ 0, -1]), array([ 0, -1]))

    The first guess lies between both truths, and the second has only one of them:

    >>> best = match(truth, guess, at_least=0.3, how="optimal")
    >>> best.guess_of, best.value.round(3)
    (array([1, 0]), array([0.8  , 0.667]))

    No guesses, no pairs:

    >>> match(truth, []).unmatched_truth
    array([0, 1])
    """
    check.one_of(how, check_matching.WAYS, "how")
    if how == "greedy":
        check_matching.options_of_greedy(count_first=count_first, complete=complete)
    else:
        check_matching.no_scores(scores)
    goal = None if how == "greedy" else check_matching.goal(count_first=count_first, complete=complete)
    if measure is iou and keys is threads is None and not options:
        columns = lane.serve("match", iou.plain, truth, guess, (at_least, strict, scores, goal))
        if columns is not None:
            return from_columns(columns)
    with check_matching.in_words_of_matching():
        pairs, tables = wide_join(truth, guess, at_least, measure, strict, keys, threads, options)
    size = tables.n, tables.m
    if goal is None and has_kernel("match", "pairs", pairs.value):
        return _on_device(pairs, size, tables.dtype, scores)
    i, j, value = (to_numpy(column) for column in pairs)

    if goal is None:
        kernel = pick_arrays("greedy", "pairs", value)
        places = kernel.call(i, j, value, size, check_matching.scores(scores, tables.m))
    else:
        kernel = pick_arrays("optimal", "pairs", value)
        places, shortage = kernel.call(i, j, value, size, goal, threads=threads)
        if shortage:
            raise check_matching.incomplete_truth(*shortage)

    chosen = namespace(pairs.value).take(pairs.value, from_numpy(places, pairs.value), axis=0)
    return from_rows(i[places], j[places], cast(chosen, tables.dtype), size)


def _on_device(pairs: Pairs, size: tuple[int, int], dtype: str, scores: Any) -> Matches:
    """Greedy choices where the pairs are."""
    ranks = None
    if scores is not None:
        array = check_selection.scores(scores, size[1])
        is_there = library(array) == library(pairs.value) and device(array) == device(pairs.value)
        ranks = cast(array, "float64") if is_there else from_numpy(check_selection.host_scores(array), pairs.value)
    bad, columns = pick_arrays("match", "pairs", pairs.value).call(*pairs, size, ranks)
    if bad >= 0:
        raise check_selection.nan_score(bad)
    truth, guess, value, *others = columns
    return from_columns((truth, guess, cast(value, dtype), *others))
