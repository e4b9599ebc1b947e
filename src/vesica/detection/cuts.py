"""Cuts: the score from which on guesses of a class are worth having."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from vesica._array import objects
from vesica.detection.curves import Curve
from vesica.results.tables import Table


def cut_table(names: Iterable[Any], curves: Iterable[Curve], precision: float | None, /) -> Table:
    """A row for each curve: where F1 is highest; or the lowest score down to which precision is at least so much."""
    rows = [_cut(curve, precision) for curve in curves]
    columns = np.array(rows, np.float64).reshape(-1, 4).T
    return Table(
        {"category": objects(list(names)), **dict(zip(("score", "precision", "recall", "f1"), columns, strict=True))}
    )


def _cut(curve: Curve, precision: float | None) -> tuple[float, float, float, float]:
    """Score, precision, recall and F1; NaN where no cut reaches what is wanted."""
    nothing = (np.nan,) * 4
    if not len(curve.score) or not curve.positives:
        return nothing
    # No cut parts guesses of equal scores.
    ends = np.flatnonzero(np.append(curve.score[1:] != curve.score[:-1], True))
    if precision is None:
        place = ends[int(np.argmax(curve.f1[ends]))]
    else:
        reached = ends[(curve.precision[ends] >= precision) & (curve.right[ends] > 0)]
        if not len(reached):
            return nothing
        place = reached[-1]
    return tuple(float(column[place]) for column in (curve.score, curve.precision, curve.recall, curve.f1))  # type: ignore[return-value]
