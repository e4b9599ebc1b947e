"""Weighted box fusion: proposals of several models become one box for each object."""

from __future__ import annotations

from benchmarks.clock import Pace
from benchmarks.contest import bandwidths, hold, table, tell
from benchmarks.report import Report

OURS, PEER = "vesica.fuse", "ensemble_boxes.weighted_boxes_fusion"
CASES = ("nms 8400 yolo", "nms 10k clustered")


def bench(pace: Pace) -> Report:
    report = Report("fusion")
    contests = [hold(case, {OURS: (PEER,)}, pace) for case in CASES]

    for contest in contests:
        tell(contest, report)
    report.tables += [table(report.rows), bandwidths(contests)]
    report.bars = [contest.faster(OURS, PEER, 30) for contest in contests]
    return report
