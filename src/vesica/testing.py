"""For tests of those who use vesica: what a result must say. Needs no test framework."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from vesica import _check as check


def assert_scores(
    result: Mapping[str, float],
    expected: Mapping[str, float | None] | None = None,
    /,
    *,
    within: float = 1e-9,
    **numbers: Any,
) -> None:
    """Raise AssertionError unless each number is within `within` (1e-9) of what is expected; all that differ are told.

    NaN or None expects a number that is not defined. A number that is not defined is near no other, and the other way
    round. A name that the result does not have is a KeyError, not a failed test.

    Parameters
    ----------
    result : what `evaluate` answers, or any mapping of numbers
    expected : a mapping, for names that are no keywords such as "mAP62.5"
    within : how far a number may be away: 0.0005 for a table with three decimals
    numbers : the same by keywords

    Examples
    --------
    >>> assert_scores({"AP": 0.50000000001, "APl": float("nan")}, AP=0.5, APl=None)
    >>> assert_scores({"AP": 0.4987, "AP50": 0.7}, AP=0.5, AP50=0.7)
    Traceback (most recent call last):
    ...
    AssertionError: AP is 0.4987, not 0.5: off by 0.0013 (within 1e-09)
    """
    wanted = {**(expected or {}), **numbers}
    if not wanted:
        raise TypeError("`assert_scores` needs numbers to expect: assert_scores(result, AP=0.5).")
    check.weight(within, "within")

    found = [(name, _number(result[name]), _number(value)) for name, value in wanted.items()]
    wrong = [_told(*one, within) for one in found if not _is_near(*one[1:], within)]

    if wrong:
        raise AssertionError("\n".join(wrong))


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _is_near(value: float, wanted: float, within: float) -> bool:
    if math.isnan(value) or math.isnan(wanted):
        return math.isnan(value) and math.isnan(wanted)
    return value == wanted or abs(value - wanted) <= within


def _told(name: str, value: float, wanted: float, within: float) -> str:
    if math.isnan(value):
        return f"{name} is not defined, and {wanted!r} was expected"
    if math.isnan(wanted):
        return f"{name} is {value!r}, and was expected not to be defined"
    return f"{name} is {value!r}, not {wanted!r}: off by {abs(value - wanted):.2g} (within {within:g})"
