"""Rows of different lengths, one after the other: row k is values[offsets[k] : offsets[k + 1]]."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np


def offsets_of(lengths: Iterable[int], /) -> np.ndarray:
    """Where rows of these lengths begin, and the end: int64."""
    return np.array([0, *itertools.accumulate(lengths)], np.int64)


def taken(offsets: np.ndarray, rows: np.ndarray, /) -> tuple[np.ndarray, np.ndarray]:
    """The offsets of some rows behind each other, and the places of their values."""
    lengths = np.diff(offsets)[rows]
    fresh = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return fresh, np.repeat(offsets[:-1][rows] - fresh[:-1], lengths) + np.arange(fresh[-1])
