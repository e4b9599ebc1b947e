"""Anchors: boxes that objects are expected to look like. Their shapes, and which object each of them learns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._answer import Answer
from vesica._array import Array, namespace
from vesica._check import Share, names
from vesica._check import anchors as check_anchors
from vesica._kernels import pick
from vesica._kernels.tables import ATTAINS, NOT_BACKGROUND, POSITIVE
from vesica.matching.kmeans import Anchors, cluster
from vesica.overlaps.measures import iou
from vesica.regions import Boxes, as_region, comparable

__all__ = ["BACKGROUND", "IGNORED", "Anchors", "Assigned", "assign", "cluster", "shape_iou"]

BACKGROUND = -1
IGNORED = -2


@dataclass(frozen=True, eq=False, repr=False)
class Assigned(Answer):
    """What each anchor is to learn.

    Attributes
    ----------
    truth : (N,) or (B, N) int64, the row of `truths`; −1 for background, −2 for anchors to be ignored
    value : the IoU of each anchor with its best truth, whether or not it is assigned to it; 0 without truths
    """

    truth: Array
    value: Array

    @property
    def is_positive(self) -> Array:
        return self.truth >= 0

    @property
    def is_background(self) -> Array:
        return self.truth == BACKGROUND


@names.explained("anchors.shape_iou", "anchors.shape_iou")
def shape_iou(a: Any, b: Any, /, *, threads: int | None = None) -> Array:
    """The IoU of shapes alone: of boxes of these widths and heights that share their centre.

    Parameters
    ----------
    a, b : (N, 2) and (M, 2) arrays
        Widths and heights.

    Returns
    -------
    (N, M) array

    Examples
    --------
    >>> shape_iou([[100, 60]], [[62, 45], [116, 90], [156, 198]]).round(6)
    array([[0.465   , 0.574713, 0.19425 ]])
    >>> shape_iou([], [[4, 4]]).shape
    (0, 1)
    """
    left, right = (_cornered(check_anchors.shapes(side, name, with_area=False)) for side, name in ((a, "a"), (b, "b")))

    return iou(left, right, threads=threads)


def _cornered(shapes: Array) -> Boxes:
    """Boxes in one corner: they share as much as boxes with one centre do."""
    xp = namespace(shapes)
    return Boxes(xp.concat([xp.zeros_like(shapes), shapes], axis=1))


@names.explained("anchors.assign", "anchors.assign")
def assign(
    anchors: Any,
    truths: Any,
    /,
    *,
    positive: Share = 0.7,
    negative: Share = 0.3,
    low_quality: bool = True,
    offsets: Any = None,
    threads: int | None = None,
) -> Assigned:
    """Assign to each anchor the truth it overlaps most, if that is enough; or background, or nothing.

    An anchor's best truth is the one with the largest IoU (tie: the lower row). An IoU of at least `positive` assigns
    it; below `negative` the anchor is background; between the two it is ignored. Thresholds mean the decimals you wrote
    and are decided exactly, as in `join`.

    With `low_quality`, a truth that no anchor reaches is not lost: every anchor that attains the largest IoU which any
    anchor has with that truth becomes positive too. It keeps its own best truth, which may be another one.

    The matrix of all pairs never exists: memory is O(B·N + M). Which of two IoUs is larger is decided by their float64
    values, and equal fractions are equal.

    Parameters
    ----------
    anchors : (N, 4) boxes
        The same for all images.
    truths : (M, 4) boxes
        Of one image; or with `offsets` of B images, one after the other.
    positive, negative : float or Fraction, default 0.7 and 0.3
        In (0, 1], the second not above the first.
    low_quality : bool, default True
        Keep truths that no anchor reaches.
    offsets : (B + 1,) integers, optional
        The truths of image k are rows offsets[k] up to offsets[k + 1]. The answer has a row for each image.
    threads : int, optional
        At most this many; by default VESICA_NUM_THREADS, or all processors.

    Returns
    -------
    Assigned
        `truth` (N,) or (B, N): rows of `truths`, counted from the first image on; −1 background, −2 ignored. `value`:
        the IoU with the best truth.

    Examples
    --------
    >>> anchors = [[0, 0, 10, 10], [0, 0, 10, 5], [2, 0, 12, 10], [40, 40, 50, 50]]
    >>> truths = [[0, 0, 10, 9], [36, 40, 43, 50]]
    >>> assign(anchors, truths).truth
    array([ 0, -2, -2,  1])
    >>> assign(anchors, truths, low_quality=False).truth
    array([ 0, -2, -2, -1])

    Two images, of which the second is empty:

    >>> assign(anchors, truths, offsets=[0, 2, 2]).truth
    array([[ 0, -2, -2,  1],
           [-1, -1, -1, -1]])
    """
    high = check.threshold(positive, "positive", strict=False)
    low = check.threshold(negative, "negative", strict=False)
    check_anchors.ordered(low, high)
    check.threads(threads)
    boxes, objects = _upright(anchors, "anchors"), _upright(truths, "truths")
    check.same_library(boxes.array, objects.array, "anchors", "truths")
    tables = comparable(objects, boxes, aligned=False)
    images = np.array([0, tables.n]) if offsets is None else check.image_offsets(offsets, tables.n, "truths")

    formula = iou.chosen({})
    kernel = pick("anchors", tables, formula)
    best, value, marks = kernel.call(tables, formula, images, high, low, threads=threads)

    truth = _decided(best, marks, low_quality)
    return Assigned(truth[0, ...], value[0, ...]) if offsets is None else Assigned(truth, value)


def _upright(value: Any, name: str) -> Boxes:
    boxes = as_region(value, name)
    if not isinstance(boxes, Boxes):
        raise check_anchors.upright(type(boxes).__name__, name)
    check.one_table(boxes.shape, name, "an assignment")
    return boxes


def _decided(best: Array, marks: Array, low_quality: bool) -> Array:
    """The row of the best truth for positive anchors, −1 (background) or −2 (ignored) for the others."""
    xp = namespace(best)
    makes_positive = POSITIVE + (ATTAINS if low_quality else 0)
    others = xp.where(_has(marks, NOT_BACKGROUND), xp.full_like(best, IGNORED), xp.full_like(best, BACKGROUND))
    return xp.where(_has(marks, makes_positive), best, others)


def _has(marks: Array, bits: int) -> Array:
    """Which marks have any of these bits?"""
    xp = namespace(marks)
    return (marks & xp.full_like(marks, bits)) != 0
