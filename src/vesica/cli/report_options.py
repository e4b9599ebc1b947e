"""`--report OUT.html`: a page to look at, beside the answer."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vesica.cli import streams

if TYPE_CHECKING:
    from vesica.results.result import Result

EMBED = ("embed", "link", "none")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The page, its photographs, and how large it may be. Verbs that read `--images` already have it for both."""
    parser.add_argument(
        "--report", metavar="OUT.html", help="write a page to look at: one file, each number leads to its objects"
    )
    if "--images" not in parser._option_string_actions:
        parser.add_argument("--images", metavar="DIR", help="with --report: the photographs")
    parser.add_argument(
        "--photographs", choices=EMBED, default="embed", help="with --report: inside the page, linked, or none (embed)"
    )
    parser.add_argument("--max-mb", type=float, default=10, metavar="MB", help="with --report: its size at most (10)")


def check_usage(arguments: argparse.Namespace, inputs: Sequence[str | None] = (), /) -> None:
    """Raise for what no file could make right: a page that is one of the files that are read, or no size at all."""
    from vesica._check import report as check

    if arguments.report is None:
        for name, usual in (("photographs", "embed"), ("max_mb", 10)):
            if getattr(arguments, name) != usual:
                raise ValueError(f"--{name.replace('_', '-')} goes with --report")
        return
    check.megabytes(arguments.max_mb, "--max-mb")
    if arguments.images is not None and not os.path.exists(arguments.images):
        raise ValueError(f"--images must be a folder that exists; got {arguments.images!r}")
    taken = {os.path.realpath(path) for path in inputs if path and path != "-"}
    if os.path.realpath(arguments.report) in taken:
        raise ValueError(f"--report must be a file of its own; {arguments.report} is read or written already")


def has_photographs(arguments: argparse.Namespace) -> bool:
    """Is --images said for the page, whatever else it may be for?"""
    return arguments.report is not None and arguments.images is not None and os.path.isdir(arguments.images)


def write(
    arguments: argparse.Namespace,
    /,
    *results: Result,
    gates: Sequence[Any] = (),
    findings: Sequence[Any] = (),
    files: Sequence[str | None] = (),
    maps: Any = None,
) -> None:
    """Write the page, if one was asked for, and tell how large it is and what is not in it."""
    if arguments.report is None:
        return
    from vesica import report
    from vesica.cli.progress import steps

    with steps("report"):
        left_out = report.write(
            arguments.report,
            *results,
            images=arguments.images if has_photographs(arguments) else None,
            maps=maps,
            max_mb=arguments.max_mb,
            embed=arguments.photographs,
            gates=gates,
            findings=findings,
            files=[path for path in files if path and path != "-"],
        )
    if not arguments.quiet:
        pictures = f"{left_out.pictures:,} picture{'' if left_out.pictures == 1 else 's'}"
        streams.say(f"Wrote a page of {left_out.bytes / 1e6:.1f} MB with {pictures}: {arguments.report}")
        for line in left_out.lines:
            streams.say(f"  {line}")
