"""Panoptic quality where images are drawn again: the counts of each image and category are weighed and added."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vesica.results.resampling import Resampling
from vesica.segmentation.averages import rows_of_means
from vesica.segmentation.resampled import drawn

if TYPE_CHECKING:
    from vesica.segmentation.panoptic import PanopticResult


@dataclass(frozen=True, eq=False)
class PanopticReplicates:
    """PQ, SQ and RQ of a result, each as columns of replicates."""

    result: PanopticResult
    resampling: Resampling

    def number(self, name: str, category: str | None = None, /) -> np.ndarray | None:
        """(R,) a number of the summary, or the quality of a category by its name; None if it has none."""
        score, _, group = name.partition("_")
        values = self._qualities[score]
        kinds = self.result.categories
        if category is not None:
            return values[:, [str(one) for one in kinds.names].index(category)]
        things = np.ones(values.shape[1], bool) if kinds.things is None else kinds.things
        chosen = {"": np.ones_like(things), "things": things, "stuff": ~things}[group]
        return rows_of_means(values[:, chosen])

    @functools.cached_property
    def _qualities(self) -> dict[str, np.ndarray]:
        """(R, K) each."""
        from vesica.segmentation.panoptic import qualities, sums_of

        found, kinds = self.result, len(self.result.categories.ids)
        cells = sums_of(found.image * kinds + found.category, found.inter, found.union, len(found.images) * kinds)
        table = np.concatenate([column.reshape(-1, kinds) for column in cells.values()], axis=1)
        sums = drawn(table, lambda some: some, found.images.tolist(), self.resampling)
        return qualities(dict(zip(cells, np.split(sums, len(cells), axis=1), strict=True)))
