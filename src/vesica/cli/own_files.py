"""Files of a run: what is read is never written over, nor is one output by another."""

from __future__ import annotations

import argparse
import glob
import os
from collections.abc import Iterator

READ = (
    *("truth", "guess", "words", "files", "models", "model", "before", "assignments", "slices"),
    *("images", "names", "classes", "categories", "map", "groups"),
)
"""Arguments that may be files to read, of whichever verb."""
WRITTEN = ("records", "consensus", "queue", "report")


def check_usage(arguments: argparse.Namespace, *, renewed: tuple[str, ...] = ()) -> None:
    """Raise for an output that is read, or written already. What `renewed` names is read before, and may be."""
    taken = {_place(path): "is read" for path in _read(arguments, renewed)}
    taken |= {_place(path): "is what a gate compares with" for path in _bases(arguments)}
    for option in WRITTEN:
        path = getattr(arguments, option, None)
        if path is None or _is_stream(path):
            continue
        if _place(path) in taken:
            raise ValueError(f"--{option} must be a file of its own; {path} {taken[_place(path)]}")
        taken[_place(path)] = f"is that of --{option}"


def _read(arguments: argparse.Namespace, renewed: tuple[str, ...]) -> Iterator[str]:
    for name in READ:
        value = getattr(arguments, name, None)
        if name in renewed or value is None:
            continue
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str):
                for path in (word, word.partition("=")[2]):  # NAME=FILE
                    yield from filter(None, (path, *(glob.glob(path) if glob.has_magic(path) else ())))


def _bases(arguments: argparse.Namespace) -> Iterator[str]:
    """Files of saved results. Written before a gate is judged, it would compare a result with itself; written after,
    the next run would compare with what did not pass."""
    from vesica.results import gates

    for text in getattr(arguments, "gate", None) or ():
        base = gates.parse(text, compared=True).base
        if base is not None:
            yield base


def _place(path: str) -> str:
    return os.path.realpath(path)


def _is_stream(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
