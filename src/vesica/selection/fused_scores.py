"""The ways of making one score of the scores of a cluster of boxes, by the names that ensemble-boxes gives them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Tally:
    """What the members of each of K clusters say together: columns of length K, and the weight of each model."""

    trust: np.ndarray
    """(M,) float64: the weight of each model."""
    count: np.ndarray
    """How many boxes."""
    weight: np.ndarray
    """The weights of the models of all boxes, summed: a model with two boxes counts twice."""
    weighted: np.ndarray
    """Weight · score, summed."""
    largest: np.ndarray
    """The largest weight · score."""
    best: np.ndarray
    """The largest score."""
    voted: np.ndarray
    """The weights of the models that have a box in it, summed: a model with two boxes counts once."""

    @property
    def total(self) -> float:
        """The weight of all models."""
        return float(self.trust.sum())


def tally(members: np.ndarray, scores: np.ndarray, models: np.ndarray, trust: np.ndarray) -> Tally:
    """Count the votes of boxes in the order in which they joined; `members` has the cluster of each, from 0."""
    clusters = int(members.max(initial=-1)) + 1
    weight = trust[models]
    largest, best = np.zeros(clusters), np.zeros(clusters)
    np.maximum.at(largest, members, weight * scores)
    np.maximum.at(best, members, scores)
    cluster, model = np.divmod(np.unique(members * len(trust) + models), len(trust))
    return Tally(
        trust,
        np.bincount(members, minlength=clusters),
        np.bincount(members, weight, clusters),
        np.bincount(members, weight * scores, clusters),
        largest,
        best,
        np.bincount(cluster, trust[model], clusters),
    )


def _avg(t: Tally) -> np.ndarray:
    counted = np.minimum(t.count, len(t.trust))
    return np.asarray(t.weighted / t.count * counted / t.total)


def _max(t: Tally) -> np.ndarray:
    return t.largest / float(t.trust.max())


def _box_and_model_avg(t: Tally) -> np.ndarray:
    share = np.minimum(t.voted / t.total, 1.0)
    return _mean(t, t.weight) * share


def _absent_model_aware_avg(t: Tally) -> np.ndarray:
    return _mean(t, t.weight + np.maximum(t.total - t.voted, 0.0))


def _mean(t: Tally, weight: np.ndarray) -> np.ndarray:
    """No mean exceeds the largest of its values; rounding could: three times 0.1 is above 0.3."""
    return np.asarray(np.minimum(t.weighted / weight, t.best))


WAYS: dict[str, Callable[[Tally], np.ndarray]] = {
    "box_and_model_avg": _box_and_model_avg,
    "absent_model_aware_avg": _absent_model_aware_avg,
    "avg": _avg,
    "max": _max,
}
