"""Intervals of all twelve numbers of COCO, from records: how long, how far from linear, how much memory."""

from __future__ import annotations

from benchmarks.cases_intervals import BOTH, ONE
from benchmarks.clock import Pace
from benchmarks.contest import hold, memories, table, tell
from benchmarks.report import Bar, Report

ALL, QUARTER, CLASSES, PAIRED = "2000 replicates", "500 replicates", "2000 replicates, each class", "2000 of both"
PEER = "hotcoco.compare"
SECONDS, TIMES, MEGABYTES = 5.0, 50.0, 200.0


def bench(pace: Pace) -> Report:
    report = Report("intervals")
    one = hold(ONE, {ALL: (), QUARTER: (), CLASSES: ()}, pace)
    both = hold(BOTH, {PAIRED: (PEER,)}, pace)

    tell(one, report)
    tell(both, report)
    report.tables += [table(report.rows), memories(one)]
    report.bars = [
        *(
            Bar(f"{ONE}, {name}", one.times[name].median, SECONDS, more_is_better=False, unit=" s")
            for name in (ALL, CLASSES)
        ),
        one.within(ALL, QUARTER, 4.4),
        one.extra_memory(ALL, MEGABYTES),
        both.faster(PAIRED, PEER, TIMES),
    ]
    return report
