"""Time against workers, for each engine; and what Ray costs above threads."""

from __future__ import annotations

from typing import Any

from benchmarks.lap import Failure
from benchmarks.report import Bar, Report, aligned, seconds
from benchmarks.scale_cell import ask
from benchmarks.scale_data import parts_of
from benchmarks.scale_size import Size

ENGINES, WORKERS = ("threads", "processes", "ray"), (1, 2)
HEAD = ("engine", "workers", "guesses", "first call", "second call", "guesses a second", "against 1 worker", "note")
START_HEAD = ("engine, 2 workers", "start", "a million guesses", "above threads, a million")


def bench(size: Size) -> Report:
    report = Report("workers")
    rows: list[dict[str, Any]] = []
    for guesses in size.workers:
        paths = parts_of(guesses)
        rows += [_measured(paths, engine, count) for engine in ENGINES for count in WORKERS]
    report.rows = rows
    report.faults = _faults(rows)
    report.tables = [aligned(HEAD, [_line(row, rows) for row in rows]), _costs(rows)]
    many = [row for row in rows if row["guesses"] == max(row["guesses"] for row in rows)]
    report.bars = [_speed_up(many, engine) for engine in ENGINES]
    return report


def _measured(paths: list[str], engine: str, workers: int) -> dict[str, Any]:
    shared = {"bench": "scale", "engine": engine, "workers": workers}
    try:
        return shared | ask("evaluate", paths=paths, engine=engine, workers=workers)
    except Failure as failure:
        return shared | {"failure": str(failure), "guesses": 0}


def _faults(rows: list[dict[str, Any]]) -> list[str]:
    """All engines with all numbers of workers must give one answer of the same parts."""
    found = []
    for guesses in sorted({row["guesses"] for row in rows if "answer" in row}):
        answers = {row["answer"] for row in rows if "answer" in row and row["guesses"] == guesses}
        if len(answers) > 1:
            found.append(f"{guesses} guesses: {len(answers)} answers of the same parts")
    return found


def _line(row: dict[str, Any], rows: list[dict[str, Any]]) -> tuple[str, ...]:
    left = (row["engine"], str(row["workers"]))
    if "failure" in row:
        return (*left, *["-"] * 5, row["failure"])
    first, second = row["seconds"]
    alone = _of(rows, row["engine"], 1, row["guesses"])
    ratio = f"{alone['seconds'][1] / second:.2f}x" if alone else "-"
    rate = f"{row['guesses'] / second / 1e6:.2f} M"
    return (*left, f"{row['guesses']}", seconds(first), seconds(second), rate, ratio, "")


def _costs(rows: list[dict[str, Any]]) -> str:
    """What a million guesses more cost, from two sizes; and what the first call takes above the second."""
    told = {engine: _slope(rows, engine) for engine in ENGINES}
    threads = told["threads"]
    lines = []
    for engine, found in told.items():
        if found is None:
            lines.append((engine, "-", "-", "-"))
            continue
        start, slope = found
        above = "-" if threads is None or engine == "threads" else f"{(slope - threads[1]) * 1e3:+.0f} ms"
        lines.append((engine, seconds(max(start, 0.0)), seconds(slope), above))
    return aligned(START_HEAD, lines)


def _slope(rows: list[dict[str, Any]], engine: str) -> tuple[float, float] | None:
    """Seconds that stay when there is nothing to do, of a first call; and seconds of a million guesses."""
    told = [row for row in rows if row["engine"] == engine and row["workers"] == WORKERS[-1] and "answer" in row]
    if len(told) < 2:
        return None
    few, many = told
    slope = (many["seconds"][1] - few["seconds"][1]) / (many["guesses"] - few["guesses"])
    return few["seconds"][0] - slope * few["guesses"], slope * 1e6


def _speed_up(rows: list[dict[str, Any]], engine: str) -> Bar:
    text = f"{engine}, 2 workers faster than 1"
    one, two = (next((row for row in rows if row["engine"] == engine and row["workers"] == n), None) for n in WORKERS)
    if one is None or two is None:
        return Bar(text, None, 1.5, more_is_better=True, why="it did not run")
    return Bar(text, one["seconds"][1] / two["seconds"][1], 1.5, more_is_better=True)


def _of(rows: list[dict[str, Any]], engine: str, workers: int, guesses: int) -> dict[str, Any] | None:
    wanted = (engine, workers, guesses)
    return next((row for row in rows if (row["engine"], row["workers"], row["guesses"]) == wanted), None)
