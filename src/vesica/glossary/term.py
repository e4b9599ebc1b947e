"""A term: one word of this library, explained."""

from __future__ import annotations

from typing import Any, NamedTuple


class Term(NamedTuple):
    """A number, a finding, a cause or a code, in plain words.

    Attributes
    ----------
    name : as results and gates write it
    title : the same in a few words
    text : what it says, and where it misleads
    formula : how it comes about, or ""
    example : the formula with numbers, or ""
    page : the page of the documentation that tells more, or ""
    aliases : other names that people use for it
    """

    name: str
    title: str
    text: str
    formula: str = ""
    example: str = ""
    page: str = ""
    aliases: tuple[str, ...] = ()
    group: str = ""
    """Where it belongs; `GROUPS` fills it in."""

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return self._asdict() | {"aliases": list(self.aliases)}
