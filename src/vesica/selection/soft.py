"""Soft-NMS: scores of what overlaps a better region decay, instead of going out at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Unpack

import numpy as np

from vesica import _check as check
from vesica._answer import Answer
from vesica._array import FLOATS, Array, cast, dtype_name, from_numpy
from vesica._check import Share, names
from vesica._check import soft as check_soft
from vesica._kernels import Ranked, pick
from vesica.overlaps.measures import Measure, Options, Similarity, as_similarity, iou
from vesica.selection.decays import DECAYS, DecayName
from vesica.selection.nms import competitors, ranking


@dataclass(frozen=True, eq=False, repr=False)
class Kept(Answer):
    """Regions that stay, best first. `index, scores = kept` unpacks them.

    Attributes
    ----------
    index : (K,) int64, rows of the regions
    scores : (K,) floats, the score that each had when it was taken
    """

    index: Array
    scores: Array

    def __len__(self) -> int:
        return int(self.index.shape[0])

    def __iter__(self) -> Iterator[Array]:
        return iter((self.index, self.scores))


@names.explained("nms")
def soft_nms(
    regions: Any,
    scores: Any,
    /,
    *,
    decay: DecayName = "linear",
    above: Share = 0.3,
    sigma: float = 0.5,
    min_score: float = 0.001,
    measure: Measure | Similarity = iou,
    keys: Any = None,
    limit: int | None = None,
    threads: int | None = None,
    **options: Unpack[Options],
) -> Kept:
    """Take the best region, lower the scores of what it overlaps, and repeat until no score reaches `min_score`.

    A score s of a region that overlaps the taken one by m becomes s · (1 − m) where m > `above` ("linear"), or
    s · exp(−m² / `sigma`) for every m > 0 ("gaussian"). Among equal scores the lower row is taken first. Whether m
    exceeds `above` is decided exactly, as `join` does; products are in float64, in the order of the picks.

    Parameters
    ----------
    regions : regions
        N boxes, rotated boxes, polygons, masks of any form, or sets.
    scores : (N,) array
        Finite. Those below `min_score` take no part.
    decay : {"linear", "gaussian"}, default "linear"
    above : float or Fraction, default 0.3
        For "linear": the overlap from which on scores decay, in [0, 1].
    sigma : float, default 0.5
        For "gaussian": the smaller it is, the more scores decay.
    min_score : float, default 0.001
        Regions whose score falls below it are out. Not negative.
    measure : measure or its name, default iou
        Any but `distance`. Where it is not symmetric the region that was taken is the first of the two.
    keys : (N,) or (N, K) array, or a tuple of columns, optional
        Class, image: only regions with equal keys meet. Of several columns the first is the image.
    limit : int, optional
        At most so many stay in each image, over all classes. One column of keys is classes: one image.
    threads : int, optional
        At most this many; by default VESICA_NUM_THREADS, or all processors.
    **options
        Options of the measure: `alpha`, `beta`, `of`.

    Returns
    -------
    Kept
        `index`, rows in the order in which they were taken, and `scores`, decayed. With keys, ordered by decayed score
        over all of them. Scores keep their floating dtype.

    Examples
    --------
    >>> boxes = [[0, 0, 10, 10], [1, 0, 11, 10], [20, 0, 30, 10], [0, 0, 10, 9]]
    >>> index, scores = soft_nms(boxes, [0.9, 0.8, 0.7, 0.6])
    >>> index, scores.round(4)
    (array([0, 2, 1, 3]), array([0.9   , 0.7   , 0.1455, 0.0154]))
    >>> soft_nms(boxes, [0.9, 0.8, 0.7, 0.6], decay="gaussian").scores.round(4)
    array([0.9   , 0.7   , 0.2097, 0.0393])

    Nothing reaches the least score, nothing stays:

    >>> len(soft_nms(boxes, [0.9, 0.8, 0.7, 0.6], min_score=1))
    0
    """
    similarity = as_similarity(measure)
    formula = similarity.chosen(options)
    check.threads(threads)
    kind = DECAYS[check.one_of(decay, DECAYS, "decay")]
    width = check_soft.sigma(sigma) if kind.has_sigma else 1.0
    check_soft.min_score(min_score)
    tables = competitors(regions)
    ranked = ranking(tables.n, scores, above if kind.has_threshold else 0.0, True, keys, min_score, limit)
    check_soft.finite_scores(ranked.scores)
    similarity.check_kind(tables.kind)

    told = {"decay": (kind.name, width), "threads": threads}
    index, left = pick("soft", tables, formula).call(tables, formula, ranked, **told)
    stays = _within(ranked, index)

    return Kept(from_numpy(index[stays], tables.like), scores_like(left[stays], scores, tables.like))


def _within(ranked: Ranked, index: np.ndarray) -> np.ndarray | slice:
    """Which of the rows, best first, are among the first `limit` of their image."""
    if not ranked.limit:
        return slice(None)
    if ranked.images is None:
        return slice(ranked.limit)
    order = np.argsort(ranked.images[index], kind="stable")
    images = ranked.images[index][order]
    stays = np.empty(len(index), bool)
    stays[order] = np.arange(len(index)) - np.searchsorted(images, images) < ranked.limit
    return stays


def scores_like(found: np.ndarray, given: Any, like: Array) -> Array:
    """New scores in the floating dtype of those given, or float64 for integers and lists."""
    dtype = dtype_name(given) if hasattr(given, "dtype") else "float64"
    return cast(from_numpy(found, like), dtype if dtype in FLOATS else "float64")
