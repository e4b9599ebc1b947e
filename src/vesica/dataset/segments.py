"""Segments: the masks of a data set, as they were written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Segments:
    """A mask for each row, in images of any size, as it was written: nothing is decoded before it is needed.

    Attributes
    ----------
    text : uint8: what was written, one behind the other
    begin, end : (N,) int64: which part of the text each row has
    form : (N,) uint8: one of NONE, JSON (a "segmentation" of COCO: polygons, or an object of "size" and "counts") and
        COUNTS (COCO's compressed string alone)
    size : (N, 2) int64: height and width of the image; 0 where nobody said. An object of "size" has its own.
    """

    text: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    form: np.ndarray
    size: np.ndarray

    NONE, JSON, COUNTS = 0, 1, 2

    def __len__(self) -> int:
        return len(self.begin)

    def __getitem__(self, rows: Any) -> Segments:
        return Segments(self.text, *(column[rows] for column in (self.begin, self.end, self.form, self.size)))

    def written(self) -> Iterator[bytes]:
        """The text of each row."""
        data = self.text.tobytes()
        return (data[begin:end] for begin, end in zip(self.begin.tolist(), self.end.tolist(), strict=True))
