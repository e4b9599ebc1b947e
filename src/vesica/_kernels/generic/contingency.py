"""Tables of known labels in array-API code: how often each of the truth meets each of the guess, image by image."""

from __future__ import annotations

import numpy as np

from vesica._array import Array, cast, from_numpy, namespace, tally

HIGHEST = 2**62
"""No label that is not known is farther from 0 in the extremes that are kept of them."""


def contingency(truth: Array, guess: Array, labels: np.ndarray, known: Array | None) -> tuple[Array, Array]:
    """Count batches of label maps where they are. `labels` rise; `known` are the same on the device, if they are there.

    (B, L + 1, L + 1) int64: places of the labels, the last one for all that are not known; and (4,) int64: the lowest
    and the highest unknown label of the truth, and of the guess.
    """
    truth, guess = (_flat(side) for side in (truth, guess))
    xp = namespace(truth, guess)
    known = from_numpy(labels, truth) if known is None else known
    rows, columns = _places(truth, known), _places(guess, known)
    size = len(labels) + 1
    tables = xp.reshape(tally(rows * size + columns, size * size), (int(truth.shape[0]), size, size))
    ends = []
    for values, places in ((truth, rows), (guess, columns)):
        strange = places == size - 1
        ends += [xp.min(xp.where(strange, values, HIGHEST)), xp.max(xp.where(strange, values, -HIGHEST))]
    return tables, xp.stack(ends)


def _flat(maps: Array) -> Array:
    return namespace(maps).reshape(cast(maps, "int64"), (int(maps.shape[0]), -1))


def _places(values: Array, labels: Array) -> Array:
    """Where each label stands among the known ones; one past the last for all others."""
    xp = namespace(values)
    count = int(labels.shape[0])
    near = xp.clip(xp.searchsorted(labels, values), 0, count - 1)
    return xp.where(labels[near] == values, near, count)
