"""Outlines: HD95, ASSD and NSD of ten organs, and the distance transform that others make of it."""

from __future__ import annotations

from benchmarks.clock import Pace
from benchmarks.contest import bandwidths, hold, memories, table, tell
from benchmarks.report import Report

DIRECTED, POOLED = "vesica.surface_distances", "vesica.surface_distances, pooled HD95 and ASSD"
MEDPY, MONAI, WEIGHTED = "medpy, hd95 and assd", "monai, HD95, ASD and NSD", "surface-distance"
TRANSFORM, EDT, SCIPY = "vesica.segmentation.distance_transform", "edt.edt", "scipy.distance_transform_edt"
FASTER, AS_FAST = 5, 1

ORGANS = ("organs 128x512x512, 1 thread", "organs 128x512x512")
TRANSFORMS = ("distance transform 128x512x512, 1 thread", "distance transform 128x512x512")


def bench(pace: Pace) -> Report:
    report = Report("surfaces")
    organs = [hold(case, {DIRECTED: (MONAI, WEIGHTED), POOLED: (MEDPY,)}, pace) for case in ORGANS]
    transforms = [hold(case, {TRANSFORM: (EDT, SCIPY)}, pace) for case in TRANSFORMS]

    contests = [*organs, *transforms]
    for contest in contests:
        tell(contest, report)
    report.tables += [table(report.rows), bandwidths(contests), memories(organs[0]), memories(transforms[0])]
    for contest in organs:
        report.bars += [contest.faster(DIRECTED, peer, FASTER) for peer in (MONAI, WEIGHTED)]
        report.bars.append(contest.faster(POOLED, MEDPY, FASTER))
    report.bars += [contest.faster(TRANSFORM, EDT, AS_FAST) for contest in transforms]
    return report
