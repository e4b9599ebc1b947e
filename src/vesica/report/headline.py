"""The first page: numbers with intervals, gates, what to fix first, findings, notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from vesica.report.views import Block, Line, Page, Part, Tiles, Words

_KINDS = {"error": "bad", "warning": "note", "note": ""}


def page_of(parts: Sequence[Part], /, *, gates: Sequence[Any], findings: Sequence[Any]) -> Page:
    """All that should be read, if nothing else is."""
    blocks: list[Block] = []
    if gates:
        blocks.append(Words("gates", "Gates", tuple(map(_gate, gates))))
    for part in parts:
        blocks.append(_linked(part))
        if part.first is not None:
            blocks.append(_of(part, part.first))
    found = tuple(map(_finding, findings))
    if found:
        blocks.append(Words("findings", "Findings of check", found))
    several = len(parts) > 1
    notes = tuple(line._replace(lead=part.page.title) if several else line for part in parts for line in part.notes)
    if notes:
        blocks.append(Words("notes", "Notes", notes, "What was corrected, left out or assumed."))
    return Page("headline", "Headline", tuple(blocks))


def _linked(part: Part) -> Tiles:
    title = part.tiles.title or part.page.title
    return replace(part.tiles, title=title, sentence=part.tiles.sentence or part.page.sentence, page=part.page.key)


def _of(part: Part, words: Words) -> Words:
    return replace(words, page=part.page.key)


def _gate(verdict: Any) -> Line:
    told = f"; {verdict.told}" if verdict.told else ""
    kind = "bad" if not verdict.passed else "note" if verdict.undecided else "good"
    return Line(f"{verdict.gate} (it is {verdict.digits}{told})", kind, lead=verdict.word)


def _finding(finding: Any) -> Line:
    if isinstance(finding, str):
        return Line(finding, "note")
    return Line(finding.text, _KINDS.get(finding.severity, ""), lead=f"{finding.code} ({finding.severity})")
