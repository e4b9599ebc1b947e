"""`vesica eval TRUTH GUESS`: two files in, the scores of a detector or of a panoptic segmentation out."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from vesica.cli import (
    eval_output,
    eval_panoptic,
    eval_parts,
    image_options,
    interval_options,
    own_files,
    refusal,
    report_options,
    scale_options,
)
from vesica.cli.category_options import categories_of
from vesica.cli.epilogs import CODES, epilog
from vesica.cli.number_options import numbers_of
from vesica.cli.option_words import as_options
from vesica.cli.progress import steps
from vesica.detection.rules import PROTOCOLS, QUIRKS, REGIONS
from vesica.io.formats import readable
from vesica.results.gates import Verdict
from vesica.segmentation.rules import PANOPTIC_QUIRKS

if TYPE_CHECKING:
    from vesica.detection.protocol import Protocol
    from vesica.detection.result import DetectionResult
    from vesica.io.read import Found

_EPILOG = epilog(
    """
  vesica eval truth.json guess.json
  vesica eval truth.json guess.json --regions mask --per-class
  vesica eval truth.json guess.json --iou 0.5 --strict --counts --min-score 0.3
  vesica eval truth.json guess.json --causes --confusion --min-score 0.3
  vesica eval truth.json guess.json --gate "AP>=0.5" --gate "AP50[person,car]>=0.8" --json
  vesica eval truth.json guess.json --interval --slices meta.csv
  vesica eval panoptic.json panoptic_guess.json --protocol panoptic --guess-folder guess_maps --gate "PQ>=0.4"
  vesica eval part1_truth.json part1_guess.json --records part1.records --quiet
  vesica eval parts/*.parquet --engine threads --workers 8  # truths and guesses of other images in each
  vesica eval "parts/*_truth.json" "parts/*_guess.json" --engine processes --workers 2 --gate "AP>=0.5"
  vesica eval truth.json guess.json --report out.html --images photographs
""",
    codes=CODES,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("truth", metavar="TRUTH", help="the objects that are there")
    parser.add_argument(
        "guess",
        metavar="GUESS",
        nargs="*",
        help="what the detector says, with scores; none where TRUTH is Parquet with both sides, and with --engine any "
        "number of such files",
    )
    add_scoring(parser, [*PROTOCOLS, eval_panoptic.NAME])
    eval_panoptic.add_arguments(parser)
    eval_output.add_arguments(parser)
    report_options.add_arguments(parser)
    scale_options.add_arguments(parser, "eval")


def add_scoring(parser: argparse.ArgumentParser, protocols: list[str], *, writes_records: bool = False) -> None:
    """The options that say how two files are read and scored."""
    formats = readable()
    parser.add_argument("--protocol", choices=protocols, default="coco", help="whose rules (default: coco)")
    parser.add_argument("--regions", choices=REGIONS, help="what is compared (default: box)")
    parser.add_argument("--iou", metavar="T[,T…]", help="thresholds instead of those of the protocol")
    parser.add_argument(
        "--areas", metavar="NAME=LO:HI,…", help="ranges of areas instead of all, small, medium and large"
    )
    parser.add_argument("--max-dets", metavar="N[,N…]", help="how many guesses of an image and class count, best first")
    parser.add_argument("--class-agnostic", action="store_true", help="regions of all classes meet")
    parser.add_argument(
        "--categories",
        metavar="name|id|FILE",
        help="how classes meet: by name (the default where both sides have names), by id, or by a mapping of the "
        'guess to the truth: {"7": "cat"}, or a file of it as JSON or CSV',
    )
    parser.add_argument("--strict", action="store_true", help="an IoU must exceed the threshold, and not only reach it")
    tools = [*(tool for tool in QUIRKS if tool), *PANOPTIC_QUIRKS]
    parser.add_argument("--quirks", choices=tools, help="repeat that tool's faults to the byte")
    where = "" if writes_records else "with --records: "
    parser.add_argument(
        "--details", action="store_true", help=f"{where}also what --causes and --confusion of `merge` need"
    )
    parser.add_argument("--missing", choices=["box"], help="truths without a mask are compared as their boxes")
    parser.add_argument("--format", choices=formats, help="of both files, where the content does not show it")
    parser.add_argument("--truth-format", choices=formats, metavar="NAME", help="of TRUTH alone")
    parser.add_argument("--guess-format", choices=formats, metavar="NAME", help="of GUESS alone")
    image_options.add_arguments(parser, has_report=not writes_records)
    refusal.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    is_parts = eval_parts.settle(arguments)
    if arguments.protocol == eval_panoptic.NAME:
        return eval_panoptic.run(arguments)
    options, protocol = _options(arguments)
    options["categories"] = None if arguments.categories is None else categories_of(arguments.categories)
    return _of_parts(arguments, options, protocol) if is_parts else _of_files(arguments, options, protocol)


def _of_files(arguments: argparse.Namespace, options: dict[str, Any], protocol: Protocol) -> int:
    from vesica.scoring import evaluate

    said = image_options.given(arguments)
    with steps("read truth", "read guess", "match", "summarise") as done:
        truth = read(arguments.truth, arguments.truth_format, arguments, protocol, said)
        if truth.data.score is not None:
            eval_output.say("  note: these truths have scores, as guesses do; each counts, whatever it is.", arguments)
        done()
        known = truth.data.images if said["images"] is None else said["images"]
        of_guess = {**said, "images": known, "predictions": True}
        guess = read(arguments.guess, arguments.guess_format, arguments, protocol, of_guess)
        done()
        check_said({**said, "images": None} if arguments.report is not None else said, truth, guess)
        options |= {"details": arguments.details, "threads": arguments.threads}
        by_class = not arguments.class_agnostic and options["categories"] is None
        result = refusal.scored(
            lambda: evaluate(truth.data, guess.data, **options), truth, guess, arguments, by_class=by_class
        )
        result = interval_options.sliced(result, arguments)
        done()
        _tell_meeting(result, arguments)
        facts = _written(result, arguments)
        if arguments.report is not None:
            found = refusal.findings_of(truth, guess, by_class=by_class)
            files = tuple(path for path in (arguments.truth, arguments.guess) if path != "-")
            verdicts = [Verdict(**one) for one in facts["gates"]]
            report_options.write((result,), arguments, arguments.report, gates=verdicts, findings=found, files=files)
    return eval_output.tell(facts, result, arguments)


def _of_parts(arguments: argparse.Namespace, options: dict[str, Any], protocol: Protocol) -> int:
    result = interval_options.sliced(eval_parts.scored(arguments, options, protocol), arguments)
    with steps("summarise") as done:
        facts = _written(result, arguments)
        if arguments.report is not None:
            found = eval_parts.findings(arguments, protocol, by_class=options["categories"] is None)
            verdicts, files = [Verdict(**one) for one in facts["gates"]], tuple(arguments.words)
            report_options.write((result,), arguments, arguments.report, gates=verdicts, findings=found, files=files)
        done()
    return eval_output.tell(facts, result, arguments)


def _written(result: DetectionResult, arguments: argparse.Namespace) -> dict[str, Any]:
    """All that can be told of a result; its records are written if that was asked for."""
    facts = eval_output.facts_of(result, arguments)  # gates are judged before anything is written
    if arguments.records is not None:
        kept = eval_parts.kept(result, arguments)
        eval_output.write_records(arguments.records, kept.records)
        eval_output.say(f"Wrote the records of {len(kept.records.images):,} images: {arguments.records}", arguments)
    return facts


def check_said(said: dict[str, Any], truth: Found, guess: Found) -> None:
    """What is said of files is said of one of them at least."""
    from vesica.errors import InputError
    from vesica.io.formats import FORMATS

    known = {*FORMATS[truth.format].options, *FORMATS[guess.format].options}
    for name, value in said.items():
        if value is not None and name not in known:
            formats = " and ".join(sorted({truth.format, guess.format}))
            raise InputError(f"`{name}` says nothing about files of {formats}. Leave it out.")


def _tell_meeting(result: DetectionResult, arguments: argparse.Namespace) -> None:
    """Examples of what did not meet by id; how often, the notes of the result tell."""
    meeting = None if result.inputs is None else result.inputs.meeting
    for remark in () if meeting is None else meeting.remarks:
        eval_output.say(f"{remark.text[0].upper()}{remark.text[1:]}: {remark.example}", arguments)


def _options(arguments: argparse.Namespace) -> tuple[dict[str, Any], Protocol]:
    """The options of `evaluate`, and what they mean; leave with exit code 2 for those that no file could make right."""
    try:
        eval_output.check_usage(arguments)
        eval_panoptic.check_absent(arguments)
        own_files.check_usage(arguments)
        eval_parts.check_usage(arguments)
        report_options.check_usage(arguments)
        if arguments.details and arguments.records is None:
            raise ValueError("--details goes with --records")
        if arguments.truth == arguments.guess == "-":
            raise ValueError("standard input can be read only once")
        found = scoring_options(arguments)
    except ValueError as error:
        arguments.usage_error(str(error))
    return found


def scoring_options(arguments: argparse.Namespace) -> tuple[dict[str, Any], Protocol]:
    """The options of `evaluate`, and what they mean; ValueError for those that no file could make right."""
    from vesica.detection.protocol import protocol_of

    image_options.check_usage(arguments)
    options = {
        "regions": arguments.regions or "box",
        "iou": numbers_of(arguments.iou, float, "--iou"),
        "areas": None if arguments.areas is None else dict(map(_area, arguments.areas.split(","))),
        "max_dets": numbers_of(arguments.max_dets, int, "--max-dets"),
        "by_class": not arguments.class_agnostic,
        "strict": arguments.strict or None,
        "quirks": arguments.quirks,
    }
    protocol = protocol_of(arguments.protocol, **options)
    return {"protocol": arguments.protocol, "missing": arguments.missing, **options}, protocol


def _area(words: str) -> tuple[str, tuple[float, float]]:
    name, _, ends = words.partition("=")
    low, _, high = ends.partition(":")
    try:
        return name, (float(low), float(high))
    except ValueError:
        raise ValueError(f"--areas must be NAME=LO:HI with commas between them; got {words!r}") from None


def read(
    path: str, format: str | None, arguments: argparse.Namespace, protocol: Protocol, said: dict[str, Any]
) -> Found:
    from vesica.io.read import describe, find
    from vesica.scoring import how_to_read

    found = find(path, how_to_read(protocol, arguments.threads, **said), format=format or arguments.format)
    eval_output.say(describe(found), arguments)
    for note in found.data.notes:
        eval_output.say(as_options(f"  note: {note}.", vars(arguments)), arguments)
    return found
