"""Objects that changed: truths that one model finds and another does not, with the cause."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vesica._array import objects
from vesica.detection.cause_names import RIGHT
from vesica.detection.result import DetectionResult
from vesica.results.tables import Row, Table

FIXED, BROKEN = "fixed", "broken"
_COLUMNS = ("image", "category", "truth", "x1", "y1", "x2", "y2", "cause", "score")


class _Found(NamedTuple):
    """Truths of one model, by image and id."""

    right: dict[tuple[Any, Any], Row]
    """The guess that found each."""
    lost: dict[tuple[Any, Any], Row]
    """Those that were not found, with the cause."""


def changed_objects(
    before: DetectionResult, after: DetectionResult, /, *, iou: float | None, scores: tuple[float | None, float | None]
) -> Table:
    """A row for each truth that `before` lost and `after` found, "fixed", or the other way round, "broken".

    `scores` are those from which on the guesses of each count. The box is the truth's, the cause why it was lost, and
    the score that of the guess that found it.
    """
    sides = [_found(one, iou, score) for one, score in zip((before, after), scores, strict=True)]
    rows: list[tuple[str, Row, Row]] = []
    for change, lost, right in ((FIXED, sides[0].lost, sides[1].right), (BROKEN, sides[1].lost, sides[0].right)):
        rows += [(change, row, right[key]) for key, row in lost.items() if key in right]
    columns: dict[str, np.ndarray] = {"change": objects(change for change, _, _ in rows)}
    for name in _COLUMNS:
        values = [(found if name == "score" else lost)[name] for _, lost, found in rows]
        is_number = name in ("x1", "y1", "x2", "y2", "score")
        columns[name] = np.array(values, np.float64) if is_number else objects(values)
    return Table(columns)


def _found(result: DetectionResult, iou: float | None, score: float | None) -> _Found:
    right, lost = {}, {}
    for row in result.objects(iou=iou, min_score=score):
        key = row["image"], row["truth"]
        if row["guess"] is None:
            lost[key] = row
        elif row["cause"] == RIGHT:
            right[key] = row
    return _Found(right, lost)


def has_details(result: DetectionResult, /) -> bool:
    """Is enough at hand to tell which objects were found?"""
    return result.inputs is not None or result.records.details is not None


def best_score(result: DetectionResult, iou: float | None, /) -> float | None:
    """The score from which on guesses have the highest F1 of all classes together; None without right guesses."""
    area = result.protocol.areas[result.protocol.whole or 0][0]
    best = result.curve(iou=iou, area=area).best_f1
    return None if best is None else best.score


def counted(table: Table, /) -> Table:
    """How many objects of each category changed, and for which cause; the most first."""
    counts: dict[tuple[Any, Any, Any], int] = {}
    for row in table:
        key = row["change"], row["category"], row["cause"]
        counts[key] = counts.get(key, 0) + 1
    ordered = sorted(counts.items(), key=lambda one: (-one[1], tuple(map(str, one[0]))))
    names = ("change", "category", "cause")
    columns = {name: objects(key[place] for key, _ in ordered) for place, name in enumerate(names)}
    return Table({**columns, "count": np.array([count for _, count in ordered], np.int64)})
