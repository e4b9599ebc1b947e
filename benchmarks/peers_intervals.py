"""Peers for intervals of detection scores. hotcoco has them of the difference of two detectors; torchmetrics wraps any
metric, and scores every replicate from its boxes on. Nobody else offers any."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np

from benchmarks.contender import Call, Contender

FEW = 20
"""Replicates that a peer makes: its seconds are scaled up."""
NAMES = ("AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl")


def _hotcoco(paths: Any, _: Any) -> Call:
    from hotcoco import COCO, COCOeval, compare

    def scored(guess: str) -> Any:
        truth = COCO(str(paths[0]))
        evaluator = COCOeval(truth, truth.load_res(guess), "bbox")
        evaluator.evaluate()
        evaluator.accumulate()
        with contextlib.redirect_stdout(io.StringIO()):
            evaluator.summarize()
        return evaluator

    both = [scored(str(guess)) for guess in paths[1:]]
    return lambda: compare(*both, n_bootstrap=FEW)


def _deltas(found: Any) -> np.ndarray:
    return np.array([[found["deltas"][name] for name in NAMES]])


INTERVAL_PEERS = (Contender("hotcoco.compare", "hotcoco", _hotcoco, _deltas, columns=FEW),)
