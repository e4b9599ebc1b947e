"""`vesica report SAVED… -o OUT`: a page from results that were saved."""

from __future__ import annotations

import argparse
import os

from vesica.cli import report_options, streams

_EPILOG = """\
files: records of `vesica eval --records` or `agree --records`, what `result.to_bytes()` wrote, or what --json printed.
Records have causes, confusion and pictures if `vesica eval --details` wrote them.

examples:
  vesica report run.records -o run.html --images photographs
  vesica report monday.json tuesday.json -o both.html --title "Monday and Tuesday"

exit codes: 0 done, 2 usage, 3 bad input, 4 our fault
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("files", metavar="SAVED", nargs="+", help="results; several become one page")
    parser.add_argument("-o", "--output", metavar="OUT", required=True, help="the HTML file to write")
    parser.add_argument("--images", metavar="FOLDER", help="where the photographs are")
    parser.add_argument("--title", metavar="TEXT", help="of the page")
    report_options.add_look(parser)


def run(arguments: argparse.Namespace) -> int:
    _check_usage(arguments)
    from vesica.comparison.saved import is_saved, saved_result
    from vesica.report.saved_facts import saved_facts

    results = [saved_result(path) if is_saved(path) else saved_facts(path) for path in arguments.files]
    told = report_options.write(
        results, arguments, arguments.output, title=arguments.title, files=tuple(arguments.files)
    )
    if arguments.json:
        streams.answer(told)
    else:
        print(arguments.output)
    return 0


def _check_usage(arguments: argparse.Namespace) -> None:
    from vesica._check import report as check

    try:
        report_options.check_look(arguments)
        if arguments.images is not None and not os.path.isdir(arguments.images):
            raise ValueError(f"--images must be a folder that exists; got {arguments.images!r}")
        if os.path.realpath(arguments.output) in map(os.path.realpath, arguments.files):
            raise ValueError(f"--output must be a file of its own; {arguments.output} is read")
        check.html_name(arguments.output)
    except ValueError as error:
        arguments.usage_error(str(error))
