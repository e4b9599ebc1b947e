"""python -m tests.mutants: small faults in the kernels, and which of them the tests do not notice."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter

import pytest

from .equivalent import EQUIVALENT
from .faults import chosen, every
from .library import BUILD, REACHED, ROOT, SANITISED, built, preloaded
from .suite import Suite

LIBRARIES = ("torch", "jax", "torchmetrics", "supervision", "sklearn", "numba")
"""They do not come into the kernels, and take seconds to import: tests that want them are skipped."""


class _Hidden:
    """Hides them from `import`."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in LIBRARIES:
            raise ModuleNotFoundError(f"{name} is hidden", name=name)


def main() -> int:
    options = _options()
    if options.sanitise and not SANITISED:
        os.execve(sys.executable, [sys.executable, "-m", "tests.mutants", *sys.argv[1:]], preloaded())
    start = time.monotonic()
    faults = chosen(ROOT / "csrc", options.number, options.seed, options.file)
    print(f"seed {options.seed}: {len(faults)} faults", flush=True)
    for file, line, change in sorted(set(EQUIVALENT) - {fault.key for fault in every(ROOT / "csrc")}):
        print(f"equivalent.py names a line that is no more: csrc/{file}: {change}\n    {line}")
    there = built(faults)
    print(f"{len(there)} of them compiled, in {time.monotonic() - start:.0f} s", flush=True)

    if options.only:
        there = {number: fault for number, fault in there.items() if number in options.only}
    suite = _run(there, options)
    return _report(suite, time.monotonic() - start)


def _run(there, options) -> Suite:
    REACHED.write_bytes(bytes(1 << 14))
    os.environ.update(VESICA_MUTANTS_REACHED=str(REACHED), VESICA_PROFILE="quick")
    os.environ["PYTHONPATH"] = str(BUILD / "python")
    sys.path.insert(0, str(BUILD / "python"))
    sys.meta_path.insert(0, _Hidden())
    suite = Suite(there, REACHED, BUILD / "known", options.workers, options.budget)
    marks = "not compile" if options.slow else "not slow"
    arguments = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:faulthandler", "-m", marks]
    arguments += ["-k", "not memory and not fork"] if SANITISED else []  # as `make sanitise`
    arguments += options.tests
    pytest.main(arguments, plugins=[suite])
    return suite


def _report(suite: Suite, seconds: float) -> int:
    numbers = {fault: number for number, fault in suite.faults.items()}
    ways = Counter(verdict.how for verdict in suite.verdicts)
    alive = [verdict for verdict in suite.verdicts if verdict.how in ("survived", "not reached")]
    missed = [verdict for verdict in alive if verdict.fault.key not in EQUIVALENT]
    for verdict in missed:
        print(f"{verdict.how} ({numbers[verdict.fault]}): {verdict.fault}")
    print(f"{len(suite.verdicts)} faults in {seconds:.0f} s: {', '.join(f'{ways[how]} {how}' for how in sorted(ways))}")
    caught = sum(bool(verdict.by) for verdict in suite.verdicts)
    count = caught + len(missed)
    print(f"{len(alive) - len(missed)} change no answer (equivalent.py). Of the others {caught} of {count} were caught:"
          f" {100 * caught / max(count, 1):.1f} %")  # fmt: skip
    return 1 if missed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=300, help="faults to seed; some cannot be compiled")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", action="append", default=[], help="files whose path has this in it; may be repeated")
    parser.add_argument("--only", type=int, action="append", help="of these, the one of this number; may be repeated")
    parser.add_argument("--slow", action="store_true", help="with the tests that `make quick` leaves out")
    parser.add_argument("--sanitise", action="store_true", help="sees what reads or writes past an array; slower")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--budget", type=float, default=60, help="seconds of tests for one fault, at most")
    parser.add_argument("tests", nargs="*", default=["tests", "docs", "README.md"])
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
