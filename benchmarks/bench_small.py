"""What a call costs by itself: every public function with 1, 10 and 100 regions a side."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from typing import Any

from benchmarks.cell import ROOT, environment
from benchmarks.clock import Pace, Spread
from benchmarks.contest import QUIET
from benchmarks.report import Bar, Report, aligned, quartiles, seconds

Times = dict[int, dict[str, Spread]]

SIZES = (1, 10, 100)

# Microseconds to reach, by call and N.
BARS = {
    ("iou, arrays", 10): 3.0,
    ("iou, Boxes", 10): 2.5,
    ("iou, tensors", 10): 8.0,
    ("iou, aligned", 10): 3.0,
    ("giou", 10): 3.0,
    ("Boxes", 10): 1.5,
    ("nms", 10): 4.0,
    ("nms", 100): 12.0,
    ("match", 10): 8.0,
    ("assign", 10): 4.0,
}
PEERS = {"iou, arrays": "powerboxes", "giou": "powerboxes", "nms": "powerboxes", "assign": "scipy"}


def bench(pace: Pace) -> Report:
    report = Report("small")
    report.faults = [fault for n in SIZES for fault in _run("faults", n)]
    samples: dict[int, dict[str, list[float]]] = {n: {} for n in SIZES}
    disturbance = 0.0
    for _ in range(pace.rounds):
        for n in SIZES:
            found = _run("timed", n)
            disturbance = max(disturbance, found["disturbance"])
            for name, values in found["seconds"].items():
                samples[n].setdefault(name, []).extend(values)
    times = {n: {name: Spread.of(found) for name, found in samples[n].items()} for n in SIZES}
    is_disturbed = disturbance > QUIET

    report.rows = [
        {"bench": "small", "case": f"{name}, N = {n}", "time": asdict(spread)}
        for n in SIZES
        for name, spread in times[n].items()
    ]
    report.tables = [_table(times)]
    report.bars = [*_bars(times, is_disturbed), *_races(times, is_disturbed)]
    return report


def _run(verb: str, n: int) -> Any:
    """In a fresh process, with one thread: none of these calls is worth two."""
    command = [sys.executable, "-m", "benchmarks.small_calls", verb, str(n)]
    done = subprocess.run(command, cwd=ROOT, env=environment(1), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"small calls of {n} failed:\n{done.stderr[-4000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def _bars(times: Times, is_disturbed: bool) -> list[Bar]:
    return [
        Bar(
            f"{name}, N = {n}",
            times[n][name].median * 1e6,
            limit,
            more_is_better=False,
            unit=" µs",
            is_disturbed=is_disturbed,
        )
        for (name, n), limit in BARS.items()
    ]


def _races(times: Times, is_disturbed: bool) -> list[Bar]:
    """Of 100 boxes no peer is faster."""
    return [
        Bar(
            f"{name}, N = 100, faster than {peer}",
            times[100][f"{peer} {name}"].median / times[100][name].median,
            1,
            more_is_better=True,
            is_disturbed=is_disturbed,
        )
        for name, peer in PEERS.items()
        if peer == "powerboxes"
    ]


def _table(times: Times) -> str:
    """Medians; of peers what they take for the same."""
    head = ("call", *(part for n in SIZES for part in (f"N = {n}", "quartiles")), "peer", *(f"N = {n}" for n in SIZES))
    rows = []
    for name in times[SIZES[0]]:
        if name.partition(" ")[0] in PEERS.values():
            continue
        ours = [part for n in SIZES for part in (seconds(times[n][name].median), quartiles(times[n][name]))]
        peer = PEERS.get(name, "")
        theirs = [seconds(times[n][f"{peer} {name}"].median) if peer else "" for n in SIZES]
        rows.append((name, *ours, peer, *theirs))
    return aligned(head, rows)
