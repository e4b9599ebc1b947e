"""Errors and notes in the words of the command line: options where a function has arguments."""

from __future__ import annotations

import re
from collections.abc import Collection

# Options that do not go by their name in Python: of each argument, where an option is kept and how it is written.
_OTHER = {
    "format": {
        "source_format": "--from",
        "files_format": "--format",
        "truth_format": "--truth-format",
        "guess_format": "--guess-format",
    },
    "form": {"form": "--form", "boxes": "--boxes"},
    "annotator": {"annotator": "--annotator", "by_annotator": "--by-annotator"},
    "by_class": {"class_agnostic": "--class-agnostic"},
}
# What is written in Python instead of an option, if the command has that option.
_CALLS = {
    r'Boxes\(a, "(\w+)"\)': ("form", r"--form \1"),
    r"RotatedBoxes\(a, unit=…, direction=…\)": ("rotated", "--rotated deg,ccw"),
    r"Masks\(a, above=0\.5\)": ("above", "--masks --above 0.5"),
}
# Said to both readers at once, of a command that has the option: `overwrite=True` (vesica convert --overwrite).
_BOTH = re.compile(r"`[a-z_]+=\w*` \((vesica [a-z]+ )(--([a-z-]+))\)")
_TICKED = re.compile(r"`([a-z_]+)=([^`]*)`")
# Without marks around it an argument has a value that shows where it ends: `lr=0.1/guess.json` is the name of a file.
_BARE = re.compile(r"""\b([a-z_]+)=("[^"]*"|'[^']*'|\{[^{}]*\})""")
_NAMED = re.compile(r"`([a-z_]+)`(?= must be one of| says nothing about)|(?<=leave )`([a-z_]+)`(?= out)")


def as_options(message: str, known: Collection[str], /) -> str:
    """The message with arguments of Python as options: `images=FOLDER` as `--images FOLDER`.

    `known` are the options of the command, as argparse keeps them. What is for Python alone is left out.
    """
    message = message.partition(" In Python: ")[0]
    for call, (option, words) in _CALLS.items():
        if option in known:
            message = re.sub(rf"(?<![A-Za-z]){call}", words, message)
    message = _BOTH.sub(lambda found: f"`{'' if found[3] in known else found[1]}{found[2]}`", message)
    message = _TICKED.sub(lambda found: _told(found[0], found[1], found[2], known, "`"), message)
    message = _BARE.sub(lambda found: _told(found[0], found[1], found[2], known), message)
    return _NAMED.sub(lambda found: _told(found[0], found[1] or found[2], "", known, "`"), message)


def _told(text: str, name: str, value: str, known: Collection[str], mark: str = "") -> str:
    options = _OTHER.get(name, {name: f"--{name.replace('_', '-')}"})
    there = [f"{mark}{option}{_value(value)}{mark}" for dest, option in options.items() if dest in known]
    return " or ".join(there) or text


def _value(text: str) -> str:
    if text[:1] in ("'", '"'):
        word = text[1:-1]
        return f' "{word}"' if " " in word else f" {word}"
    if text.startswith("{"):
        return f" '{_json(text)}'"
    plain = text.strip("()").replace(", ", ",").replace("True", "").replace("False", "").upper()
    return f" {plain}" if plain else ""


def _json(mapping: str) -> str:
    """Keys of JSON are strings."""
    return re.sub(r"([{,]\s*)(\d+):", r'\1"\2":', mapping)
