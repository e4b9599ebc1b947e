"""Paired differences: what two models differ by, with intervals and p-values.

Both draw the same images again, replicate by replicate, and the difference is taken in each. The interval is that of
its percentiles, and p is twice the share of replicates on the smaller side of 0, 0 itself being on both: p is below
1 − level where the interval leaves 0 out, and 1 where nothing differs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from vesica.results.gates import Scores
from vesica.results.tables import Table
from vesica.statistics.intervals import benjamini_hochberg, p_values, paired_intervals

DISCOVERED = 0.05
"""Categories whose adjusted p-value is at most this are said to have changed: one in twenty of them may not have."""


class Differences(NamedTuple):
    """One row for each number that is asked of both models."""

    before: np.ndarray
    """(v,) float64, NaN where it is not defined; the first model."""
    after: np.ndarray
    lo: np.ndarray
    """(v,) ends of the interval, NaN where there is none."""
    hi: np.ndarray
    p: np.ndarray

    @property
    def difference(self) -> np.ndarray:
        """The second model's beyond the first's."""
        return np.asarray(self.after - self.before)

    @property
    def q(self) -> np.ndarray:
        """p-values adjusted for their number (Benjamini and Hochberg)."""
        return benjamini_hochberg(self.p)


Asked = Sequence[tuple[str, str | None]]
"""Numbers, and categories of which they are; None: of the whole."""


def differences_of(base: Scores, other: Scores, asked: Asked, /, *, level: float) -> Differences:
    """Those of the numbers that are asked for."""
    before, after = (np.array([_value(side, *one) for one in asked], np.float64) for side in (base, other))
    drawn = [np.stack([_replicates(side, *one) for one in asked], axis=1) for side in _sides(base, other, asked)]
    if not drawn:
        nothing = np.full(len(asked), np.nan)
        return Differences(before, after, nothing, nothing, nothing)
    ends = paired_intervals(*drawn, level=level)
    p = p_values(drawn[1] - drawn[0])
    undefined = np.isnan(before) | np.isnan(after)
    lo, hi, p = (np.where(undefined, np.nan, column) for column in (ends.lo, ends.hi, p))
    return Differences(before, after, lo, hi, p)


def _sides(base: Scores, other: Scores, asked: Asked) -> list[Scores]:
    """Both, if they have replicates."""
    return [base, other] if asked and base.replicates is not None and other.replicates is not None else []


def _value(scores: Scores, number: str, category: str | None) -> float:
    value = (scores.overall if category is None else scores.by_category[category])[number]
    return np.nan if value is None else value


def _replicates(scores: Scores, number: str, category: str | None) -> np.ndarray:
    assert scores.replicates is not None
    found = scores.replicates(number, category)
    return np.full(1, np.nan) if found is None else found


def table_of(found: Differences, first: dict[str, Any], /, *, adjusted: bool = False) -> Table:
    """Rows of differences behind the columns that say of what they are."""
    columns = {
        **{name: np.asarray(column) for name, column in first.items()},
        "base": found.before,
        "value": found.after,
        "difference": found.difference,
        "lo": found.lo,
        "hi": found.hi,
        "p": found.p,
    }
    return Table(columns | ({"q": found.q} if adjusted else {}))


def ordered(table: Table, key: Callable[[Table], Sequence[np.ndarray]], /) -> Table:
    """The rows by some columns, the last of which decides first; NaN last."""
    order = np.lexsort(tuple(key(table)))
    return Table({name: column[order] for name, column in table.columns.items()})
