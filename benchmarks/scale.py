"""Many files at once: `python -m benchmarks.scale [name …] [--quick] [--guesses N] [--json FILE]`.

Every measurement is a process of its own; answers are compared before figures are printed. A missed bar is a result,
not a failure: the exit code is 1 only where an answer differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from benchmarks import machine, scale_gathering, scale_large, scale_merging, scale_workers, session
from benchmarks.report import Report, print_faults
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
    benches = ((name, BENCHES[name](size)) for name in options.names or BENCHES)
    return print_faults(session.told(machine.describe(), benches, options.json))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description="Time the score of many files.")
    session.add_arguments(parser, BENCHES, "a small size of everything")
    parser.add_argument("--guesses", type=int, metavar="N", help="of `large`: 100 million by default")
    return session.parsed(parser, BENCHES)


if __name__ == "__main__":
    sys.exit(main())
