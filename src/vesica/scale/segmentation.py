"""Segmentation scores of many files."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from vesica.scale.kept import lasting
from vesica.scale.parts import Part, parts_of_pairs
from vesica.scale.run import Progress, run
from vesica.scoring import evaluate_segmentation as evaluate_one

if TYPE_CHECKING:
    from vesica.segmentation.counts import PixelCounts
    from vesica.segmentation.policy import SegmentationPolicy
    from vesica.segmentation.result import SegmentationResult


def evaluate_segmentation(
    truth: Any,
    guess: Any,
    /,
    *,
    engine: str = "threads",
    workers: int | None = None,
    expected: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    policy: SegmentationPolicy | None = None,
    threads: int | None = None,
    **options: Any,
) -> SegmentationResult:
    """Score label maps that are in many files, the same to the byte as `vesica.evaluate_segmentation` of all of them.

    Parameters
    ----------
    truth, guess : folders, patterns or lists of files; the nth are of the same image
    engine, workers, expected, checkpoint, progress, threads : as of `vesica.scale.evaluate`
    policy : SegmentationPolicy, optional
    **options : as of `vesica.evaluate_segmentation`
    """
    from vesica.segmentation import SegmentationResult
    from vesica.segmentation.counts import PixelCounts
    from vesica.segmentation.evaluator import policy_of

    said = {key: options.pop(key) for key in ("like", "ignore", "background") if key in options}
    chosen = policy_of(policy, **said)
    pairs = parts_of_pairs(truth, guess)
    given = {**options, "policy": asdict(chosen), "threads": threads or 1}
    with lasting(checkpoint, "segmentation", pairs, given) as kept:
        total = run(
            "segmentation",
            pairs,
            given,
            engine=engine,
            workers=workers,
            expected=expected,
            progress=progress,
            kept=kept,
        )
    return SegmentationResult(PixelCounts.from_bytes(total.records), chosen).checked()


def counts_of_part(part: Part, options: dict[str, Any], /) -> PixelCounts:
    """The counts of one part: what a worker does."""
    from vesica.segmentation.policy import SegmentationPolicy

    given = {**options, "policy": SegmentationPolicy.from_dict(options["policy"])}
    return evaluate_one(part["truth"], part["guess"], **given).counts
