"""Weights of a bootstrap in plain array code: the specification of the compiled ones."""

from __future__ import annotations

import numpy as np

POISSON = (
    0x5E2D58D9, 0xBC5AB1B2, 0xEB715E1E, 0xFB239798, 0xFF1025F6, 0xFFD90F3C,
    0xFFFA8B72, 0xFFFF540D, 0xFFFFED20, 0xFFFFFE22, 0xFFFFFFD5, 0xFFFFFFFD,
)  # fmt: skip
"""⌈2³² · P(X ≤ k)⌉ for X of a Poisson distribution of mean 1: a number of 32 bits is worth as many as it reaches."""

_STEP = 0x9E3779B97F4A7C15
_WHOLE = (1 << 64) - 1


def weights(keys: np.ndarray, *, seed: int, first: int, count: int, threads: int | None = None) -> np.ndarray:
    """(count, N) float64: how often each of N keys is drawn in the replicates from `first` on.

    Two replicates share a hash of 64 bits, of which the even one takes the lower half.
    """
    mixed = mix(keys)
    out = np.empty((count, len(keys)))
    for row in range(count):
        replicate = first + row
        found = mix(mixed + np.uint64(state(seed, replicate // 2)))
        half = (found >> np.uint64(32 * (replicate % 2))) & np.uint64(0xFFFFFFFF)
        out[row] = np.searchsorted(np.array(POISSON, np.uint64), half, side="right")
    return out


def state(seed: int, pair: int) -> int:
    """What the seed and the number of a pair of replicates add to every key."""
    inner = int(mix(np.array([(seed + _STEP) & _WHOLE], np.uint64))[0])
    return int(mix(np.array([(inner + (pair + 1) * _STEP) & _WHOLE], np.uint64))[0])


def mix(numbers: np.ndarray) -> np.ndarray:
    """A permutation of the numbers of 64 bits in which each bit depends on all (the finaliser of SplitMix64)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: np.ndarray = numbers ^ (numbers >> np.uint64(31))
    return mixed
