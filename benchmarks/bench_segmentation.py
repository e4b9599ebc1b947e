"""Segmentations: all scores of a validation set of label maps."""

from __future__ import annotations

from benchmarks.clock import Pace
from benchmarks.contest import bandwidths, hold, memories, table, tell
from benchmarks.report import Report

OURS = "vesica.evaluate_segmentation"
BINCOUNT, HOTCOCO = "numpy.bincount, image by image", "hotcoco.SemanticEval, image by image"
SKLEARN = "sklearn.jaccard_score, image by image"
MEAN_IOU, JACCARD = "torchmetrics.MeanIoU", "torchmetrics.JaccardIndex"
LIMITS = {BINCOUNT: 5, HOTCOCO: 2, SKLEARN: 20, MEAN_IOU: 50, JACCARD: 5}

STREETS = ("segmentation streets, 1 thread", "segmentation streets")
NOISE = ("segmentation noise, 1 thread", "segmentation noise")
"""The worst that a map can be, every pixel a run of its own: timed, and held to no bar."""


def bench(pace: Pace) -> Report:
    report = Report("segmentation")
    streets, noise = ([hold(case, {OURS: tuple(LIMITS)}, pace) for case in cases] for cases in (STREETS, NOISE))

    contests = [*streets, *noise]
    for contest in contests:
        tell(contest, report)
    report.tables += [table(report.rows), bandwidths(contests), memories(contests[0])]
    report.bars = [contest.faster(OURS, peer, limit) for contest in streets for peer, limit in LIMITS.items()]
    return report
