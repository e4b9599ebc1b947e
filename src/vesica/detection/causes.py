"""Causes: how many guesses and truths each has, and what AP it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica._array import objects
from vesica._check import detection as check
from vesica.detection.cause_names import CAUSES, CODE, LIKE, MISSED, STATES, TOTALS, best_of_image, named
from vesica.detection.details import Details
from vesica.detection.matches import Matches, of_guesses
from vesica.detection.records import Records
from vesica.detection.repairs import precisions_of, repaired
from vesica.results.tables import Row, Table


@dataclass(frozen=True, eq=False, repr=False)
class Causes:
    """What keeps AP from 1: how many guesses and truths each cause has, and the AP that it costs.

    Attributes
    ----------
    iou, background : the overlap that makes a guess right, and the one below which no truth is near
    ap : the average precision at that threshold, as it is
    table : Table of cause, count, cost and words; `cost` is how much higher AP would be without this cause alone
    per_class : Table of category, cause, count and cost
    """

    iou: float
    background: float
    ap: float
    table: Table
    per_class: Table

    def __getitem__(self, cause: str) -> Row:
        """The row of a cause: result.causes()["missed"]["cost"]."""
        names = self.table["cause"].tolist()
        row: Row = list(self.table)[names.index(check.one_of(cause, names, "cause"))]
        return row

    def of(self, category: Any, /) -> Table:
        """The causes of one category, by its name."""
        names = self.per_class["category"].tolist()
        check.category_of(category, tuple(dict.fromkeys(names)))
        rows = np.array([name == category for name in names])
        return Table({name: column[rows] for name, column in self.per_class.columns.items() if name != "category"})

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        plain: dict[str, Any] = {
            "iou": self.iou,
            "background": self.background,
            "ap": None if self.ap != self.ap else self.ap,
        }
        return {**plain, "causes": list(self.table), "classes": list(self.per_class)}

    def __repr__(self) -> str:
        shown = ", ".join(f"{row['cause']} {row['cost']:.3f}" for row in self.table if row["cost"] is not None)
        return f"Causes(AP {self.ap:.3f} at IoU {self.iou:g}; {shown})"

    def _repr_html_(self) -> str:
        from vesica import _html  # late: only notebooks ask for it

        return _html.page(_html.words(repr(self)), self.table._repr_html_())

    def __str__(self) -> str:
        return f"AP {self.ap:.3f} at IoU {self.iou:g}, and what it would gain without each cause\n{self.table}"


def causes_of(
    records: Records,
    details: Details,
    matches: Matches,
    *,
    iou: float,
    background: float,
    names: list[Any],
    like: str | None,
    threads: int | None,
) -> Causes:
    """Name the causes, repair one at a time, and see what AP becomes."""
    rules = LIKE[like]
    kept = np.ones(len(records), bool)
    if rules.per_image is not None:
        kept = best_of_image(records, details, rules.per_image)
        matches = of_guesses(matches, kept)
    found = named(records, details, matches, background, rules=rules, kept=kept)
    mean, by_class = precisions_of(repaired(records, details, found), records, rules, threads)

    codes = [CODE[name] for name in CAUSES]
    counts = np.zeros((len(names), len(STATES)), np.int64)
    np.add.at(counts, (records.guess_category, found.guess), 1)
    missed = found.truth == MISSED
    lost = matches.counts & (matches.guess < 0)
    counts[:, MISSED] = np.bincount(details.truth_category[missed], minlength=len(names))
    own = counts[:, codes]
    both = [own[:, :-1].sum(axis=1), np.bincount(details.truth_category[lost], minlength=len(names))]
    every = np.column_stack([own, *both])
    cost, of_class = mean[1:] - mean[0], by_class[:, 1:] - by_class[:, :1]
    words = {**CAUSES, **TOTALS}
    kinds, rows = len(words), len(names)
    return Causes(
        iou,
        background,
        float(mean[0]),
        Table(
            {
                "cause": objects(list(words)),
                "count": every.sum(axis=0),
                "cost": np.where(np.arange(kinds) < len(CAUSES), np.maximum(cost, 0.0), cost),
                "meaning": objects(list(words.values())),
            }
        ),
        Table(
            {
                "category": objects([name for name in names for _ in range(kinds)]),
                "cause": objects(list(words) * rows),
                "count": every.reshape(-1),
                "cost": of_class.reshape(-1),
            }
        ),
    )
