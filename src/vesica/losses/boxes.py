"""Losses of boxes, row with row: 1 − measure, finite and with a finite gradient for any finite coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vesica import _check as check
from vesica._array import (
    Array,
    cast,
    dtype_name,
    math_name,
    namespace,
    quiet,
    real,
    result_name,
    stop_gradient,
    widened,
)
from vesica._check import losses as check_losses
from vesica._check import names
from vesica._kernels import lane
from vesica.losses.reduction import Reduction, reduced
from vesica.overlaps import measures
from vesica.overlaps.measures import ratio
from vesica.overlaps.parts import BoxParts
from vesica.regions import in_one_library
from vesica.regions.boxes import Boxes, columns


@names.explained("box loss", "losses.iou")
def iou(guess: Any, truth: Any, /, *, reduction: Reduction = "mean", weights: Any = None) -> Array:
    """1 − iou: the share of the union that is not shared. Boxes that do not meet learn nothing from it.

    Parameters
    ----------
    guess, truth : (…, N, 4) array or Boxes
        Row with row; x1, y1, x2, y2, unless `Boxes(a, "cxcywh", check=False)` says otherwise. Values are never looked
        at: an inverted box counts as empty, at its centre, and NaN stays NaN.
    reduction : {"mean", "sum", "none"}, default "mean"
        Of nothing, mean and sum are 0, with a gradient.
    weights : (…, N) array, optional
        Numbers or booleans that the losses are multiplied by. The mean is then divided by the sum of the weights.

    Returns
    -------
    array
        One number, or N of them; float32 for half precision.

    Examples
    --------
    >>> iou([[0, 0, 4, 4], [0, 0, 2, 2]], [[0, 0, 4, 2], [0, 0, 2, 2]]).item()
    0.25
    >>> iou([[0, 0, 4, 4], [0, 0, 2, 2]], [[0, 0, 4, 2], [0, 0, 2, 2]], reduction="none", weights=[3, 1])
    array([1.5, 0. ])
    >>> iou([], []).item()
    0.0
    """
    return _loss(measures.iou, guess, truth, reduction, weights)


@names.explained("box loss", "losses.giou")
def giou(guess: Any, truth: Any, /, *, reduction: Reduction = "mean", weights: Any = None) -> Array:
    """1 − giou, in [0, 2]: boxes that do not meet are drawn together. Arguments as for `iou`.

    >>> round(giou([[0, 0, 2, 2]], [[4, 0, 6, 2]]).item(), 4)
    1.3333
    """
    return _loss(measures.giou, guess, truth, reduction, weights)


@names.explained("box loss", "losses.diou")
def diou(guess: Any, truth: Any, /, *, reduction: Reduction = "mean", weights: Any = None) -> Array:
    """1 − diou, in [0, 2]: the centres are drawn together. Arguments as for `iou`.

    >>> diou([[0, 0, 2, 2]], [[4, 0, 6, 2]]).item()
    1.4
    """
    return _loss(measures.diou, guess, truth, reduction, weights)


@names.explained("box loss", "losses.ciou")
def ciou(guess: Any, truth: Any, /, *, reduction: Reduction = "mean", weights: Any = None) -> Array:
    """1 − ciou, in [0, 3): centres and shapes are drawn together. Arguments as for `iou`.

    >>> round(ciou([[0, 0, 4, 2]], [[1, 0, 3, 4]]).item(), 7)
    0.7316683
    """
    return _loss(measures.ciou, guess, truth, reduction, weights)


@names.explained("box loss", "losses.eiou")
def eiou(guess: Any, truth: Any, /, *, reduction: Reduction = "mean", weights: Any = None) -> Array:
    """1 − eiou, in [0, 4]: centres, widths and heights are drawn together. Arguments as for `iou`.

    >>> eiou([[0, 0, 10, 10]], [[2, 2, 4, 4]]).item()
    2.2800000000000002
    """
    return _loss(measures.eiou, guess, truth, reduction, weights)


@names.explained("box loss", "losses.siou")
def siou(guess: Any, truth: Any, /, *, reduction: Reduction = "mean", weights: Any = None) -> Array:
    """1 − siou, in [0, 2.1): centres, first along one axis, and sides are drawn together. Arguments as for `iou`.

    >>> round(siou([[0, 0, 4, 4]], [[2, 2, 6, 6]]).item(), 7)
    0.9623035
    """
    return _loss(_siou, guess, truth, reduction, weights)


@names.explained("box loss", "losses.alpha_iou")
def alpha_iou(
    guess: Any, truth: Any, /, *, alpha: float = 3.0, reduction: Reduction = "mean", weights: Any = None
) -> Array:
    """1 − iou to the power of `alpha`, at least 1: the larger, the more boxes that fit well count. Else as `iou`.

    >>> alpha_iou([[0, 0, 4, 4]], [[0, 0, 4, 2]]).item()
    0.875
    """
    alpha = check_losses.exponent(alpha, "alpha")
    return _loss(lambda p: measures.iou(p) ** alpha, guess, truth, reduction, weights)


def _loss(measure: Callable[[BoxParts], Array], guess: Any, truth: Any, reduction: Reduction, weights: Any) -> Array:
    check_losses.reduction(reduction)
    if isinstance(measure, measures.Measure):
        how: Reduction = reduction if weights is None else "none"
        loss = lane.serve_loss(measure.plain, guess, truth, (how, lambda a, b: _array_code(measure, a, b, how, None)))
        if loss is not None:
            return loss if weights is None else reduced(loss, reduction, weights)
    guess, truth = in_one_library(guess, truth)
    return _array_code(measure, guess, truth, reduction, weights)


def _array_code(
    measure: Callable[[BoxParts], Array], guess: Any, truth: Any, reduction: Reduction, weights: Any
) -> Array:
    p = _parts(_as_boxes(guess, "guess"), _as_boxes(truth, "truth"))
    with quiet(p.inter):
        return reduced(cast(1 - measure(p), p.dtype), reduction, weights)


def _as_boxes(value: Any, name: str) -> Boxes:
    return value if isinstance(value, Boxes) else Boxes._named(value, name, check=False)


def _parts(guess: Boxes, truth: Boxes) -> BoxParts:
    """The parts, row with row, in the dtype of the arithmetic: halves are not narrowed again, sums would overflow."""
    check.same_library(guess.array, truth.array, "guess", "truth")
    check_losses.same_rows(guess.shape, truth.shape)
    name = math_name(dtype_name(guess.math), dtype_name(truth.math))
    a, b = (real(cast(side.math, name)) for side in (guess, truth))

    xp = namespace(a)
    with quiet(a):
        both = _upright(_bounded(xp.stack(xp.broadcast_arrays(a, b), axis=-2)))
        dtype = widened(result_name(guess.dtype, truth.dtype)) if name == "float64" else dtype_name(a)
        return BoxParts(columns(both[..., 0, :]), columns(both[..., 1, :]), None, dtype=dtype)


def _bounded(both: Array) -> Array:
    """Coordinates whose squares neither overflow nor vanish, so that any guess has a finite gradient.

    What is too large ends at the limit of all boxes. Small pairs are measured in another unit of length, which changes
    no bit of a measure. What is small even beside its own pair, below its rounding, counts as 0 and learns as 0 does.
    """
    xp = namespace(both)
    name = dtype_name(both)
    octave = 8 if name == "float64" else 1  # float64 has eight times as many powers of two as float32
    both = xp.clip(both, -check.LIMITS[name], check.LIMITS[name])
    size = xp.max(xp.abs(stop_gradient(both)), axis=(-2, -1), keepdims=True)
    small = (size < 2.0 ** (-8 * octave)) & (size > 2.0 ** (-72 * octave))
    both = both * xp.where(small, xp.full_like(size, 2.0 ** (64 * octave)), xp.ones_like(size))
    return xp.where(xp.abs(both) < 2.0 ** (-36 * octave), both - stop_gradient(both), both)


def _upright(both: Array) -> Array:
    """Inverted sides as empty ones at their middle. Their ends learn as those of an empty side, and may part again."""
    xp = namespace(both)
    low, high = both[..., :2], both[..., 2:]
    inverted = high < low
    middle = stop_gradient((low + high) / 2)
    ends = [xp.where(inverted, middle + (end - stop_gradient(end)), end) for end in (low, high)]
    return xp.concat(ends, axis=-1)


def _siou(p: BoxParts) -> Array:
    """iou − (Δ + Ω) / 2: Δ for the way between the centres, dearer the closer it is to an axis; Ω for the sides."""
    xp = namespace(p.inter)
    dx, dy = (xp.abs(offset) / 2 for offset in p.offsets2)
    share = ratio(dx, dx + dy)  # of the way that goes along x
    rest = 1 - share
    angle = 2 * share * rest / (share * share + rest * rest)  # sin 2α, without a square that could vanish below
    apart: Array = 0.0
    for way, side in zip((dx, dy), p.hull_sides, strict=True):
        part = ratio(way, side)
        apart = apart + (1 - xp.exp((angle - 2) * part * part))
    for a, b in zip(p.sides_a, p.sides_b, strict=True):
        differs = 1 - xp.exp(-ratio(xp.abs(a - b), xp.maximum(a, b)))
        apart = apart + differs**4
    return measures.iou(p) - apart / 2
