"""What can be completed: verbs, options and what each takes, as plain values that the scripts of shells are made of."""

from __future__ import annotations

import argparse
import re
from typing import NamedTuple

_FILES = re.compile(r"\b(FILE|DIR|FOLDER|OUT|IN|TRUTH|GUESS|MODEL|RECORDS|SAVED|DETECTIONS|A|B|PATH|HTML)\b")


class Value(NamedTuple):
    """What an option or a place takes."""

    choices: tuple[str, ...] = ()
    is_file: bool = False


class Option(NamedTuple):
    """An option of a verb."""

    flags: tuple[str, ...]
    text: str
    value: Value | None
    """None: it takes none."""
    is_repeated: bool


class Verb(NamedTuple):
    """A verb, its options, and what it takes by place."""

    name: str
    text: str
    options: tuple[Option, ...]
    places: tuple[Value, ...]
    """The last one holds for all further places, if `is_open`."""
    is_open: bool


def tree() -> tuple[Verb, ...]:
    """All verbs, by the parsers that serve them."""
    from vesica.cli import VERBS
    from vesica.cli.parsers import parser_of

    _, parsers = parser_of(VERBS, None, loaded=tuple(VERBS))
    return tuple(_verb(name, text, parsers[name]) for name, text in VERBS.items())


def _verb(name: str, text: str, parser: argparse.ArgumentParser) -> Verb:
    options, places, is_open = [], [], False
    for action in parser._actions:
        if action.option_strings:
            options.append(_option(action))
        else:
            places.append(_value(action, name))
            is_open = is_open or action.nargs in ("+", "*")
    return Verb(name, _plain(text), tuple(options), tuple(places), is_open)


def _option(action: argparse.Action) -> Option:
    value = None if action.nargs == 0 else _value(action, "")
    repeated = isinstance(action, argparse._AppendAction)
    return Option(tuple(action.option_strings), _plain(action.help or ""), value, repeated)


def _value(action: argparse.Action, verb: str) -> Value:
    """Choices where there are any; files where the name of the value says so."""
    if action.choices is not None:
        return Value(tuple(map(str, action.choices)))
    if verb == "explain":
        from vesica.glossary import GROUPS

        return Value(tuple(dict.fromkeys(term.name for terms in GROUPS.values() for term in terms)))
    return Value(is_file=bool(_FILES.search(str(action.metavar or ""))))


def _plain(text: str) -> str:
    """A help text in one short line, without what shells take for marks."""
    line = " ".join(text.replace("%%", "%").split()).partition("; ")[0]
    line = re.sub(r"[\[\]'\"`\\$:]", "", line.replace(": ", " – "))
    return line if len(line) <= 70 else line[:69].rsplit(" ", 1)[0] + " …"
