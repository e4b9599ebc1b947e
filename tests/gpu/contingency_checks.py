"""Tables of labels against the twin on the same device, and scores against those of the host."""

from __future__ import annotations

import numpy as np
import torch

from scenes import maps
from vesica import SegmentationEvaluator
from vesica._kernels import pick_arrays
from vesica._kernels.generic.contingency import contingency as twin


def check_tables():
    for dtype, labels in (
        (torch.uint8, np.arange(19)),
        (torch.int64, np.array([0, 1, 2, 3, 100])),
        (torch.int16, np.arange(63)),
    ):
        for shape in ((1, 1024, 2048), (8, 512, 513), (3, 7, 11), (1, 1, 1)):
            truth, guess = maps(shape, 21, 1, dtype), maps(shape, 21, 2, dtype)
            kernel = pick_arrays("contingency", "labels", truth, guess)
            assert kernel.backend == "triton"
            got, want = (call(truth, guess, labels, None) for call in (kernel.call, twin))
            assert all(torch.equal(x, y) for x, y in zip(got, want, strict=True)), (dtype, shape, labels)


def check_scores_are_those_of_the_host():
    truth, guess = maps((4, 300, 400), 19, 1), maps((4, 300, 400), 19, 2)
    found = []
    for move in (lambda x: x, lambda x: x.cpu()):
        evaluator = SegmentationEvaluator(categories=list(range(19)))
        evaluator.update(move(truth), move(guess))
        found.append(evaluator.counts().to_bytes())
    assert found[0] == found[1]


def check_nothing_waits():
    truth, guess = maps((4, 300, 400), 19, 1), maps((4, 300, 400), 19, 2)
    evaluator = SegmentationEvaluator(categories=list(range(19)))
    evaluator.update(truth, guess)
    torch.cuda.set_sync_debug_mode("error")
    try:
        evaluator.update(truth, guess)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert len(evaluator) == 8
