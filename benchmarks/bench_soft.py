"""Soft-NMS: boxes whose scores decay instead of going out at once."""

from __future__ import annotations

from benchmarks.clock import Pace
from benchmarks.contest import bandwidths, hold, table, tell
from benchmarks.report import Report

# The peer takes boxes in [0, 1] and answers with the scores they had at first, so the order of the picks is compared.
LINEUP = {
    "vesica.soft_nms, linear": ("ensemble_boxes.soft_nms, linear",),
    "vesica.soft_nms, gaussian": ("ensemble_boxes.soft_nms, gaussian",),
}
CASES = ("nms 8400 yolo", "nms 10k clustered")


def bench(pace: Pace) -> Report:
    report = Report("soft")
    contests = [hold(case, LINEUP, pace) for case in CASES]

    for contest in contests:
        tell(contest, report)
    report.tables += [table(report.rows), bandwidths(contests)]
    report.bars = [contests[0].faster(ours, peer, 50) for ours, (peer,) in LINEUP.items()]
    return report
