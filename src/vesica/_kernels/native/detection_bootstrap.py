"""Scores of many replicates of a data set, from what matching left behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vesica import _native
from vesica._array import contiguous
from vesica._kernels import native
from vesica._kernels.generic.weights import POISSON
from vesica._kernels.native.precision_recall import Columns

_LIMITS = np.array(POISSON, np.uint32)
_NONE = np.empty(0, np.uint8)


class Strip(NamedTuple):
    """What numbers are read from: a range of areas under a limit of guesses; precision, or recall alone."""

    area: int
    limit: int
    has_precision: bool


class Number(NamedTuple):
    """A mean over thresholds and categories, and of precision over recalls."""

    strip: int
    is_precision: bool
    thresholds: np.ndarray
    """(T,) bool"""
    categories: np.ndarray | None
    """(K,) bool; None: all, and each has its own number too."""


class Cut(NamedTuple):
    """Where right and wrong guesses are counted."""

    area: int
    threshold: int
    least_score: float


class Draws(NamedTuple):
    """How often images are drawn: by their keys, or as a table says."""

    keys: np.ndarray
    """(I,) uint64"""
    seed: int
    replicates: int
    given: np.ndarray | None = None
    """(replicates, I) uint8"""
    first: int = 0
    """The number of the first replicate, of those that keys are drawn in."""


class Drawn(NamedTuple):
    """What the replicates have."""

    overall: np.ndarray
    """(B, numbers)"""
    classes: np.ndarray | None
    """(B, K, numbers of all categories)"""
    counts: np.ndarray | None
    """(B, K, 3): right, wrong, truths."""


def replicate(
    found: Columns,
    image: np.ndarray,
    shape: tuple[int, int],
    recalls: np.ndarray,
    draws: Draws,
    strips: Sequence[Strip],
    numbers: Sequence[Number],
    cut: Cut | None,
    *,
    epsilon: float,
    per_class: bool,
    threads: int | None,
) -> Drawn:
    """Every number of every replicate. `shape` is the number of thresholds and of ranges."""
    categories, count = len(found.starts) - 1, draws.replicates
    own = sum(number.categories is None for number in numbers)
    overall = np.empty((count, len(numbers)))
    classes = np.empty((count, categories, own)) if per_class else None
    counts = None if cut is None else np.empty((count, categories, 3))
    _native.detection_bootstrap(
        (*found, *shape),
        contiguous(image, np.int32),
        (contiguous(draws.keys, np.uint64), draws.seed, draws.first, _LIMITS, _table(draws.given)),
        recalls,
        epsilon,
        [(strip.area, strip.limit, strip.has_precision) for strip in strips],
        [(one.strip, one.is_precision, _flags(one.thresholds), _flags(one.categories)) for one in numbers],
        None if cut is None else (cut.area, cut.threshold, cut.least_score),
        count,
        overall,
        classes,
        counts,
        native.thread_count(threads),
    )
    return Drawn(overall, classes, counts)


def _flags(mask: np.ndarray | None) -> np.ndarray:
    return _NONE if mask is None else np.ascontiguousarray(mask, np.uint8)


def _table(given: np.ndarray | None) -> np.ndarray:
    return _NONE if given is None else np.ascontiguousarray(given, np.uint8)
