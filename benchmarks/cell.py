"""A cell: one call on one case in a process of its own, so that no library meets another's threads or memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import clock, memory
from benchmarks.answers import Verdict, agree, compare
from benchmarks.case import Traffic
from benchmarks.cases import CASES
from benchmarks.contender import Contender
from benchmarks.machine import busy_seconds, cores
from benchmarks.ours import OURS
from benchmarks.peers import PEERS

THREADS = ("VESICA_NUM_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
ROOT = Path(__file__).resolve().parent.parent

Lineup = Mapping[str, Sequence[str]]
"""For each call of ours, its peers."""


def environment(threads: int | None = None) -> dict[str, str]:
    """Everyone gets every core, or so many threads, and no one more.

    When NumPy is imported, a thread of OpenBLAS for every other core looks for work for some 100 ms, and whoever has
    threads of his own shares that core with it. Here it sleeps at once, whoever imports NumPy.
    """
    return {**os.environ, **dict.fromkeys(THREADS, str(threads or cores())), "OPENBLAS_THREAD_TIMEOUT": "4"}


def spawn(verb: str, *, threads: int | None = None, **request: Any) -> dict[str, Any]:
    """Do it in a fresh process, and bring back what it found."""
    command = [sys.executable, "-m", "benchmarks.cell", verb, json.dumps(request)]
    done = subprocess.run(command, cwd=ROOT, env=environment(threads), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{verb} {request} failed:\n{done.stderr[-4000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def check(case: str, lineup: Lineup) -> dict[str, Any]:
    """The verdict on every peer, and on what was recorded; the bytes that must move."""
    data = CASES[case]
    a, b = data.tables()
    verdicts: dict[str, Verdict] = {}
    moved, records = Traffic(0, 0), []
    for ours, peers in lineup.items():
        want = _answer(OURS[ours], a, b)
        moved = max(moved, data.traffic(a, b, _size(want)), key=sum)
        if data.recorded is not None:
            records.append(agree(want, data.recorded).to_dict())
        for name in peers:
            # A peer that meets several calls of ours must agree with all of them.
            if name in PEERS and verdicts.get(name, Verdict("same")).status == "same":
                verdicts[name] = _verdict(PEERS[name], a, b, want, data.tolerance)
    told = {name: verdict.to_dict() for name, verdict in verdicts.items()}
    return {"verdicts": told, "records": records, "traffic": moved}


def _size(answer: Any) -> int:
    """Bytes of an answer: an array, columns, or masks as their size and their runs."""
    if isinstance(answer, list):
        return sum(len(counts) for _, counts in answer)
    return sum(column.nbytes for column in (answer if isinstance(answer, tuple) else (answer,)))


def _answer(contender: Contender, a: np.ndarray, b: np.ndarray) -> Any:
    return contender.answer(contender.prepare(a, b)())


def _verdict(peer: Contender, a: np.ndarray, b: np.ndarray, want: Any, tolerance: float) -> Verdict:
    try:
        answer = _answer(peer, a, b)
    except ImportError as error:
        return Verdict("not installed", _first_line(error))
    except Exception as error:  # a peer may fail in any way; the table says how
        return Verdict("failed", _first_line(error))
    return compare(want[:, : peer.columns] if peer.columns else want, answer, max(tolerance, peer.rounding))


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def measure(case: str, contender: str, pace: Mapping[str, int]) -> dict[str, Any]:
    """Seconds of each repeat, the cores that others used meanwhile, and the most memory the process ever held.

    `extra` is the memory of the call alone: the peak above what the process held when its input lay ready.
    """
    chosen, (a, b) = {**OURS, **PEERS}[contender], CASES[case].tables()
    call = chosen.prepare(a, b)
    share = chosen.columns / len(b) if chosen.columns else 1.0

    before, base = memory.peak(), memory.settle()
    start, others = time.perf_counter(), foreign_seconds()
    seconds = [once / share for once in clock.watch(call, clock.Pace(**pace))]
    disturbance = max(0.0, foreign_seconds() - others) / (time.perf_counter() - start)
    peak = max(before, memory.peak())
    return {"seconds": seconds, "disturbance": disturbance, "peak": peak, "extra": memory.above(base)}


def foreign_seconds() -> float:
    """Seconds that the processors have worked for other processes, where the system says so."""
    busy = busy_seconds()
    return 0.0 if busy is None else busy - time.process_time()


def move(read: int, written: int, pace: Mapping[str, int]) -> dict[str, Any]:
    """Seconds that reading so many bytes, and writing so many of fresh memory, takes one thread."""
    source = np.full(read // 8, 1, np.uint64)

    def call() -> Any:
        return np.add.reduce(source) if read else None, np.full(written // 4, 0.5, np.float32)

    return {"seconds": clock.watch(call, clock.Pace(**pace))}


def spawn_check(case: str, lineup: Lineup) -> dict[str, Any]:
    asked = {ours: list(peers) for ours, peers in lineup.items()}
    return spawn("check", threads=CASES[case].threads, case=case, lineup=asked)


def spawn_measure(case: str, contender: str, pace: clock.Pace) -> dict[str, Any]:
    return spawn("measure", threads=CASES[case].threads, case=case, contender=contender, pace=asdict(pace))


def spawn_move(traffic: Traffic, pace: clock.Pace) -> dict[str, Any]:
    return spawn("move", **traffic._asdict(), pace=asdict(pace))


VERBS: dict[str, Callable[..., dict[str, Any]]] = {"check": check, "measure": measure, "move": move}

if __name__ == "__main__":
    print(json.dumps(VERBS[sys.argv[1]](**json.loads(sys.argv[2]))))
