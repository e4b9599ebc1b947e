"""NMS: which of many boxes stay."""

from __future__ import annotations

import math

from benchmarks.cases import CASES
from benchmarks.clock import Pace
from benchmarks.contest import Contest, bandwidths, hold, memories, table, tell
from benchmarks.report import Bar, Report, aligned, seconds

OURS, BY_CLASS = "vesica.nms", "vesica.nms, 80 classes"
SCAN, TREE, LARGE_SCALE = "powerboxes.nms", "powerboxes.rtree_nms", "lsnms.nms"
ALL = (SCAN, TREE, LARGE_SCALE, "torchvision.ops.nms", "supervision.box_non_max_suppression", "ensemble_boxes.nms")
SIZES = ("nms 1000 scattered", "nms 10k scattered", "nms 100k scattered", "nms 1M scattered")


def bench(pace: Pace) -> Report:
    report = Report("nms")
    lineups = {
        "nms 1000 clustered": ALL,
        "nms 1000 scattered": (SCAN, TREE, LARGE_SCALE),
        "nms 8400 yolo": ALL,
        "nms 10k clustered": (SCAN, TREE, LARGE_SCALE),
        "nms 10k scattered": (TREE, LARGE_SCALE),
        "nms 100k clustered": (SCAN, TREE, LARGE_SCALE),
        "nms 100k scattered": (TREE, LARGE_SCALE),
        "nms 1M scattered": (TREE, LARGE_SCALE),
        "nms 1M clustered": (LARGE_SCALE,),
    }
    contests = {case: hold(case, {OURS: peers, BY_CLASS: ()}, pace) for case, peers in lineups.items()}

    for contest in contests.values():
        tell(contest, report)
    report.tables += [
        table(report.rows),
        _growth([contests[case] for case in SIZES]),
        memories(contests["nms 1M scattered"]),
        bandwidths(list(contests.values())),
    ]
    limits = dict.fromkeys(("nms 8400 yolo", "nms 10k clustered", "nms 100k scattered", "nms 100k clustered"), 4)
    limits = {"nms 1000 clustered": 1, **limits}
    report.bars = [
        contests[case].faster(OURS, contests[case].fastest(*lineups[case]), limit) for case, limit in limits.items()
    ]
    million = contests["nms 1M scattered"]
    report.bars += [
        Bar("nms 1M scattered, time", million.times[OURS].median, 1.5, more_is_better=False, unit=" s"),
        Bar(
            "nms 1M scattered, peak memory of the process",
            million.peaks[OURS] / 1e9,
            1,
            more_is_better=False,
            unit=" GB",
        ),
        *(
            contests[case].within(BY_CLASS, OURS, 1)
            for case in ("nms 8400 yolo", "nms 100k clustered", "nms 100k scattered")
        ),
    ]
    return report


def _growth(contests: list[Contest]) -> str:
    """Time over N log N stays, if choosing grows as a sort does."""
    rows = []
    for contest in contests:
        n, time = len(CASES[contest.case].tables()[0]), contest.times[OURS].median
        rows.append(
            (contest.case, seconds(time), f"{time * 1e9 / (n * math.log2(n)):.2f} ns", f"{time * 1e9 / n:.0f} ns")
        )
    return aligned(("case", "time", "time / (N log2 N)", "time / N"), rows)
