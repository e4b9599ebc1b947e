"""Agreement of label maps where images are drawn again: the pixels of each image are weighed and added."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vesica.agreement.pixel_images import class_sums, class_values, image_sums
from vesica.results.resampling import Resampling
from vesica.statistics.resampling import bootstrap

if TYPE_CHECKING:
    from vesica.agreement.label_maps import PixelAgreementResult


@dataclass(frozen=True, eq=False)
class PixelReplicates:
    """The numbers of a result, each as a column of replicates."""

    result: PixelAgreementResult
    resampling: Resampling

    def number(self, name: str, category: str | None = None, /) -> np.ndarray | None:
        """(R,) a number of the summary, or IoU or Dice of a class by its name; None for α, which asks for the maps."""
        if category is not None:
            inter, areas = self._classes
            place = [str(one) for one in self.result.classes()["category"].tolist()].index(category)
            return class_values(name, inter[:, place], areas[:, place])
        return self._drawn(*image_sums(self.result, name)) if name in self.result.summary else None

    @functools.cached_property
    def _classes(self) -> list[np.ndarray]:
        """(R, C) shared pixels, and those of both."""
        return np.split(self._drawn(np.concatenate(class_sums(self.result), axis=1), lambda sums: sums), 2, axis=1)

    def _drawn(self, table: np.ndarray, of: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        how = self.resampling
        keys = how.keys(list(self.result.images))
        return bootstrap(table, of, keys=keys, seed=how.seed, replicates=how.replicates)
