"""A race: whole processes, from two files to twelve numbers. Answers first, then the clock.

Every measurement is a process of its own. The files lie in the page cache: the answers were made from them a moment
before.
"""

from __future__ import annotations

import ast
import hashlib
import json
import mmap
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import numpy as np

from benchmarks.answers import Verdict
from benchmarks.cases_detection import SHELF, FileCase
from benchmarks.clock import FULL, Pace, Spread
from benchmarks.contest import QUIET
from benchmarks.lap import Failure, Lap, Laps, run
from benchmarks.machine import cores
from benchmarks.peers_detection import CURVES, Job

LAPS = 3
"""Processes a round."""
LONG = 8.0
"""CPU seconds after which a process is not run again: what took so long to give its answer is timed by that."""
ARRAYS = ("stats", *CURVES)
NAMES = ("AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl")
"""What COCO's twelve numbers are called, in their order."""
READS = 5

Command = Callable[[int, str | None], list[str]]
"""The process to start, for so many threads, and the file that its answer is to be written to."""
Answers = dict[str, np.ndarray]


@dataclass
class Race:
    """What one pair of files showed."""

    case: FileCase
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    """By contender; against the judge, byte by byte."""
    sums: dict[str, dict[str, str]] = field(default_factory=dict)
    """SHA-256 of each array of an answer."""
    laps: dict[tuple[str, int], Laps] = field(default_factory=dict)
    """By contender and number of threads."""
    size: int = 0
    """Bytes of both files."""
    bound: Spread | None = None
    """Seconds in which one thread reads them."""

    def best(self, threads: int, of: Callable[[Laps], float | None]) -> str | None:
        """The peer with the least of something."""
        told = {peer: of(self.laps[peer, threads]) for peer in self.case.peers if (peer, threads) in self.laps}
        least = {peer: value for peer, value in told.items() if value is not None}
        return min(least, key=least.__getitem__) if least else None


def script(name: str, job: Callable[[int], Job]) -> Command:
    """One of the scripts in a process of its own. Its clock starts with its first statement."""

    def command(threads: int, keep: str | None) -> list[str]:
        call = f"run(start, {name!r}, {tuple(job(threads))!r}, {keep!r})"
        text = f"import time; start = time.perf_counter(); from benchmarks.phases import run; {call}"
        return [sys.executable, "-c", text]

    return command


def race(case: FileCase, ours: dict[str, Command], pace: Pace) -> Race:
    """Compare all answers with the judge's, then time everyone who gave one."""
    if sys.stderr.isatty():
        print(f"… {case.name}", file=sys.stderr)
    found = Race(case, size=sum(path.stat().st_size for path in case.paths()))
    found.bound = Spread.of([_read(case.paths()) for _ in range(READS)])
    commands = ours | {peer: script(peer, case.job) for peer in case.peers}
    threads = [count for count in case.threads if count <= cores()]

    want, judged = _judgement(case, threads[-1], again=pace == FULL)
    firsts = {(case.judge, threads[-1]): judged} if judged and case.judge in commands else {}
    for name in commands:
        if want and name == case.judge:
            found.verdicts[name], found.sums[name] = Verdict("same", "the judge"), _sums(want)
        else:  # ours must give the same bytes with any number of threads; a peer is asked once
            firsts |= _ask(found, name, commands[name], threads if name in ours else threads[-1:], want)

    found.laps = _time(found, commands, threads, firsts, pace)
    return found


