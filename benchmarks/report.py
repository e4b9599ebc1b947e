"""What a benchmark says: tables for the eye, rows for a file, and bars that were passed or missed."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.clock import Spread


@dataclass(frozen=True)
class Bar:
    """A figure that we want to reach; `value` is None, and `why` says why, where it could not be measured."""

    text: str
    value: float | None
    limit: float
    more_is_better: bool
    unit: str = "x"
    why: str = ""
    is_disturbed: bool = False

    @property
    def outcome(self) -> str:
        if self.value is None:
            return "NONE"
        return "PASS" if (self.value >= self.limit) == self.more_is_better or self.value == self.limit else "MISS"

    def __str__(self) -> str:
        sense = "at least" if self.more_is_better else "at most"
        shown = self.why if self.value is None else f"{self.value:.2f}{self.unit}"
        trust = ", disturbed" if self.is_disturbed else ""
        return f"{self.outcome}  {self.text}: {shown}  (bar: {sense} {self.limit:g}{self.unit}{trust})"


@dataclass
class Report:
    """Everything one benchmark found."""

    name: str
    tables: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their widest entry; the first to the left, figures to the right."""
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    is_figure = [k > 0 and all(row[k] and row[k][0] in "0123456789+-[" for row in rows) for k in range(len(head))]

    def line(row: Sequence[str]) -> str:
        cells = (
            text.rjust(width) if figure else text.ljust(width)
            for text, width, figure in zip(row, widths, is_figure, strict=True)
        )
        return "  ".join(cells).rstrip()

    return "\n".join([line(head), "  ".join("-" * width for width in widths).rstrip(), *map(line, rows)])


def seconds(value: float) -> str:
    scale, unit = _unit(value)
    return f"{_three_figures(value * scale)} {unit}"


def quartiles(spread: Spread) -> str:
    """In the unit of the median, which stands beside."""
    scale, _ = _unit(spread.median)
    return f"[{_three_figures(spread.low * scale)} {_three_figures(spread.high * scale)}]"


def _three_figures(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _unit(value: float) -> tuple[float, str]:
    if value >= 1:
        return 1.0, "s"
    return (1e3, "ms") if value >= 1e-3 else (1e6, "µs")


def print_facts(facts: dict[str, str]) -> None:
    width = max(map(len, facts))
    for name, fact in facts.items():
        print(f"{name:<{width}}  {fact}")
    print(
        "times: medians and quartiles; ratio: peer over ours; answers are compared before anything is timed", flush=True
    )


def print_bars(reports: list[Report]) -> None:
    print("\n== bars ==\n")
    for report in reports:
        for bar in report.bars:
            print(bar)


def print_faults(reports: list[Report]) -> int:
    faults = [fault for report in reports for fault in report.faults]
    for fault in faults:
        print(f"ANSWERS DIFFER  {fault}", file=sys.stderr)
    return 1 if faults else 0


def write_rows(path: Path, facts: dict[str, str], reports: list[Report]) -> None:
    bars = [{**vars(bar), "outcome": bar.outcome} for report in reports for bar in report.bars]
    rows = [row for report in reports for row in report.rows]
    path.write_text(json.dumps({"machine": facts, "rows": rows, "bars": bars}, indent=1) + "\n")
