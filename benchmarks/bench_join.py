"""Joins: the pairs with an iou of at least one half, without the matrix."""

from __future__ import annotations

import math

from benchmarks.cases import CASES
from benchmarks.clock import Pace
from benchmarks.contest import Contest, bandwidths, hold, table, tell
from benchmarks.report import Bar, Report, aligned, seconds

TREE, BLOCKS = "shapely.STRtree and areas", "shapely.STRtree and areas, in blocks"
SIZES = ("join 10k dense", "join 100k dense", "join 1M dense")
GIGABYTE = 1e9


def bench(pace: Pace) -> Report:
    report = Report("join")
    ours, both = "vesica.join", {"vesica.join": (TREE, BLOCKS)}
    contests = {case: hold(case, both, pace) for case in (*SIZES[:-1], "join 100k thin")}
    # At a million the tree is asked for its answer alone, in blocks: all its candidates would not fit into memory.
    contests[SIZES[-1]] = hold(SIZES[-1], {ours: (BLOCKS,)}, pace, untimed=(BLOCKS,))

    for contest in contests.values():
        tell(contest, report)
    sizes = [contests[case] for case in SIZES]
    report.tables += [table(report.rows), _growth(sizes), bandwidths(list(contests.values()))]
    rival = contests["join 100k dense"]
    peak = contests[SIZES[-1]].peaks[ours] / GIGABYTE
    report.bars = [
        rival.faster(ours, rival.fastest(TREE, BLOCKS), 20),
        Bar("join 1M dense, peak memory of the process", peak, 1, more_is_better=False, unit=" GB"),
    ]
    return report


def _growth(contests: list[Contest]) -> str:
    """Time over N log N stays, if the join grows as a sort does."""
    rows = []
    for contest in contests:
        n, time = CASES[contest.case].n, contest.times["vesica.join"].median
        said = str(contest.verdicts[BLOCKS])
        peak = f"{contest.peaks['vesica.join'] / 1e6:.0f} MB"
        rows.append((contest.case, seconds(time), f"{time * 1e9 / (n * math.log2(n)):.2f} ns", peak, said))
    return aligned(("case", "time", "time / (N log2 N)", "peak memory", "the tree's answer"), rows)
