"""An answer for GitHub's workflows: the text, annotations of what did not pass, and the summary of the step.

GitHub shows ten annotations of a kind for a step, and drops a summary above 1 MiB.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from vesica.cli import output_markdown, streams
from vesica.cli.outputs import Answer, Remark, text_of
from vesica.results.markdown import printable

MOST_OF_A_KIND = 10
MOST_BYTES = 900_000
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
# What the runner would take for a command: `::` where a line begins, or `##[` anywhere.
_COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)


def written(answer: Answer) -> str:
    """What goes to the log: commands among it. The summary is written beside."""
    add_summary(output_markdown.parts(answer))
    return "".join([_quiet(text_of(answer)), *_annotations(answer.remarks, answer.file)])


def error(verb: str, message: str, code: int) -> str:
    """An annotation of what is said instead of an answer."""
    add_summary([output_markdown.error(verb, message, code)])
    return _command(Remark("error", "error", f"vesica {verb}", message), None)


def _annotations(remarks: Iterable[Remark], file: str | None) -> Iterator[str]:
    """The worst ten of each kind, and how many are left out."""
    for kind, group in groupby(remarks, key=lambda one: one.severity):
        own = list(group)
        yield from (_command(one, one.file or file) for one in own[:MOST_OF_A_KIND])
        if len(own) > MOST_OF_A_KIND:
            left = len(own) - MOST_OF_A_KIND
            yield f"{left:,} more of this kind ({kind}) are left out: GitHub shows {MOST_OF_A_KIND}.\n"


def _command(remark: Remark, file: str | None) -> str:
    where = "" if file is None else f"file={_property(file)},"
    return f"::{_COMMANDS[remark.severity]} {where}title={_property(remark.title)}::{_data(printable(remark.text))}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _quiet(text: str) -> str:
    """Text in which nothing is a command. A name from a file might be one: then commands stop for as long."""
    if not _COMMAND.search(text):
        return text
    token = f"vesica-{hashlib.sha256(text.encode('utf-8', 'backslashreplace')).hexdigest()}"
    return f"::stop-commands::{token}\n{text}::{token}::\n"


def add_summary(parts: Iterable[str], /) -> None:
    """Add the parts to the file of $GITHUB_STEP_SUMMARY, if there is one, as far as they fit.

    The log has the same: where the file cannot be written, a word about it is enough.
    """
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    from vesica.errors import InputError
    from vesica.io import atomic

    room = MOST_BYTES - (os.path.getsize(path) if os.path.exists(path) else 0)
    try:
        atomic.append(path, _fitting(parts, room))
    except InputError as error:
        streams.say(f"vesica: The summary of the step is lost: {error}")


def _fitting(parts: Iterable[str], room: int) -> bytes:
    """Whole parts, while there is room for them and for a word about the rest."""
    told: list[bytes] = []
    every = [f"{part}\n\n".encode("utf-8", "backslashreplace") for part in parts]
    left = f"… the summary ends at {MOST_BYTES:,} bytes; {{:,}} of {len(every):,} parts are left out\n\n"
    spare = len(left.encode()) + 20
    for place, part in enumerate(every):
        last = place + 1 == len(every)
        if sum(map(len, told)) + len(part) + (0 if last else spare) > room:
            end = left.format(len(every) - place).encode()
            told += [end] if sum(map(len, told)) + len(end) <= room else []
            break
        told.append(part)
    return b"".join(told)
