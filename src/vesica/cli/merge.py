"""`vesica merge RECORDS…`: what was matched in parts, scored as one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vesica.cli import eval_output, interval_options, own_files
from vesica.cli.epilogs import CODES, epilog
from vesica.cli.progress import steps

if TYPE_CHECKING:
    from vesica.detection import Records

_EPILOG = epilog(
    """
  vesica merge part1.records part2.records
  vesica merge rank*.records --duplicates same
  vesica merge parts/*.records --per-class --gate "AP>=0.5"
  vesica merge part1.records part2.records --records both.records --quiet --json
""",
    notes="""
Records are written by `vesica eval … --records FILE`, or in Python by Records.to_bytes(). Their order does not matter.
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
    eval_output.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    try:
        eval_output.check_usage(arguments)
        own_files.check_usage(arguments, renewed=("files",))
    except ValueError as error:
        arguments.usage_error(str(error))
    from vesica.detection import summarise

    with steps("read", "merge", "summarise") as done:
        parts = [_read(path) for path in arguments.files]
        done()
        total = _merged(arguments.files, parts, arguments.duplicates)
        done()
        eval_output.say(f"Merged {len(parts)} files: {total!r}", arguments)
        result = interval_options.sliced(summarise(total, threads=arguments.threads), arguments)
        facts = eval_output.facts_of(result, arguments)
        if arguments.records is not None:
            eval_output.write_records(arguments.records, total)
    return eval_output.tell(facts, result, arguments)


def _read(path: str) -> Records:
    from vesica.detection import Records
    from vesica.errors import InputError
    from vesica.io.files import bytes_at

    data = bytes_at(path)
    try:
        return Records.from_bytes(data)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _merged(names: Sequence[str], parts: Sequence[Records], duplicates: str) -> Records:
    """All as one. When that cannot be, the two files are named that do not go together."""
    from vesica.detection import merge
    from vesica.errors import InputError

    try:
        return merge(*parts, duplicates=duplicates)
    except InputError as error:
        for place, other in enumerate(parts):
            for before in range(place):
                try:
                    merge(parts[before], other, duplicates=duplicates)
                except InputError as apart:
                    raise InputError(f"{names[before]} and {names[place]}: {apart}") from error
        raise
