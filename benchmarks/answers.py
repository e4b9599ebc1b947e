"""Are two answers the same? Asked before anything is timed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.contender import JOIN_AT

TIE = 1e-9


@dataclass(frozen=True)
class Verdict:
    """Whether a peer's answer is ours; where it is not, or where there is none, why."""

    status: str
    """same, differs, not installed, failed."""
    detail: str = ""

    @property
    def has_answer(self) -> bool:
        return self.status in ("same", "differs")

    def to_dict(self) -> dict[str, str]:
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.status}: {self.detail}"


def compare(ours: Any, theirs: Any, tolerance: float) -> Verdict:
    if isinstance(ours, tuple):
        return _pairs(ours, theirs, tolerance)
    return _runs(ours, theirs) if isinstance(ours, list) else _matrices(ours, theirs, tolerance)


def agree(answer: np.ndarray, recorded: float) -> Verdict:
    """Is the sum of an answer the one that was written down, to as many digits?"""
    total = float(answer.sum())
    said = f"sum {total:.9f}, recorded {recorded:.9f}"
    return Verdict("same" if abs(total - recorded) <= TIE else "differs", said)


def _runs(ours: list[Any], theirs: list[Any]) -> Verdict:
    """Runs are written in one way only: the same masks have the same bytes."""
    if len(ours) != len(theirs):
        return Verdict("differs", f"{len(theirs)} masks instead of {len(ours)}")
    apart = [k for k, (left, right) in enumerate(zip(ours, theirs, strict=True)) if left != right]
    if apart:
        return Verdict("differs", f"{len(apart)} of {len(ours)} masks, the first is {apart[0]}")
    return Verdict("same", f"{len(ours)} masks, byte by byte")


def _matrices(ours: np.ndarray, theirs: np.ndarray, tolerance: float) -> Verdict:
    if ours.shape != theirs.shape:
        return Verdict("differs", f"shape {theirs.shape} instead of {ours.shape}")
    if ours.dtype == theirs.dtype == bool:
        apart = int((ours != theirs).sum())
        return Verdict("differs" if apart else "same", f"in {apart} pixels")
    gap = float(np.abs(ours.astype(np.float64) - theirs).max())  # counts have no sign to be apart by
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
