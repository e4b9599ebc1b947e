"""Image places: which image of the truth each image of the guess may be, and how large it then is."""

from __future__ import annotations

import numpy as np

from vesica.dataset import Dataset, Images
from vesica.dataset.ids import places

_STEPS = {"+1": 1, "-1": -1}
DIGITS = "the number that they write as text"
"""How images meet that no score lets meet by itself."""


def as_given(truth: Images, guess: Dataset, /) -> tuple[np.ndarray, str]:
    """The place of each image of the guess among the truth's, −1 if nowhere, and by what: ids, or else names."""
    found = places(guess.images.ids, truth.ids).astype(np.int64)
    used = np.zeros(len(guess.images), bool)
    used[guess.image] = True
    if not (found[used] < 0).any():
        return found, "id"
    from vesica.dataset.picture_names import by_name  # late: ids that meet need none

    named = by_name(truth, guess.images, used)
    if named is not None:
        return named.places, named.by
    numbers = _in_digits(guess.images.ids, truth.ids)
    return (found, "id") if (numbers[used] < 0).any() else (numbers, DIGITS)


def _in_digits(ids: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Places of ids that are texts of digits, zeros before them or not, where the truth has numbers."""
    if ids.dtype != object or known.dtype == object:
        return np.full(len(ids), -1, np.int64)
    digits = [isinstance(one, str) and one.isascii() and one.isdigit() and len(one) < 19 for one in ids.tolist()]
    numbers = [int(one) if fits else 0 for one, fits in zip(ids.tolist(), digits, strict=True)]
    return np.where(digits, places(np.array(numbers, np.int64), known), -1).astype(np.int64)


def moved(truth: Images, guess: Dataset, /) -> dict[str, np.ndarray]:
    """The same if ids were one more, or one less."""
    ids = guess.images.ids
    if ids.dtype == object or truth.ids.dtype == object or not ids.size or int(np.abs(ids).max()) >= 2**62:
        return {}
    return {name: places(ids + step, truth.ids).astype(np.int64) for name, step in _STEPS.items()}


def sized(data: Dataset, truth: Dataset | None = None, /) -> np.ndarray:
    """(I, 2) height and width of each image: its own, or those of the truth."""
    own = data.images.sizes
    if truth is not None:
        where, _ = as_given(truth.images, data)
        for other in moved(truth.images, data).values() if (where < 0).any() else ():
            where = np.where(where < 0, other, where)
        known = np.concatenate([truth.images.sizes, np.zeros((1, 2), np.int64)])[where]
        own = np.where((own > 0).all(axis=1, keepdims=True), own, known)
    return own
