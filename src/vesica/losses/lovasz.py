"""The Lovász extension of the Jaccard distance: exact where the guess is sure, convex between."""

from __future__ import annotations

import math
from typing import Any

from vesica._array import Array, as_array, cast, device, dtype_name, namespace, quiet
from vesica._check import losses as check
from vesica._check import names
from vesica.losses.masks import Axes, pixels
from vesica.losses.reduction import Reduction, reduced
from vesica.overlaps.measures import ratio


@names.explained("", "losses.lovasz")
def lovasz(
    guess: Any,
    truth: Any,
    /,
    *,
    hinge: bool = False,
    axes: Axes = None,
    ignore: int | None = None,
    reduction: Reduction = "mean",
    weights: Any = None,
) -> Array:
    """The Lovász extension of 1 − iou: errors of pixels, each weighed by what it would cost, the worst pixel first.

    Of a guess of zeros and ones it is 1 − iou itself. An empty truth costs the largest probability.

    Parameters
    ----------
    guess : array of floats
        Probabilities, of any shape: (N, H, W), (N, K, H, W), …
    truth : array of the same shape
        Booleans or integers (any but 0 is set).
    hinge : bool, default False
        The guess is scores instead, above 0 for set, as they come before a sigmoid. The error of a pixel is its
        distance from being right by 1.
    axes, ignore, reduction, weights
        As for `dice`. One class over a whole batch of (N, K, H, W): `axes=(0, 2, 3)`.

    Examples
    --------
    >>> round(lovasz([[1.0, 1.0, 0.0, 0.0]], [[1, 0, 0, 1]]).item(), 6)
    0.666667
    >>> lovasz([[0.25, 0.75]], [[0, 0]]).item()
    0.75
    >>> lovasz([[3.0, -3.0]], [[1, 0]], hinge=True).item()
    0.0
    """
    check.hard(as_array(truth))
    score, is_truth, counted = pixels(guess, truth, axes, ignore)
    is_truth = is_truth != 0

    with quiet(score):
        xp = namespace(score)
        if hinge:
            error = xp.clip(1 - xp.where(is_truth, score, -score), 0, None)
        else:
            error = xp.where(is_truth, 1 - score, score)
        if counted is not None:
            is_truth = is_truth & counted
        return reduced(_extension(error, is_truth, counted), reduction, weights)


def _extension(error: Array, is_truth: Array, counted: Array | None) -> Array:
    """Σ errorₖ · (Jₖ − Jₖ₋₁), where Jₖ is the Jaccard distance of a guess that is wrong in the k worst pixels."""
    xp = namespace(error)
    order = error
    if counted is not None:
        order = xp.where(counted, error, xp.full_like(error, -math.inf))  # last, where they change no step before
        error = xp.where(counted, error, xp.zeros_like(error))
    rank = xp.argsort(order, axis=-1, descending=True)
    error, hit = _ranked(error, rank), _ranked(is_truth, rank)

    missed = xp.cumulative_sum(cast(hit, "int32"), axis=-1)
    vain = xp.cumulative_sum(cast(~hit, "int32"), axis=-1)
    size = xp.sum(cast(hit, "int32"), axis=-1, keepdims=True)
    inter, union, before = (
        cast(count, dtype_name(error)) for count in (size - missed, size + vain, size + vain - cast(~hit, "int32"))
    )
    # A pixel missed takes 1 from the shared ones; one guessed in vain adds 1 to the union. No difference of quotients.
    one = xp.ones_like(inter)
    step = ratio(xp.where(hit, one, inter), union * xp.where(hit, one, before), empty=1.0)
    return xp.sum(error * step, axis=-1)


def _ranked(array: Array, rank: Array) -> Array:
    """Each row in the order of its ranks."""
    xp = namespace(array)
    rows, columns = math.prod(array.shape[:-1]), array.shape[-1]
    starts = xp.arange(rows, dtype=rank.dtype, device=device(rank)) * columns
    flat = xp.reshape(xp.reshape(rank, (rows, columns)) + starts[:, None], (-1,))
    return xp.reshape(xp.take(xp.reshape(array, (-1,)), flat, axis=0), tuple(array.shape))
