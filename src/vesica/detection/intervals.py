"""Intervals of detection scores, by drawing images again, or what they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vesica.detection.bootstrap import COUNTED, Cut, replicates_of
from vesica.results.intervals import Drawing, IntervalTable, interval_table

if TYPE_CHECKING:
    from vesica.detection.result import DetectionResult


def intervals_of(result: DetectionResult, drawing: Drawing, groups: np.ndarray | None, cut: Cut, /) -> IntervalTable:
    """Those of every number of a result, of precision, recall and F1 at a cut, and of each category."""
    found = replicates_of(
        result.records,
        replicates=drawing.replicates,
        seed=drawing.seed,
        groups=groups,
        cut=cut,
        threads=result.threads,
    )
    counts = result.counts_at(cut)
    total = counts.total()
    numbers = dict(result.summary) | {name: float(getattr(total, name)) for name in COUNTED}
    rows = [row | one for row, one in zip(counts.rows(), result.per_class(), strict=True)]
    classes = [[np.nan if row[name] is None else row[name] for name in found.class_names] for row in rows]
    values = np.reshape(np.array(classes, np.float64), (len(rows), len(found.class_names)))
    return interval_table(numbers, found, drawing, categories=result.categories, class_values=values)
