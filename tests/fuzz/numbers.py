"""Numbers, sizes and things that are neither, from the places where code breaks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Rng = np.random.Generator

# Around the words of 64 bits that kernels work in.
SIDES = (1, 2, 3, 5, 7, 31, 63, 64, 65, 100, 127, 128, 129, 192)
LARGE = ((70_000, 70_000), (2**30 - 1, 2**30 - 1), (2**30 - 1, 1), (1, 2**30 - 1), (0, 2**30 - 1), (64, 2**29))
ODD_SIZES = (
    *((0, 2**30), (2**30, 1), (2**62, 2**62), (2**63, 1), (-1, 5), (5, -1), (5.0, 5.0), (5, math.nan), (True, 5)),
    *((5,), (5, 5, 5), (), None, 5, "55", ("5", "5"), [[5, 5]], {"height": 5, "width": 5}, np.array(5), (None, None)),
)
EXTREMES = (-(2**63), -(2**62), -(2**31) - 1, -2, -1, 2**30, 2**31, 2**32, 2**53 + 1, 2**60, 2**62, 2**63 - 1)
STRANGE = (None, True, 0.5, -0.5, math.nan, math.inf, 1e300, 2**63, 2**64, 2**200, "3", b"3", 1j, [], [1], (), {}, ...)


def pick(rng: Rng, options: Any) -> Any:
    return options[int(rng.integers(len(options)))]


def chance(rng: Rng, share: float) -> bool:
    return bool(rng.random() < share)


def odd(rng: Rng, value: Any) -> Any:
    """Mostly the value, now and then something that is no number at all."""
    return pick(rng, STRANGE[1:]) if chance(rng, 0.02) else value


def side(rng: Rng) -> int:
    return int(pick(rng, SIDES)) if chance(rng, 0.6) else int(rng.integers(0, 40))


def size(rng: Rng) -> tuple[int, int]:
    """Of a small image, or now and then of a very large one."""
    return pick(rng, LARGE) if chance(rng, 0.15) else (side(rng), side(rng))


def any_size(rng: Rng) -> Any:
    """Mostly a size."""
    return pick(rng, ODD_SIZES) if chance(rng, 0.08) else size(rng)


def corners(rng: Rng, height: int, width: int) -> np.ndarray:
    """Boxes in, across and far outside an image: whole, fractional, without area, huge."""
    count = int(rng.integers(0, 9))
    scale = pick(rng, (1.0, 1.5, 4.0, 1e6, 1e150))
    low = rng.uniform(-0.5, 1, (count, 2)) * scale * [width + 1, height + 1]
    rows = np.hstack([low, low + rng.exponential(0.4, (count, 2)) * scale * [width + 1, height + 1]])
    if chance(rng, 0.5):
        rows = np.round(rows)
    if chance(rng, 0.2):
        rows[:, 2] = rows[:, 0]
    if count and chance(rng, 0.3):
        rows[0] = [0, 0, width, height]
    return rows


def isa_level(rng: Rng) -> str:
    return str(pick(rng, ("avx512", "avx2", "baseline")))
