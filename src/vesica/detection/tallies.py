"""Tallies: what is left of records once every category was scored. No guess is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from vesica._check import sorted_runs as check
from vesica.dataset import Categories
from vesica.detection.curves import Arrays
from vesica.detection.protocol import Protocol
from vesica.detection.records import Records
from vesica.results.result import Note


@dataclass(frozen=True, eq=False)
class Tally:
    """Stands for records in a result, as far as the numbers of the summary and of each category go.

    Whatever else is asked of it, as of records, is an error that says why.

    Attributes
    ----------
    protocol, categories, images, notes : as of `Records`
    positives : (K, A) int64: how many truths are to be found
    bounds : (K + 1,) int64: the first guess of each category, were all of them kept, and the end
    arrays : precision and recall, of protocols that read precision at given recalls
    points : (K,) AP of each category by kind, threshold and range of areas, of other protocols
    is_full : are the arrays of all limits of guesses, and with scores?
    found : (K,) int64: how many truths were found, of all sizes, at the first threshold
    """

    protocol: Protocol
    categories: Categories
    images: np.ndarray
    positives: np.ndarray
    bounds: np.ndarray
    arrays: Arrays | None
    points: Mapping[tuple[str, int, int], np.ndarray]
    is_full: bool
    found: np.ndarray
    notes: tuple[Note, ...] = ()
    details: None = None

    def __len__(self) -> int:
        return int(self.bounds[-1])

    def __repr__(self) -> str:
        return f"Tally({len(self)} guesses, {len(self.images)} images, {self.protocol.name})"

    def __getattr__(self, name: str) -> Any:
        if name in _OF_RECORDS:
            raise check.not_kept(name)
        raise AttributeError(f"a tally has no {name!r}")

    def arrays_of(self, *, full: bool) -> Arrays:
        """As `curves.arrays_of` has them of records."""
        if self.arrays is None or (full and not self.is_full):
            raise check.not_kept("precision" if self.arrays is not None else "recall")
        return self.arrays


_OF_RECORDS = frozenset(
    {field.name for field in fields(Records)} | {name for name in vars(Records) if not name.startswith("_")}
)
