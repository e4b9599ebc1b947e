"""Agreement: votes of pixels, truths behind them, coefficients, and intervals."""

from __future__ import annotations

from benchmarks.clock import Pace
from benchmarks.contest import bandwidths, hold, memories, table, tell
from benchmarks.report import Report

VOTES, RUNS, STAPLE = "vote_patterns", "vote_patterns of runs", "staple"
SKENE, ALPHA, BOOTSTRAP = "dawid_skene", "krippendorff", "bootstrap"
LINEUPS = {
    "votes of 3 × 4 Mpx": {VOTES: ("numpy.bincount of votes",), RUNS: ("numpy.bincount of votes",)},
    "votes of 3 × 4 Mpx, noise": {VOTES: ("numpy.bincount of votes",)},
    "STAPLE of 3 × 1000 masks": {STAPLE: ("SimpleITK.STAPLE",)},
    "labels of 20 000 units": {SKENE: ("crowdkit.DawidSkene",)},
    "ratings of 20 000 units": {ALPHA: ("krippendorff.alpha",)},
    "bootstrap, 10 000 × 10 000 × 60": {BOOTSTRAP: ("numpy draws and product",)},
}
LIMITS = {
    "votes of 3 × 4 Mpx": {VOTES: 5},
    "STAPLE of 3 × 1000 masks": {STAPLE: 20},
    "labels of 20 000 units": {SKENE: 20},
    "bootstrap, 10 000 × 10 000 × 60": {BOOTSTRAP: 1.5},
}


def bench(pace: Pace) -> Report:
    report = Report("agreement")
    contests = {case: hold(case, lineup, pace) for case, lineup in LINEUPS.items()}

    for contest in contests.values():
        tell(contest, report)
    every = list(contests.values())
    report.tables += [table(report.rows), bandwidths(every), memories(contests["bootstrap, 10 000 × 10 000 × 60"])]
    report.bars = [
        contests[case].faster(ours, peer, limit)
        for case, limits in LIMITS.items()
        for ours, limit in limits.items()
        for peer in LINEUPS[case][ours]
    ]
    return report
