"""Segmentations: all scores of a validation set of label maps."""

from __future__ import annotations

from benchmarks.clock import Pace
from benchmarks.contest import Contest, bandwidths, hold, memories, table, tell
from benchmarks.report import Bar, Report

OURS = "vesica.evaluate_segmentation"
BINCOUNT, HOTCOCO = "numpy.bincount, image by image", "hotcoco.SemanticEval, image by image"
SKLEARN = "sklearn.jaccard_score, image by image"
MEAN_IOU, JACCARD = "torchmetrics.MeanIoU", "torchmetrics.JaccardIndex"
LIMITS = {BINCOUNT: 5, HOTCOCO: 2, SKLEARN: 20, MEAN_IOU: 50, JACCARD: 5}

STREAMS = tuple(f"{n} images from a generator" for n in (10, 100, 1000))
PNG, DECODED = "vesica.evaluate_segmentation, PNG folders", "PNG folders decoded"
UNDER = "SegmentationResult.under, mIoU"
BESIDE_DECODING, MILLISECONDS, MEGABYTES = 1.3, 10, 8
"""How much longer than decoding alone; for a number under another policy; more for 1000 images than for 10: of each the
labels that met stay, some kilobytes instead of megabytes."""

STREETS = ("segmentation streets, 1 thread", "segmentation streets")
NOISE = ("segmentation noise, 1 thread", "segmentation noise")
"""The worst that a map can be, every pixel a run of its own: timed, and held to no bar."""


def bench(pace: Pace) -> Report:
    report = Report("segmentation")
    streets, noise = ([hold(case, {OURS: tuple(LIMITS)}, pace) for case in cases] for cases in (STREETS, NOISE))

    stream = hold("segmentation stream", dict.fromkeys(STREAMS, ()), pace)
    png = hold("segmentation PNG folder", {PNG: (), DECODED: ()}, pace)
    policies = hold("segmentation policies, 10 000 images x 80 classes", {UNDER: ()}, pace)

    contests = [*streets, *noise, stream, png, policies]
    for contest in contests:
        tell(contest, report)
    report.tables += [table(report.rows), bandwidths(contests), memories(contests[0]), memories(stream)]
    report.bars = [contest.faster(OURS, peer, limit) for contest in streets for peer, limit in LIMITS.items()]
    report.bars += [png.within(PNG, DECODED, BESIDE_DECODING), _quick(policies), _constant(stream)]
    return report


def _quick(contest: Contest) -> Bar:
    """A number under a policy that was not asked for before."""
    value = contest.times[UNDER].median * 1e3
    return Bar(f"{contest.case}, {UNDER}", value, MILLISECONDS, more_is_better=False, unit=" ms")


def _constant(contest: Contest) -> Bar:
    """Memory does not grow with the number of images."""
    few, _, many = (contest.extras[name] for name in STREAMS)
    value = None if few is None or many is None else (many - few) / 1e6
    text = f"{contest.case}, memory for 1000 images above that for 10"
    return Bar(text, value, MEGABYTES, more_is_better=False, unit=" MB", why="this system does not say")
