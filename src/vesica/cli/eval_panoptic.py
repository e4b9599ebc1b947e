"""`vesica eval --protocol panoptic`: two files of segments with their PNG folders in, panoptic quality out."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from vesica.cli import eval_output, gate_options, outputs, own_files, report_options
from vesica.cli.common_options import NAMES

if TYPE_CHECKING:
    from vesica.segmentation.panoptic import PanopticResult

NAME = "panoptic"
_MEANT = (
    *("truth", "guess", "protocol", "quirks", "per_class", "gate", "undecided", "output", "records"),
    *("report", "images", "max_mb", "pictures", "words"),
    *NAMES,
)
_OWN = ("truth_folder", "guess_folder")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for side in ("truth", "guess"):
        words = f"panoptic: where the PNG files of {side.upper()} are (default: beside x.json in x/)"
        parser.add_argument(f"--{side}-folder", metavar="DIR", help=words)


def check_absent(arguments: argparse.Namespace) -> None:
    """Raise for options that no protocol but this one has."""
    for option in _said(arguments):
        if option in _OWN:
            raise ValueError(f"{_written(option)} goes with --protocol {NAME}")


def run(arguments: argparse.Namespace) -> int:
    _check_usage(arguments)
    result = _scored(arguments)
    facts: dict[str, Any] = {"protocol": NAME} | result.to_dict()
    verdicts = gate_options.verdicts(arguments, result.gate_scores())
    facts["gates"] = gate_options.told(verdicts)
    if arguments.records is not None:
        from vesica.io import atomic

        with atomic.file(arguments.records) as file:
            file.write(result.to_bytes())
    if arguments.report is not None:
        files = (arguments.truth, arguments.guess)
        report_options.write((result,), arguments, arguments.report, gates=verdicts, files=files)
    return tell(facts, result, arguments)


def _check_usage(arguments: argparse.Namespace) -> None:
    """Leave with exit code 2 for options that no file could make right."""
    from vesica import _check as check
    from vesica.segmentation.rules import PANOPTIC_QUIRKS

    try:
        for option in _said(arguments):
            if option not in (*_MEANT, *_OWN):
                raise ValueError(f"{_written(option)} says nothing about --protocol {NAME}. Leave it out")
        if arguments.quirks is not None:
            check.one_of(arguments.quirks, PANOPTIC_QUIRKS, "quirks")
        eval_output.check_usage(arguments)
        own_files.check_usage(arguments)
        report_options.check_usage(arguments)
        if arguments.images is not None and arguments.report is None:
            raise ValueError(f"--images says nothing about --protocol {NAME} without --report. Leave it out")
        if arguments.truth == arguments.guess == "-":
            raise ValueError("standard input can be read only once")
    except ValueError as error:
        arguments.usage_error(str(error))


def _said(arguments: argparse.Namespace) -> Iterator[str]:
    """The options that were written on the command line; their defaults are None, False and nothing at all."""
    for name, value in vars(arguments).items():
        if name not in ("run", "usage_error", "parser") and value is not None and value is not False and value != []:
            yield name


def _written(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def _scored(arguments: argparse.Namespace) -> PanopticResult:
    from vesica.cli.progress import track
    from vesica.scoring import panoptic_images
    from vesica.segmentation.panoptic import score

    found = panoptic_images(
        arguments.truth,
        arguments.guess,
        truth_folder=arguments.truth_folder,
        guess_folder=arguments.guess_folder,
    )
    eval_output.say(f"{len(found.ids):,} images of segments: {arguments.truth}, {arguments.guess}", arguments)
    pairs = (found.pair(found.ids[place]) for place in track(range(len(found.ids)), "match"))
    return score(pairs, found.categories, quirks=arguments.quirks, threads=arguments.threads)


def tell(facts: dict[str, Any], result: PanopticResult, arguments: argparse.Namespace, verb: str = "eval") -> int:
    """Print them in the form that was asked for; the exit code is 1 if a gate failed."""

    def show() -> None:
        from vesica.cli.eval_tables import show_panoptic

        show_panoptic(facts, result.headline, per_class=arguments.per_class)

    numbers = [{"score": name, "value": value} for name, value in facts["summary"].items()]
    there = [row for row in facts["classes"] if row["PQ"] is not None]
    columns = ("category", "PQ", "SQ", "RQ", "tp", "fp", "fn")
    tables = [
        outputs.Shown("Scores", numbers, ("score", "value"), is_folded=False),
        outputs.Shown(f"{len(there):,} categories", there, columns),
    ]
    answer = outputs.Answer(verb, result.headline, facts, show, tables, arguments.guess)
    return outputs.tell(answer, arguments)
