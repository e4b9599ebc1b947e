"""Dense masks: one value for each pixel."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import Array, dtype_name, library, take_rows, to_numpy
from vesica._check import masks as check_masks
from vesica._check import names
from vesica._kernels import Pixels, has_kernel, pick_arrays
from vesica._kernels.generic.masks import is_set
from vesica._kernels.native import pixels as native_pixels
from vesica.regions.boxes import Boxes
from vesica.regions.pixels import PixelRegions


class Masks(PixelRegions):
    """N dense masks of images of one size.

    A pixel belongs to a mask where its value is not 0: booleans, and integers such as 0 and 255. Floats (a network's
    output) need `above`, the value beyond which a pixel belongs.

    Parameters
    ----------
    array : (N, height, width) array or nested list
        Of any library that follows the array API. It is not copied.
    above : float, optional
        For floats: pixels with a larger value belong.

    Examples
    --------
    >>> import numpy as np
    >>> stack = np.zeros((2, 4, 6), bool)
    >>> stack[0, 1:3, 1:4] = True
    >>> stack[1, 2:4, 2:6] = True
    >>> masks = Masks(stack)
    >>> masks.area, masks.boxes.xyxy
    (array([6, 8]), array([[1, 1, 4, 3],
           [2, 2, 6, 4]]))
    >>> import vesica
    >>> vesica.iou(masks, masks)
    array([[1.        , 0.16666667],
           [0.16666667, 1.        ]])

    One mask is a stack of one:

    >>> Masks(stack[0])
    Traceback (most recent call last):
    ...
    ValueError: `masks` must have shape (N, height, width); got (4, 6). One mask is a stack of one: mask[None].
    """

    __slots__ = ("array",)

    array: Array

    @names.explained("Masks", "Masks")
    def __init__(self, array: Any, /, *, above: float | None = None) -> None:
        array = check_masks.mask_stack(array, "masks", above)
        if above is not None:
            array = array > check.finite(above, "above")
        object.__setattr__(self, "array", array)
        object.__setattr__(self, "size", (int(array.shape[1]), int(array.shape[2])))

    def __reduce__(self) -> tuple[Any, ...]:
        return Masks, (self.array,)

    def __len__(self) -> int:
        return int(self.array.shape[0])

    def __getitem__(self, index: Any) -> Masks:
        """Some of the masks; one index gives one mask, still as a stack."""
        return Masks(take_rows(self.array, index, ndim=3))

    def __repr__(self) -> str:
        height, width = self.size
        return f"Masks({len(self)}, {height}×{width}, {library(self.array)} {dtype_name(self.array)})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """The stack, for NumPy."""
        stack = to_numpy(self.array)
        return np.array(stack, dtype) if copy else np.asarray(stack, dtype)

    @property
    def like(self) -> Array:
        return self.array

    @property
    def can_be_packed(self) -> bool:
        """Is there a kernel that packs this array as bits?"""
        return has_kernel("pack", "masks", self.array)

    def pixels(self, threads: int | None = None) -> Pixels:
        return native_pixels.pack_masks(to_numpy(self.array), threads=threads)

    @property
    def area(self) -> Array:
        """The number of pixels of each mask, int64."""
        return pick_arrays("area", "masks", self.array).call(self.array)

    @property
    def boxes(self) -> Boxes:
        """The smallest box around each mask, half-open; zeros for no pixels."""
        return Boxes(pick_arrays("boxes", "masks", self.array).call(self.array), check=False)

    def to_masks(self) -> Masks:
        """The masks themselves, as booleans."""
        return self if dtype_name(self.array) == "bool" else Masks(is_set(self.array))
