"""Anchors: their shapes by k-means, and the truth that each of them learns."""

from __future__ import annotations

from benchmarks.clock import Pace
from benchmarks.contest import bandwidths, hold, memories, table, tell
from benchmarks.report import Report

CLUSTER, KMEANS = "anchors.cluster", "numpy k-means"
ASSIGN, BLOCKS = "anchors.assign", "numpy max-iou, in blocks"


def bench(pace: Pace) -> Report:
    report = Report("anchors")
    shapes = hold("shapes 500k", {CLUSTER: (KMEANS,)}, pace)
    # The peer takes most of a minute: it is asked for its answer alone.
    batch = hold("assign 8400x5000x16", {ASSIGN: (BLOCKS,)}, pace, untimed=(BLOCKS,))

    for contest in (shapes, batch):
        tell(contest, report)
    report.tables += [table(report.rows), memories(batch), bandwidths([shapes, batch])]
    report.bars = [shapes.faster(CLUSTER, KMEANS, 10), batch.extra_memory(ASSIGN, 200)]
    return report
