"""Pairwise measures of upright boxes."""

from __future__ import annotations

from benchmarks.cell import Lineup
from benchmarks.clock import Pace
from benchmarks.contest import Contest, bandwidths, hold, table, tell
from benchmarks.report import Bar, Report

SERIAL, PARALLEL = "powerboxes.iou_distance", "powerboxes.parallel_iou_distance"
EAGER, COMPILED, VISION = "torch formula, eager", "torch formula, compiled", "torchvision.ops.box_iou"
IOU = (PARALLEL, SERIAL, EAGER, COMPILED, "numpy formula")
GIOU = ("vesica.iou", "powerboxes.parallel_giou_distance", "powerboxes.giou_distance")
INCLUSIVE = {"vesica.iou inclusive": ("cython_bbox.bbox_overlaps",)}

LINEUPS: dict[str, Lineup] = {
    "100x100 float32": {"vesica.iou": IOU},
    "1000x1000 float32": {
        "vesica.iou": IOU,
        "vesica.giou": GIOU,
        "vesica.diou": ("vesica.iou", "numpy diou formula"),
        "vesica.ciou": ("vesica.iou", "numpy ciou formula"),
    },
    "5000x5000 float32": {
        "vesica.iou": (*IOU, VISION),
        "vesica.giou": GIOU,
        "vesica.diou": ("vesica.iou",),
        "vesica.ciou": ("vesica.iou",),
    },
    "20000x2000 float32": {"vesica.iou": IOU},
    "5000x5000 float32 scattered": {"vesica.iou": (PARALLEL, SERIAL)},
    "1000x1000 float64": {"vesica.iou": IOU, **INCLUSIVE},
    "5000x5000 float64": {"vesica.iou": IOU, **INCLUSIVE},
}


def bench(pace: Pace) -> Report:
    report = Report("boxes")
    contests = {case: hold(case, lineup, pace) for case, lineup in LINEUPS.items()}

    for contest in contests.values():
        tell(contest, report)
    report.tables += [table(report.rows), bandwidths(list(contests.values()))]
    report.bars = [*_iou_bars(contests), *_measure_bars(contests)]
    return report


def _iou_bars(contests: dict[str, Contest]) -> list[Bar]:
    bars = []
    for case in ("5000x5000 float32", "20000x2000 float32"):
        contest = contests[case]
        bars += [
            contest.near_bound("vesica.iou", 1.4),
            contest.faster("vesica.iou", PARALLEL, 8),
            contest.faster("vesica.iou", EAGER, 25),
        ]
    bars.append(contests["5000x5000 float32 scattered"].faster("vesica.iou", PARALLEL, 8))
    small = contests["100x100 float32"]
    rival = small.fastest(SERIAL, PARALLEL)
    return [
        *bars,
        contests["1000x1000 float32"].faster("vesica.iou", PARALLEL, 6),
        small.faster("vesica.iou", rival, 1),
    ]


def _measure_bars(contests: dict[str, Contest]) -> list[Bar]:
    return [
        contests[case].within(f"vesica.{measure}", "vesica.iou", limit)
        for case in ("5000x5000 float32", "1000x1000 float32")
        for measure, limit in (("giou", 2), ("diou", 2), ("ciou", 3))
    ]
