"""`vesica explain TERM`: a number, a finding, a cause or a code in plain words."""

from __future__ import annotations

import argparse
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

from vesica.cli import streams
from vesica.cli.epilogs import epilog

if TYPE_CHECKING:
    from vesica.glossary import Term

_EPILOG = epilog(
    """
  vesica explain              # all terms, by group
  vesica explain AP50
  vesica explain mIoU alpha boxes-layout
  vesica explain "NSD(1)" --json
  vesica explain 3            # an exit code
""",
    notes="""
Case does not matter. A gate is explained by its number: AP>=0.5 is AP.
""",
    codes="exit codes: 0 done, 2 a term that is not known",
)
_WIDTH = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "terms", metavar="TERM", nargs="*", help="AP, mIoU, alpha, a finding, a cause, an exit code; none: list them"
    )


def run(arguments: argparse.Namespace) -> int:
    from vesica.glossary import GROUPS

    if not arguments.terms:
        if arguments.json:
            streams.answer({"groups": {group: [one.name for one in terms] for group, terms in GROUPS.items()}})
        else:
            streams.write(_listed(GROUPS))
        return 0
    found = [_found(name, arguments) for name in arguments.terms]
    if arguments.json:
        streams.answer({"terms": [one.to_dict() for terms in found for one in terms]})
    else:
        streams.write("\n".join(_told(one) for terms in found for one in terms))
    return 0


def _found(name: str, arguments: argparse.Namespace) -> tuple[Term, ...]:
    """The terms of a name; exit code 2 for an unknown one, with what may have been meant."""
    from vesica import glossary

    terms = glossary.find(name) or glossary.find(_number_of(name))
    if not terms:
        near = glossary.near(name)
        hint = f"Did you mean {' or '.join(near)}?" if near else "`vesica explain` lists all terms."
        arguments.usage_error(f"{name!r} is no term. {hint}")
    return terms


def _number_of(text: str) -> str:
    """The name of a number, if the text is a gate; or else the text."""
    from vesica.results import gates

    try:
        return gates.parse(text, compared=True).metric
    except ValueError:
        return text.partition("[")[0]


def _width() -> int:
    return min(_WIDTH, shutil.get_terminal_size().columns) if sys.stdout.isatty() else _WIDTH


def _told(term: Term) -> str:
    """A term as text: what it is, what it says, its formula and the formula with numbers."""
    rows = [("formula", term.formula), ("example", term.example), ("also", ", ".join(term.aliases))]
    page = f"docs/{term.page}" if term.page else ""
    parts = [f"{term.name}: {term.title}", *_wrapped(term.text, "  ")]
    for label, text in (*rows, ("more", page)):
        if text:
            parts += (
                ["", *_wrapped(text, f"  {label:<9}", " " * 11)]
                if label == "formula"
                else _wrapped(text, f"  {label:<9}", " " * 11)
            )
    return "\n".join(parts) + "\n"


def _wrapped(text: str, first: str, rest: str | None = None) -> list[str]:
    indent = first if rest is None else rest
    return textwrap.wrap(
        text, _width(), initial_indent=first, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _listed(groups: dict[str, tuple[Term, ...]]) -> str:
    """All names, by group."""
    lines = []
    for group, terms in groups.items():
        lines += [group, *_wrapped(", ".join(dict.fromkeys(one.name for one in terms)), "  "), ""]
    return "\n".join([*lines, "vesica explain TERM tells what each is."]) + "\n"
