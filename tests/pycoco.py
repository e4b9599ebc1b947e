"""What pycocotools says of a job: the answer that ours is compared with, byte by byte."""

from __future__ import annotations

import contextlib
import copy
import io
from typing import Any, NamedTuple

import numpy as np

NAMES = ("AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl")


class Answer(NamedTuple):
    """Its arrays, and its twelve numbers where it has them."""

    precision: np.ndarray
    recall: np.ndarray
    scores: np.ndarray
    stats: np.ndarray | None
    evaluator: Any


def answer(
    truth: dict[str, Any],
    results: list[dict[str, Any]],
    *,
    regions: str = "box",
    iou: Any = None,
    areas: dict[str, tuple[float, float]] | None = None,
    max_dets: Any = None,
    by_class: bool = True,
) -> Answer:
    """Its own way from dicts to numbers, with the options that `vesica.evaluate` has."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    with contextlib.redirect_stdout(io.StringIO()):
        known = COCO()
        known.dataset = copy.deepcopy(truth)
        known.createIndex()
        evaluator = COCOeval(known, known.loadRes(copy.deepcopy(results)), {"box": "bbox", "mask": "segm"}[regions])
        params = evaluator.params
        params.useCats = int(by_class)
        if iou is not None:
            params.iouThrs = np.atleast_1d(np.asarray(iou, np.float64))
        if areas is not None:
            params.areaRngLbl, params.areaRng = list(areas), [list(ends) for ends in areas.values()]
        if max_dets is not None:
            params.maxDets = list(max_dets)
        evaluator.evaluate()
        evaluator.accumulate()
        with contextlib.suppress(IndexError):  # with fewer than three limits it has no numbers
            evaluator.summarize()
    arrays = (np.asarray(evaluator.eval[name]) for name in ("precision", "recall", "scores"))
    return Answer(*arrays, np.asarray(evaluator.stats) if len(evaluator.stats) else None, evaluator)
