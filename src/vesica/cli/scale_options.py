"""Options of work on many files at once: who does it, with how many hands, and which images must be there."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

from vesica.cli import progress
from vesica.scale.rules import ENGINES

if TYPE_CHECKING:
    from vesica.results.result import Note
    from vesica.scale.run import Progress

_PARQUET = (".parquet", ".pq")


class _Option(NamedTuple):
    """An option, which is an argument of the functions of `vesica.scale` by the same name."""

    name: str
    said: dict[str, Any]
    verbs: tuple[str, ...]


_ALL = ("eval", "seg", "agree", "compare")
_EXPECTED = {
    "metavar": "FILE",
    "help": "images that must be there: an id in each line, a JSON list, or a data set; one that is in no part is an "
    "error",
}
_PARTIAL = {"action": "store_true", "help": "with --expected: score without images that are in no part, and say so"}
_DUPLICATES = {
    "choices": ("error", "same"),
    "help": "an image in two parts is an error (default), or counts once if both have the same of it",
}
_MEMORY = {
    "metavar": "SIZE",
    "help": "such as 2GB: guesses go to disk and are scored from there; the summary and each class, to the byte",
}
_SCRATCH = {"metavar": "FOLDER", "help": "with --memory: where they go (default: that of temporary files)"}
_CHECKPOINT = {
    "metavar": "FOLDER",
    "help": "keep finished parts there; the same command again goes on where it was stopped",
}
OPTIONS = (
    _Option(
        "engine",
        {"choices": ENGINES, "help": "files are parts, of different images, which are worked on by these at once"},
        _ALL,
    ),
    _Option("workers", {"type": int, "metavar": "N", "help": "so many parts at once (default: one a core)"}, _ALL),
    _Option("expected", _EXPECTED, _ALL),
    _Option("partial", _PARTIAL, _ALL),
    _Option("duplicates", _DUPLICATES, ("eval", "compare")),
    _Option("memory", _MEMORY, ("eval",)),
    _Option("scratch", _SCRATCH, ("eval",)),
    _Option("checkpoint", _CHECKPOINT, ("eval", "seg", "agree")),
)
"""One more is one more entry: functions of `vesica.scale` are given what was said of it."""


def add_arguments(parser: argparse.ArgumentParser, verb: str) -> None:
    group = parser.add_argument_group("options for many files, whose parts are scored apart and merged to the byte")
    for option in OPTIONS:
        if verb in option.verbs:
            group.add_argument(f"--{option.name}", **option.said)


def add_expected(parser: argparse.ArgumentParser) -> None:
    """Those of `merge`, which does not work on files itself."""
    for option in OPTIONS:
        if option.name in ("expected", "partial"):
            parser.add_argument(f"--{option.name}", **option.said)


def is_asked(arguments: argparse.Namespace) -> bool:
    """Are files parts?"""
    return arguments.engine is not None


def check_usage(arguments: argparse.Namespace, without: dict[str, str] | None = None) -> None:
    """Raise for options that no file could make right.

    `without` are options that say nothing where an engine works, by where argparse keeps them, and why.
    """
    from vesica import _check as check

    said = [option.name for option in OPTIONS if getattr(arguments, option.name, None) not in (None, False)]
    if not is_asked(arguments):
        if said:
            raise ValueError(f"--{said[0]} goes with --engine, which works on many files{_threads(said[0])}")
        return
    if arguments.workers is not None:
        check.positive(arguments.workers, "--workers")
    if "memory" in said:
        _check_memory(arguments)
    if "partial" in said and "expected" not in said:
        raise ValueError("--partial goes with --expected")
    for dest, why in (without or {}).items():
        if getattr(arguments, dest) not in (None, False, []):
            raise ValueError(f"--{dest.replace('_', '-')} does not go with --engine: {why}")


def _check_memory(arguments: argparse.Namespace) -> None:
    """Raise for a size that is none, and for what needs every guess."""
    from vesica._check import scale as check

    check.memory(arguments.memory)
    for dest in _OF_EVERY_GUESS:
        if getattr(arguments, dest, None) not in (None, False, []):
            raise ValueError(f"--{dest.replace('_', '-')} does not go with --memory: it needs every guess")


_OF_EVERY_GUESS = ("details", "causes", "confusion", "counts", "interval", "by", "slices", "records", "report")


def _threads(name: str) -> str:
    return "; threads of one file are --threads" if name == "workers" else ""


def given(arguments: argparse.Namespace) -> dict[str, Any]:
    """They as arguments of the functions of `vesica.scale`."""
    asked = {option.name: getattr(arguments, option.name, None) for option in OPTIONS}
    found = {name: value for name, value in asked.items() if value not in (None, False)}
    if "expected" in found:
        found["expected"] = expected_in(found["expected"])
    return {**found, "threads": arguments.threads}


def lacking(images: Sequence[Any], arguments: argparse.Namespace) -> list[Note]:
    """A note of expected images that are not among these; an error unless --partial was said."""
    if arguments.expected is None:
        return []
    from vesica._check import scale as check
    from vesica.scale.run import lacking_notes

    seen, expected = set(images), expected_in(arguments.expected)
    gone = [one for one in expected if one not in seen]
    if gone and not arguments.partial:
        raise check.missing(gone, len(expected))
    return lacking_notes(len(gone))


def bar(noun: str) -> AbstractContextManager[Progress]:
    """What is told of parts that are done, drawn: how many, and so many guesses, images or objects a second."""
    return progress.parts(noun)


def expected_in(path: str) -> list[Any]:
    """Ids of images, from --expected."""
    from vesica.errors import InputError
    from vesica.io.files import load
    from vesica.io.read import read

    if path.lower().endswith(".json"):
        found = load(path).json()
        if isinstance(found, list) and all(_is_id(one) for one in found):
            return found
    elif path.lower().endswith((".txt", ".list")) or "." not in os.path.basename(path):
        lines = load(path).data.decode("utf-8-sig", "replace").splitlines()
        return [_id(line.strip()) for line in lines if line.strip()]
    try:
        ids: list[Any] = read(path, masks=False).images.ids.tolist()
    except InputError as error:
        raise InputError(
            f"--expected must be a text file with an id in each line, a JSON list of ids, or a data set: {error}"
        ) from error
    return ids


def _is_id(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _id(word: str) -> int | str:
    """Whole numbers are ids that are numbers, as COCO has them; 007 is a name."""
    number = word.removeprefix("-")
    return int(word) if number.isascii() and number.isdecimal() and str(int(number[:18])) == number else word


# Which words are parts.


def are_tables(words: Sequence[str]) -> bool:
    """Is each of these words a Parquet file with both sides, or does it stand for some?"""
    from vesica.io.parquet import sides_in
    from vesica.scale.parts import files_of

    if len(words) == 2 and os.path.realpath(words[0]) == os.path.realpath(words[1]):
        return False  # the truths and the guesses of one file
    if not all(map(may_be_parquet, words)):
        return False
    firsts = [next((one for one in files_of(word) if one.lower().endswith(_PARQUET)), None) for word in words]
    return all(one is not None and {"truth", "guess"} <= {*sides_in(one)} for one in firsts)


def may_be_parquet(word: str) -> bool:
    """Is a word the name of a Parquet file, or a folder, which may have some?"""
    return word.lower().endswith(_PARQUET) or os.path.isdir(word)
