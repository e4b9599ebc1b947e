"""Keys: which regions may meet at all. Of any kind on the way in, small numbers for the kernels."""

from __future__ import annotations

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
    small = keys.ndim == 1 and keys.dtype.kind in "iu" and keys.size
    if small and int(keys.min()) >= 0 and int(keys.max()) < 2**32:
        return keys.astype(np.uint32)
    _, numbers = np.unique(keys, axis=0, return_inverse=True)
    return numbers.reshape(-1).astype(np.uint32)
