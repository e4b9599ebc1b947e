"""Segmentation scores of many files."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vesica._check import scale as check
from vesica._check.label_files import are_paths, groups_by_name
from vesica._check.painted import are_objects
from vesica.io.label_files import LabelFiles, pair_files
from vesica.scale.parts import Part, blocks, parts_of_pairs
from vesica.scale.run import Progress, lasting_run
from vesica.scoring import evaluate_segmentation as evaluate_one

if TYPE_CHECKING:
    from vesica.segmentation.policy import SegmentationPolicy
    from vesica.segmentation.result import SegmentationResult

_OF_A_CHECKPOINT = 16
"""Workers for whom parts are cut where they are kept."""
EACH = 8
"""Blocks of files for each worker: what one has left is soon done by the others."""


def evaluate_segmentation(
    truth: Any,
    guess: Any,
    /,
    *,
    engine: str = "threads",
    workers: int | None = None,
    expected: Any = None,
    partial: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    policy: SegmentationPolicy | None = None,
    threads: int | None = None,
    **options: Any,
) -> SegmentationResult:
    """Score label maps that are in many files, the same to the byte as `vesica.evaluate_segmentation` of all of them.

    Parameters
    ----------
    truth, guess : folders, patterns or files, which meet by name; or lists of files, the nth of the same image
    engine, workers, expected, partial, checkpoint, progress, threads : as of `vesica.scale.evaluate`
    policy : SegmentationPolicy, optional
    **options : as of `vesica.evaluate_segmentation`
    """
    from vesica.segmentation.evaluator import policy_of

    said = {key: options.pop(key) for key in ("like", "ignore", "background") if key in options}
    chosen = policy_of(policy, **said)
    # A checkpoint is of the same parts, however many work on them.
    count = _OF_A_CHECKPOINT if checkpoint is not None else check.workers(workers) or os.cpu_count() or 1
    pairs = _parts(truth, guess, options.pop("groups", None), count)
    given = {**options, "policy": asdict(chosen), "threads": threads or 1}
    total = lasting_run(
        "segmentation",
        pairs,
        given,
        checkpoint=checkpoint,
        engine=engine,
        workers=workers,
        expected=expected,
        partial=partial,
        progress=progress,
    )
    result: SegmentationResult = total.records.checked()
    return result.with_remarks((*result.remarks, *total.notes))


def _parts(truth: Any, guess: Any, groups: Any, workers: int) -> list[Part]:
    """Blocks of files that meet by name; of lists, and of files of objects, the nth with the nth."""
    if not are_paths(truth, guess) or are_objects(truth, guess):
        return [{**part, "groups": groups} for part in parts_of_pairs(truth, guess)]
    files = pair_files(truth, guess)
    kinds = groups_by_name(groups, files.names)
    parts: list[Part] = []
    for begin, end in blocks(files.names, workers * EACH):
        names, last = files.names[begin:end], "" if end - begin == 1 else f" to {files.truth[end - 1].name}"
        parts.append(
            {
                "name": f"{files.truth[begin]}{last}",
                "names": names,
                "truth": [str(path) for path in files.truth[begin:end]],
                "guess": [str(path) for path in files.guess[begin:end]],
                "groups": None if kinds is None else {name: kinds[name] for name in names},
            }
        )
    return parts


def result_of_part(part: Part, options: dict[str, Any], /) -> SegmentationResult:
    """The counts of one part, and the policy that drawn objects have: what a worker does."""
    from vesica.segmentation.policy import SegmentationPolicy

    given = {**options, "policy": SegmentationPolicy.from_dict(options["policy"]), "groups": part["groups"]}
    if "names" not in part:
        return evaluate_one(part["truth"], part["guess"], **given)
    truth, guess = ([Path(path) for path in part[side]] for side in ("truth", "guess"))
    return evaluate_one(LabelFiles(part["names"], truth, guess), None, **given)
