"""Peers for segmentations. Every answer is the IoU of each class, a column for each image; 0 where neither has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.cases_labels import CLASSES
from benchmarks.contender import Call, Contender

FEW, VERY_FEW = 10, 2
"""Images of calls that are too slow for all."""


def ious(tables: Sequence[np.ndarray]) -> np.ndarray:
    """(classes, images) of confusion matrices."""
    stack = np.stack([np.asarray(table, np.float64) for table in tables])
    both = np.diagonal(stack, axis1=1, axis2=2)
    either = stack.sum(axis=1) + stack.sum(axis=2) - both
    return (both / np.maximum(either, 1)).T


def _bincount(a: np.ndarray, b: np.ndarray) -> Call:
    def one(truth: np.ndarray, guess: np.ndarray) -> np.ndarray:
        codes = truth.astype(np.int64) * CLASSES + guess
        return np.bincount(codes.ravel(), minlength=CLASSES**2).reshape(CLASSES, CLASSES)

    return lambda: [one(truth, guess) for truth, guess in zip(a, b, strict=True)]


def _hotcoco(a: np.ndarray, b: np.ndarray) -> Call:
    from hotcoco.semantic import SemanticEval

    def one(truth: np.ndarray, guess: np.ndarray) -> Any:
        evaluator = SemanticEval(CLASSES)
        evaluator.update(truth, guess)
        return evaluator

    return lambda: [one(truth, guess) for truth, guess in zip(a, b, strict=True)]


def _sklearn(a: np.ndarray, b: np.ndarray) -> Call:
    from sklearn.metrics import jaccard_score

    options = {"labels": range(CLASSES), "average": None, "zero_division": 0}
    pairs = [(one.ravel(), other.ravel()) for one, other in zip(a[:VERY_FEW], b[:VERY_FEW], strict=True)]
    return lambda: [jaccard_score(*pair, **options) for pair in pairs]


def _torchmetrics(make: Callable[[], Any], images: int) -> Callable[[np.ndarray, np.ndarray], Call]:
    def prepare(a: np.ndarray, b: np.ndarray) -> Call:
        import torch

        pairs = [
            (torch.from_numpy(guess[None].astype(np.int64)), torch.from_numpy(truth[None].astype(np.int64)))
            for truth, guess in zip(a[:images], b[:images], strict=True)
        ]
        metric = make()
        return lambda: [metric(*pair).numpy() for pair in pairs]

    return prepare


def _mean_iou() -> Any:
    from torchmetrics.segmentation import MeanIoU

    return MeanIoU(CLASSES, per_class=True, input_format="index")


def _jaccard_index() -> Any:
    from torchmetrics.classification import MulticlassJaccardIndex

    return MulticlassJaccardIndex(CLASSES, average=None, validate_args=False)


def _columns(answer: Sequence[Any]) -> np.ndarray:
    """What was said image by image; torchmetrics says −1 of a class that is not there."""
    return np.maximum(np.stack([np.asarray(one, np.float64) for one in answer], axis=1), 0)


SEGMENTATION_PEERS = (
    Contender("numpy.bincount, image by image", "numpy", _bincount, ious),
    Contender(
        "hotcoco.SemanticEval, image by image",
        "hotcoco",
        _hotcoco,
        lambda evaluators: ious([evaluator.confusion() for evaluator in evaluators]),
    ),
    Contender("sklearn.jaccard_score, image by image", "sklearn", _sklearn, _columns, columns=VERY_FEW),
    Contender("torchmetrics.MeanIoU", "torchmetrics", _torchmetrics(_mean_iou, VERY_FEW), _columns, columns=VERY_FEW),
    Contender("torchmetrics.JaccardIndex", "torchmetrics", _torchmetrics(_jaccard_index, FEW), _columns, columns=FEW),
)
