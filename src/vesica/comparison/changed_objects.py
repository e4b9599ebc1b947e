"""Objects that changed: truths that one model finds and another does not, with the cause."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica._array import objects
from vesica.dataset.ids import places, table_of, together
from vesica.detection.cause_names import RIGHT
from vesica.detection.result import DetectionResult
from vesica.results.tables import Table

FIXED, BROKEN = "fixed", "broken"
_OF_TRUTHS = ("image", "category", "truth", "x1", "y1", "x2", "y2", "cause")


class _Found(NamedTuple):
    """Truths of one model: its match table, and which of its rows are of a truth that a guess found, or of one that
    none did."""

    table: Table
    right: np.ndarray
    lost: np.ndarray


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
    lost, right = _keys(without, having)
    place = places(lost, right)
    there = np.flatnonzero(place >= 0)
    columns = {name: without.table[name][without.lost[there]] for name in _OF_TRUTHS}
    score = having.table["score"][having.right[place[there]]]
    return {"change": objects([change] * len(there)), **columns, "score": score}


def _keys(without: _Found, having: _Found) -> tuple[np.ndarray, np.ndarray]:
    """A number for each truth that one side lost, and that the other found: by its image and its id."""
    codes = np.zeros(len(without.lost) + len(having.right), np.int64)
    for name in ("image", "truth"):
        ids = together([_ids(without.table[name][without.lost]), _ids(having.table[name][having.right])])
        known, code = table_of(ids)
        codes = codes * max(len(known), 1) + code
    return codes[: len(without.lost)], codes[len(without.lost) :]


def _ids(column: np.ndarray) -> np.ndarray:
    """Integers, if all are: 7 and "7" are two."""
    found = np.array(column.tolist())
    return found if found.dtype.kind == "i" else column.astype(object)


def _found(result: DetectionResult, iou: float | None, score: float | None) -> _Found:
    table = result.objects(iou=iou, min_score=score)
    right, lost = table["cause"] == RIGHT, table["guess"] == np.array(None)
    return _Found(table, np.flatnonzero(right), np.flatnonzero(lost))


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
    names = ("change", "category", "cause")
    tables, codes = zip(*(table_of(table[name].astype(object)) for name in names), strict=True)
    shape = tuple(map(len, tables))
    kinds, counts = np.unique(np.ravel_multi_index(codes, shape) if len(table) else codes[0], return_counts=True)
    cells = [known[place] for known, place in zip(tables, np.unravel_index(kinds, shape), strict=True)]
    order = sorted(range(len(kinds)), key=lambda row: (-counts[row], *(str(column[row]) for column in cells)))
    columns = {name: column[order] for name, column in zip(names, cells, strict=True)}
    return Table({**columns, "count": counts[order]})
