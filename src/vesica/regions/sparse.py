"""Sparse masks: the index of every pixel that belongs, and nothing of the others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vesica import _check as check
from vesica._array import Array, as_array, contiguous, to_numpy
from vesica._check import masks as check_masks
from vesica._check import names
from vesica._kernels import Pixels
from vesica._kernels.native import pixels as native_pixels
from vesica.regions.pixels import PixelRegions


class SparseMasks(PixelRegions):
    """N masks of images of one size, given by the indices of their pixels.

    They are sets: an index that comes twice counts once, and a value of 0 drops its entry; other values are class ids,
    never weights. Layers without pixels keep their place.

    Parameters
    ----------
    indices : (3, P) integers, or a sparse tensor
        Rows n, y, x. A sparse COO tensor of torch or of pydata/sparse, a scipy.sparse array, or a list of scipy's
        matrices, brings its values and its size with it.
    values : (P,) array, optional
        Entries with the value 0 are left out.
    size : (N, height, width)
    outside : {"error", "drop"}, default "error"
        What to do with pixels outside the image.

    Examples
    --------
    A cross, an empty layer and an L in images of 5 × 5 pixels:

    >>> cross = [(0, 1, 2), (0, 2, 1), (0, 2, 2), (0, 2, 3), (0, 3, 2)]
    >>> ell = [(2, 2, 4), (2, 3, 4), (2, 4, 2), (2, 4, 3), (2, 4, 4)]
    >>> import numpy as np
    >>> masks = SparseMasks(np.array(cross + ell).T, size=(3, 5, 5))
    >>> masks.area
    array([5, 0, 5])
    >>> import vesica
    >>> vesica.iou(masks, [[1, 1, 4, 4]])
    array([[0.55555556],
           [0.        ],
           [0.        ]])

    >>> SparseMasks([[0], [1], [7]], size=(1, 5, 5))
    Traceback (most recent call last):
    ...
    vesica.errors.SizeValueError: `indices` column 0 must lie in the image: x = 7, and the width is 5. Rows are n, y, x.
    """

    __slots__ = ("_like", "_pixels")

    _like: Array | None
    _pixels: Pixels

    @names.explained("SparseMasks", "SparseMasks")
    def __init__(
        self,
        indices: Any,
        /,
        values: Any = None,
        *,
        size: tuple[int, int, int] | None = None,
        outside: str = "error",
        threads: int | None = None,
    ) -> None:
        check.threads(threads)
        outside = check.one_of(outside, ("error", "drop"), "outside")
        indices, values, size = _taken_apart(indices, values, size)
        table = check_masks.index_table(indices)
        layers, height, width = check_masks.sparse_size(size)
        if values is not None:
            # Taken along the second axis, numbers come column by column; kernels read rows.
            table = contiguous(table[:, check_masks.index_values(values, table.shape[1]) != 0])
        pixels = native_pixels.pack_indices(table, (layers, height, width), drop=outside == "drop", threads=threads)
        if not isinstance(pixels, Pixels):
            raise check_masks.bad_index(table, *pixels, (layers, height, width))
        set_once = object.__setattr__
        set_once(self, "size", (height, width))
        set_once(self, "_pixels", pixels)
        set_once(self, "_like", _nothing_of(indices))

    @classmethod
    def _of_pixels(cls, pixels: Pixels, like: Array | None = None) -> SparseMasks:
        self = cls.__new__(cls)
        object.__setattr__(self, "size", (pixels.height, pixels.width))
        object.__setattr__(self, "_pixels", pixels)
        object.__setattr__(self, "_like", like)
        return self

    @classmethod
    @names.explained("SparseMasks.from_masks", "SparseMasks.from_masks")
    def from_masks(cls, masks: Any, /) -> SparseMasks:
        """Masks of any kind, or a (N, height, width) array."""
        from vesica.regions.masks import Masks

        return cls._of_pixels((masks if isinstance(masks, PixelRegions) else Masks(masks)).pixels())

    def __reduce__(self) -> tuple[Any, ...]:
        return SparseMasks._of_pixels, (self._pixels, self._like)

    def _content(self) -> tuple[Any, ...]:
        return self.to_rle()._content()

    def __len__(self) -> int:
        return len(self._pixels)

    def __getitem__(self, index: Any) -> SparseMasks:
        """Some of the masks; one index gives one mask, still as a stack."""
        rows = check.row_numbers(index, len(self))
        return SparseMasks._of_pixels(self._pixels.take(contiguous(rows)), self._like)

    def __repr__(self) -> str:
        height, width = self.size
        return f"SparseMasks({len(self)}, {height}×{width}, {int(self._pixels.area.sum())} pixels)"

    @property
    def like(self) -> Array | None:
        return self._like

    def pixels(self, threads: int | None = None) -> Pixels:
        return self._pixels

    @property
    def indices(self) -> Array:
        """(3, P) int64: n, y, x of each pixel, once each, by layer and down the columns."""
        rle = self.to_rle()
        return self._own(_positions(rle.counts, rle.offsets, self.size[0] * self.size[1], self.size[0]))


def _positions(counts: np.ndarray, offsets: np.ndarray, pixels: int, height: int) -> np.ndarray:
    """n, y, x of all pixels of run lengths."""
    sizes = np.diff(offsets)
    layer = np.repeat(np.arange(len(sizes)), sizes)
    is_set = (np.arange(len(counts)) - offsets[:-1][layer]) % 2 == 1
    # Every mask fills its image, so one sum serves all. Over many large images it wraps, and so does what is taken off.
    begins = np.cumsum(counts) - counts - layer * np.int64(pixels)
    lengths = counts[is_set]
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    x, y = np.divmod(np.repeat(begins[is_set], lengths) + within, max(height, 1))
    return np.stack([np.repeat(layer[is_set], lengths), y, x])


def _nothing_of(indices: Any) -> Array | None:
    """An empty table of the same library, so that the indices need not stay in memory; None where that is NumPy."""
    table = as_array(indices) if hasattr(indices, "dtype") else None
    return None if table is None or isinstance(table, np.ndarray) else table[:, :0]


def _taken_apart(indices: Any, values: Any, size: Any) -> tuple[Any, Any, Any]:
    """Indices, values and size of a sparse tensor of any library; a plain table stays what it is."""
    if not is_sparse(indices):
        return indices, values, size
    check_masks.no_values(values)
    layers = indices if isinstance(indices, (list, tuple)) else [indices]
    parts = [_coo(layer) for layer in layers]
    own = parts[0] if len(parts) == 1 and len(parts[0].shape) == 3 else _stacked(parts)
    check_masks.own_size(own.shape, size)
    return own


class _Coo(NamedTuple):
    """What all sparse tensors come down to."""

    coords: Any
    """(axes, P)"""
    values: Any
    shape: tuple[int, ...]


def is_sparse(value: Any) -> bool:
    """A sparse tensor of torch, of pydata/sparse or of scipy, or a list of those of two axes?"""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(not isinstance(one, (list, tuple)) and is_sparse(one) for one in value)
    is_torch = getattr(value, "is_sparse", False) or getattr(value, "is_sparse_csr", False)
    return bool(is_torch) or (hasattr(value, "shape") and (hasattr(value, "tocoo") or hasattr(value, "coords")))


def _coo(value: Any) -> _Coo:
    if hasattr(value, "to_sparse_coo"):  # torch
        value = value.to_sparse_coo()
        return _Coo(value._indices(), value._values(), tuple(value.shape))
    if hasattr(value, "tocoo"):
        value = value.tocoo()
    check_masks.filled_with_nothing(value)
    coords = value.coords if hasattr(value, "coords") else (value.row, value.col)
    return _Coo(np.stack(coords), value.data, tuple(value.shape))


def _stacked(layers: list[_Coo]) -> _Coo:
    """Matrices of two axes, each a layer."""
    check_masks.one_shape([layer.shape for layer in layers])
    coords, values = ([to_numpy(as_array(layer[k])) for layer in layers] for k in (0, 1))
    n = np.repeat(np.arange(len(layers)), [part.shape[1] for part in coords])
    table = np.concatenate([n[None], np.concatenate(coords, axis=1)])
    return _Coo(table, np.concatenate(values), (len(layers), *layers[0].shape))
