"""Tidy tables: rows of plain values under the names of their columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

Row = dict[str, Any]


def rows_of(columns: Mapping[str, Iterable[Any]], /) -> list[Row]:
    """One dict a row, of Python's own numbers; NaN becomes None.

    >>> rows_of({"category": ["cat", "dog"], "AP": [0.5, float("nan")], "truths": (3, 0)})
    [{'category': 'cat', 'AP': 0.5, 'truths': 3}, {'category': 'dog', 'AP': None, 'truths': 0}]
    """
    return [dict(zip(columns, map(plain, row), strict=True)) for row in zip(*columns.values(), strict=True)]


def plain(value: Any, /) -> Any:
    """A value that JSON can hold: no NumPy scalar, no NaN."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and math.isnan(value) else value
