"""Weights of a bootstrap."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._array import contiguous
from vesica._kernels import native
from vesica._kernels.generic.weights import POISSON

_LIMITS = np.array(POISSON, np.uint32)


def weights(keys: np.ndarray, *, seed: int, first: int, count: int, threads: int | None = None) -> np.ndarray:
    """(count, N) float64: how often each of N keys is drawn in the replicates from `first` on."""
    out = np.empty((count, len(keys)))
    known = contiguous(keys, np.uint64)
    _native.bootstrap_weights(known, seed, first, count, _LIMITS, native.thread_count(threads), out)
    return out
