"""Rows that have a mask and no box, and the boxes around their masks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from vesica._check import dataset as check
from vesica.dataset.coco_masks import CocoMasks

if TYPE_CHECKING:
    from vesica.dataset import Dataset


def boxless(data: Dataset, /) -> np.ndarray | None:
    """Which rows have a mask and no box; None if none have."""
    if data.segments is None:
        return None
    has_mask = data.segments.form != CocoMasks.NONE
    rows = has_mask if data.xywh is None else has_mask & np.isnan(data.xywh).all(axis=1)
    return rows if rows.any() else None


def boxed(data: Dataset, rows: np.ndarray | None, sizes: np.ndarray, /) -> Dataset:
    """These rows with the tight boxes of their masks. `sizes` are those of the images of all rows, (N, 2)."""
    if rows is None:
        return data
    assert data.segments is not None
    segments = data.segments.sized(sizes)
    found = replace(segments, form=np.where(rows, segments.form, np.uint8(CocoMasks.NONE))).boxes()
    boxes = np.full((len(data), 4), np.nan) if data.xywh is None else data.xywh
    return replace(data, xywh=np.where(rows[:, None], found, boxes), segments=segments)


def boxes_of(data: Dataset, /) -> np.ndarray:
    """The boxes of all rows, (N, 4): as they were written, or else around the masks."""
    return check.some_boxes(boxed(data, boxless(data), data.images.sizes[data.image]).xywh)
