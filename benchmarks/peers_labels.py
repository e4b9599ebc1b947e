"""Peers for label maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.cases_labels import CLASSES
from benchmarks.contender import Call, Contender

FAR = 10**12
"""The largest of the spread ids."""


def spread(labels: np.ndarray) -> np.ndarray:
    """The same map under ids that lie far apart."""
    ids = np.linspace(0, FAR, CLASSES).astype(np.int64)
    return ids[labels]


def _bincount(dtype: type) -> Callable[[np.ndarray, np.ndarray], Call]:
    def prepare(a: np.ndarray, b: np.ndarray) -> Call:
        def call() -> np.ndarray:
            codes = a.astype(dtype) * dtype(CLASSES) + b.astype(dtype)
            return np.bincount(codes.ravel(), minlength=CLASSES**2).reshape(CLASSES, CLASSES)

        return call

    return prepare


def _unique(a: np.ndarray, b: np.ndarray) -> Call:
    far_a, far_b = spread(a), spread(b)

    def call() -> np.ndarray:
        (ids_a, at_a), (ids_b, at_b) = (np.unique(labels, return_inverse=True) for labels in (far_a, far_b))
        shape = len(ids_a), len(ids_b)
        return np.bincount((at_a * shape[1] + at_b).ravel(), minlength=shape[0] * shape[1]).reshape(shape)

    return call


def _hotcoco(a: np.ndarray, b: np.ndarray) -> Call:
    from hotcoco.semantic import SemanticEval

    def call() -> Any:
        evaluator = SemanticEval(CLASSES)
        evaluator.update(a, b)
        return evaluator

    return call


def _sklearn(a: np.ndarray, b: np.ndarray) -> Call:
    from sklearn.metrics import jaccard_score

    flat_a, flat_b = a.ravel(), b.ravel()
    return lambda: jaccard_score(flat_a, flat_b, average=None)


LABEL_PEERS = (
    Contender("numpy.bincount int64", "numpy", _bincount(np.int64)),
    Contender("numpy.bincount uint16", "numpy", _bincount(np.uint16)),
    Contender("numpy.unique and bincount, ids to 1e12", "numpy", _unique),
    Contender("hotcoco.SemanticEval.update", "hotcoco", _hotcoco, lambda evaluator: evaluator.confusion()),
    Contender("sklearn.jaccard_score", "sklearn", _sklearn),
)
