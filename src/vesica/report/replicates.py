"""Intervals of numbers whose result has no table of them: from what gates draw again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vesica.report.numbers import LEVEL
from vesica.statistics.intervals import Interval, percentile_interval

if TYPE_CHECKING:
    from vesica.results.result import Result


def intervals_of(result: Result, /) -> dict[str, Interval]:
    """Both ends of each number, images being drawn again; none for a number that has no replicates."""
    draw: Any = result.gate_scores().replicates
    found = (
        {} if draw is None else {name: draw(name, None) for name, value in result.numbers.items() if value is not None}
    )
    return {name: percentile_interval(values, level=LEVEL) for name, values in found.items() if values is not None}
