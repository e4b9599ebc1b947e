"""Resampling of a result: how many replicates, by which seed, and what is drawn again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

if TYPE_CHECKING:
    import numpy as np


class IntervalOptions(TypedDict, total=False):
    """Options that `interval` of every result takes, for type checkers."""

    level: float
    by: Any
    replicates: int
    seed: int
    method: str


class Resampling(NamedTuple):
    """How images are drawn again. The weights of an image depend on the seed, the replicate and its id alone, so that
    replicates of two results of the same images are paired.

    Attributes
    ----------
    replicates, seed : int
    groups : image id → what it belongs to, a patient or a video, which is drawn as a whole; None: each image by itself
    """

    replicates: int = 2000
    seed: int = 0
    groups: Mapping[Any, Any] | None = None

    def labels(self, ids: Sequence[Any], /) -> list[Any] | None:
        """The group of each image, in their order."""
        if self.groups is None:
            return None
        from vesica._check import comparison as check

        return [check.group_of(self.groups, one) for one in ids]

    def keys(self, ids: Sequence[Any], /) -> np.ndarray:
        """(N,) uint64: what is drawn again, for each image."""
        from vesica._array import objects
        from vesica.statistics.resampling import keys_of

        labels = self.labels(ids)
        return keys_of(objects(ids if labels is None else labels))  # 7 and "7" are two
