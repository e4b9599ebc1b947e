"""Matching: one large assignment, and the guesses of many photographs in one call."""

from __future__ import annotations

from benchmarks.clock import Pace
from benchmarks.contest import bandwidths, hold, memories, table, tell
from benchmarks.report import Report

SCIPY = "scipy.linear_sum_assignment"
LINEUPS = {
    "assign 1000x1000 random": {"vesica.assign": (SCIPY,), "vesica.assign, complete": (SCIPY,)},
    "assign 1000x1000 near": {"vesica.assign": (SCIPY,), "vesica.assign, complete": (SCIPY,)},
    "match 2000 images": {
        "vesica.match, optimal": ("numpy iou and scipy, an image at a time",),
        "vesica.match, greedy": ("numpy iou and a loop, an image at a time",),
    },
}


def bench(pace: Pace) -> Report:
    report = Report("matching")
    contests = [hold(case, lineup, pace) for case, lineup in LINEUPS.items()]

    for contest in contests:
        tell(contest, report)
    report.tables += [table(report.rows), memories(contests[-1]), bandwidths(contests)]
    report.bars = [
        contest.faster(ours, peers[0], 1) for contest in contests for ours, peers in LINEUPS[contest.case].items()
    ]
    return report
