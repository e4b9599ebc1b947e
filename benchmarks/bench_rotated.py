"""Pairwise iou of rotated boxes."""

from __future__ import annotations

from benchmarks.clock import Pace
from benchmarks.contest import bandwidths, hold, table, tell
from benchmarks.report import Report

PEER = "powerboxes.parallel_rotated_iou_distance"
# Thin: nearly every pair is far apart. Dense: one in sixteen meets, and its polygons must be cut.
CASES = ("rotated 1000x1000 thin", "rotated 1000x1000 dense")


def bench(pace: Pace) -> Report:
    report = Report("rotated")
    contests = [hold(case, {"vesica.iou rotated": (PEER,)}, pace) for case in CASES]

    for contest in contests:
        tell(contest, report)
    report.tables += [table(report.rows), bandwidths(contests)]
    report.bars = [contest.faster("vesica.iou rotated", PEER, 3) for contest in contests]
    return report
