"""More guesses than memory: scored exactly within a budget, and held against bounds that were found another way."""

from __future__ import annotations

from benchmarks.report import Bar, Report, aligned, seconds
from benchmarks.scale_cell import ask
from benchmarks.scale_data import parts_of
from benchmarks.scale_size import Size

MEMORY, LIMIT, BINS = "2GB", 4000, 1024
"""The budget that is asked for, the megabytes that the whole process may take, and the bins of the bounds."""
COMPARED = 10_000_000
"""Guesses up to which the score is made in memory too, and must be the same to the byte."""
HEAD = ("guesses", "how", "time", "guesses a second", "peak", "AP")


def bench(size: Size) -> Report:
    report = Report("large")
    paths = parts_of(size.large)
    found = ask("evaluate", paths=paths, engine="threads", workers=2, repeats=1, memory=MEMORY)
    guesses, score = found["guesses"], found["numbers"]["AP"]
    lines = [_line(guesses, f"exact, memory={MEMORY}", found["seconds"][0], found["peak"], f"{score:.9f}")]

    held = ask("bounds", paths=paths, bins=BINS, workers=2)
    within = f"{held['low']:.6f} to {held['high']:.6f}"
    lines.append(_line(guesses, f"bounds, {BINS} bins", held["seconds"], held["peak"], within))
    if not held["low"] <= score <= held["high"]:
        report.faults.append(f"{guesses} guesses: AP {score} is not within {within}")

    if guesses <= COMPARED:
        whole = ask("evaluate", paths=paths, engine="threads", workers=2, repeats=1)
        lines.append(_line(guesses, "exact, all in memory", whole["seconds"][0], whole["peak"], f"{score:.9f}"))
        if whole["answer"] != found["answer"]:
            report.faults.append(f"{guesses} guesses: another answer with memory={MEMORY} than without")

    report.rows = [{"bench": "scale", "memory": MEMORY, **found}, {"bench": "scale", "bins": BINS, **held}]
    report.tables = [aligned(HEAD, lines)]
    report.bars = [_peak(f"{guesses} guesses, {how}", row["peak"]) for how, row in (("exact", found), ("bounds", held))]
    return report


def _peak(what: str, bytes: int) -> Bar:
    return Bar(f"{what}, peak of the process", bytes / 1e6, LIMIT, more_is_better=False, unit=" MB")


def _line(guesses: int, how: str, time: float, peak: int, score: str) -> tuple[str, ...]:
    return (f"{guesses}", how, seconds(time), f"{guesses / time / 1e6:.2f} M", f"{peak / 1e6:.0f} MB", score)
