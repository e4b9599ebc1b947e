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

PINNED = ("segmentation streets, 1 thread", "segmentation noise, 1 thread")
FREE = ("segmentation streets", "segmentation noise")


def bench(pace: Pace) -> Report:
    report = Report("segmentation")
    contests = [hold(case, {OURS: tuple(LIMITS)}, pace) for case in (*PINNED, *FREE)]

    for contest in contests:
        tell(contest, report)
    report.tables += [table(report.rows), bandwidths(contests), memories(contests[0])]
    report.bars = [contest.faster(OURS, peer, limit) for contest in contests for peer, limit in LIMITS.items()]
    return report
