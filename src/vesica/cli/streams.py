"""Standard output and standard error when they are closed, or full."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from typing import Any, TextIO

_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters but tabs and ends of lines."""


def open_closed() -> None:
    """Give Python what the shell closed (`>&-`): else words of one stream would go to the other, or nowhere in silence.

    Writing to standard output is then an error; words on standard error are discarded.
    """
    if sys.stdout is None:
        sys.stdout = open(os.devnull, encoding="utf-8")  # noqa: SIM115  # for reading: whatever is written there raises
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def answer(value: Any) -> None:
    """One JSON object on standard output. Letters that the terminal has not, or that are no text, are escaped."""
    import json  # late: `vesica --help` writes none

    text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # such as the name of a file in another encoding
        text = json.dumps(value, sort_keys=True, allow_nan=False)
    print(text, flush=True)


def write(text: str) -> None:
    """Text on standard output, as it is. Letters that the terminal has not are character references, as XML and
    Markdown have them."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "xmlcharrefreplace").decode(encoding))
    sys.stdout.flush()


def say(text: str) -> None:
    """Words beside the answer, on standard error. Where that is full they are lost, and the answer is not.

    Names from files may be among them: what would steer a terminal is escaped.
    """
    text = _STEERING.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    encoding = sys.stderr.encoding or "utf-8"
    try:
        print(text.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)


def note(text: str, arguments: argparse.Namespace) -> None:
    """The same, unless --quiet was said."""
    if not arguments.quiet:
        say(text)


def silence(stream: TextIO) -> None:
    """Let whatever is still to be written there go nowhere, so that Python does not fail on it when it ends."""
    with contextlib.suppress(OSError, ValueError):  # no file of the system
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
