"""Scores of outlines where images are drawn again: means over the images of each replicate, then over classes."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica.results.resampling import Resampling
from vesica.segmentation.averages import rows_of_means
from vesica.segmentation.resampled import means


@dataclass(frozen=True, eq=False)
class SurfaceReplicates:
    """The numbers of a result, each as columns of replicates.

    Attributes
    ----------
    categories, images : names of the classes, and ids
    table : (I, K) of each score, NaN where neither side has the class
    resampling : how images are drawn again
    """

    categories: Sequence[Any]
    images: Sequence[Any]
    table: Mapping[str, np.ndarray]
    resampling: Resampling

    def number(self, name: str, category: str | None = None, /) -> np.ndarray | None:
        """(R,) a number of the whole, or of a class by its name; None if a distance is infinite."""
        if name not in self._known:
            self._known[name] = self._classes(name)
        classes = self._known[name]
        if classes is None or category is None:
            return None if classes is None else rows_of_means(classes)
        return classes[:, [str(one) for one in self.categories].index(category)]

    @functools.cached_property
    def _known(self) -> dict[str, np.ndarray | None]:
        return {}

    def _classes(self, name: str) -> np.ndarray | None:
        """(R, K)"""
        table = self.table[name]
        return None if np.isinf(table).any() else means(table, self.images, self.resampling)
