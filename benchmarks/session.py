"""A session: benches one after the other, each told as soon as it is done, and the bars at the end."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable
from pathlib import Path

from benchmarks.report import Report, print_bars, print_facts, write_rows


def told(facts: dict[str, str], benches: Iterable[tuple[str, Report]], json: Path | None) -> list[Report]:
    """Print every report as it comes, with the title that it has here; `benches` are run while they are told."""
    print_facts(facts)
    reports = []
    for title, report in benches:
        print(f"\n== {title} ==", *report.tables, sep="\n\n", flush=True)
        reports.append(report)
        if json:  # after each: a long run that is stopped keeps what it has
            write_rows(json, facts, reports)
    print_bars(reports)
    return reports


def add_arguments(parser: argparse.ArgumentParser, names: Collection[str], quick: str) -> None:
    """What every session can be asked: which benches, how long, and where the rows go."""
    parser.add_argument("names", nargs="*", metavar="name", help=f"{', '.join(names)}; all of them by default")
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write machine, rows and bars to a file")


def parsed(parser: argparse.ArgumentParser, names: Collection[str]) -> argparse.Namespace:
    """The options of a session; a bench that is none is an error."""
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in names]:
        parser.error(f"no benchmark is called {unknown[0]!r}: choose from {', '.join(names)}")
    return options
