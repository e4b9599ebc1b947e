"""The best partners of each region, without the matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Unpack

from vesica import _check as check
from vesica._answer import Answer
from vesica._array import Array, cast, device, namespace, widened
from vesica._check import names
from vesica._kernels import pick
from vesica.overlaps.measures import Measure, Options, Similarity, as_similarity, iou
from vesica.regions import comparable, regions_of_pair


@dataclass(frozen=True, eq=False, repr=False)
class Best(Answer):
    """The best partners of N regions, best first. `index, value = best` unpacks them.

    Attributes
    ----------
    index : (N, k) int64, rows of the second collection; −1 where it has fewer than k
    value : (N, k) floats; 0 where there is no partner
    """

    index: Array
    value: Array

    def __len__(self) -> int:
        return int(self.index.shape[0])

    def __iter__(self) -> Iterator[Array]:
        return iter((self.index, self.value))


@names.explained("join")
def best(
    a: Any,
    b: Any,
    /,
    *,
    k: int = 1,
    measure: Measure | Similarity = iou,
    threads: int | None = None,
    **options: Unpack[Options],
) -> Best:
    """Find the k regions of `b` with the largest measure for each region of `a`.

    The same indices and values as sorting each row of the matrix, ties to the lower index; but the matrix is never
    built, and memory is O(N·k + M).

    Parameters
    ----------
    a, b : regions
        N and M regions.
    k : int, default 1
        How many partners. Where b has fewer, the index is −1 and the value 0.
    measure : measure or its name, default iou
        Any but `distance`.
    threads : int, optional
        At most this many; by default VESICA_NUM_THREADS, or all processors.

    Returns
    -------
    Best
        `index` and `value`, each (N, k).

    Examples
    --------
    >>> guess = [[0, 0, 4, 2], [1, 1, 5, 5], [6, 6, 8, 8]]
    >>> found = best([[0, 0, 4, 4]], guess, k=2)
    >>> found.index, found.value.round(4)
    (array([[0, 1]]), array([[0.5   , 0.3913]]))
    >>> best([[0, 0, 4, 4]], []).index
    array([[-1]])
    """
    measure = as_similarity(measure)
    check.threads(threads)
    k = check.positive(k, "k")
    formula = measure.chosen(options)
    first, second = regions_of_pair(a, b)
    tables = comparable(first, second, aligned=False, threads=threads)
    check.one_table(first.shape, "a", "best")  # label maps know their shape once they are counted
    check.one_table(second.shape, "b", "best")
    measure.check_kind(tables.kind)
    there, dtype = min(k, tables.m), tables.dtype
    tables = tables._replace(dtype=widened(dtype))  # the best are found before values are rounded to half precision

    index, value = pick("best", tables, formula).call(tables, formula, k=there, threads=threads)

    return Best(_padded(index, k, -1), _padded(cast(value, dtype), k, 0))


def _padded(table: Array, k: int, filler: int) -> Array:
    """The table with k columns."""
    missing = k - int(table.shape[1])
    if not missing:
        return table
    xp = namespace(table)
    rest = xp.full((table.shape[0], missing), filler, dtype=table.dtype, device=device(table))
    return xp.concat([table, rest], axis=1)
