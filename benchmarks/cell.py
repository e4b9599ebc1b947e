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

from benchmarks import clock
from benchmarks.answers import Verdict, compare
from benchmarks.cases import CASES
from benchmarks.machine import busy_seconds, cores
from benchmarks.ours import OURS
from benchmarks.peers import PEERS, Contender

THREADS = ("VESICA_NUM_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
ROOT = Path(__file__).resolve().parent.parent

Lineup = Mapping[str, Sequence[str]]
"""For each call of ours, its peers."""


def environment() -> dict[str, str]:
    """Everyone gets every core, and no one more."""
    return {**os.environ, **dict.fromkeys(THREADS, str(cores()))}


def spawn(verb: str, **request: Any) -> dict[str, Any]:
    """Do it in a fresh process, and bring back what it found."""
    command = [sys.executable, "-m", "benchmarks.cell", verb, json.dumps(request)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{verb} {request} failed:\n{done.stderr[-4000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def check(case: str, lineup: Lineup) -> dict[str, Any]:
    """The verdict on every peer, and the bytes that must move."""
    a, b = CASES[case].tables()
    verdicts, moved = {}, 0
    for ours, peers in lineup.items():
        want = _answer(OURS[ours], a, b)
        columns = want if isinstance(want, tuple) else (want,)
        moved = max(moved, CASES[case].bytes_moved(sum(column.nbytes for column in columns)))
        for name in peers:
            if name in PEERS:
                verdicts[name] = _verdict(PEERS[name], a, b, want, CASES[case].tolerance).to_dict()
    return {"verdicts": verdicts, "bytes": moved}


def _answer(contender: Contender, a: np.ndarray, b: np.ndarray) -> Any:
    return contender.answer(contender.prepare(a, b)())


def _verdict(peer: Contender, a: np.ndarray, b: np.ndarray, want: Any, tolerance: float) -> Verdict:
    try:
        answer = _answer(peer, a, b)
    except ImportError as error:
        return Verdict("not installed", _first_line(error))
    except Exception as error:  # a peer may fail in any way; the table says how
        return Verdict("failed", _first_line(error))
    return compare(want, answer, tolerance)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def measure(case: str, contender: str, pace: Mapping[str, int]) -> dict[str, Any]:
    """Seconds of each repeat, the cores that others used meanwhile, and the most memory the process ever held."""
    call = {**OURS, **PEERS}[contender].prepare(*CASES[case].tables())
    start, others = time.perf_counter(), _foreign_seconds()
    seconds = clock.watch(call, clock.Pace(**pace))
    disturbance = max(0.0, _foreign_seconds() - others) / (time.perf_counter() - start)
    return {"seconds": seconds, "disturbance": disturbance, "peak": _peak_bytes()}


def _foreign_seconds() -> float:
    """Seconds that the processors have worked for other processes, where the system says so."""
    busy = busy_seconds()
    return 0.0 if busy is None else busy - time.process_time()


def fill(size: int, pace: Mapping[str, int]) -> dict[str, Any]:
    """Seconds that writing so many bytes of fresh memory takes."""
    return {"seconds": clock.watch(lambda: np.full(size // 4, 0.5, np.float32), clock.Pace(**pace))}


def spawn_measure(case: str, contender: str, pace: clock.Pace) -> dict[str, Any]:
    return spawn("measure", case=case, contender=contender, pace=asdict(pace))


def spawn_fill(size: int, pace: clock.Pace) -> dict[str, Any]:
    return spawn("fill", size=size, pace=asdict(pace))


def _peak_bytes() -> int:
    import resource

    # A process is born with the peak of its parent: whoever spawns cells must stay small, and hold no data.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


VERBS: dict[str, Callable[..., dict[str, Any]]] = {"check": check, "measure": measure, "fill": fill}

if __name__ == "__main__":
    print(json.dumps(VERBS[sys.argv[1]](**json.loads(sys.argv[2]))))
