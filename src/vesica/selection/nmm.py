"""Merging: regions that belong together become one that covers them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Unpack

import numpy as np

from vesica import _check as check
from vesica._answer import Answer
from vesica._array import Array, cast, dtype_name, from_numpy, to_numpy
from vesica._check import Share, names
from vesica._check import nmm as check_nmm
from vesica._check import soft as check_soft
from vesica._kernels import pick
from vesica.overlaps.measures import Measure, Options, Similarity, as_similarity, iou
from vesica.regions import Boxes, Polygons, Region, RleMasks, RotatedBoxes, as_region
from vesica.regions.pixels import PixelRegions
from vesica.selection.nms import competitors, ranking
from vesica.selection.soft import scores_like


@dataclass(frozen=True, eq=False, repr=False)
class Merged(Answer):
    """Regions that cover their groups, best first.

    Attributes
    ----------
    regions : Boxes, RleMasks or Polygons, K of them
    scores : (K,) floats
    index : (K,) int64, the row with the best score of each group: `keys[merged.index]`
    group : (N,) int64, the group of each row
    """

    regions: Any
    scores: Array
    index: Array
    group: Array

    def __len__(self) -> int:
        return len(self.regions)


@names.explained("nms")
def nmm(
    regions: Any,
    scores: Any,
    /,
    *,
    above: Share = 0.5,
    how: check_nmm.Way = "greedy",
    score: check_nmm.Score = "max",
    measure: Measure | Similarity = iou,
    strict: bool = True,
    keys: Any = None,
    threads: int | None = None,
    **options: Unpack[Options],
) -> Merged:
    """Unite regions that overlap, instead of choosing among them: what tiles of one image cut apart comes together.

    A "greedy" group is a region that `nms` would keep, and those that it suppresses. A "transitive" group is all that
    hangs together through overlaps, however far apart its ends are. The merged region is the hull of boxes, the union
    of masks, or the union of polygons.

    Parameters
    ----------
    regions : regions
        N boxes; masks of any form, whose unions are run lengths; polygons or rotated boxes, whose unions are polygons
        of several parts.
    scores : (N,) array
        Finite.
    above : float or Fraction, default 0.5
        Regions are linked where their measure exceeds this, in [0, 1]. Decided exactly, as `join` does.
    how : {"greedy", "transitive"}, default "greedy"
    score : {"max", "mean"}, default "max"
        What the merged region gets of the scores of its group.
    measure : measure or its name, default iou
        Any but `distance`. For parts of an object cut by tiles, "overlap" links a piece with the whole. Where it is
        not symmetric, "greedy" has the kept one first, and "transitive" links two if either order reaches it.
    strict : bool, default True
        With False, regions exactly at the threshold are linked as well.
    keys : (N,) or (N, K) array, or a tuple of columns, optional
        Class, image: only regions with equal keys are merged.
    threads : int, optional
        At most this many; by default VESICA_NUM_THREADS, or all processors.
    **options
        Options of the measure: `alpha`, `beta`, `of`.

    Returns
    -------
    Merged
        `regions`, `scores`, `index` and `group`, the best score first, then the lower row.

    Examples
    --------
    Neighbours of this chain have iou 3/7, its ends 1/9:

    >>> chain = [[0, 0, 10, 10], [4, 0, 14, 10], [8, 0, 18, 10]]
    >>> merged = nmm(chain, [0.9, 0.8, 0.7], above=0.3)
    >>> merged.regions.xyxy, merged.group
    (array([[ 0,  0, 14, 10],
           [ 8,  0, 18, 10]]), array([0, 0, 1]))
    >>> merged = nmm(chain, [0.9, 0.8, 0.7], above=0.3, how="transitive", score="mean")
    >>> merged.regions.xyxy, merged.scores
    (array([[ 0,  0, 18, 10]]), array([0.8]))

    Nothing to merge, nothing merged:

    >>> len(nmm([], []))
    0
    """
    similarity = as_similarity(measure)
    formula = similarity.chosen(options)
    check.threads(threads)
    check.one_of(how, check_nmm.WAYS, "how")
    check.one_of(score, check_nmm.SCORES, "score")
    region = as_region(regions, "regions")
    check_nmm.uniting(type(region).__name__)
    tables = competitors(region)
    ranked = ranking(tables.n, scores, above, strict, keys, None, None)
    check_soft.finite_scores(ranked.scores)
    similarity.check_kind(tables.kind)

    if how == "greedy":
        _, _, found = pick("nms", tables, formula).call(tables, formula, ranked, with_by=True, threads=threads)
        by = to_numpy(found)
        leader = np.where(by < 0, np.arange(len(by)), by)
    else:
        leader = pick("components", tables, formula).call(tables, formula, ranked, threads=threads)
    groups = _groups(leader, ranked.scores, score)

    return Merged(
        _united(region, groups),
        scores_like(groups.scores, scores, tables.like),
        from_numpy(groups.index, tables.like),
        from_numpy(groups.group, tables.like),
    )


@dataclass(frozen=True, eq=False)
class _Groups:
    """Rows by group, the best group first."""

    order: np.ndarray
    """(N,) int64: all rows, those of one group side by side."""
    starts: np.ndarray
    """(K,) int64: where each group begins."""
    scores: np.ndarray
    index: np.ndarray
    group: np.ndarray


def _groups(leader: np.ndarray, scores: np.ndarray, score: str) -> _Groups:
    """Rows with one leader are one group."""
    by_leader = np.lexsort((-scores, leader))  # the best of each group first, the lower row among equals
    starts = np.flatnonzero(np.diff(leader[by_leader], prepend=-1))
    counts = np.diff(starts, append=len(leader))
    index, found = by_leader[starts], scores[by_leader[starts]]
    if score == "mean" and starts.size:
        found = np.add.reduceat(scores[by_leader], starts) / counts

    best_first = np.lexsort((index, -found))
    place = np.empty_like(best_first)
    place[best_first] = np.arange(len(best_first))
    group = np.empty_like(leader)
    group[by_leader] = np.repeat(place, counts)
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(counts[best_first])
    return _Groups(order, ends - counts[best_first], found[best_first], index[best_first], group)


def _united(regions: Region, groups: _Groups) -> Boxes | RleMasks | Polygons:
    """One region for each group."""
    if isinstance(regions, Boxes):
        return _hulls(regions, groups)
    if isinstance(regions, PixelRegions):
        return regions.to_rle()[groups.order]._united(groups.starts)
    polygons = Polygons.from_rotated(regions) if isinstance(regions, RotatedBoxes) else regions
    assert isinstance(polygons, Polygons)
    return polygons[groups.order]._united(groups.starts)


def _hulls(boxes: Boxes, groups: _Groups) -> Boxes:
    """The smallest box around each group, in the form and dtype of the boxes."""
    given = boxes.array if boxes.form == "xyxy" and boxes.normalised is None else boxes.math
    corners = to_numpy(given)[groups.order]
    low, high = (
        bound.reduceat(side, groups.starts, axis=0) if groups.starts.size else side
        for bound, side in ((np.minimum, corners[:, :2]), (np.maximum, corners[:, 2:]))
    )
    table = cast(from_numpy(np.concatenate([low, high], axis=1), given), dtype_name(given))
    return boxes._with_corners(table)
