"""What `import vesica` costs above `import numpy`, in fresh processes."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import asdict

from benchmarks.cell import ROOT, environment
from benchmarks.clock import Pace, Spread
from benchmarks.report import Bar, Report, aligned, quartiles, seconds

OURS, BASE = "import vesica; vesica.iou", "import numpy"
STATEMENTS = (OURS, BASE, "pass", "import powerboxes", "import shapely", "import cython_bbox", "import torch")
REPEATS = 11
LIMIT = 60.0


def bench(pace: Pace) -> Report:
    report = Report("import")
    absent = {statement: why for statement in STATEMENTS if (why := _fault(statement))}  # files are warm after this
    if OURS in absent:
        raise RuntimeError(absent[OURS])
    present = [statement for statement in STATEMENTS if statement not in absent]

    samples: dict[str, list[float]] = {statement: [] for statement in present}
    for _ in range(REPEATS * pace.rounds):
        for statement in present:
            samples[statement].append(_run(statement)[0])
    times = {statement: Spread.of(values) for statement, values in samples.items()}

    report.rows = [{"bench": "import", "case": name, "time": asdict(spread)} for name, spread in times.items()]
    report.rows += [{"bench": "import", "case": name, "time": None, "why": why} for name, why in absent.items()]
    report.tables.append(_table(times, absent))
    above = (times[OURS].median - times[BASE].median) * 1e3
    report.bars.append(Bar(f"{OURS} above {BASE}", above, LIMIT, more_is_better=False, unit=" ms"))
    return report


def _run(statement: str) -> tuple[float, str]:
    """Seconds of the whole process, and what it complained of."""
    command = [sys.executable, "-c", statement]
    start = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    return time.perf_counter() - start, done.stderr if done.returncode else ""


def _fault(statement: str) -> str:
    lines = _run(statement)[1].splitlines()
    return lines[-1] if lines else ""


def _table(times: dict[str, Spread], absent: dict[str, str]) -> str:
    base = times[BASE].median
    rows = [
        (name, seconds(spread.median), quartiles(spread), f"{(spread.median - base) * 1e3:+.1f} ms", "")
        for name, spread in times.items()
    ]
    rows += [(name, "-", "-", "-", f"not installed: {why}") for name, why in absent.items()]
    return aligned(("python -c", "time", "quartiles", "above numpy", ""), rows)
