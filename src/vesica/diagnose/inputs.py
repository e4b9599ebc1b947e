"""Data sets that are examined, each with what its file says of the numbers of its boxes."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vesica.dataset import Dataset
from vesica.dataset.boxless import boxed, boxless
from vesica.diagnose.box_readings import BoxReading, declared
from vesica.diagnose.finding import Finding
from vesica.diagnose.image_places import sized

if TYPE_CHECKING:
    from vesica.io.read import Found

MOST_ROWS = 5_000
"""Boxes that are looked at for where they lie, evenly over the file."""


@dataclass(frozen=True, eq=False)
class Side:
    """One file, read.

    Attributes
    ----------
    name : how messages call it
    data : Dataset
    declared : what the four numbers of a box are said to be
    field : how messages call those four numbers
    image_sizes : (I, 2) height and width of each image, 0 where they are not known
    is_results : are its rows guesses?
    refused : what a strict reader does not let pass
    path : where it is; "" of data that no file has
    first : from which number on the file is said to count pixels
    """

    name: str
    data: Dataset
    declared: BoxReading
    image_sizes: np.ndarray
    is_results: bool
    field: str = "boxes"
    refused: tuple[Finding, ...] = ()
    path: str = ""
    first: int = 0

    @cached_property
    def has_box(self) -> np.ndarray:
        """(N,) bool: rows whose box is four numbers. One with a mask alone has none."""
        if self.data.xywh is None:
            return np.zeros(len(self.data), bool)
        finite = np.isfinite(self.data.xywh)
        return np.ones(len(self.data), bool) if finite.all() else np.asarray(finite.all(axis=1))

    @cached_property
    def looked_at(self) -> np.ndarray:
        """Rows with boxes: all of them, or of many an even choice."""
        count = int(np.count_nonzero(self.has_box))
        step = max(1, -(-count // MOST_ROWS))
        return np.arange(0, count, step) if count == len(self.data) else np.flatnonzero(self.has_box)[::step]

    @cached_property
    def sizes(self) -> np.ndarray:
        """(N, 2): height and width of each row's image."""
        return self.sizes_at(slice(None))

    def sizes_at(self, rows: np.ndarray | slice, /) -> np.ndarray:
        """The same of some rows."""
        return np.asarray(self.image_sizes[self.data.image[rows]])

    @cached_property
    def has_size(self) -> np.ndarray:
        """(N,) bool: rows whose image has a size."""
        height, width = self.image_sizes.T
        return np.asarray(((height > 0) & (width > 0))[self.data.image])

    def corners_at(self, rows: np.ndarray, /) -> np.ndarray:
        """x1, y1, x2, y2 of some rows, in rising order, as they were read."""
        assert self.data.xywh is not None
        boxes = self.data.xywh if len(rows) == len(self.data) else self.data.xywh[rows]
        corners = np.empty((len(rows), 4))
        corners[:, :2] = boxes[:, :2]
        np.add(boxes[:, :2], boxes[:, 2:], out=corners[:, 2:])
        return corners

    @cached_property
    def numbers(self) -> np.ndarray:
        """(N, 4): the numbers as they stand in the file."""
        xywh = np.empty((len(self.data), 4)) if self.data.xywh is None else self.data.xywh
        return xywh if self.declared == BoxReading() else self.declared.numbers(xywh, self.sizes)


def of_found(found: Found, truth: Side | None = None, /) -> Side:
    """The side of a file that was read strictly."""
    name = os.path.basename(found.name.rstrip("/")) or found.name
    field = "bbox" if found.format == "coco" else "boxes"
    side = side_of(name, found.data, declared(found.form, found.format), truth, field)
    return replace(side, path=found.name, first=int(found.form == "pixels from 1"))


def side_of(name: str, data: Dataset, reading: BoxReading, truth: Side | None = None, field: str = "boxes", /) -> Side:
    """The side of a data set; of guesses, with the sizes that the images of the truth have."""
    sizes = sized(data, None if truth is None else truth.data)
    data = boxed(data, boxless(data), sizes[data.image])
    if data.corners is not None:  # rotated boxes: what was read is no upright box
        sizes = np.zeros_like(sizes)
    return Side(name, data, reading, sizes, data.score is not None, field)
