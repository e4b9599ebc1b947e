"""What notebooks show: one table and one small drawing, without a script. Everything that comes from data is escaped.

Drawings take the colour of the text around them, so they do for light pages and dark ones; they have no ids and no
style sheet, so two on one page do not meet.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import Any

LONGEST, HEADLINE = 40, 400
"""Letters of a name, and of a line of words, that are shown."""
ROWS, COLUMNS, BARS = 20, 24, 24
"""Rows and columns of a table and bars of a drawing that are shown: the whole stays below 100 kB."""
POINTS = 200
"""Of a curve, about."""
COLOURS = ("#1c8fa6", "#d9820f", "#c2417d", "#5b7cf0", "#6f9e1c", "#8a6de0")
"""In the middle between black and white: seen on both."""


def text(value: Any, /, *, most: int = LONGEST) -> str:
    """A value as text of HTML or of an attribute, without letters that cannot be seen.

    >>> text('<b onclick="f()">')
    '&lt;b onclick=&quot;f()&quot;&gt;'
    """
    shown = "–" if _is_none(value) else f"{value:.3f}" if isinstance(value, float) else str(value)
    cut = shown if len(shown) <= most else f"{shown[: most - 1]}…"
    return html.escape("".join(one if one.isprintable() else "\ufffd" for one in cut))


def page(*parts: str) -> str:
    """The parts below each other, which may be scrolled sideways where they are too wide."""
    return f'<div style="max-width:100%;overflow-x:auto">{"".join(parts)}</div>'


def words(line: str, /) -> str:
    """A line of words."""
    return f"<p>{text(line, most=HEADLINE)}</p>"


def table(names: Sequence[str], rows: Sequence[Sequence[Any]], /, *, total: int | None = None) -> str:
    """A table of the first rows and columns; `total` is how many rows there are, if not all are given."""
    head = "".join(f"<th>{text(name)}</th>" for name in names[:COLUMNS])
    body = "".join(f"<tr>{''.join(f'<td>{text(value)}</td>' for value in row[:COLUMNS])}</tr>" for row in rows[:ROWS])
    lacking = [
        f"{count:,} more {noun}"
        for count, noun in (
            ((len(rows) if total is None else total) - len(rows[:ROWS]), "rows"),
            (len(names) - COLUMNS, "columns"),
        )
        if count > 0
    ]
    return f"<table><tr>{head}</tr>{body}</table>" + (words(f"… {', '.join(lacking)}") if lacking else "")


def bars(title: str, rows: Iterable[tuple[Any, float | None]], /) -> str:
    """Shares from 0 to 1 as bars, the largest first; the middle is left out where there are many. "" for none.

    >>> bars("AP by category", [("cat", 0.5), ("dog", None)]).count("<rect")
    2
    """
    known = [(float(value), name) for name, value in rows if value is not None and not _is_none(value)]
    known.sort(key=lambda one: -one[0])
    if not known or known[0][0] > 1 or known[-1][0] < 0:
        return ""
    half = BARS // 2
    shown = known if len(known) <= BARS else [*known[:half], *known[-half:]]
    left = f", {len(known) - len(shown)} in the middle left out" if len(known) > BARS else ""
    parts = [_text(0, 12, f"{title}{left}", "font-weight:600")]
    for place, (value, name) in enumerate(shown):
        y = 20 + 18 * place
        parts += [
            _text(118, y + 11, name, "text-anchor:end", most=18),
            f'<rect x="124" y="{y}" width="220" height="14" fill="currentColor" opacity="0.1"/>',
            f'<rect x="124" y="{y}" width="{220 * value:.1f}" height="14" fill="{COLOURS[0]}"/>',
            _text(350, y + 11, f"{value:.3f}", ""),
        ]
    return svg(400, 24 + 18 * len(shown), title, parts)


def curve(title: str, x: Sequence[float], y: Sequence[float], /) -> str:
    """A line through points of the unit square, in its frame. "" for none.

    >>> curve("precision by recall", [0, 0.5, 1], [1, 0.8, 0.2]).count("<path")
    1
    """
    points = [(float(a), float(b)) for a, b in zip(x, y, strict=True) if not _is_none(float(a) + float(b))]
    if not points:
        return ""
    path = "L".join(f"{4 + 192 * a:.1f} {24 + 132 * (1 - b):.1f}" for a, b in points[:: max(1, len(points) // POINTS)])
    parts = [
        _text(0, 12, title, "font-weight:600"),
        '<rect x="4" y="24" width="192" height="132" fill="currentColor" opacity="0.1"/>',
        f'<path d="M{path}" fill="none" stroke="{COLOURS[0]}" stroke-width="2"/>',
    ]
    return svg(200, 160, title, parts)


def _text(x: float, y: float, words: Any, style: str, *, most: int = 60) -> str:
    look = f' style="{style}"' if style else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="11" fill="currentColor"{look}>{text(words, most=most)}</text>'


def svg(width: float, height: float, title: str, parts: Iterable[str], /, *, box: Sequence[float] | None = None) -> str:
    """A drawing with a name for those who cannot see it; `box` is what is shown of the plane: x, y, width, height."""
    view = " ".join(f"{value:.6g}" for value in (box or (0, 0, width, height)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{width:g}" height="{height:g}" role="img" '
        f'aria-label="{text(title, most=80)}" style="max-width:100%">{"".join(parts)}</svg>'
    )


def _is_none(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
