"""Causes of error: matched, named and repaired, from rows in memory to nine numbers."""

from __future__ import annotations

from benchmarks.clock import Pace
from benchmarks.contest import bandwidths, hold, table, tell
from benchmarks.report import Bar, Report

SMALL, LARGE = "causes of 18k guesses", "causes of 180k guesses"
LIKE, OWN = "evaluate and causes, like tidecv", "evaluate and causes"
LIMIT, MOST = 50, 1.0


def bench(pace: Pace) -> Report:
    report = Report("causes")
    contests = {
        SMALL: hold(SMALL, {LIKE: ("tidecv",)}, pace),
        LARGE: hold(LARGE, {LIKE: ("tidecv",), OWN: ()}, pace),
    }

    for contest in contests.values():
        tell(contest, report)
    report.tables += [table(report.rows), bandwidths(list(contests.values()))]
    report.bars = [
        contests[LARGE].faster(LIKE, "tidecv", LIMIT),
        Bar(f"{LARGE}, {OWN}", contests[LARGE].times[OWN].median, MOST, more_is_better=False, unit=" s"),
    ]
    return report
