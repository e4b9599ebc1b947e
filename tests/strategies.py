"""Generators of boxes that look for trouble: ties, touching edges, points, one line, equal rows, odd scales."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

_small = st.integers(-6, 6)


def _flushed(x: float) -> float:
    return 0.0 if abs(x) < 1e-6 else x  # areas of boxes of 1e-200 are 0 in floats: true, but no property survives it


_smooth = st.floats(-1e3, 1e3, allow_nan=False, width=32).map(_flushed)
_any = st.floats(-1e6, 1e6, allow_nan=False).map(_flushed)


def _ordered(rows: np.ndarray) -> np.ndarray:
    low, high = np.minimum(rows[:, :2], rows[:, 2:]), np.maximum(rows[:, :2], rows[:, 2:])
    return np.concatenate([low, high], axis=1)


def tables(least: int = 0, most: int = 12, *, dtype: str = "float64") -> st.SearchStrategy[np.ndarray]:
    """(N, 4) boxes, x1 ≤ x2 and y1 ≤ y2; often on a coarse grid, where ties and touching edges are common."""
    kinds = [_small.map(float), _smooth] + ([_any] if dtype == "float64" else [])
    if dtype.startswith("int"):
        kinds = [_small, st.integers(-40_000, 40_000)]
    numbers = st.one_of(*(st.just(kind) for kind in kinds)).flatmap(
        lambda kind: st.integers(least, most).flatmap(
            lambda n: hnp.arrays(dtype, (n, 4), elements=kind if dtype != "float32" else kind.map(np.float32))
        )
    )
    return numbers.map(_ordered)


def same_length_pairs(dtype: str = "float64") -> st.SearchStrategy[tuple[np.ndarray, np.ndarray]]:
    return st.tuples(tables(1, 8, dtype=dtype), tables(1, 8, dtype=dtype)).map(
        lambda pair: (pair[0][: len(pair[1])], pair[1][: len(pair[0])])
    )


def rotated(least: int = 0, most: int = 8) -> st.SearchStrategy[np.ndarray]:
    """(N, 5) rotated boxes near each other; sides may be 0, angles are often quarter turns or equal."""
    centre = st.one_of(st.integers(-4, 4).map(float), st.floats(-5, 5, allow_nan=False))
    side = st.one_of(st.sampled_from([0.0, 1.0, 2.0, 4.0]), st.floats(0.01, 10))
    angle = st.one_of(st.sampled_from([0.0, 30.0, 45.0, 90.0, 180.0, -90.0]), st.floats(-400, 400))
    row = st.tuples(centre, centre, side, side, angle)
    return st.lists(row, min_size=least, max_size=most).map(lambda rows: np.array(rows, float).reshape(-1, 5))


thresholds = st.one_of(
    st.integers(1, 20).map(lambda k: k / 20),
    st.sampled_from([1 / 3, 0.1, 0.3, 0.7, 1e-3, 1e-7, 0.999999]),
    st.floats(1e-4, 1.0),
)


def stacks(most: int = 4, sides: int = 70) -> st.SearchStrategy[np.ndarray]:
    """Stacks of boolean masks: empty, full, blocks, noise; heights around the 64 rows of a band."""

    def make(n: int, height: int, width: int, density: float, seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        stack = rng.random((n, height, width)) < density
        for mask in stack[rng.random(n) < 0.5] if height and width else ():
            y, x = rng.integers(0, height), rng.integers(0, width)
            mask[...] = False
            mask[y : y + rng.integers(0, 30), x : x + rng.integers(0, 30)] = True
        return stack

    side = st.one_of(st.integers(0, sides), st.sampled_from([1, 63, 64, 65]))
    density = st.sampled_from([0.0, 0.02, 0.5, 0.97, 1.0])
    return st.builds(make, st.integers(0, most), side, side, density, st.integers(0, 2**32 - 1))


def boxes_near(width: int, height: int) -> st.SearchStrategy[np.ndarray]:
    """Boxes around an image: inside, across its border, outside; on pixel edges, on halves, anywhere."""

    def make(count: int, step: float, seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        x, y = (rng.uniform(-5, side + 5, (count, 2)) for side in (width, height))
        x, y = (np.sort(np.round(v / step) * step if step else v, axis=1) for v in (x, y))
        return np.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], axis=1)

    return st.builds(make, st.integers(0, 5), st.sampled_from([1.0, 0.5, 0.0]), st.integers(0, 2**32 - 1))
