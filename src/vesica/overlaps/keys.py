"""Keys: which regions may meet at all. Of any kind on the way in, small numbers for the kernels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vesica import _check as check


def numbered_pair(keys: Any, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """(keys of a, keys of b) as numbers in which equal keys are equal."""
    left, right = check.pair_of_keys(keys)
    left, right = check.key_column(left, n, "keys[0]"), check.key_column(right, m, "keys[1]")
    numbers = numbered(check.same_keys(left, right))
    return numbers[:n], numbers[n:]


def numbered(keys: np.ndarray) -> np.ndarray:
    """One column of keys, or rows of several, as uint32."""
    if keys.dtype.kind in "iu" and keys.size and int(keys.min()) >= 0:
        if keys.ndim == 1 and int(keys.max()) < 2**32:
            return keys.astype(np.uint32)
        if keys.ndim == 2:
            spans = [int(most) + 1 for most in keys.max(axis=0)]
            if math.prod(spans) <= 2**32:  # digits of one number, without sorting rows
                digits: np.ndarray = np.ravel_multi_index(tuple(keys.astype(np.int64).T), tuple(spans))
                return digits.astype(np.uint32)
    _, numbers = np.unique(keys, axis=0, return_inverse=True)
    return numbers.reshape(-1).astype(np.uint32)
