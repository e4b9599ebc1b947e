"""Many files at once: `python -m benchmarks.scale [name …] [--quick] [--guesses N] [--json FILE]`.

Every measurement is a process of its own; answers are compared before figures are printed. A missed bar is a result,
not a failure: the exit code is 1 only where an answer differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import machine, scale_gathering, scale_large, scale_merging, scale_workers
from benchmarks.report import Report, print_bars, print_facts, print_faults, write_rows
from benchmarks.scale_size import FULL, QUICK, Size

BENCHES: dict[str, Callable[[Size], Report]] = {
    "workers": scale_workers.bench,
    "merging": scale_merging.bench,
    "gathering": scale_gathering.bench,
    "large": scale_large.bench,
}


def main() -> int:
    options = _options()
    size = QUICK if options.quick else FULL
    if options.guesses:
        size = size._replace(large=options.guesses)
    facts = machine.describe()
    print_facts(facts)
    reports = []
    for name in options.names or BENCHES:
        report = BENCHES[name](size)
        print(f"\n== {name} ==", *report.tables, sep="\n\n", flush=True)
        reports.append(report)
        if options.json:
            write_rows(options.json, facts, reports)
    print_bars(reports)
    return print_faults(reports)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description="Time the score of many files.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"{', '.join(BENCHES)}; all of them by default")
    parser.add_argument("--quick", action="store_true", help="a small size of everything")
    parser.add_argument("--guesses", type=int, metavar="N", help="of `large`: 100 million by default")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write machine, rows and bars to a file")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in BENCHES]:
        parser.error(f"no benchmark is called {unknown[0]!r}: choose from {', '.join(BENCHES)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
