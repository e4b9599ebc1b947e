"""Many losses to one number."""

from __future__ import annotations

import math
from typing import Any, Literal

from vesica._array import Array, cast, dtype_name, namespace
from vesica._check import losses as check
from vesica.overlaps.measures import ratio

Reduction = Literal["mean", "sum", "none"]


def reduced(loss: Array, reduction: Reduction, weights: Any) -> Array:
    """The losses times their weights: each of them, their sum, or their mean. Of nothing both are 0."""
    check.reduction(reduction)
    xp = namespace(loss)
    if weights is not None:
        weights = cast(check.weights(weights, loss), dtype_name(loss))
        loss = loss * weights

    if reduction == "none":
        return loss
    total = xp.sum(loss)
    if reduction == "sum":
        return total
    if weights is None:
        mean = total / max(math.prod(loss.shape), 1)
        return cast(mean, dtype_name(loss))  # NumPy 1 makes a float64 of a float32 divided by a Python number
    return ratio(total, xp.sum(xp.broadcast_to(weights, tuple(loss.shape))))
