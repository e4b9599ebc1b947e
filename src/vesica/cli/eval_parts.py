"""`vesica eval PART… --engine NAME`: the scores of many files, worked on apart and merged."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vesica.cli import eval_panoptic, refusal, scale_options

if TYPE_CHECKING:
    from vesica.detection.protocol import Protocol
    from vesica.detection.result import DetectionResult
    from vesica.diagnose.finding import Finding
    from vesica.io.read import Found

OF_READING = dict.fromkeys(
    ("format", "truth_format", "guess_format", "boxes", "sizes", "names", "kind", "columns"),
    "parts are read as they are; `vesica convert` writes what a file leaves open",
)
"""Options that say what files leave open."""


def settle(arguments: argparse.Namespace) -> bool:
    """Are the words parts? Otherwise they are TRUTH and GUESS; exit code 2 if they are neither."""
    words = [arguments.truth, *arguments.guess]
    arguments.guess = words[-1]
    arguments.words = words
    if not scale_options.is_asked(arguments) and len(words) != 2:
        if not all(map(_may_stand_alone, words)):
            _neither(words, arguments)
        arguments.engine = "threads"  # parts with both sides, on this machine
    return scale_options.is_asked(arguments) and arguments.protocol != eval_panoptic.NAME


def _may_stand_alone(word: str) -> bool:
    """Is a word the name of a Parquet file, or a folder of such with both sides?"""
    return scale_options.may_be_parquet(word) and (not os.path.isdir(word) or scale_options.are_tables([word]))


def _neither(words: list[str], arguments: argparse.Namespace) -> None:
    if len(words) == 1:
        arguments.usage_error(
            "the following arguments are required: GUESS. Parquet files with both sides may stand alone"
        )
    arguments.usage_error(
        f"{words[2]!r} is one too many: `vesica eval` takes TRUTH GUESS, or with --engine any number of parts"
    )


def check_usage(arguments: argparse.Namespace) -> None:
    """Raise for options that no file could make right."""
    scale_options.check_usage(arguments, OF_READING)
    if not scale_options.is_asked(arguments):
        return
    if "-" in arguments.words:
        raise ValueError("--engine reads files, and standard input is none")
    if arguments.images is not None and arguments.report is None:
        raise ValueError("--images goes with --report where --engine works: the photographs")
    taken = {*map(os.path.realpath, arguments.words)}
    for name in ("records", "report"):
        path = getattr(arguments, name)
        if path is not None and os.path.realpath(path) in taken:
            raise ValueError(f"--{name} must be a file of its own; {path} is read")


def paths_of(words: list[str]) -> tuple[Any, ...]:
    """What `vesica.scale.evaluate` is given: files with both sides, or truths and guesses."""
    if scale_options.are_tables(words) or len(words) != 2:
        return (words,)
    return tuple(words)


def scored(arguments: argparse.Namespace, options: dict[str, Any], protocol: Protocol) -> DetectionResult:
    """The scores of all parts. Where they are low, the first part is looked at for a mistake."""
    from vesica import scale

    paths = paths_of(arguments.words)
    given = {**options, **scale_options.given(arguments)}
    with scale_options.bar("guesses") as progress:
        result = scale.evaluate(*paths, details=_needs_details(arguments), progress=progress, **given)
    tell(result, arguments)
    look(result, paths, arguments, protocol, by_class=options["by_class"] and options["categories"] is None)
    if arguments.slices is not None or arguments.by is not None or arguments.report is not None:
        from vesica.scale.images import with_images
        from vesica.scale.parts import parts_of_pairs, parts_of_tables

        return with_images(result, parts_of_tables(*paths) if len(paths) == 1 else parts_of_pairs(*paths))
    return result


def tell(result: DetectionResult, arguments: argparse.Namespace) -> None:
    """What was worked on."""
    from vesica.cli import eval_output

    images, guesses = len(result.records.images), len(result.records)
    eval_output.say(f"Scored {images:,} images with {guesses:,} guesses in parts, by {arguments.engine}.", arguments)


def _needs_details(arguments: argparse.Namespace) -> bool:
    return bool(arguments.details or arguments.causes or arguments.confusion or arguments.report is not None)


def kept(result: DetectionResult, arguments: argparse.Namespace) -> DetectionResult:
    """As it is written: details that were made for the answer alone are left out."""
    if arguments.details or result.records.details is None:
        return result
    return replace(result, records=replace(result.records, details=None))


def look(
    result: DetectionResult,
    paths: tuple[Any, ...],
    arguments: argparse.Namespace,
    protocol: Protocol,
    /,
    *,
    by_class: bool,
) -> None:
    """Raise where scores are low, or boxes odd, and the first part shows why."""
    from vesica.diagnose.suspicion import is_low

    if arguments.as_is:
        return
    truth, guess = first_part(paths, protocol)
    if is_low(result) or (protocol.regions == "box" and refusal.are_odd(truth, guess)):
        refusal.look(truth, guess, arguments, by_class=by_class)


def findings(arguments: argparse.Namespace, protocol: Protocol, /, *, by_class: bool) -> Sequence[Finding]:
    """What `vesica check` finds in the first part."""
    by_class = by_class and not arguments.class_agnostic
    return refusal.findings_of(*first_part(paths_of(arguments.words), protocol), by_class=by_class)


def first_part(paths: tuple[Any, ...], protocol: Protocol) -> tuple[Found, Found]:
    """Truth and guess of the first part, as files of their own would be."""
    from vesica.dataset.arrow import dataset_of
    from vesica.io.parquet import group_of
    from vesica.io.read import Found, find
    from vesica.scale.parts import parts_of_pairs, parts_of_tables
    from vesica.scoring import how_to_read

    if len(paths) == 2:
        pair = parts_of_pairs(*paths)[0]
        truth = find(pair["truth"], how_to_read(protocol, None))
        return truth, find(pair["guess"], how_to_read(protocol, None, images=truth.data.images, predictions=True))
    part = parts_of_tables(*paths)[0]
    table = group_of(part["table"], part["group"], masks=protocol.compares_masks)
    found = []
    for side in ("truth", "guess"):
        data, form = dataset_of(table, side=side, masks=protocol.compares_masks)
        found.append(Found(data, part["table"], "parquet", f"{form} pixels", "Parquet"))
    return found[0], found[1]
