"""Exit codes of the command line."""

from __future__ import annotations

from vesica.glossary.term import Term

_PAGE = "cli.md"

TERMS = (
    Term(
        "0",
        "done",
        "The run worked; also with notes, warnings and undecided gates.",
        page=_PAGE,
        aliases=("exit 0", "exit code 0"),
    ),
    Term(
        "1",
        "a gate failed",
        "The run worked, and the answer is not good enough: a number does not reach what `--gate` asks for.",
        page=_PAGE,
        aliases=("exit 1", "exit code 1"),
    ),
    Term(
        "2",
        "usage",
        "Something that no file could make right: an unknown option, verb or setting, a gate that names what does not"
        " exist, a missing package.",
        page=_PAGE,
        aliases=("exit 2", "exit code 2"),
    ),
    Term(
        "3",
        "bad input",
        "A file that cannot be read or used, an error that `check` found, records that do not fit together; or an "
        "output that cannot be written.",
        page=_PAGE,
        aliases=("exit 3", "exit code 3"),
    ),
    Term(
        "4",
        "our fault",
        "Something failed that should not have. `-v` shows where; please report it.",
        page=_PAGE,
        aliases=("exit 4", "exit code 4"),
    ),
    Term("130", "interrupted", "Ctrl-C: the run was stopped.", page=_PAGE, aliases=("exit 130", "exit code 130")),
)
