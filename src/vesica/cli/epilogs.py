"""The end of every `--help`: notes, exit codes, and examples that run as they stand."""

from __future__ import annotations

import re

CODES = "exit codes: 0 done, 1 a gate failed, 2 usage, 3 bad input, 4 our fault"
CODES_WITHOUT_GATES = "exit codes: 0 done, 2 usage, 3 bad input, 4 our fault"


def in_one_style(text: str, /) -> str:
    """The end of any help in the order of the others: notes, exit codes, examples."""
    before, _, after = text.strip("\n").partition("examples:\n")
    examples, _, rest = after.partition("\n\n")
    parts = [part for part in (*before.split("\n\n"), *rest.split("\n\n")) if part.strip()]
    codes = next((part for part in parts if part.startswith("exit codes:")), CODES_WITHOUT_GATES)
    notes = "\n\n".join(part.strip("\n") for part in parts if part != codes)
    examples = re.sub(r"\s{2,}\(([^()]*)\)$", r"  # \1", examples, flags=re.MULTILINE)
    return epilog(examples, notes=notes, codes=codes)


def epilog(examples: str, /, *, notes: str = "", codes: str = CODES_WITHOUT_GATES) -> str:
    """One style for all verbs; a word about an example stands behind # so that the line can be pasted."""
    parts = [notes.strip("\n"), codes, "examples:\n" + examples.strip("\n")]
    return "\n\n".join(part for part in parts if part) + "\n"
