"""The inside of a process that is timed as a whole: run a script, and print how long its phases took."""

from __future__ import annotations

from time import perf_counter, process_time
from typing import Any

from benchmarks.ours_detection import OUR_SCRIPTS
from benchmarks.peers_detection import DETECTION_PEERS, Job


def run(start: float, name: str, job: tuple[Any, ...], keep: str | None = None) -> None:
    """Print the phases, from the first statement of the process on, the CPU seconds and the most bytes that it took.

    The answer is shown afterwards, and only to a file that someone asked for: it is no part of what is timed.
    """
    script = (OUR_SCRIPTS | DETECTION_PEERS)[name](Job(*job))
    phases: dict[str, float] = {}
    while True:
        try:
            phase = next(script)
        except StopIteration as done:
            answer = done.value
            break
        now = perf_counter()
        phases[phase], start = now - start, now
    # Not as JSON: a script that does not need that module shall not pay for it.
    print({"phases": phases, "cpu": process_time(), "peak": _peak()})

    if keep:
        import numpy as np

        np.savez(keep, **answer())


def _peak() -> int | None:
    """The high-water mark of this program alone; what its parent held before it began is not in it."""
    try:
        with open("/proc/self/status") as told:
            return next(int(line.split()[1]) * 1024 for line in told if line.startswith("VmHWM"))
    except OSError:
        return None
