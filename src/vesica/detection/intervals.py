"""Intervals of detection scores, by drawing images again, or what they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vesica.detection.bootstrap import COUNTED, Cut, categories_at_a_time, classes_of, replicates_of
from vesica.results.intervals import Drawing, IntervalTable, ends_of, interval_table
from vesica.statistics.intervals import joined

if TYPE_CHECKING:
    from vesica.detection.result import DetectionResult


def intervals_of(result: DetectionResult, drawing: Drawing, groups: np.ndarray | None, cut: Cut, /) -> IntervalTable:
    """Those of every number of a result, of precision, recall and F1 at a cut, and of each category."""
    step, kinds = categories_at_a_time(drawing.replicates), len(result.categories)
    how: dict[str, Any] = {"replicates": drawing.replicates, "seed": drawing.seed, "groups": groups, "cut": cut}
    how["threads"] = result.threads
    found = replicates_of(result.records, per_class=kinds <= step, **how)
    counts = result.counts_at(cut)
    total = counts.total()
    numbers = dict(result.summary) | {name: float(getattr(total, name)) for name in COUNTED}
    rows = [row | one for row, one in zip(counts.rows(), result.per_class(), strict=True)]
    classes = [[np.nan if row[name] is None else row[name] for name in found.class_names] for row in rows]
    values = np.reshape(np.array(classes, np.float64), (len(rows), len(found.class_names)))
    ends = None
    if kinds > step:  # some at a time, for all replicates of all categories may take more memory than there is
        chunks = (slice(first, min(first + step, kinds)) for first in range(0, kinds, step))
        ends = joined(
            [ends_of(classes_of(result.records, one.start, one.stop, **how), values[one], drawing) for one in chunks]
        )
    return interval_table(numbers, found, drawing, categories=result.categories, class_values=values, class_ends=ends)
