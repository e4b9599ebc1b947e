"""A lap: one process from start to end, with so many threads and bound to so many processors."""

from __future__ import annotations

import ast
import contextlib
import os
import resource
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.answers import Verdict
from benchmarks.cell import ROOT, environment
from benchmarks.clock import Spread
from benchmarks.contest import QUIET
from benchmarks.machine import busy_seconds


@dataclass(frozen=True)
class Lap:
    """One process."""

    wall: float
    """From start to end, as its caller sees it."""
    cpu: float
    """Seconds of all its threads, until it has the numbers."""
    phases: dict[str, float]
    """Seconds of each phase; empty where the process does not tell."""
    peak: int | None
    disturbance: float
    """Cores that others used meanwhile."""

    @property
    def inside(self) -> float | None:
        """From the first statement to the numbers, imports and all."""
        return sum(self.phases.values()) - self.phases.get("prepare", 0) if self.phases else None

    @property
    def work(self) -> float | None:
        """The same without imports."""
        return None if self.inside is None else self.inside - self.phases["import"]


@dataclass(frozen=True)
class Laps:
    """All processes of one contender with one number of threads."""

    laps: Sequence[Lap]

    def spread(self, what: str) -> Spread | None:
        """Of `wall`, `inside`, `work` or `cpu`."""
        return self._spread([getattr(lap, what) for lap in self.laps])

    def phase(self, name: str) -> Spread | None:
        return self._spread([lap.phases.get(name) for lap in self.laps])

    @property
    def peak(self) -> int | None:
        return max((lap.peak for lap in self.laps if lap.peak is not None), default=None)

    @property
    def disturbance(self) -> float:
        wall = sum(lap.wall for lap in self.laps)
        return sum(lap.disturbance * lap.wall for lap in self.laps) / wall

    @property
    def is_disturbed(self) -> bool:
        return self.disturbance > QUIET

    @staticmethod
    def _spread(values: list[float | None]) -> Spread | None:
        told = [value for value in values if value is not None]
        if len(told) < 2:
            return Spread(told[0], told[0], told[0], 1) if told else None
        return Spread.of(told)


class Failure(Exception):
    """A process that did not come to its end; the last it said."""

    def verdict(self) -> Verdict:
        is_absent = str(self).startswith(("ModuleNotFoundError", "ImportError"))
        return Verdict("not installed" if is_absent else "failed", str(self))


def run(command: list[str], threads: int) -> tuple[Lap, str]:
    """Run it once; and what it printed."""
    start, cpu, others = time.perf_counter(), _children_seconds(), _foreign_seconds()
    with _processors(threads):
        done = subprocess.run(command, cwd=ROOT, env=environment(threads), capture_output=True, text=True, check=False)
    wall, cpu = time.perf_counter() - start, _children_seconds() - cpu
    disturbance = max(0.0, _foreign_seconds() - others) / wall
    if done.returncode:
        raise Failure((done.stderr.strip().splitlines() or ["it said nothing"])[-1])

    last = done.stdout.rstrip().rpartition("\n")[2]
    told: dict[str, Any] = {"phases": {}, "cpu": cpu, "peak": None}
    if last.startswith("{'phases'"):
        told = ast.literal_eval(last)
    return Lap(wall, disturbance=disturbance, **told), done.stdout


@contextlib.contextmanager
def _processors(count: int) -> Iterator[None]:
    """What is started meanwhile runs on so many processors, where the system can bind it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _foreign_seconds() -> float:
    """Seconds that the processors have worked for others than us and those we started, where the system says so."""
    busy = busy_seconds()
    return 0.0 if busy is None else busy - _children_seconds() - time.process_time()
