"""CocoMasks: the masks of a data set, as they were written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica._check import coco_masks as check
from vesica._kernels.native import coco_masks as native
from vesica._kernels.native import pixels as native_pixels

if TYPE_CHECKING:
    from vesica.regions import RleMasks


_ROWS = 8192
"""Masks that are decoded at a time where only their boxes are wanted."""


@dataclass(frozen=True, eq=False)
class CocoMasks:
    """A mask for each row, in images of any size, as it was written: nothing is decoded before it is needed.

    Attributes
    ----------
    text : uint8: what was written, one behind the other
    begin, end : (N,) int64: which part of the text each row has
    form : (N,) uint8: one of NONE, JSON (a "segmentation" of COCO: polygons, or an object of "size" and "counts") and
        COUNTS (COCO's compressed string alone)
    size : (N, 2) int64: height and width of the image; 0 where unknown. An object of "size" has its own.

    Examples
    --------
    >>> import vesica
    >>> segments = CocoMasks.from_rle(vesica.RleMasks(["71320N4"], size=(5, 5)))
    >>> segments.to_rle().to_counts()
    [[7, 1, 3, 3, 3, 1, 7]]
    """

    text: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    form: np.ndarray
    size: np.ndarray

    NONE, JSON, COUNTS = (native.FORMS.index(name) for name in ("none", "json", "counts"))

    def __len__(self) -> int:
        return len(self.begin)

    def __getitem__(self, rows: Any) -> CocoMasks:
        return CocoMasks(self.text, *(column[rows] for column in (self.begin, self.end, self.form, self.size)))

    def sized(self, sizes: np.ndarray, /) -> CocoMasks:
        """The same, with these image sizes, (N, 2), where a row has none of its own."""
        known = (self.size[:1] if self.size.strides[0] == 0 else self.size) > 0  # one row may stand for all
        if known.all():
            return self
        return replace(
            self, size=np.where(known.all(axis=1, keepdims=True), self.size, sizes) if known.any() else sizes
        )

    def written(self) -> Iterator[bytes]:
        """The text of each row."""
        data = self.text.tobytes()
        return (data[begin:end] for begin, end in zip(self.begin.tolist(), self.end.tolist(), strict=True))

    def to_rle(self, rows: Any = slice(None), /, *, threads: int | None = None) -> RleMasks:
        """The masks of some rows, or of all, which must share one image size; polygons are drawn by COCO's rule."""
        from vesica.regions import RleMasks

        numbers = np.atleast_1d(np.arange(len(self))[rows])
        found = native.decode(self.column(), numbers, threads=threads)
        _refuse(found.measured, numbers)
        return RleMasks._of(found.counts, found.offsets, check.one_size(found.sizes))

    def areas(self, *, threads: int | None = None) -> np.ndarray:
        """The pixels of each mask, float64; 0 for a row without one."""
        rows = np.flatnonzero(self.form != self.NONE)
        found = native.areas(self.column(), rows, threads=threads)
        _refuse(found, rows)
        areas = np.zeros(len(self))
        areas[rows] = found.area
        return areas

    def boxes(self, *, threads: int | None = None) -> np.ndarray:
        """The tight box of each mask, (N, 4) float64: x, y, width, height; all 0 for an empty mask."""
        column, xywh = self.column(), np.zeros((len(self), 4))
        for rows in np.array_split(np.flatnonzero(self.form != self.NONE), len(self) // _ROWS + 1):
            found = native.decode(column, rows, threads=threads)
            _refuse(found.measured, rows)
            xywh[rows] = np.concatenate([found.boxes[:, :2], found.boxes[:, 2:] - found.boxes[:, :2]], axis=1)
        return xywh

    @classmethod
    def none(cls, size: np.ndarray, /) -> CocoMasks:
        """No masks, in images of these sizes."""
        nowhere = np.zeros(len(size), np.int64)
        return cls(np.empty(0, np.uint8), nowhere, nowhere, np.full(len(size), cls.NONE, np.uint8), size)

    @classmethod
    def from_rle(cls, masks: RleMasks, /) -> CocoMasks:
        """Masks of one image size, as compressed strings."""
        text, offsets = native_pixels.strings_of_counts(masks.counts, masks.offsets)
        count = len(masks)
        size = np.tile(np.asarray(masks.size, np.int64), (count, 1))
        return cls(text, offsets[:-1], offsets[1:], np.full(count, cls.COUNTS, np.uint8), size)

    def column(self, xywh: np.ndarray | None = None, /) -> native.Column:
        """The columns as kernels read them. Rows without a mask are drawn as boxes, if there are any."""
        return native.column(self.text, self.begin, self.end, self.form, self.size, xywh)


def _refuse(found: native.Measured, rows: np.ndarray) -> None:
    """Raise for the first row that cannot be read."""
    fault = found.fault(rows)
    if fault is not None:
        raise check.bad_segment(fault, "`segments`")
