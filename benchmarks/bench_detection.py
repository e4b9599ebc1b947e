"""Detection scores: from two files to the twelve numbers of COCO, in whole processes.

`in process` counts from the first statement of a script to its numbers, imports included; `work` leaves the imports
out; `whole` is the process as its caller sees it. A peer whose bytes are not pycocotools' is timed all the same.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from benchmarks.answers import Verdict
from benchmarks.cases_detection import BOUNDARIES, BOXES, MASKS, FileCase, folder
from benchmarks.clock import Pace, Spread
from benchmarks.lap import Laps
from benchmarks.ours_detection import COLUMNS, FILES
from benchmarks.race import Command, Race, race, script
from benchmarks.report import Bar, Report, aligned, quartiles, seconds

SHELL = "vesica eval"
HEAD = (
    *("threads", "who", "in process", "quartiles", "work", "import", "load", "evaluate"),
    *("whole", "quartiles", "CPU", "peak", "runs", "× in process", "× whole", "note"),
)
SMALL, MIDDLE, _, LARGE = BOXES
PER_GUESS = 1.3
"""How much more a guess may cost among many than among few, and count as linear growth."""


def bench(pace: Pace) -> Report:
    report = Report("detection")
    folder()  # the files are made before anything is timed
    races = {case.name: race(case, _ours(case), pace) for case in (*BOXES, *MASKS, *BOUNDARIES)}

    for found in races.values():
        report.rows += _rows(found)
        report.tables.append(_table(found))
        report.faults += [f"{found.case.name}: {fault}" for fault in _faults(found)]
    report.tables.append(_growth_table([races[case.name] for case in (SMALL, MIDDLE, LARGE)]))
    report.bars = [
        *(bar for case in (MIDDLE, LARGE) for bar in _box_bars(races[case.name])),
        *(_faster(races[case.name], 2, "inside", 2) for case in MASKS),
        _faster(races[BOUNDARIES[0].name], 2, "inside", 10),
        _columns_bar(races[LARGE.name]),
        _growth_bar([races[case.name] for case in (SMALL, MIDDLE, LARGE)]),
    ]
    return report


def _ours(case: FileCase) -> dict[str, Command]:
    ours = {FILES: script(FILES, case.job)}
    if case is LARGE:
        ours[COLUMNS] = script(COLUMNS, case.columns)
    if case in (MIDDLE, LARGE):
        ours[SHELL] = _shell(case)
    return ours


def _shell(case: FileCase) -> Command:
    def command(_threads: int, _keep: str | None) -> list[str]:
        return [sys.executable, "-m", "vesica", "eval", *map(str, case.paths()), "--json"]

    return command


def _faults(found: Race) -> Iterator[str]:
    """Ours must have the bytes; a peer that has not is told in its row."""
    for name in _ours(found.case):
        verdict = found.verdicts[name]
        if verdict.status != "same":
            yield f"{name} {verdict}"


def _box_bars(found: Race) -> Iterator[Bar]:
    for threads in found.case.threads:
        yield _faster(found, threads, "inside", 2)
        yield _faster(found, threads, "wall", 1.4)
        yield _leaner(found, threads)


def _faster(found: Race, threads: int, what: str, limit: float) -> Bar:
    """The bar that the best peer takes so many times as long."""
    span = {"inside": "in process", "wall": "whole process"}[what]
    text = f"{found.case.name}, {_counted(threads)}, {span}, faster than"
    peer = found.best(threads, lambda laps: _median(laps.spread(what)))
    ours = found.laps.get((FILES, threads))
    if peer is None or ours is None:
        return Bar(f"{text} any peer", None, limit, more_is_better=True, why=_why(found, peer))
    theirs = found.laps[peer, threads]
    value = _ratio(theirs.spread(what), ours.spread(what))
    disturbed = ours.is_disturbed or theirs.is_disturbed
    return Bar(f"{text} {peer}", value, limit, more_is_better=True, is_disturbed=disturbed)


def _leaner(found: Race, threads: int) -> Bar:
    """The bar that we hold no more than the peer that holds least."""
    text = f"{found.case.name}, {_counted(threads)}, peak memory over"
    peer = found.best(threads, lambda laps: laps.peak)
    ours = found.laps.get((FILES, threads))
    if peer is None or ours is None or ours.peak is None:
        return Bar(f"{text} any peer", None, 1, more_is_better=False, why=_why(found, peer))
    return Bar(f"{text} {peer}", ours.peak / (found.laps[peer, threads].peak or 1), 1, more_is_better=False)


def _columns_bar(found: Race) -> Bar:
    """Without text to read, less than half of the time."""
    text = f"{found.case.name}, {COLUMNS} over {FILES}, without imports"
    threads = max(found.case.threads)
    arrays, files = (found.laps.get((name, threads)) for name in (COLUMNS, FILES))
    if arrays is None or files is None:
        return Bar(text, None, 0.5, more_is_better=False, why=_why(found, "any"))
    value = _ratio(arrays.spread("work"), files.spread("work"))
    disturbed = arrays.is_disturbed or files.is_disturbed
    return Bar(text, value, 0.5, more_is_better=False, is_disturbed=disturbed)


def _growth(races: list[Race], name: str = FILES) -> list[tuple[int, float]]:
    """Guesses and seconds of one thread, imports left out."""
    told = [(found.case.count(), found.laps.get((name, 1))) for found in races]
    return [(count, spread.median) for count, laps in told if laps and (spread := laps.spread("work"))]


def _growth_bar(races: list[Race]) -> Bar:
    """The bar that growth is linear: among many, one more guess costs what it costs among few."""
    text = "growth, seconds of one more guess: 180k to 500k over 50k to 180k"
    slopes = _slopes(_growth(races))
    if len(slopes) < 2:
        return Bar(text, None, PER_GUESS, more_is_better=False, why=_why(races[0], "any"))
    disturbed = any(found.laps[FILES, 1].is_disturbed for found in races)
    return Bar(text, slopes[1] / slopes[0], PER_GUESS, more_is_better=False, is_disturbed=disturbed)


def _slopes(growth: list[tuple[int, float]]) -> list[float]:
    return [(b - a) / (m - n) for (n, a), (m, b) in pairwise(growth)]


def _growth_table(races: list[Race]) -> str:
    rows = []
    for name in (FILES, *SMALL.peers):
        growth = _growth(races, name)
        slopes = [None, *_slopes(growth)]
        for (count, time), slope in zip(growth, slopes, strict=False):
            more = "-" if slope is None else seconds(slope)
            rows.append((name, f"{count}", seconds(time), seconds(time / count), more))
    return aligned(("one thread, without imports", "guesses", "time", "a guess", "one more guess"), rows)


def _rows(found: Race) -> Iterator[dict[str, Any]]:
    for name, verdict in found.verdicts.items():
        shared = {
            "bench": "detection",
            "case": found.case.name,
            "who": name,
            "answer": verdict.to_dict(),
            "sha256": found.sums.get(name),
            "file_bytes": found.size,
            "bound": _told(found.bound),
        }
        for threads in found.case.threads:
            laps = found.laps.get((name, threads))
            yield shared | {"threads": threads} | (_measures(laps) if laps else {})


def _measures(laps: Laps) -> dict[str, Any]:
    phases = {name for lap in laps.laps for name in lap.phases}
    return {
        **{what: _told(laps.spread(what)) for what in ("inside", "work", "wall", "cpu")},
        "phases": {name: _told(laps.phase(name)) for name in sorted(phases)},
        "peak_bytes": laps.peak,
        "disturbance": laps.disturbance,
    }


def _table(found: Race) -> str:
    """A line for everyone and every number of threads; the last two ratios are theirs over ours."""
    case, bound = found.case, found.bound
    rows = [
        _line(found, threads, name, verdict) for threads in case.threads for name, verdict in found.verdicts.items()
    ]
    title = f"{case.name}: {case.count()} guesses, {found.size / 1e6:.1f} MB"
    if bound:
        speed = found.size / bound.median / 1e9
        title += f"; bound: one thread reads the files in {seconds(bound.median)} {quartiles(bound)}, {speed:.3g} GB/s"
    return f"{title}\n\n{aligned(HEAD, rows)}"


def _line(found: Race, threads: int, name: str, verdict: Verdict) -> tuple[str, ...]:
    laps, ours = found.laps.get((name, threads)), found.laps.get((FILES, threads))
    if laps is None:
        why = "slow: timed with more threads alone" if verdict.has_answer else str(verdict)
        return (str(threads), name, *["-"] * (len(HEAD) - 3), why)
    spreads = [laps.spread("inside"), laps.spread("work"), *map(laps.phase, ("import", "load", "evaluate"))]
    inside, *others = spreads
    whole, cpu = laps.spread("wall"), laps.spread("cpu")
    ratios = [_ratio(laps.spread(what), ours.spread(what)) if ours else None for what in ("inside", "wall")]
    return (
        str(threads),
        name,
        *_with_quartiles(inside),
        *("-" if spread is None else seconds(spread.median) for spread in others),
        *_with_quartiles(whole),
        "-" if cpu is None else seconds(cpu.median),
        "-" if laps.peak is None else f"{laps.peak / 1e6:.0f} MB",
        str(len(laps.laps)),
        *("-" if ratio is None else f"{ratio:.2f}x" for ratio in ratios),
        _note(found, name, laps, verdict),
    )


def _note(found: Race, name: str, laps: Laps, verdict: Verdict) -> str:
    notes = [verdict.detail if verdict.status == "same" else str(verdict)]
    if len(laps.laps) == 1:
        notes.append("timed once, when its answer was made")
    work = laps.spread("work")
    if name in (FILES, COLUMNS) and work and found.bound:
        notes.append(f"work {work.median / found.bound.median:.1f} times the bound")
    if laps.is_disturbed:
        notes.append(f"disturbed: others used {laps.disturbance:.1f} cores")
    return "; ".join(notes)


def _why(found: Race, peer: str | None) -> str:
    return "no peer was timed" if peer is None else f"{FILES} {found.verdicts[FILES]}"


def _with_quartiles(spread: Spread | None) -> tuple[str, str]:
    return ("-", "-") if spread is None else (seconds(spread.median), quartiles(spread))


def _ratio(a: Spread | None, b: Spread | None) -> float | None:
    return None if a is None or b is None else a.median / b.median


def _median(spread: Spread | None) -> float | None:
    return None if spread is None else spread.median


def _told(spread: Spread | None) -> dict[str, Any] | None:
    return None if spread is None else asdict(spread)


def _counted(threads: int) -> str:
    return f"{threads} thread{'s' if threads > 1 else ''}"
