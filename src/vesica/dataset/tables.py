"""The tables that rows of a data set point into: images and categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Ragged(NamedTuple):
    """A list of numbers for each row: row k has values[offsets[k] : offsets[k + 1]]."""

    values: np.ndarray
    offsets: np.ndarray


@dataclass(frozen=True, eq=False)
class Images:
    """The images that were looked at, also those in which nothing was found.

    Attributes
    ----------
    ids : (I,) int64, or objects where some id is a string; no id twice
    height, width : (I,) int64, 0 where unknown; None if all are
    names : (I,) objects: file names, None for an image without one; None if all are without
    absent : lists of category ids that were looked for and are not there ("neg_category_ids" of LVIS)
    partial : lists of category ids of which only some objects are marked ("not_exhaustive_category_ids")
    group : (I,) objects: what each image belongs to (a patient, a scene, a video), or None
    batch : (I,) objects: the delivery or the day on which each was worked on, or None
    """

    ids: np.ndarray
    height: np.ndarray | None = None
    width: np.ndarray | None = None
    names: np.ndarray | None = None
    absent: Ragged | None = None
    partial: Ragged | None = None
    group: np.ndarray | None = None
    batch: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def sizes(self) -> np.ndarray:
        """(I, 2) int64: height and width, 0 where unknown."""
        if self.height is None or self.width is None:
            return np.zeros((len(self), 2), np.int64)
        return np.stack([self.height, self.width], axis=1)


@dataclass(frozen=True, eq=False)
class Categories:
    """What an object can be.

    Attributes
    ----------
    ids : (K,) int64, or objects where some id is a string; no id twice
    names : (K,) objects: a name for each, None for a category without one; None if all are without
    parents : (K,) objects: "supercategory" of COCO, or None
    frequency : (K,) objects: "r", "c" or "f" of LVIS, or None
    """

    ids: np.ndarray
    names: np.ndarray | None = None
    parents: np.ndarray | None = None
    frequency: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.ids)
