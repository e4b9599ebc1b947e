"""Are two answers the same? Asked before anything is timed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.peers import JOIN_AT

TIE = 1e-9


@dataclass(frozen=True)
class Verdict:
    """Whether a peer's answer is ours; where it is not, or where there is none, why."""

    status: str
    """same, differs, not installed, failed."""
    detail: str = ""

    def to_dict(self) -> dict[str, str]:
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.status}: {self.detail}"


def compare(ours: Any, theirs: Any, tolerance: float) -> Verdict:
    return _pairs(ours, theirs, tolerance) if isinstance(ours, tuple) else _matrices(ours, theirs, tolerance)


def _matrices(ours: np.ndarray, theirs: np.ndarray, tolerance: float) -> Verdict:
    if ours.shape != theirs.shape:
        return Verdict("differs", f"shape {theirs.shape} instead of {ours.shape}")
    gap = float(np.abs(ours - theirs).max())
    # Written so that NaN is a difference.
    return Verdict("same" if gap <= tolerance else "differs", f"by at most {gap:.1e} (allowed {tolerance:.0e})")


def _pairs(ours: tuple[Any, ...], theirs: tuple[Any, ...], tolerance: float) -> Verdict:
    """The same pairs but for ties: a pair within rounding of the threshold may be on one side alone."""
    columns = max(int(side[1].max(initial=0)) for side in (ours, theirs)) + 1
    keys_a, keys_b = (side[0].astype(np.int64) * columns + side[1] for side in (ours, theirs))
    for keys, others, value in ((keys_a, keys_b, ours[2]), (keys_b, keys_a, theirs[2])):
        if len(np.unique(keys)) < len(keys):
            return Verdict("differs", "a pair is there twice")
        far = ~np.isin(keys, others) & (np.abs(value - JOIN_AT) > TIE)
        if far.any():
            return Verdict("differs", f"{int(far.sum())} of {len(keys)} pairs are on one side alone")

    shared, at_a, at_b = np.intersect1d(keys_a, keys_b, assume_unique=True, return_indices=True)
    gap = float(np.abs(ours[2][at_a] - theirs[2][at_b]).max(initial=0))
    said = f"{len(shared)} pairs, values by at most {gap:.1e} (allowed {tolerance:.0e})"
    return Verdict("same" if gap <= tolerance else "differs", said)
