"""Many cores: large calls with 1, 2, 4, 8 and 16 threads, as far as the machine has them, and the same answer."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from typing import Any

from benchmarks.cases_detection import folder
from benchmarks.cell import ROOT, environment
from benchmarks.clock import Pace, Spread
from benchmarks.machine import cores
from benchmarks.report import Bar, Report, aligned, seconds
from benchmarks.thread_calls import CALLS

COUNTS = (1, 2, 4, 8, 16)
# How many times as fast with 16 threads as with one.
GAINS = {
    "iou 5000²": 8,
    "label maps, noise": 8,
    "nms 1M scattered": 6,
    "join 1M × 1M": 8,
    "evaluate 180k boxes": 6,
    "evaluate 500k boxes": 6,
    "evaluate 180k masks": 8,
    "evaluate 180k boundaries": 10,
}


def bench(pace: Pace) -> Report:
    report = Report("threads")
    folder()  # the files are made before anything is timed
    counts = [count for count in COUNTS if count <= cores()]
    rows = []
    for name in CALLS:
        found = {count: [_run(name, count) for _ in range(pace.rounds)] for count in counts}
        if len({one["answer"] for some in found.values() for one in some}) > 1:
            report.faults.append(f"{name}: the answer depends on the number of threads")
        times = {count: Spread.of([one for each in some for one in each["seconds"]]) for count, some in found.items()}
        report.rows += [
            {"bench": "threads", "case": name, "threads": count, "time": asdict(time)} for count, time in times.items()
        ]
        gain = times[1].median / times[counts[-1]].median
        rows.append((name, *(seconds(times[count].median) for count in counts), f"{gain:.1f}x"))
        is_there = counts[-1] == COUNTS[-1]
        why = f"this machine has {cores()} processors"
        text = f"{name}, {COUNTS[-1]} threads against one"
        report.bars.append(Bar(text, gain if is_there else None, GAINS[name], more_is_better=True, why=why))
    report.tables = [aligned(("threads", *map(str, counts), "gain"), rows)]
    return report


def _run(name: str, threads: int) -> Any:
    command = [sys.executable, "-m", "benchmarks.thread_calls", name]
    done = subprocess.run(command, cwd=ROOT, env=environment(threads), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name} with {threads} threads failed:\n{done.stderr[-4000:]}")
    return json.loads(done.stdout.splitlines()[-1])
