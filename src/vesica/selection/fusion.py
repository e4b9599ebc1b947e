"""Weighted box fusion: boxes of several models that agree become one, in the middle of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._answer import Answer
from vesica._array import Array, cast, from_numpy, to_numpy
from vesica._check import Share, names
from vesica._check import fusion as check_fusion
from vesica._check import selection as check_selection
from vesica._check import soft as check_soft
from vesica._kernels import Ranked, pick_arrays
from vesica._kernels.tables import Clusters, Votes
from vesica.regions import Boxes, as_region
from vesica.selection.fused_scores import WAYS, tally
from vesica.selection.nms import ranking
from vesica.selection.soft import scores_like


@dataclass(frozen=True, eq=False, repr=False)
class Fused(Answer):
    """Boxes made of those that agree, best first.

    Attributes
    ----------
    boxes : Boxes, K of them, in pixels; `boxes.xyxy` is the array
    scores : (K,) floats
    first : (K,) int64, the row that opened each cluster, and has its largest weighted score: `keys[fused.first]`
    members : (N,) int64, the cluster of each row; −1 for rows that took no part
    """

    boxes: Boxes
    scores: Array
    first: Array
    members: Array

    def __len__(self) -> int:
        return len(self.boxes)


@names.explained("nms")
def fuse(
    boxes: Any,
    scores: Any,
    /,
    *,
    above: Share = 0.55,
    models: Any = None,
    weights: Any = None,
    score: str = "box_and_model_avg",
    keys: Any = None,
    min_score: float | None = None,
    threads: int | None = None,
) -> Fused:
    """Replace boxes that agree by one: the mean of their corners, each weighed by its score.

    Boxes are taken by weight · score, the largest first (then by model, then by row). Each joins the cluster whose
    fused box has the largest iou with it, if that is above `above`, or opens one of its own. The fused box is
    Σ w·s·x / Σ w·s over the members, anew after each of them. Its score is their mean (Σ w·s / Σ w), times the share of
    the models that voted: V / W, the weight of the models that have a box in it by the weight of all. A model votes
    once, however many boxes it has there; so the score is never above the best of the members.

    Parameters
    ----------
    boxes : boxes
        N boxes of all models, one model after the other or mixed: at any scale, for no coordinate is clamped.
    scores : (N,) array
        Finite and not negative: they weigh the coordinates.
    above : float or Fraction, default 0.55
        A box joins where its iou with the fused box exceeds this, in [0, 1]. Decided exactly, as `join` does.
    models : (N,) integers, optional
        Which model each box is from, counted from 0. By default all are from one.
    weights : sequence of floats, optional
        One weight for each model, by default 1. A model that found nothing counts only if it has a weight here, or
        a number below one that found something.
    score : {"box_and_model_avg", "absent_model_aware_avg", "avg", "max"}, default "box_and_model_avg"
        How the scores of n members become one, by the names of ensemble-boxes: Σ w·s / Σ w · V / W;
        Σ w·s / (Σ w + W − V); Σ w·s / n · min(n, models) / W, which counts boxes as models and can exceed
        every score where weights differ; the largest w·s by the largest weight.
    keys : (N,) or (N, K) array, or a tuple of columns, optional
        Class, image: only boxes with equal keys are fused.
    min_score : float, optional
        Boxes with a lower score take no part.
    threads : int, optional
        At most this many; by default VESICA_NUM_THREADS, or all processors.

    Returns
    -------
    Fused
        `boxes`, `scores`, `first` and `members`, the best cluster first. Floats keep their dtype; integers give
        float64.

    Examples
    --------
    Two models found the same object, and the second one more:

    >>> boxes = [[10, 10, 20, 20], [12, 10, 22, 20], [40, 40, 50, 50]]
    >>> fused = fuse(boxes, [0.75, 0.25, 0.5], models=[0, 1, 1])
    >>> fused.boxes.xyxy
    array([[10.5, 10. , 20.5, 20. ],
           [40. , 40. , 50. , 50. ]])
    >>> fused.scores, fused.members
    (array([0.5 , 0.25]), array([0, 0, 1]))
    >>> fuse(boxes, [0.75, 0.25, 0.5], models=[0, 1, 1], score="max").scores
    array([0.75, 0.5 ])

    No boxes, no clusters:

    >>> len(fuse([], []))
    0
    """
    check.threads(threads)
    combine = WAYS[check.one_of(score, WAYS, "score")]
    regions = as_region(boxes, "boxes")
    check_fusion.only_boxes(type(regions).__name__)
    assert isinstance(regions, Boxes)
    check.one_table(regions.shape, "boxes", "fusion")
    check_selection.with_values(regions.array, "boxes")
    ranked = ranking(len(regions), scores, above, True, keys, min_score, None)
    check_soft.finite_scores(ranked.scores)
    model, trust = check_fusion.voters(len(regions), models, weights)
    votes = _votes(regions, ranked, model, trust)

    like = regions.array
    found: Clusters = pick_arrays("fuse", "boxes", like).call(votes, ranked.threshold, threads=threads)
    taken = votes.order
    counted = tally(found.members[taken], ranked.scores[taken], model[taken], trust)
    fused = combine(counted) if taken.size else np.zeros(0)
    best_first = np.lexsort((found.first, -fused))
    place = np.full(len(best_first) + 1, -1, np.int64)  # the last: of rows in no cluster
    place[best_first] = np.arange(len(best_first))

    return Fused(
        _fused_boxes(regions, from_numpy(found.boxes[best_first], like)),
        scores_like(fused[best_first], scores, like),
        from_numpy(found.first[best_first], like),
        from_numpy(place[found.members], like),
    )


def _fused_boxes(given: Boxes, corners: Array) -> Boxes:
    """The fused corners as boxes, as wide as the given ones; where those kept a size by their form, so do these."""
    boxes = given._with_corners(corners)
    return boxes if boxes.form != "xyxy" else Boxes(cast(corners, given.dtype), check=False)


def _votes(boxes: Boxes, ranked: Ranked, model: np.ndarray, trust: np.ndarray) -> Votes:
    """The boxes in the order in which they are taken."""
    with np.errstate(over="ignore"):
        weighted = trust[model] * ranked.scores
    check_fusion.votes(ranked.scores, weighted)
    order = np.lexsort((model, -weighted))
    rows = np.ascontiguousarray(to_numpy(boxes.math), np.float64)
    taken = order[ranked.scores[order] >= ranked.min_score]
    return Votes(rows, taken, weighted, ranked.keys)
