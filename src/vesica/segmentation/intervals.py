"""Intervals of segmentation scores, by drawing images again, or what they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica import _check as check
from vesica.dataset import Images
from vesica.dataset.image_columns import drawn_by
from vesica.results.intervals import (
    Drawing,
    IntervalTable,
    Replicates,
    drawing_of,
    interval_table,
    interval_table_of,
)
from vesica.results.resampling import Resampling
from vesica.segmentation.resampled import SegmentationReplicates

if TYPE_CHECKING:
    from vesica.segmentation.panoptic import PanopticResult
    from vesica.segmentation.result import SegmentationResult
    from vesica.segmentation.surface_result import SurfaceResult
    from vesica.statistics.intervals import Interval


def intervals_of(
    result: SegmentationResult, drawing: Drawing, groups: np.ndarray | None, tables: tuple[str, ...], /
) -> IntervalTable:
    """Those of every number of the summary, and of the scores that `tables` names of each class."""
    ids = result.counts.ids.tolist()
    by_image = None if groups is None else dict(zip(ids, groups.tolist(), strict=True))
    drawn = SegmentationReplicates(result, Resampling(drawing.replicates, drawing.seed, by_image))
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


def interval_of(
    result: PanopticResult | SurfaceResult,
    name: str | None,
    /,
    *,
    images: np.ndarray,
    groups: np.ndarray | None,
    categories: Sequence[Any],
    by: Any,
    **how: Any,
) -> IntervalTable | Interval:
    """The intervals of results whose replicates gates know: of one number, or of all and of each category."""
    names = list(result.summary) if name is None else [check.one_of(name, result.summary, "name")]
    told, chosen = drawn_by(by, Images(images), {} if groups is None else {"group": groups})
    drawing = drawing_of(by=told, **how)
    by_image = None if chosen is None else dict(zip(images.tolist(), chosen.tolist(), strict=True))
    scores = result.gate_scores(Resampling(drawing.replicates, drawing.seed, by_image))
    table = interval_table_of(scores, drawing, names=names, categories=categories if name is None else ())
    return table if name is None else table[name]
