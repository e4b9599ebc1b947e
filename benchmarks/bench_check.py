"""`vesica check`: from two files to the findings, in whole processes. No peer offers it, so the bar is in seconds."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.cases_detection import BOXES, SHELF, folder
from benchmarks.clock import Pace
from benchmarks.lap import Laps, run
from benchmarks.machine import cores
from benchmarks.report import Bar, Report, aligned, quartiles, seconds

MIDDLE = BOXES[1]
LAPS, LIMIT = 5, 0.5
DAMAGED = "boxes 180k as corners"


def bench(pace: Pace) -> Report:
    report = Report("check")
    folder()  # the files are made before anything is timed
    truth, guess = MIDDLE.paths()
    threads = min(2, cores())
    rows = []
    for name, path, code in ((MIDDLE.name, guess, None), (DAMAGED, _as_corners(guess), "boxes-layout")):
        words = [sys.executable, "-c", _CODE, str(path), str(truth)]
        found = [run(words, threads) for _ in range(LAPS * pace.rounds)]
        codes = {tuple(one["code"] for one in json.loads(printed)["findings"]) for _, printed in found}
        if codes != {() if code is None else (code,)}:
            report.faults.append(f"{name}: found {codes}, and not {code}")
        laps = Laps([lap for lap, _ in found])
        whole = laps.spread("wall")
        assert whole is not None
        rows.append((name, seconds(whole.median), quartiles(whole), str(code or "nothing")))
        report.rows.append({"bench": "check", "case": name, "time": asdict(whole), "threads": threads})
        text = f"{name}, check --against, {threads} threads, whole process"
        report.bars.append(
            Bar(text, whole.median, LIMIT, more_is_better=False, unit=" s", is_disturbed=laps.is_disturbed)
        )
    report.tables.append(aligned(("case", "whole", "quartiles", "found"), rows))
    return report


_CODE = """
import sys
from vesica.cli import main
main(["check", sys.argv[1], "--against", sys.argv[2], "--json", "--quiet"])
"""


def _as_corners(guess: Path) -> Path:
    """The same guesses, whose boxes are two corners."""
    path = SHELF / f"{folder().name}-corners.json"
    if not path.exists():
        rows = json.loads(guess.read_text())
        for row in rows:
            x, y, w, h = row["bbox"]
            row["bbox"] = [x, y, round(x + w, 2), round(y + h, 2)]
        path.write_text(json.dumps(rows))
    return path
