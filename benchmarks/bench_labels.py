"""Label maps: which labels meet, and how often."""

from __future__ import annotations

from benchmarks.clock import Pace
from benchmarks.contest import Contest, bandwidths, hold, table, tell
from benchmarks.report import Bar, Report

COUNT, FAR, IOU = "LabelMap.contingency", "LabelMap.contingency, ids to 1e12", "vesica.iou of LabelMaps"
BINCOUNTS = ("numpy.bincount int64", "numpy.bincount uint16")
UNIQUE = "numpy.unique and bincount, ids to 1e12"
HOTCOCO, SKLEARN = "hotcoco.SemanticEval.update", "sklearn.jaccard_score"

SMALL = {COUNT: (*BINCOUNTS, HOTCOCO), IOU: (SKLEARN,)}
FREE = ("labels streets", "labels noise")
PINNED = ("labels streets, 1 thread", "labels noise, 1 thread")
WIDE = ("labels streets int64, 1 thread", "labels noise int64, 1 thread")


def bench(pace: Pace) -> Report:
    report = Report("labels")
    pinned = [hold(case, SMALL, pace) for case in PINNED]
    free = [hold(case, SMALL, pace) for case in FREE]
    wide = [hold(case, {COUNT: BINCOUNTS[:1], FAR: (UNIQUE, COUNT)}, pace) for case in WIDE]

    contests = [*pinned, *free, *wide]
    for contest in contests:
        tell(contest, report)
    report.tables += [table(report.rows), bandwidths(contests)]
    report.bars = [
        *(bar for contest in free for bar in _bars(contest)),
        *(contest.faster(COUNT, HOTCOCO, 2) for contest in pinned),
        *(contest.within(FAR, COUNT, 1.5) for contest in wide),
    ]
    return report


def _bars(contest: Contest) -> list[Bar]:
    return [contest.faster(IOU, SKLEARN, 150), contest.faster(COUNT, contest.fastest(*BINCOUNTS), 4)]
