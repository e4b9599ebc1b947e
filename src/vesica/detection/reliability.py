"""Reliability: is a guess with a score of 0.8 right eight times out of ten?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica.results.tables import Table


@dataclass(frozen=True, eq=False, repr=False)
class Reliability:
    """How far scores can be taken for the chance of being right.

    Attributes
    ----------
    ece : the expected calibration error: the mean gap between score and share of right guesses, over all guesses
    mce : the largest gap of a bin
    bins : Table of low, high, guesses, score (their mean), precision (the share that is right) and gap
    per_class : Table of category, guesses, score, precision and ece
    """

    ece: float
    mce: float
    bins: Table
    per_class: Table

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        plain = {name: None if value != value else value for name, value in (("ece", self.ece), ("mce", self.mce))}
        return {**plain, "bins": list(self.bins), "classes": list(self.per_class)}

    def __repr__(self) -> str:
        return f"Reliability(ECE {self.ece:.3f}, MCE {self.mce:.3f}, {len(self.bins)} bins)"

    def _repr_html_(self) -> str:
        from vesica import _html  # late: only notebooks ask for it

        return _html.page(_html.words(repr(self)), self.bins._repr_html_())

    def __str__(self) -> str:
        return f"{self!r}\n{self.bins}"


def reliability_of(
    score: np.ndarray, right: np.ndarray, category: np.ndarray, names: np.ndarray, bins: int, /
) -> Reliability:
    """Bins of equal width from 0 to 1; a score at an edge belongs to the upper one, and 1 to the last."""
    edges = np.arange(bins + 1) / bins
    place = np.clip(np.searchsorted(edges, score, side="right") - 1, 0, bins - 1)
    count, sums, hits = _sums(place, bins, score, right)
    mean, share = _ratio(sums, count), _ratio(hits, count)
    gap = np.abs(mean - share)
    kinds = len(names)
    each, of_score, of_right = (
        column.reshape(kinds, bins) for column in _sums(category * bins + place, kinds * bins, score, right)
    )
    total = each.sum(axis=1)
    return Reliability(
        _error(sums, hits, count),
        float(np.nanmax(gap)) if count.any() else float("nan"),
        Table({"low": edges[:-1], "high": edges[1:], "guesses": count, "score": mean, "precision": share, "gap": gap}),
        Table(
            {
                "category": names,
                "guesses": total,
                "score": _ratio(of_score.sum(axis=1), total),
                "precision": _ratio(of_right.sum(axis=1), total),
                "ece": np.array([_error(*rows) for rows in zip(of_score, of_right, each, strict=True)]),
            }
        ),
    )


def _sums(place: np.ndarray, count: int, score: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of each place: how many guesses, the sum of their scores, and how many are right."""
    weights = (None, score, right.astype(np.float64))
    return tuple(np.bincount(place, weights=weight, minlength=count) for weight in weights)


def _error(sums: np.ndarray, hits: np.ndarray, count: np.ndarray) -> float:
    """Σ guesses of a bin · |mean score − share right| / all guesses."""
    total = int(count.sum())
    return float(np.abs(sums - hits).sum() / total) if total else float("nan")


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)
