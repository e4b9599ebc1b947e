"""Objects that changed: truths that one model finds and another does not, with the cause."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vesica._array import objects
from vesica.detection.cause_names import RIGHT
from vesica.detection.result import DetectionResult
from vesica.results.tables import Table

FIXED, BROKEN = "fixed", "broken"
_OF_TRUTHS = ("image", "category", "truth", "x1", "y1", "x2", "y2", "cause")


class _Found(NamedTuple):
    """Truths of one model: rows of its match table, by image and id."""

    table: Table
    right: dict[tuple[Any, Any], int]
    """The guess that found each."""
    lost: dict[tuple[Any, Any], int]
    """Those that were not found, with the cause."""


def changed_objects(
    before: DetectionResult, after: DetectionResult, /, *, iou: float | None, scores: tuple[float | None, float | None]
) -> Table:
    """A row for each truth that `before` lost and `after` found, "fixed", or the other way round, "broken".

    `scores` are those from which on the guesses of each count. The box is the truth's, the cause why it was lost, and
    the score that of the guess that found it.
    """
    one, other = (_found(result, iou, score) for result, score in zip((before, after), scores, strict=True))
    parts = [_changed(FIXED, one, other), _changed(BROKEN, other, one)]
    return Table({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def _changed(change: str, without: _Found, having: _Found) -> dict[str, np.ndarray]:
    """Truths that one side lost and the other found."""
    keys = [key for key in without.lost if key in having.right]
    lost = np.array([without.lost[key] for key in keys], np.int64)
    found = np.array([having.right[key] for key in keys], np.int64)
    columns = {name: without.table[name][lost] for name in _OF_TRUTHS}
    return {"change": objects([change] * len(keys)), **columns, "score": having.table["score"][found]}


def _found(result: DetectionResult, iou: float | None, score: float | None) -> _Found:
    table = result.objects(iou=iou, min_score=score)
    image, truth = (table[name].tolist() for name in ("image", "truth"))
    is_lost, is_right = table["guess"] == np.array(None), table["cause"] == RIGHT
    right, lost = (
        {(image[row], truth[row]): row for row in np.flatnonzero(rows).tolist()} for rows in (is_right, is_lost)
    )
    return _Found(table, right, lost)


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
