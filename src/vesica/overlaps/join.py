"""Joins: the pairs that reach a threshold, and nothing of the size of the matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Unpack

import numpy as np

from vesica import _check as check
from vesica._answer import Answer
from vesica._array import Array, cast, widened
from vesica._check import Share, names
from vesica._kernels import Tables, Wanted, lane, pick
from vesica.overlaps.keys import numbered, numbered_pair
from vesica.overlaps.measures import Measure, Options, Similarity, as_similarity, iou
from vesica.regions import comparable, regions_of_pair


@dataclass(frozen=True, eq=False, repr=False)
class Pairs(Answer):
    """Pairs of regions and their values, ordered by `i`, then `j`. `i, j, value = pairs` unpacks them.

    Attributes
    ----------
    i, j : int64 arrays of length P, rows of the first and of the second collection
    value : floats of length P
    """

    i: Array
    j: Array
    value: Array

    def __len__(self) -> int:
        return int(self.i.shape[0])

    def __iter__(self) -> Iterator[Array]:
        return iter((self.i, self.j, self.value))


@names.explained("join")
def join(
    a: Any,
    b: Any = None,
    /,
    *,
    at_least: Share,
    measure: Measure | Similarity = iou,
    strict: bool = False,
    keys: Any = None,
    threads: int | None = None,
    **options: Unpack[Options],
) -> Pairs:
    """Find the pairs of regions whose measure reaches `at_least`, and no others.

    The N×M matrix is never built: pairs that cannot reach the threshold are not looked at, and memory is O(N + M + P).
    The threshold means the decimal you wrote (0.3 is 3/10), or the `Fraction`, and boxes of integers and of floats are
    decided exactly, by cross-multiplication: a pair at the threshold belongs to the answer.

    Parameters
    ----------
    a, b : regions
        N and M regions. Without `b`, pairs within `a`, each once, with i < j.
    at_least : float or Fraction
        Threshold in (0, 1]; 0 only with `strict=True`: all pairs that share area.
    measure : measure or its name, default iou
        Any but `distance`.
    strict : bool, default False
        Only pairs above the threshold.
    keys : array, or a pair of arrays, optional
        One key (or row of keys) for each region: image, class. Regions with different keys are never paired.
    threads : int, optional
        At most this many; by default VESICA_NUM_THREADS, or all processors.
    **options
        Options of the measure: `alpha`, `beta`, `of`.

    Returns
    -------
    Pairs
        `i`, `j`, `value`, each of length P, ordered by `i`, then `j`. Regions that share no area are never among them.

    Examples
    --------
    >>> truth = [[0, 0, 4, 4], [6, 6, 8, 8]]
    >>> guess = [[0, 0, 4, 2], [1, 1, 5, 5], [6, 6, 8, 8]]
    >>> pairs = join(truth, guess, at_least=0.5)
    >>> pairs.i, pairs.j, pairs.value
    (array([0, 1]), array([0, 2]), array([0.5, 1. ]))

    No guesses, no pairs:

    >>> len(join(truth, [], at_least=0.5))
    0
    """
    if measure is iou and keys is threads is None and not options:
        columns = lane.serve("join", iou.plain, a, b, (at_least, strict))
        if columns is not None:
            return Pairs(*columns)
    pairs, tables = wide_join(a, b, at_least, measure, strict, keys, threads, options)
    return Pairs(pairs.i, pairs.j, cast(pairs.value, tables.dtype))


def wide_join(
    a: Any,
    b: Any,
    at_least: Share,
    measure: Measure | str,
    strict: bool,
    keys: Any,
    threads: int | None,
    options: Mapping[str, Any],
) -> tuple[Pairs, Tables]:
    """A join whose values are not rounded to half precision yet, so that they can be ordered; and what was joined."""
    measure = as_similarity(measure)
    check.threads(threads)
    threshold = check.threshold(at_least, "at_least", strict=strict)
    formula = measure.chosen(options)
    tables, self_join = _sides(a, b, threads)
    wanted = Wanted(threshold, _numbers(keys, tables, self_join), self_join)
    measure.check_kind(tables.kind)

    wide = tables._replace(dtype=widened(tables.dtype))
    return Pairs(*pick("join", wide, formula).call(wide, formula, wanted, threads=threads)), tables


def _sides(a: Any, b: Any, threads: int | None) -> tuple[Tables, bool]:
    first, second = regions_of_pair(a, a if b is None else b)
    tables = comparable(first, second, aligned=False, threads=threads)
    check.one_table(first.shape, "a", "a join")  # label maps know their shape once they are counted
    check.one_table(second.shape, "b", "a join")
    return tables, b is None


def _numbers(keys: Any, tables: Tables, self_join: bool) -> tuple[np.ndarray, np.ndarray] | None:
    if keys is None:
        return None
    if self_join:
        numbers = numbered(check.key_column(keys, tables.n, "keys"))
        return numbers, numbers
    return numbered_pair(keys, tables.n, tables.m)
