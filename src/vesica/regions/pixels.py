"""What all masks have in common, whatever form their pixels are kept in."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica import _check as check
from vesica._array import Array, from_numpy
from vesica._kernels import Pixels, native
from vesica.regions.boxes import Boxes

if TYPE_CHECKING:
    from vesica.regions.masks import Masks
    from vesica.regions.rle import RleMasks


class PixelRegions(abc.ABC):
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

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} are frozen: make new ones instead of setting `{name}`.")

    @property
    def shape(self) -> tuple[int]:
        """(N,)"""
        return (len(self),)

    @property
    def area(self) -> Array:
        """The number of pixels of each mask, int64."""
        return self._own(self.pixels().area.copy())

    @property
    def boxes(self) -> Boxes:
        """The smallest box around each mask: half-open, so [min x, min y, max x + 1, max y + 1]; zeros for no pixels.

        Of a mask with the pixels (x, y) = (2, 3) and (4, 3) it is [2, 3, 5, 4].
        """
        return Boxes(self._own(self.pixels().table[:, 1:5].copy()))

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

        check.dense_room(len(self), self.size)
        return Masks(self._own(native.unpack_masks(self.pixels())))
