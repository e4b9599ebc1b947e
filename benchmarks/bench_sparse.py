"""Sparse masks against boxes, from the indices of the pixels on."""

from __future__ import annotations

from benchmarks.clock import Pace
from benchmarks.contest import bandwidths, hold, memories, table, tell
from benchmarks.peers_masks import RUNS
from benchmarks.report import Report

OURS = "vesica.iou of SparseMasks and boxes"
FILTERS = ("pytorch-sparse-special, a box a call", "pytorch-sparse-special, one thread")
NUMPY_FILTER = "numpy filter, a box at a time"
RIVALS = ("numpy cropped integral", "cv2.integral of dense masks", *(f"{name} boxes as runs" for name in RUNS))


def bench(pace: Pace) -> Report:
    report = Report("sparse")
    contest = hold("sparse 100x1000 1080x1920", {OURS: (*RIVALS, *FILTERS, NUMPY_FILTER)}, pace)

    tell(contest, report)
    report.tables += [table(report.rows), memories(contest), bandwidths([contest])]
    report.bars = [
        contest.faster(OURS, contest.fastest(*FILTERS), 2000),
        contest.faster(OURS, contest.fastest(*RIVALS), 2),
    ]
    return report
