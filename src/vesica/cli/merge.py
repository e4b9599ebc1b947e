"""`vesica merge RECORDS…`: what was matched or counted in parts, scored as one."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vesica.cli import eval_output, interval_options, merge_others, own_files, report_options, scale_options
from vesica.cli.epilogs import CODES, epilog
from vesica.cli.progress import steps
from vesica.results.gates import Verdict

if TYPE_CHECKING:
    from vesica.detection import Records

_EPILOG = epilog(
    """
  vesica merge part1.records part2.records
  vesica merge rank*.records --duplicates same
  vesica merge parts/*.records --per-class --gate "AP>=0.5"
  vesica merge parts/*.records --expected images.txt --partial --json
  vesica merge part1.records part2.records --records both.records --quiet --json
  vesica merge run.records --report out.html --images photographs
""",
    notes="""
Records are written by `vesica records`, by `eval`, `seg` and `agree` with --records, or in Python by `to_bytes()`.
Their order does not matter. `vesica summarise` is the same verb.
""",
    codes=CODES,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("files", metavar="RECORDS", nargs="+", help="files of records, of different images")
    parser.add_argument(
        "--duplicates",
        choices=("error", "same"),
        default="error",
        help="an image in two files is an error (default), or counts once if both have the same of it",
    )
    scale_options.add_expected(parser)
    eval_output.add_arguments(parser)
    report_options.add_arguments(parser)
    parser.add_argument("--images", metavar="FOLDER", help="with --report: the photographs")


def run(arguments: argparse.Namespace) -> int:
    _check_usage(arguments)
    with steps("read", "merge", "summarise") as done:
        parts = [_read(path) for path in arguments.files]
        done()
        if any(map(merge_others.is_other, parts)):
            return merge_others.run(_merged(arguments.files, parts, merge_others.merged), arguments)
        from vesica.detection import summarise

        total = _merged(arguments.files, parts, lambda *some: _of_detection(*some, duplicates=arguments.duplicates))
        total = _noted(total, arguments)
        done()
        eval_output.say(f"Merged {len(parts)} files: {total!r}", arguments)
        result = interval_options.sliced(summarise(total, threads=arguments.threads), arguments)
        facts = eval_output.facts_of(result, arguments)
        if arguments.records is not None:
            eval_output.write_records(arguments.records, total)
        if arguments.report is not None:
            verdicts, files = [Verdict(**one) for one in facts["gates"]], tuple(arguments.files)
            report_options.write((result,), arguments, arguments.report, gates=verdicts, files=files)
    return eval_output.tell(facts, result, arguments)


def _check_usage(arguments: argparse.Namespace) -> None:
    """Exit code 2 for options that no file could make right."""
    try:
        eval_output.check_usage(arguments)
        own_files.check_usage(arguments, renewed=("files",))
        report_options.check_usage(arguments)
        if arguments.partial and arguments.expected is None:
            raise ValueError("--partial goes with --expected")
        if arguments.images is not None and arguments.report is None:
            raise ValueError("--images goes with --report")
        if arguments.images is not None and not os.path.isdir(arguments.images):
            raise ValueError(f"--images must be a folder that exists; got {arguments.images!r}")
    except ValueError as error:
        arguments.usage_error(str(error))


def _read(path: str) -> Any:
    """Records of detection; of anything else its result."""
    from vesica.detection import Records
    from vesica.errors import InputError
    from vesica.io.files import bytes_at

    data = bytes_at(path)
    try:
        return merge_others.result_of(data) or Records.from_bytes(data)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _of_detection(*parts: Records, duplicates: str) -> Records:
    from vesica.detection import merge

    return merge(*parts, duplicates=duplicates)


def _noted(records: Records, arguments: argparse.Namespace) -> Records:
    """The records, with a note where images are missing; an error unless --partial was said."""
    lacking = scale_options.lacking(records.images.tolist(), arguments)
    return replace(records, notes=(*records.notes, *lacking))


def _merged(names: Sequence[str], parts: Sequence[Any], merge: Callable[..., Any]) -> Any:
    """All as one. When that cannot be, the two files are named that do not go together."""
    from vesica.errors import InputError

    try:
        return merge(*parts)
    except InputError as error:
        for place, other in enumerate(parts):
            for before in range(place):
                try:
                    merge(parts[before], other)
                except InputError as apart:
                    raise InputError(f"{names[before]} and {names[place]}: {apart}") from error
        raise
