"""The end of every `--help`: notes, exit codes, and examples that run as they stand."""

from __future__ import annotations

CODES = "exit codes: 0 done, 1 a gate failed, 2 usage, 3 bad input, 4 our fault"
CODES_WITHOUT_GATES = "exit codes: 0 done, 2 usage, 3 bad input, 4 our fault"


def epilog(examples: str, /, *, notes: str = "", codes: str = CODES_WITHOUT_GATES) -> str:
    """One style for all verbs; a word about an example stands behind # so that the line can be pasted."""
    parts = [notes.strip("\n"), codes, "examples:\n" + examples.strip("\n")]
    return "\n\n".join(part for part in parts if part) + "\n"
