"""Options that every verb has, written once: how much is said, in which form, in which colours, by how many threads."""

from __future__ import annotations

import argparse

from vesica.cli import look

WITHOUT_THREADS = ("info", "explain", "completions", "demo", "report")
"""Verbs that do not share out work."""
NAMES = ("json", "verbose", "quiet", "color", "progress", "threads", "print_config", "no_config")
"""Where argparse keeps them."""
_NOT_OF_FILES = ("print_config", "no_config")


def add_arguments(parser: argparse.ArgumentParser, verb: str) -> None:
    """Those of them that the verb does not have already."""
    group = parser.add_argument_group("common options")

    def add(*flags: str, **rest: object) -> None:
        if not any(flag in parser._option_string_actions for flag in flags):
            group.add_argument(*flags, **rest)  # type: ignore[arg-type]

    add("--json", action="store_true", help="one JSON object on stdout, errors too")
    add("-q", "--quiet", action="store_true", help="no words on stderr but errors")
    add("-v", "--verbose", action="store_true", help="show where an error came from")
    add("--color", choices=look.WHEN, help="colours of text (default: auto, on a terminal unless NO_COLOR is set)")
    add(
        "--progress",
        choices=look.WHEN,
        help="a bar on stderr for what takes over a second (default: auto, on a terminal)",
    )
    if verb not in WITHOUT_THREADS:
        add("--threads", type=int, metavar="N", help="at most this many; the answer does not depend on it")
    add("--print-config", action="store_true", help="show which options hold and where they come from, and do nothing")
    add("--no-config", action="store_true", help="leave settings of vesica.toml and pyproject.toml aside")


def is_setting(dest: str) -> bool:
    """May a file of settings say it for all verbs at once?"""
    return dest in (*NAMES, "seed") and dest not in _NOT_OF_FILES


def hold(arguments: argparse.Namespace) -> None:
    """Check them, and let them hold for the rest of the run; exit code 2 for what no file could make right."""
    threads = getattr(arguments, "threads", None)
    if threads is not None:
        from vesica import _check as check

        try:
            check.positive(threads, "--threads")
        except (ValueError, TypeError) as error:
            arguments.usage_error(str(error))
    look.hold(color=arguments.color, progress=arguments.progress, quiet=arguments.quiet)
