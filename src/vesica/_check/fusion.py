"""Checks of what box fusion is given: whose boxes they are, and how far each model is trusted."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import as_array, to_numpy
from vesica.errors import SizeValueError

# So that not even the sum of 2^32 weighted scores overflows.
_MOST = 2.0**480


def only_boxes(kind: str) -> None:
    if kind != "Boxes":
        raise TypeError(
            f"`boxes` must be upright boxes, whose mean is a box; got {kind}. "
            "Regions of other kinds can be united: nmm(regions, scores)."
        )


def voters(count: int, models: Any, weights: Any) -> tuple[np.ndarray, np.ndarray]:
    """The number of the model of each box, and the weight of each model."""
    model = np.zeros(count, np.int64) if models is None else _models(models, count)
    used = int(model.max(initial=0)) + 1
    return model, np.ones(used) if weights is None else _weights(weights, used)


def _models(value: Any, count: int) -> np.ndarray:
    """The number of the model of each box."""
    numbers = to_numpy(as_array(value))
    if numbers.ndim != 1 or len(numbers) != count:
        raise SizeValueError(f"`models` must name one model for each of the {count} boxes; got shape {numbers.shape}.")
    if count and numbers.dtype.kind not in "iu":
        raise TypeError(f"`models` must be integers, the number of each box's model; got {numbers.dtype}.")
    if count and int(numbers.min()) < 0:
        row = int(np.argmin(numbers))
        raise ValueError(f"`models` must count from 0; got {numbers[row]} in row {row}.")
    if count and int(numbers.max()) >= 2**20:
        row = int(np.argmax(numbers))
        raise ValueError(f"`models` must be small numbers that count from 0; got {numbers[row]} in row {row}.")
    return numbers.astype(np.int64)


def _weights(value: Any, used: int) -> np.ndarray:
    """One weight above 0 for each model, of which the first `used` have boxes."""
    array = as_array(value)
    numbers = to_numpy(array)
    if numbers.dtype.kind not in "iuf" or numbers.ndim != 1:
        raise TypeError(f"`weights` must be numbers, one for each model; got {check.brief(value)}.")
    if len(numbers) < max(used, 1):
        raise SizeValueError(
            f"`weights` must have one weight for each model; got {len(numbers)}, and `models` names model {used - 1}."
        )
    numbers = numbers.astype(np.float64)
    bad = np.flatnonzero(~((numbers > 0) & (numbers < _MOST)))
    if bad.size:
        model = int(bad[0])
        raise ValueError(
            f"`weights` must be finite and above 0; got {numbers[model]} for model {model}. "
            "Leave out the boxes of a model that does not count."
        )
    return numbers


def votes(scores: np.ndarray, weighted: np.ndarray) -> None:
    """Scores weigh the coordinates, so none may be negative."""
    bad = np.flatnonzero(scores < 0)
    if bad.size:
        row = int(bad[0])
        raise ValueError(
            f"`scores` must not be negative, for they weigh the coordinates; got {scores[row]} in row {row}. "
            "Turn logits into shares of 1 first."
        )
    bad = np.flatnonzero(~(weighted < _MOST))
    if bad.size:
        row = int(bad[0])
        raise ValueError(f"`scores` times `weights` must stay below 2^480; got {weighted[row]} in row {row}.")
