"""Intervals of the numbers of a result: one shape, whatever is scored."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vesica import _check as check
from vesica._array import objects
from vesica._check import statistics as check_statistics
from vesica.results.result import UnknownNumber
from vesica.results.tables import Table, plain
from vesica.statistics.intervals import STATUSES, Interval, Intervals, percentile_intervals

if TYPE_CHECKING:
    from vesica.results.gates import Scores


class Replicates(NamedTuple):
    """The numbers of a result in many replicates; NaN where one has no value."""

    names: tuple[str, ...]
    values: np.ndarray
    """(R, len(names)) float64"""
    class_names: tuple[str, ...]
    classes: np.ndarray
    """(R, K, len(class_names)) float64; K is 0 if they were not asked for."""


@dataclass(frozen=True)
class Drawing:
    """How an interval was made.

    Attributes
    ----------
    level : the share of replicates between both ends
    by : what was drawn again: "image", the name of a column, or "groups"
    replicates, seed : int
    method : "corrected" for bias, or "percentile"
    """

    level: float = 0.95
    by: str = "image"
    replicates: int = 2000
    seed: int = 0
    method: str = "corrected"


METHODS = ("corrected", "percentile")


def drawing_of(*, level: float, by: str, replicates: int, seed: int, method: str) -> Drawing:
    """What was asked for, if it can be."""
    check.one_of(method, METHODS, "method")
    return Drawing(
        check_statistics.level(level),
        by,
        check_statistics.replicates(replicates),
        check_statistics.seed(seed),
        method,
    )


@dataclass(frozen=True, eq=False, repr=False)
class IntervalTable(Mapping[str, Interval]):
    """Both ends of the interval of each number, by its name. It prints as a table.

    >>> drawn = Replicates(("AP",), np.array([[0.4], [0.5], [0.6]]), (), np.empty((3, 0, 0)))
    >>> table = interval_table({"AP": 0.5}, drawn, Drawing(level=0.5, replicates=3))
    >>> table["AP"]
    Interval(lo=0.45, hi=0.55, status='ok', undefined=0)
    >>> print(table)
    50 % intervals of 3 replicates by image, seed 0
    number  value     lo     hi
    AP      0.500  0.450  0.550
    """

    numbers: Mapping[str, float]
    """Their values; NaN for one that is not defined."""
    ends: Intervals
    drawing: Drawing
    categories: Sequence[Any] = ()
    class_names: tuple[str, ...] = ()
    class_values: np.ndarray | None = None
    """(K, m) those of each category."""
    class_ends: Intervals | None = None

    def __getitem__(self, name: str) -> Interval:
        try:
            known = check.one_of(name, self.numbers, "name")
        except ValueError as error:
            raise UnknownNumber(str(error)) from None
        return self.ends.one(list(self.numbers).index(known))

    def __iter__(self) -> Iterator[str]:
        return iter(self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def table(self) -> Table:
        """A row for each number: its value and both ends, None where there are none, and why."""
        return Table({"number": objects(self.numbers), **_columns(list(self.numbers.values()), self.ends)})

    def per_class(self) -> Table:
        """A row for each category and each of its numbers."""
        if self.class_values is None or self.class_ends is None:
            return Table({"category": objects([]), "number": objects([]), **_columns([], _NONE)})
        kinds, names = len(self.categories), self.class_names
        return Table(
            {
                "category": objects(one for one in self.categories for _ in names),
                "number": objects(list(names) * kinds),
                **_columns(self.class_values.ravel(), self.class_ends),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        classes: dict[Any, dict[str, Any]] = {}
        for row in self.per_class():
            classes.setdefault(row["category"], {})[row["number"]] = [row["lo"], row["hi"]]
        return {
            **vars(self.drawing),
            "numbers": {name: [plain(end) for end in self[name][:2]] for name in self},
            "undefined": {name: self[name].undefined for name in self if self[name].undefined},
            "classes": [{"category": category, **ends} for category, ends in classes.items()],
        }

    @property
    def headline(self) -> str:
        """How they were made, in one line."""
        drawing = self.drawing
        return (
            f"{100 * drawing.level:g} % intervals of {drawing.replicates:,} replicates by {drawing.by}, "
            f"seed {drawing.seed}"
        )

    def _repr_html_(self) -> str:
        from vesica import _html  # late: only notebooks ask for it

        return _html.page(_html.words(self.headline), self.table()._repr_html_())

    def __str__(self) -> str:
        table = self.table()
        shown = {name: column for name, column in table.columns.items() if name != "status"}
        lacking = [row for row in table if row["value"] is not None and row["status"] != "ok"]
        why = [f"{row['number']}: {_WHY[row['status']]}" for row in lacking]
        return "\n".join([self.headline, Table(shown).text(rows=len(table)), *why])

    def __repr__(self) -> str:
        name = next(iter(self.numbers), None)
        first = "" if name is None else f"{name} {_shown(self[name])}, "
        return f"IntervalTable({first}{self.headline})"


_WHY = {
    "undefined": "no interval, for more than 5 % of the replicates have no value",
    "too_few": "no interval, for there are too few values",
}
_NONE = Intervals(np.empty(0), np.empty(0), np.empty(0, np.int8), np.empty(0, np.int64))


def interval_table(
    numbers: Mapping[str, float],
    replicates: Replicates,
    drawing: Drawing,
    /,
    *,
    categories: Sequence[Any] = (),
    class_values: np.ndarray | None = None,
    class_ends: Intervals | None = None,
) -> IntervalTable:
    """The table of a result: of its numbers, and of (K, m) those of each category, whose ends may be there already."""
    values = np.array([numbers[name] for name in replicates.names], np.float64)
    if class_values is not None and class_ends is None:
        class_ends = ends_of(replicates.classes, class_values, drawing)
    return IntervalTable(
        dict(zip(replicates.names, values.tolist(), strict=True)),
        ends_of(replicates.values, values, drawing),
        drawing,
        tuple(categories),
        replicates.class_names,
        class_values,
        class_ends,
    )


def interval_table_of(
    scores: Scores, drawing: Drawing, /, *, names: Sequence[str], categories: Sequence[Any] = ()
) -> IntervalTable:
    """The table of what gates can ask of a result that was drawn again: some numbers, and all of each category."""
    assert scores.replicates is not None
    nothing = np.full(drawing.replicates, np.nan)

    def drawn(name: str, category: str | None = None) -> np.ndarray:
        found = None if scores.replicates is None else scores.replicates(name, category)
        return nothing if found is None else found

    numbers = {name: math.nan if (value := scores.overall[name]) is None else value for name in names}
    rows = {str(one): scores.by_category[str(one)] for one in categories}
    known = tuple(next(iter(rows.values()), ()))
    classes = [[drawn(name, category) for name in known] for category in rows]
    own = np.array([[np.nan if row[name] is None else row[name] for name in known] for row in rows.values()], float)
    found = Replicates(
        tuple(names),
        np.stack([drawn(name) for name in names], axis=1),
        known,
        np.moveaxis(np.reshape(classes, (len(rows), len(known), drawing.replicates)), 2, 0),
    )
    return interval_table(
        numbers, found, drawing, categories=categories, class_values=own.reshape(len(rows), len(known))
    )


def ends_of(replicates: np.ndarray, values: np.ndarray, drawing: Drawing, /) -> Intervals:
    """The ends of numbers of any shape (…), from (R, …) their replicates."""
    around = values.ravel() if drawing.method == "corrected" else None
    flat = replicates.reshape(drawing.replicates, values.size)
    return percentile_intervals(flat, level=drawing.level, around=around)


def _columns(values: Any, ends: Intervals) -> dict[str, np.ndarray]:
    status = objects(STATUSES[code] for code in ends.status.tolist())
    return {"value": np.asarray(values, np.float64), "lo": ends.lo, "hi": ends.hi, "status": status}


def _shown(interval: Interval) -> str:
    return "–" if interval.lo is None else f"{interval.lo:.3f}–{interval.hi:.3f}"
