"""`vesica records SHARD -o OUT`: what was matched in some of the images, for whoever has a scheduler of their own."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from vesica.cli import eval as evaluation
from vesica.cli import eval_output, eval_parts, image_options, refusal, streams
from vesica.cli.category_options import categories_of
from vesica.cli.epilogs import epilog
from vesica.cli.progress import steps
from vesica.detection.rules import PROTOCOLS

if TYPE_CHECKING:
    from vesica.detection import DetectionResult
    from vesica.detection.protocol import Protocol

_EPILOG = epilog(
    """
  vesica records parts/part-00000.parquet -o part-00000.records
  vesica records part1_truth.json part1_guess.json -o part1.records --details
  vesica records "parts/part-*.parquet" -o all.records --regions mask --json
""",
    notes="""
A shard is whole images: Parquet files with truths and guesses, or TRUTH and GUESS as `vesica eval` takes them. The same
shard gives the same bytes. `vesica merge` tells the scores of all of them, in any order.
""",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("truth", metavar="SHARD", help="Parquet files with both sides; or the objects that are there")
    parser.add_argument(
        "guess", metavar="GUESS", nargs="*", help="what the detector says, if SHARD does not; or more Parquet files"
    )
    parser.add_argument("-o", "--output", metavar="OUT", required=True, help="the file of records to write")
    evaluation.add_scoring(parser, list(PROTOCOLS), writes_records=True)


def run(arguments: argparse.Namespace) -> int:
    words = [arguments.truth, *arguments.guess]
    options, protocol = _options(words, arguments)
    options |= {"details": arguments.details, "threads": arguments.threads}
    options["categories"] = None if arguments.categories is None else categories_of(arguments.categories)
    if _are_tables(words, arguments):
        result = _of_tables(words, arguments, options, protocol)
    else:
        with steps("read truth", "read guess", "match") as done:
            result = _of_files(words, arguments, options, protocol, done)
    data = result.records.to_bytes()
    from vesica.io import atomic

    with atomic.file(arguments.output) as file:
        file.write(data)
    return _tell(result, len(data), arguments)


def _options(words: list[str], arguments: argparse.Namespace) -> tuple[dict[str, Any], Protocol]:
    """What the options mean; exit code 2 for those that no file could make right."""
    try:
        if os.path.realpath(arguments.output) in map(os.path.realpath, words):
            raise ValueError(f"--output must be a file of its own; {arguments.output} is read")
        if arguments.output == "-":
            raise ValueError("--output must be a file: records are bytes, and no text for a terminal")
        if words.count("-") > 1:
            raise ValueError("standard input can be read only once")
        found = evaluation.scoring_options(arguments)
    except ValueError as error:
        arguments.usage_error(str(error))
    return found


def _are_tables(words: list[str], arguments: argparse.Namespace) -> bool:
    """Are they Parquet files with both sides? Otherwise they must be two."""
    from vesica.cli import scale_options

    if "-" not in words and (len(words) != 2 or scale_options.are_tables(words)):
        if not all(map(scale_options.may_be_parquet, words)):
            arguments.usage_error(
                f"a shard is TRUTH and GUESS, or Parquet files that have both; got {len(words)} files that are none"
            )
        for dest, why in eval_parts.OF_READING.items():
            if getattr(arguments, dest) is not None:
                arguments.usage_error(f"--{dest.replace('_', '-')} says nothing about Parquet with both sides: {why}")
        return True
    if len(words) != 2:
        arguments.usage_error("a shard on standard input needs its GUESS")
    return False


def _of_tables(
    words: list[str], arguments: argparse.Namespace, options: dict[str, Any], protocol: Protocol
) -> DetectionResult:
    from vesica import scale

    given = {**options, "threads": None, "workers": arguments.threads}
    result = scale.evaluate(words, **given)
    by_class = not arguments.class_agnostic and options["categories"] is None
    eval_parts.look(result, (words,), arguments, protocol, by_class=by_class)
    return result


def _of_files(
    words: list[str], arguments: argparse.Namespace, options: dict[str, Any], protocol: Protocol, done: Any
) -> DetectionResult:
    from vesica.scoring import evaluate

    said = image_options.given(arguments)
    truth = evaluation.read(words[0], arguments.truth_format, arguments, protocol, said)
    done()
    known = truth.data.images if said["images"] is None else said["images"]
    of_guess = {**said, "images": known, "predictions": True}
    guess = evaluation.read(words[1], arguments.guess_format, arguments, protocol, of_guess)
    done()
    evaluation.check_said(said, truth, guess)
    by_class = not arguments.class_agnostic and options["categories"] is None
    return refusal.scored(
        lambda: evaluate(truth.data, guess.data, **options), truth, guess, arguments, by_class=by_class
    )


def _tell(result: DetectionResult, size: int, arguments: argparse.Namespace) -> int:
    """The name of the file; what is in it is told beside it."""
    images, guesses = len(result.records.images), len(result.records)
    eval_output.say(
        f"Wrote the records of {images:,} images with {guesses:,} guesses, {size:,} bytes: {arguments.output}",
        arguments,
    )
    if arguments.json:
        streams.answer({"records": arguments.output, "images": images, "guesses": guesses, "bytes": size})
    else:
        print(arguments.output)
    return 0
