"""Sizes of the benchmark of many files: full ones, and small ones for a look."""

from __future__ import annotations

from typing import NamedTuple


class Size(NamedTuple):
    """How much everyone is given."""

    workers: tuple[int, int]
    """Guesses that are scored by each engine: few and many, so that a start and what follows can be told apart."""
    large: int
    """Guesses that are scored within a budget of memory."""
    merging: tuple[int, int, int]
    """Guesses whose records are merged."""
    shards: tuple[int, ...]
    ranks: int
    images: int
    """Of each rank."""
    repeats: int


FULL = Size((2_000_000, 10_000_000), 100_000_000, (1_000_000, 2_500_000, 5_000_000), (10, 100, 1000), 8, 5000, 3)
QUICK = Size((500_000, 1_000_000), 1_000_000, (500_000, 1_000_000, 1_500_000), (10, 100, 1000), 8, 200, 1)
