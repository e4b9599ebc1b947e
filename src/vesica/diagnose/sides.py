"""Sides: a data set, and what its file says of the numbers of its boxes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vesica.dataset import Dataset
from vesica.diagnose.box_readings import BoxReading
from vesica.diagnose.finding import Finding

MOST_ROWS = 20_000
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
    sizes : (N, 2) height and width of each row's image, 0 where nobody knows them
    is_results : are its rows guesses?
    refused : what a strict reader does not let pass
    path : where it is; "" of data that no file has
    """

    name: str
    data: Dataset
    declared: BoxReading
    sizes: np.ndarray
    is_results: bool
    field: str = "boxes"
    refused: tuple[Finding, ...] = ()
    path: str = ""

    @cached_property
    def has_box(self) -> np.ndarray:
        """(N,) bool: rows whose box is four numbers. One with a mask alone has none."""
        if self.data.xywh is None:
            return np.zeros(len(self.data), bool)
        return np.asarray(np.isfinite(self.data.xywh).all(axis=1))

    @cached_property
    def looked_at(self) -> np.ndarray:
        """Rows with boxes: all of them, or of many an even choice."""
        rows = np.flatnonzero(self.has_box)
        return rows[:: -(-len(rows) // MOST_ROWS)] if len(rows) > MOST_ROWS else rows

    @cached_property
    def numbers(self) -> np.ndarray:
        """(N, 4): the numbers as they stand in the file."""
        xywh = np.empty((len(self.data), 4)) if self.data.xywh is None else self.data.xywh
        return self.declared.numbers(xywh, self.sizes)