def _judgement(case: FileCase, threads: int, *, again: bool) -> tuple[Answers | None, Lap | None]:
    """The answer of the judge, if there is one, and how long it took. Kept beside the data, for it may take a minute.

    `again` asks anew where the judge was disturbed, and its time is worth little.
    """
    digest = hashlib.sha256(b"".join(hashlib.sha256(path.read_bytes()).digest() for path in case.paths())).hexdigest()
    try:
        version = metadata.version(case.judge)
    except metadata.PackageNotFoundError:
        return None, None
    kept = SHELF / f"{case.judge}-{version}-{case.regions}-{threads}-{digest[:16]}.npz"
    told = kept.with_suffix(".txt")
    lap = Lap(**ast.literal_eval(told.read_text())) if told.exists() else None
    if lap is None or (again and lap.disturbance > QUIET):
        try:
            lap, answer = _answered(script(case.judge, case.job), threads)
        except Failure:
            return None, None
        np.savez_compressed(kept, **answer)  # type: ignore[arg-type]
        told.write_text(repr(vars(lap)))
    with np.load(kept) as table:
        return dict(table), lap


def _ask(
    found: Race, name: str, command: Command, threads: Sequence[int], want: Answers | None
) -> dict[tuple[str, int], Lap]:
    """Note the verdict on a contender; the laps in which it gave its answers."""
    laps = {}
    for count in threads:
        try:
            laps[name, count], answer = _answered(command, count)
        except Failure as failure:
            found.verdicts[name] = failure.verdict()
            return {}
        found.verdicts[name], found.sums[name] = _compare(want, answer, found.case.judge), _sums(answer)
        if found.verdicts[name].status != "same":
            break
    return laps


def _time(
    found: Race,
    commands: dict[str, Command],
    threads: Sequence[int],
    firsts: dict[tuple[str, int], Lap],
    pace: Pace,
) -> dict[tuple[str, int], Laps]:
    """Everyone once a lap, in an order that chance makes. Who is slow has been timed already."""
    slow = {name for (name, _), lap in firsts.items() if lap.cpu > LONG}
    able = [name for name, verdict in found.verdicts.items() if verdict.has_answer]
    entries = [(name, count) for name in able for count in threads if name not in slow]
    laps: dict[tuple[str, int], list[Lap]] = {key: [lap] for key, lap in firsts.items() if key[0] in slow}
    chance = random.Random(found.case.name)
    for _ in range(LAPS * pace.rounds):
        for name, count in chance.sample(entries, len(entries)):
            laps.setdefault((name, count), []).append(run(commands[name](count, None), count)[0])
    return {key: Laps(many) for key, many in laps.items()}


def _sums(answer: Answers) -> dict[str, str]:
    return {part: hashlib.sha256(array.tobytes()).hexdigest() for part, array in answer.items()}


def _answered(command: Command, threads: int) -> tuple[Lap, Answers]:
    with tempfile.TemporaryDirectory() as place:
        keep = Path(place) / "answer.npz"
        lap, printed = run(command(threads, str(keep)), threads)
        if not keep.exists():  # a command for the shell, which prints what it found
            told = json.loads(printed)["summary"]
            return lap, {"stats": np.array([told[name] for name in NAMES])}
        with np.load(keep) as table:
            return lap, {name: np.asarray(table[name], np.float64) for name in ARRAYS if name in table}


def _compare(want: Answers | None, answer: Answers, judge: str) -> Verdict:
    if want is None:
        return Verdict("same", f"not compared: no {judge} here")
    apart = [told for name in ARRAYS if name in answer if (told := _gap(name, want[name], answer[name]))]
    if apart:
        return Verdict("differs", ", ".join(apart))
    return Verdict("same", f"{', '.join(answer)}: the bytes of {judge}")


def _gap(name: str, want: np.ndarray, answer: np.ndarray) -> str:
    if want.shape != answer.shape:
        return f"{name} of shape {answer.shape} instead of {want.shape}"
    other = want.view(np.int64) != np.ascontiguousarray(answer).view(np.int64)
    return f"{name} by {np.abs(want - answer).max():.1e} in {other.sum()} of {other.size}" if other.any() else ""


def _read(paths: Sequence[Path]) -> float:
    """Seconds in which one thread reads all bytes of files that lie in the page cache."""
    start = time.perf_counter()
    for path in paths:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            np.add.reduce(np.frombuffer(content, np.uint64, len(content) // 8))
    return time.perf_counter() - start
