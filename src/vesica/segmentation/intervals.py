"""Intervals of segmentation scores, by drawing images again, or what they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vesica.results.intervals import Drawing, IntervalTable, Replicates, interval_table
from vesica.results.resampling import Resampling
from vesica.segmentation import resampled

if TYPE_CHECKING:
    from vesica.segmentation.result import SegmentationResult


def intervals_of(
    result: SegmentationResult, drawing: Drawing, groups: np.ndarray | None, tables: tuple[str, ...], /
) -> IntervalTable:
    """Those of every number of the summary, and of the scores that `tables` names of each class."""
    ids = result.counts.ids.tolist()
    by_image = None if groups is None else dict(zip(ids, groups.tolist(), strict=True))
    drawn = resampled.Replicates(result, Resampling(drawing.replicates, drawing.seed, by_image))
    columns = [values[:, None] for name in result.summary if (values := drawn.number(name)) is not None]
    known = tuple(name for name in tables if result.policy.knows(name))
    rows = result.per_class()
    listed = [[np.nan if row[name] is None else row[name] for name in known] for row in rows]
    own = np.reshape(np.array(listed, np.float64), (len(rows), len(known)))
    classes = np.empty((drawing.replicates, *own.shape))
    for place, name in enumerate(known):
        classes[:, :, place] = drawn.classes(name)
    found = Replicates(tuple(result.summary), np.concatenate(columns, axis=1), known, classes)
    return interval_table(dict(result.summary), found, drawing, categories=result.categories, class_values=own)
