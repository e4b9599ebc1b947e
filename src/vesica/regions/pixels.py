"""What all masks have in common, whatever form their pixels are kept in."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica._array import Array, from_numpy
from vesica._check import masks as check_masks
from vesica._kernels import Pixels
from vesica._kernels.native import pixels as native_pixels
from vesica.regions.boxes import Boxes
from vesica.regions.collection import Collection

if TYPE_CHECKING:
    from vesica.regions.masks import Masks
    from vesica.regions.rle import RleMasks


class PixelRegions(Collection, abc.ABC):
    """N sets of pixels of images of one size: dense, run-length or sparse."""

    __slots__ = ("size",)

    size: tuple[int, int]
    """(height, width) of the image."""
    dtype = "float64"
    """The floating dtype of measures: counts are integers, so the one division is in float64."""

    @abc.abstractmethod
    def pixels(self, threads: int | None = None) -> Pixels:
        """The masks as the native kernels read them."""

    @property
    @abc.abstractmethod
    def like(self) -> Array | None:
        """An array of the library that answers belong to; None where there is none."""

    @abc.abstractmethod
    def __len__(self) -> int: ...

    @property
    def area(self) -> Array:
        """The number of pixels of each mask, int64."""
        return self._own(native_pixels.areas_of_pixels(self.pixels()))

    @property
    def boxes(self) -> Boxes:
        """The smallest box around each mask: half-open, so [min x, min y, max x + 1, max y + 1]; zeros for no pixels.

        Of a mask with the pixels (x, y) = (2, 3) and (4, 3) it is [2, 3, 5, 4].
        """
        return Boxes(self._own(native_pixels.boxes_of_pixels(self.pixels())))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError(f"{type(self).__name__} objects are no arrays: to_masks() makes dense ones of them.")

    def _own(self, array: np.ndarray) -> Array:
        return array if self.like is None else from_numpy(array, self.like)

    def to_rle(self) -> RleMasks:
        """The same masks as run lengths."""
        from vesica.regions.rle import RleMasks

        pixels = self.pixels()
        return RleMasks._of_pixels(pixels)

    def to_masks(self) -> Masks:
        """The same masks, dense: bool, of shape (N, height, width)."""
        from vesica.regions.masks import Masks

        check_masks.dense_room(len(self), self.size)
        return Masks(self._own(native_pixels.unpack_masks(self.pixels())))
