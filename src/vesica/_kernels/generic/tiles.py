"""Rows of a matrix, some at a time: intermediates stay at some tens of megabytes whatever N and M are."""

from __future__ import annotations

from collections.abc import Iterator

_PAIRS = 1 << 20


def tiles(n: int, m: int) -> Iterator[slice]:
    """Slices that cover n rows of m pairs; one empty slice for no rows, so that answers keep their dtype."""
    step = max(1, _PAIRS // max(1, m))
    for top in range(0, max(n, 1), step):
        yield slice(top, min(top + step, n))
