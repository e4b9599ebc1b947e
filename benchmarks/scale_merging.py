"""Merging: linear in guesses, and what more shards of the same data cost."""

from __future__ import annotations

from typing import Any

from benchmarks.report import Bar, Report, aligned, seconds
from benchmarks.scale_cell import ask
from benchmarks.scale_data import parts_of
from benchmarks.scale_size import Size

HEAD = ("guesses", "shards", "sent", "bytes a guess", "read", "merged at once", "in rounds, as on a cluster", "summary")
PER_GUESS, PER_SHARD = 1.3, 1.25
"""How much more a guess may cost among many than among few; and the same guesses in a hundred times as many shards."""


def bench(size: Size) -> Report:
    report = Report("merging")
    usual, most = size.shards[1], size.merging[-1]
    cases = [(guesses, usual) for guesses in size.merging[:-1]] + [(most, shards) for shards in size.shards]
    rows = [ask("merging", paths=parts_of(guesses), shards=shards, repeats=size.repeats) for guesses, shards in cases]
    report.rows = [{"bench": "scale", **row} for row in rows]
    answers = {row["answer"] for row in rows if row["guesses"] == rows[-1]["guesses"]}
    if len(answers) > 1:
        report.faults.append(f"{rows[-1]['guesses']} guesses: {len(answers)} answers of the same images")
    report.tables = [aligned(HEAD, list(map(_line, rows)))]
    by_size = [row for row in rows if row["shards"] == usual]
    by_shards = [row for row in rows if row["guesses"] == rows[-1]["guesses"]]
    report.bars = [bar for how in ("at once", "in rounds") for bar in (_linear(by_size, how), _flat(by_shards, how))]
    return report


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"{row['guesses']}",
        f"{row['shards']}",
        f"{row['bytes'] / 1e6:.1f} MB",
        f"{row['bytes'] / row['guesses']:.1f}",
        *(seconds(row[name]) for name in ("read", "at once", "in rounds", "summary")),
    )


def _linear(rows: list[dict[str, Any]], how: str) -> Bar:
    a, b, c = ((row["guesses"], row[how]) for row in rows)
    value = ((c[1] - b[1]) / (c[0] - b[0])) / ((b[1] - a[1]) / (b[0] - a[0]))
    return Bar(f"merged {how}, one more guess among many over among few", value, PER_GUESS, more_is_better=False)


def _flat(rows: list[dict[str, Any]], how: str) -> Bar:
    few, many = rows[0], rows[-1]
    text = f"merged {how}, {many['shards']} shards over {few['shards']}"
    return Bar(text, many[how] / few[how], PER_SHARD, more_is_better=False)
