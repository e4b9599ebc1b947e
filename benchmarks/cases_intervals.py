"""Intervals of detection scores: two detectors on the images of the set like val2017, and how many replicates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import val_like
from benchmarks.case import Case, Traffic

REPLICATES = 2000
ONE, BOTH = "intervals of 180k boxes", "differences of 180k and 50k boxes"


@dataclass(frozen=True)
class IntervalCase(Case):
    """Paths of the truth and of guesses; the other table has a row for each replicate: slow peers are scaled by it."""

    guesses: tuple[str, ...] = ()

    @property
    def tolerance(self) -> float:
        return 1e-12  # of the scores themselves: everybody draws otherwise

    def tables(self) -> tuple[Any, np.ndarray]:
        from benchmarks.cases_detection import folder  # late: it makes the files, and asks for cases itself

        paths = [str(folder() / val_like.FILES[name]) for name in ("truth", *self.guesses)]
        return np.array(paths), np.empty((REPLICATES, 0))

    def traffic(self, a: Any, b: Any, answer: int) -> Traffic:
        return Traffic(0, answer)


INTERVAL_CASES = (
    IntervalCase(ONE, ("boxes 180k",)),
    IntervalCase(BOTH, ("boxes 180k", "boxes 50k")),
)
