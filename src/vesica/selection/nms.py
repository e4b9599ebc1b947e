"""Greedy non-maximum suppression: of many proposals for one thing, the best stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

if TYPE_CHECKING:
    from typing_extensions import Unpack

import numpy as np

from vesica import _check as check
from vesica._array import Array, SomeArray, to_numpy
from vesica._check import Share, names
from vesica._check import selection as check_selection
from vesica._kernels import Ranked, Tables, lane, pick
from vesica.overlaps.keys import numbered
from vesica.overlaps.measures import Chosen, Measure, Options, Similarity, as_similarity, iou
from vesica.regions import LabelMap, Masks, as_region, comparable

A = TypeVar("A", bound=SomeArray)


class NmsOptions(Options, total=False):
    """What nms takes, beside the options of the measure."""

    above: Share
    measure: Measure | Similarity
    strict: bool
    keys: Any
    min_score: float | None
    limit: int | None
    threads: int | None


@overload
def nms(
    regions: np.ndarray[Any, Any],
    scores: Any,
    /,
    *,
    suppressed_by: Literal[False] = False,
    **options: Unpack[NmsOptions],
) -> np.ndarray[Any, np.dtype[np.int64]]: ...
@overload
def nms(regions: A, scores: Any, /, *, suppressed_by: Literal[False] = False, **options: Unpack[NmsOptions]) -> A: ...
@overload
def nms(
    regions: Any, scores: Any, /, *, suppressed_by: Literal[False] = False, **options: Unpack[NmsOptions]
) -> Array: ...
@overload
def nms(
    regions: Any, scores: Any, /, *, suppressed_by: Literal[True], **options: Unpack[NmsOptions]
) -> tuple[Array, Array]: ...
@names.shown_without_more
def nms(
    regions: Any,
    scores: Any,
    /,
    *more: Any,
    above: Share = 0.5,
    measure: Measure | Similarity = iou,
    strict: bool = True,
    keys: Any = None,
    min_score: float | None = None,
    limit: int | None = None,
    suppressed_by: bool = False,
    threads: int | None = None,
    **options: Any,
) -> Any:
    """Keep the best of regions that overlap: walk from the best score down, drop what a kept one overlaps too much.

    Order: the higher score first, then the lower index. A dropped region drops nothing. The threshold means the decimal
    you wrote, or the `Fraction`, and is decided exactly: a pair at the threshold is not above it. Memory is O(N),
    however much overlaps.

    Parameters
    ----------
    regions : N boxes, rotated boxes, polygons, masks of any form, or sets
        A bare (N, 4) array is boxes, x1, y1, x2, y2.
    scores : (N,) numbers
    above : float or Fraction, default 0.5
        A region goes when its measure with a kept one is above this. In [0, 1]; at 1 nothing goes.
    measure : measure or its name, default iou
        Any but `distance`. Where it is not symmetric the kept one is the first of the two.
    strict : bool, default True
        False: a pair exactly at the threshold counts as well.
    keys : (N,) or (N, K) array, or a tuple of columns, optional
        Class, image: only regions with equal keys compete. Of several columns the first is the image.
    min_score : float, optional
        Regions with a lower score take no part.
    limit : int, optional
        Keep at most so many in each image, over all classes. One column of keys is classes: one image.
    suppressed_by : bool, default False
        Answer also which row dropped each row.
    threads : int, optional
        At most this many; by default VESICA_NUM_THREADS, or all processors.
    **options
        Options of the measure: `alpha`, `beta`, `of`.

    Returns
    -------
    kept : int64 array
        Rows that stay, best first, in the library and on the device of the scores or the regions.
    suppressed_by : (N,) int64 array, if asked for
        The best kept row that each row overlaps too much; −1 for the kept, and for those that none of them overlaps.

    Examples
    --------
    >>> boxes = [[0, 0, 10, 10], [4, 0, 14, 10], [8, 0, 18, 10]]
    >>> nms(boxes, [0.9, 0.8, 0.7], above=0.3)
    array([0, 2])
    >>> nms(boxes, [0.9, 0.8, 0.7], above=0.3, suppressed_by=True)[1]
    array([-1,  0, -1])

    Classes are told apart by key, never by moving boxes:

    >>> nms(boxes, [0.9, 0.8, 0.7], above=0.3, keys=["cat", "dog", "cat"])
    array([0, 1, 2])
    >>> nms([], [])
    array([], dtype=int64)
    """
    if measure is iou and threads is None and not (suppressed_by or options or more):
        if keys is min_score is limit is None:
            kept = lane.serve("nms", iou.plain, regions, scores, (above, strict))
        else:
            kept = lane.serve_nms(iou.plain, regions, scores, (above, strict, keys, min_score, limit))
        if kept is not None:
            return kept
    if more:
        raise names.by_position("nms", "nms", len(more))
    tables = competitors(regions)
    ranked = ranking(tables.n, scores, above, strict, keys, min_score, limit)
    similarity = as_similarity(measure)
    formula = similarity.chosen(options) if not options else chosen_for("nms", similarity, options)
    similarity.check_kind(tables.kind)
    check.threads(threads)

    kernel = pick("nms", tables, formula)
    bad, kept, by = kernel.call(tables, formula, ranked, with_by=suppressed_by, threads=threads)

    if bad >= 0:
        raise check_selection.nan_score(bad)
    return kept if by is None else (kept, by)


def chosen_for(verb: str, similarity: Measure, options: Mapping[str, Any]) -> Chosen:
    """The measure with its options; what nobody has is an error of the verb."""
    try:
        return similarity.chosen(options)
    except TypeError as error:
        raise names.retold(error, nms, "nms", verb, options) or error from None


def competitors(regions: Any) -> Tables:
    """Regions against themselves, as the native kernels read them. The number that stay is no fixed shape, so they are
    chosen on the host, wherever the arrays live."""
    region = as_region(regions, "regions")
    check.one_table(region.shape, "regions", "choosing")
    if isinstance(region, LabelMap):
        raise check_selection.no_selection(type(region).__name__)
    if isinstance(region, Masks) and not region.can_be_packed:
        host = Masks(to_numpy(region.array))
        return comparable(host, host, aligned=False)._replace(like=region.array)
    tables = comparable(region, region, aligned=False)
    check_selection.with_values(tables.like, "regions")
    return tables


def ranking(
    count: int, scores: Any, above: Share, strict: bool, keys: Any, min_score: float | None, limit: int | None
) -> Ranked:
    """What the kernel is told about the proposals."""
    array = check_selection.scores(scores, count)
    threshold = check.threshold(above, "above", strict=strict)
    columns = check_selection.key_columns(keys, count)
    most, least = check_selection.limit(limit), check_selection.min_score(min_score, array)
    images = numbered(columns[0]) if most and len(columns) > 1 else None
    return Ranked(threshold, check_selection.host_scores(array), _one_column(columns), images, least, most)


def _one_column(columns: list[np.ndarray]) -> np.ndarray | None:
    """Keys of several columns as one number each."""
    if not columns:
        return None
    first = numbered(columns[0])
    for column in columns[1:]:
        first = numbered(np.stack([first, numbered(column)], axis=1))
    return first
