"""Tables of plain text, and what gates say, for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vesica.results.gates import Verdict


def table(rows: list[dict[str, Any]], columns: Sequence[str], /, *, digits: int = 4) -> str:
    """Those of the columns that the rows have, one row a line; "–" for what is not defined."""
    from vesica.segmentation.print import aligned

    if not rows:
        return columns[0]
    names = [name for name in columns if name in rows[0]]
    return "\n".join(aligned([names, *([_text(row[name], digits) for name in names] for row in rows)]))


def _text(value: Any, digits: int) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.{digits}f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def judged(verdicts: Sequence[dict[str, Any]], /) -> str:
    """A line for each gate."""
    return "\n".join(_judged(Verdict(**one)) for one in verdicts)


def _judged(verdict: Verdict) -> str:
    more = f" ({verdict.told})" if verdict.told else ""
    return f"{verdict.word}  {verdict.gate}  got {verdict.digits}{more}"
