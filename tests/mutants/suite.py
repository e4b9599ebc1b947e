"""The tests in one process that is forked for each fault, and runs those tests that reach it."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import itertools
import mmap
import os
import pickle
import resource
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from .faults import Fault

# Beyond what the test takes without a fault: seconds of processor time, and of waiting. Other work may slow it down.
PATIENCE, WAITING = 5, 90
MEMORY = 8 << 30


@dataclasses.dataclass
class Seen:
    """What one test did without a fault."""

    seconds: float
    reached: frozenset[int]


@dataclasses.dataclass
class Verdict:
    fault: Fault
    by: str
    """The test that failed; "" if none did."""
    how: str
    """failed, crashed or timed out; survived or not reached; not for this processor."""


def pairs(numbers: list[int]) -> Iterator[tuple[int, int | None]]:
    """Each number with the one behind it: pytest asks which test comes next, and keeps fixtures that it needs."""
    return zip(numbers, [*numbers[1:], None], strict=False)  # of no numbers the second has one


class Suite:
    """A plugin of pytest: collects as always, then takes over."""

    def __init__(self, faults: dict[int, Fault], reached: Path, known: Path, workers: int, budget: float) -> None:
        self.faults, self.workers, self.budget = faults, workers, budget
        self.verdicts: list[Verdict] = []
        self.kills: Counter[tuple[str, int]] = Counter()
        self.known = known
        with reached.open("r+b") as file:
            self.reached = mmap.mmap(file.fileno(), 0)
        self.out = os.fdopen(os.dup(1), "w", buffering=1)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            print(f"{session.testsfailed} files cannot be collected, and are left out", file=self.out)
        session.config.pluginmanager.unregister(name="terminalreporter")  # a dot for each test of each fault
        self.items = session.items
        start = time.monotonic()
        self.seen = self._without_faults()
        print(f"{len(self.seen)} of {len(self.items)} tests pass without a fault, in {time.monotonic() - start:.0f} s",
              file=self.out)  # fmt: skip
        self._judge_all()
        return True

    def _without_faults(self) -> dict[int, Seen]:
        """What each test reaches. Those that fail here are left out, and named.

        It is kept for the next time: only tests whose file has changed run again, unless the library has.
        """
        known = pickle.loads(self.known.read_bytes()) if self.known.exists() else {}
        stamps = [(item.nodeid, item.path.stat().st_mtime_ns) for item in self.items]
        new = [number for number, stamp in enumerate(stamps) if stamp not in known]
        begin, end = os.pipe()
        if not (child := os.fork()):
            _confine()
            found = {stamps[number]: self._look(number, following) for number, following in pairs(new)}
            with os.fdopen(end, "wb") as pipe:
                pickle.dump((found, sorted(sys.modules)), pipe)
            os._exit(0)
        os.close(end)
        with os.fdopen(begin, "rb") as pipe:
            found, modules = pickle.load(pipe)
        os.waitpid(child, 0)
        known |= found
        self.known.write_bytes(pickle.dumps({stamp: seen for stamp, seen in known.items() if seen is not None}))
        for name in modules:  # once here, not once a fault
            if name.partition(".")[0] in ("scipy", "shapely", "pycocotools", "rich", "PIL", "yaml", "cv2", "pandas"):
                with contextlib.suppress(Exception):
                    __import__(name)
        for stamp in stamps:
            if known[stamp] is None:
                print(f"fails without a fault, left out: {stamp[0]}", file=self.out)
        return {number: known[stamp] for number, stamp in enumerate(stamps) if known[stamp] is not None}

    def _look(self, number: int, following: int | None) -> Seen | None:
        self.reached[:] = bytes(len(self.reached))
        start = time.process_time()
        if not self._passes(number, following):
            return None
        seconds = time.process_time() - start
        return Seen(seconds, frozenset(place for place, byte in enumerate(self.reached[:]) if byte))

    def _passes(self, number: int, following: int | None) -> bool:
        self.has_failed = False
        item, after = self.items[number], None if following is None else self.items[following]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        return not self.has_failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.has_failed |= report.failed

    def _judge_all(self) -> None:
        waiting = list(self.faults)[::-1]
        running: list[_Run] = []
        while waiting or running:
            while waiting and len(running) < self.workers:
                number = waiting.pop()
                tests = self._tests_of(number)
                if tests:
                    running.append(self._start(number, tests))
                else:
                    foreign = self._is_foreign(self.faults[number])
                    self._tell(Verdict(self.faults[number], "", "not for this processor" if foreign else "not reached"))
            ready, _, _ = select.select([run.pipe for run in running], [], [], 1.0)
            for run in list(running):
                verdict = self._verdict(run, run.pipe in ready)
                if verdict is not None:
                    running.remove(run)
                    self._tell(verdict)

    def _tests_of(self, number: int) -> list[int]:
        """Those that reach the fault: what caught another of this file first, then what is about it, the short before
        the long; as many as `budget` seconds allow."""
        fault = self.faults[number]

        def order(test: int) -> tuple[int, bool, float]:
            return -self.kills[fault.file, test], not self._is_about(test, fault), self.seen[test].seconds

        tests = sorted((test for test, seen in self.seen.items() if number in seen.reached), key=order)
        spent = itertools.accumulate(self.seen[test].seconds for test in tests)
        return [test for test, sum_ in zip(tests, spent, strict=True) if sum_ < self.budget] or tests[:1]

    def _verdict(self, run: _Run, has_news: bool) -> Verdict | None:
        """None as long as it runs."""
        now = time.monotonic()
        if has_news:
            begun = len(os.read(run.pipe, 1 << 16))  # a byte for each test
            run.at, run.since = run.at + begun, now
            return None if begun else self._end(run, waited=False)
        patience = WAITING + 40 * self.seen[run.tests[max(run.at - 1, 0)]].seconds
        return self._end(run, waited=True) if now - run.since > patience else None

    def _is_foreign(self, fault: Fault) -> bool:
        from vesica import _native

        return fault.needs_avx512 and _native.isa() != "avx512"

    def _is_about(self, test: int, fault: Fault) -> bool:
        """Do the names of both files have a word in common?"""
        return bool(_words(self.items[test].path.stem) & _words(Path(fault.file).stem))

    def _start(self, number: int, tests: list[int]) -> _Run:
        begin, end = os.pipe()
        child = os.fork()
        if not child:
            os.setsid()
            os.close(begin)
            os._exit(self._work(number, tests, end))
        os.close(end)
        return _Run(number, tests, child, begin, time.monotonic())

    def _work(self, number: int, tests: list[int], pipe: int) -> int:
        """In the child: 0 if all tests pass, 1 at the first that fails."""
        import vesica._native

        os.environ["VESICA_MUTANT"] = str(number)
        ctypes.c_int.in_dll(ctypes.CDLL(vesica._native.__file__), "vesica_mutant").value = number
        _confine()
        for test, following in pairs(tests):
            os.write(pipe, b".")
            spent = int(time.process_time() + PATIENCE + 20 * self.seen[test].seconds)
            resource.setrlimit(resource.RLIMIT_CPU, (spent, resource.RLIM_INFINITY))
            try:
                fine = self._passes(test, following)
            except BaseException:
                fine = False
            if not fine:
                return 1
        return 0

    def _end(self, run: _Run, *, waited: bool) -> Verdict:
        if waited:
            os.killpg(run.child, signal.SIGKILL)
        _, status = os.waitpid(run.child, 0)
        os.close(run.pipe)
        code = os.waitstatus_to_exitcode(status)
        by = self.items[run.tests[run.at - 1]].nodeid
        if code == 0:
            return Verdict(self.faults[run.number], "", "survived")
        self.kills[self.faults[run.number].file, run.tests[run.at - 1]] += 1
        if waited or code == -signal.SIGXCPU:
            return Verdict(self.faults[run.number], by, "timed out")
        return Verdict(self.faults[run.number], by, "crashed" if code < 0 else "failed")

    def _tell(self, verdict: Verdict) -> None:
        self.verdicts.append(verdict)
        place = f"csrc/{verdict.fault.file}:{verdict.fault.line}"
        print(f"[{len(self.verdicts)}/{len(self.faults)}] {place}: {verdict.fault.change}: {verdict.how} {verdict.by}",
              file=self.out)  # fmt: skip


def _confine() -> None:
    """A fault may ask for any amount of memory. Tests without a fault run under the same limits.

    They count from what is there: a sanitiser begins with terabytes of addresses.
    """
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _words(stem: str) -> set[str]:
    """The words of a file's name, without the plural: test_coco_masks is about coco and mask."""
    return {word.removesuffix("s") for word in stem.split("_")} - {"test"}


@dataclasses.dataclass
class _Run:
    number: int
    tests: list[int]
    child: int
    pipe: int
    since: float
    at: int = 0
    """How many of its tests have begun."""
