"""python -m tests.fuzz: trials for some seconds, each in turn of another noun."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
import traceback
import warnings
from typing import Any

from . import TRIALS, run

# Seconds that one trial may take. None takes one of its own; a busy machine makes more of it, and a loop without end
# takes them all.
PATIENCE = 120


def main() -> int:
    """Trials run in a process of their own: when it dies, its last trial is known."""
    options = _options()
    nouns = [noun for noun in options.noun or TRIALS if noun not in options.without]
    if options.trial is not None:
        warnings.simplefilter("error")
        run(options.seed, options.trial, nouns)
        return 0

    reached = multiprocessing.Value("q", -1)
    worker = multiprocessing.Process(target=_work, args=(options.seed, nouns, options.seconds, reached))
    print(f"seed {options.seed}: {', '.join(nouns)} for {options.seconds:g} s", flush=True)
    worker.start()
    _watch(worker, reached)
    if worker.exitcode == 0:
        done = reached.value + 1
        print(f"{done} trials, all sound: at least {done // len(nouns)} of each of the {len(nouns)} nouns")
        return 0
    named = [*(f"--noun {noun}" for noun in options.noun or ()), *(f"--without {noun}" for noun in options.without)]
    again = " ".join(["python -m tests.fuzz", *named, f"--seed {options.seed} --trial {reached.value}"])
    print(f"trial {reached.value} failed. Again: {again}", file=sys.stderr)
    return 1


def _watch(worker: multiprocessing.Process, reached: Any) -> None:
    """Until it ends, or until one trial has taken all patience."""
    last, since = reached.value, time.monotonic()
    while worker.is_alive() and time.monotonic() - since < PATIENCE:
        worker.join(1)
        if reached.value != last:
            last, since = reached.value, time.monotonic()
    if worker.is_alive():
        worker.kill()
    worker.join()


def _work(seed: int, nouns: list[str], seconds: float, reached: Any) -> None:
    warnings.simplefilter("error")  # as in the tests
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        reached.value = number
        try:
            run(seed, number, nouns)
        except BaseException:
            traceback.print_exc()
            sys.exit(1)
        number += 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--noun", action="append", choices=list(TRIALS))
    parser.add_argument("--without", action="append", choices=list(TRIALS), default=[])
    parser.add_argument("--trial", type=int, help="this one alone, in this process")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
