"""An answer as Markdown, for a pull request or the summary of a step: gates first, then numbers, details folded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vesica.cli.outputs import Answer, Remark, Shown
from vesica.results.gates import Verdict
from vesica.results.markdown import MOST_ROWS, cell, escaped, folded, name, table

_MARKS = {"passed": "✅ passed", "FAILED": "❌ **failed**", "undecided": "⚠️ undecided"}
_SEVERITIES = {"error": "❌ error", "warning": "⚠️ warning", "note": "note"}


def written(answer: Answer) -> str:
    """The whole answer."""
    return "\n\n".join(parts(answer)) + "\n"


def parts(answer: Answer) -> Iterator[str]:
    """One part after the other."""
    own = None if answer.parts is None else answer.parts()
    yield f"### vesica {answer.verb}: {escaped(answer.headline)}" if own is None else own[0]
    if answer.verdicts:
        yield table(["gate", "value:", "decision"], map(_gate, answer.verdicts))
    if answer.findings:
        yield table(["finding", "severity", "what"], map(_finding, answer.findings))
    yield from (_shown(one) for one in answer.tables if one.rows) if own is None else own[1:]
    if answer.notes and own is None:
        yield "\n".join(f"- note: {escaped(note)}" for note in answer.notes)


def error(verb: str, message: str, code: int) -> str:
    """What is said instead of an answer."""
    return f"### vesica {verb}: ❌ error\n\n{escaped(message)} (exit code {code})\n"


def _gate(verdict: Verdict) -> list[str]:
    more = f": {escaped(verdict.told)}" if verdict.told else ""
    return [name(verdict.gate), verdict.digits, _MARKS[verdict.word] + more]


def _finding(remark: Remark) -> list[str]:
    return [name(remark.rule), _SEVERITIES[remark.severity], escaped(remark.text)]


def _shown(shown: Shown) -> str:
    columns = [column for column in shown.columns if column in shown.rows[0]]
    numbers = {column for column in columns if all(_is_number(row[column]) for row in shown.rows)}
    heads = [f"{column}:" if column in numbers else column for column in columns]
    rows = [[cell(row[column]) for column in columns] for row in shown.rows[:MOST_ROWS]]
    body = table(heads, rows)
    left = len(shown.rows) - MOST_ROWS
    if left > 0:
        body += f"\n\n… {left:,} more rows; `--json` has them all"
    return folded(shown.title, body) if shown.is_folded else body


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))
