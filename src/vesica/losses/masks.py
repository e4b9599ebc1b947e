"""Losses of soft masks: sums of probabilities in place of counted pixels, and the formulas of measures on them."""

from __future__ import annotations

import math
from typing import Any

from vesica import _check as check
from vesica._array import FLOATS, Array, cast, dtype_name, math_name, namespace, quiet, widened
from vesica._check import losses as check_losses
from vesica._check import names
from vesica._kernels.generic.masks import is_set
from vesica.losses.reduction import Reduction, reduced
from vesica.overlaps import measures
from vesica.overlaps.measures import Measure
from vesica.overlaps.parts import Parts

Axes = int | tuple[int, ...] | None


@names.explained("mask loss", "losses.dice")
def dice(
    guess: Any,
    truth: Any,
    /,
    *,
    axes: Axes = None,
    ignore: int | None = None,
    smooth: float = 0.0,
    reduction: Reduction = "mean",
    weights: Any = None,
) -> Array:
    """1 − dice of soft masks: 1 − 2·Σgt / (Σg + Σt).

    Parameters
    ----------
    guess : array of floats
        Probabilities, of any shape: (N, H, W), (N, K, H, W), …
    truth : array of the same shape
        Booleans, integers (any but 0 is set), or floats as they are. Values are never looked at.
    axes : int or tuple of int, optional
        The axes that make up one region; there is one loss for each place of the others. By default all but the first.
    ignore : int, optional
        Pixels where the truth has this value count nowhere.
    smooth : float, default 0
        As many pixels are added that both share. So a guess learns from an empty truth too, from which it learns
        nothing without. Nothing guessed where nothing is has the loss 0 either way.
    reduction : {"mean", "sum", "none"}, default "mean"
        Of nothing, mean and sum are 0, with a gradient.
    weights : array, optional
        Numbers or booleans that the losses are multiplied by. The mean is then divided by the sum of the weights.

    Returns
    -------
    array
        One number, or one for each region; float32 for half precision.

    Examples
    --------
    >>> dice([[0.5, 0.5, 0.0, 1.0]], [[1, 0, 0, 1]]).item()
    0.25
    >>> dice([[0.0, 0.0], [0.5, 0.0]], [[0, 0], [0, 0]], reduction="none")
    array([0., 1.])
    """
    return _loss(measures.dice, guess, truth, axes, ignore, smooth, reduction, weights)


@names.explained("mask loss", "losses.jaccard")
def jaccard(
    guess: Any,
    truth: Any,
    /,
    *,
    axes: Axes = None,
    ignore: int | None = None,
    smooth: float = 0.0,
    reduction: Reduction = "mean",
    weights: Any = None,
) -> Array:
    """1 − iou of soft masks: 1 − Σgt / (Σg + Σt − Σgt). Arguments as for `dice`.

    >>> jaccard([[0.5, 0.5, 0.0, 1.0]], [[1, 0, 0, 1]]).item()
    0.4
    """
    return _loss(measures.iou, guess, truth, axes, ignore, smooth, reduction, weights)


@names.explained("mask loss", "losses.tversky")
def tversky(
    guess: Any,
    truth: Any,
    /,
    *,
    alpha: float = 0.3,
    beta: float = 0.7,
    axes: Axes = None,
    ignore: int | None = None,
    smooth: float = 0.0,
    reduction: Reduction = "mean",
    weights: Any = None,
) -> Array:
    """1 − tversky of soft masks: `alpha` weighs what is guessed in vain, `beta` what is missed. Else as `dice`.

    >>> round(tversky([[0.5, 0.5, 0.0, 1.0]], [[1, 0, 0, 1]]).item(), 6)
    0.25
    """
    options = _weighed(alpha, beta)
    return _loss(measures.tversky, guess, truth, axes, ignore, smooth, reduction, weights, options)


@names.explained("mask loss", "losses.focal_tversky")
def focal_tversky(
    guess: Any,
    truth: Any,
    /,
    *,
    alpha: float = 0.3,
    beta: float = 0.7,
    gamma: float = 4 / 3,
    axes: Axes = None,
    ignore: int | None = None,
    smooth: float = 0.0,
    reduction: Reduction = "mean",
    weights: Any = None,
) -> Array:
    """(1 − tversky) to the power of `gamma`, at least 1: regions that fit well count less. Else as `tversky`.

    >>> round(focal_tversky([[0.5, 0.5, 0.0, 1.0]], [[1, 0, 0, 1]], gamma=2).item(), 6)
    0.0625
    """
    options = _weighed(alpha, beta)
    gamma = check_losses.exponent(gamma, "gamma")
    return _loss(measures.tversky, guess, truth, axes, ignore, smooth, reduction, weights, options, gamma)


def _weighed(alpha: float, beta: float) -> dict[str, float]:
    return {"alpha": check.weight(alpha, "alpha"), "beta": check.weight(beta, "beta")}


def _loss(
    measure: Measure,
    guess: Any,
    truth: Any,
    axes: Axes,
    ignore: int | None,
    smooth: float,
    reduction: Reduction,
    weights: Any,
    options: dict[str, float] | None = None,
    gamma: float = 1.0,
) -> Array:
    a, b, counted = pixels(guess, truth, axes, ignore)
    smooth = check_losses.pixels(smooth, "smooth")

    with quiet(a):
        xp = namespace(a)
        if counted is not None:
            a, b = (xp.where(counted, side, xp.zeros_like(side)) for side in (a, b))
        inter, area_a, area_b = (xp.sum(part, axis=-1) + smooth for part in (a * b, a, b))
        p = Parts(inter, area_a, area_b, dtype=dtype_name(a), kind="soft masks")
        loss = 1 - measure.of_parts(p, {"empty": 1.0, **(options or {})})
        loss = loss**gamma if gamma != 1 else loss
        return reduced(cast(loss, p.dtype), reduction, weights)  # of one region NumPy 1 makes a float64


def pixels(guess: Any, truth: Any, axes: Axes, ignore: int | None) -> tuple[Array, Array, Array | None]:
    """Guess and truth as floats, the pixels of a region on the last axis; and which of them count, if not all."""
    guess, truth = check_losses.soft_masks(guess, truth)
    axes = check_losses.region_axes(axes, guess.ndim)
    counted = None if ignore is None else truth != check_losses.ignore(ignore, truth)

    name = dtype_name(truth)
    dtype = math_name(dtype_name(guess), name) if name in FLOATS else widened(dtype_name(guess))
    truth = truth if name in FLOATS else is_set(truth)
    a, b = (_flat(cast(side, dtype), axes) for side in (guess, truth))
    return a, b, None if counted is None else _flat(counted, axes)


def _flat(array: Array, axes: tuple[int, ...]) -> Array:
    """The given axes as one, behind the others."""
    xp = namespace(array)
    kept = tuple(axis for axis in range(array.ndim) if axis not in axes)
    shape = (*(array.shape[axis] for axis in kept), math.prod([array.shape[axis] for axis in axes]))
    return xp.reshape(xp.permute_dims(array, kept + axes), shape)
