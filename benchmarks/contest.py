"""A contest: our calls and their peers on one case. Answers first, then the clock."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.answers import Verdict
from benchmarks.case import Traffic
from benchmarks.cell import Lineup, spawn_check, spawn_measure, spawn_move
from benchmarks.clock import LONG, Pace, Spread
from benchmarks.peers import PEERS
from benchmarks.report import Bar, Report, aligned, quartiles, seconds

HEAD = ("case", "ours", "time", "quartiles", "peer", "time", "quartiles", "ratio", "bound", "ours/bound", "note")

QUIET = 0.1
"""Cores that others may use before a figure counts as disturbed."""


@dataclass(frozen=True)
class Contest:
    """What one case showed."""

    case: str
    lineup: Lineup
    verdicts: dict[str, Verdict]
    records: list[Verdict]
    """Whether each call of ours gives the sum that was recorded, where one was."""
    times: dict[str, Spread]
    peaks: dict[str, int]
    """The most bytes that the process held."""
    extras: dict[str, int | None]
    """The same above its input; None where the system does not say."""
    disturbances: dict[str, float]
    """Cores that others used while a contender was timed: the largest of the rounds."""
    moved: Traffic
    bound: Spread
    """The time one thread takes to read what must be read and to write what must be written."""

    def ratio(self, ours: str, peer: str) -> float | None:
        """How many times as long the peer takes."""
        return self.times[peer].median / self.times[ours].median if peer in self.times else None

    def fastest(self, *peers: str) -> str:
        """The peer to beat: one that was timed, if any was."""
        return min(peers, key=lambda peer: self.times[peer].median if peer in self.times else math.inf)

    def faster(self, ours: str, peer: str, limit: float) -> Bar:
        """The bar that we are so many times as fast as the peer."""
        text = f"{self.case}, {ours} faster than {peer}"
        why = "" if peer in self.times else str(self.verdicts[peer])
        disturbed = self._is_disturbed(ours, peer)
        return Bar(text, self.ratio(ours, peer), limit, more_is_better=True, why=why, is_disturbed=disturbed)

    def within(self, ours: str, other: str, limit: float) -> Bar:
        """The bar that one call of ours takes at most so many times as long as another."""
        value = self.times[ours].median / self.times[other].median
        text = f"{self.case}, {ours} over {other}"
        return Bar(text, value, limit, more_is_better=False, is_disturbed=self._is_disturbed(ours, other))

    def near_bound(self, ours: str, limit: float) -> Bar:
        """The bar that we take at most so many times as long as writing the answer does."""
        value = self.times[ours].median / self.bound.median
        text = f"{self.case}, {ours} over np.full of its output"
        return Bar(text, value, limit, more_is_better=False, is_disturbed=self._is_disturbed(ours))

    def extra_memory(self, ours: str, megabytes: float) -> Bar:
        """The bar that a call needs at most so many megabytes above its input."""
        extra, text = self.extras[ours], f"{self.case}, {ours}, peak memory above the input"
        value = None if extra is None else extra / 1e6
        return Bar(text, value, megabytes, more_is_better=False, unit=" MB", why="this system does not say")

    def _is_disturbed(self, *names: str) -> bool:
        return any(self.disturbances.get(name, 0.0) > QUIET for name in names)


def hold(case: str, lineup: Lineup, pace: Pace, *, untimed: tuple[str, ...] = ()) -> Contest:
    """Compare the answers, then time what gave the right one. `untimed` peers are only asked for their answer."""
    if sys.stderr.isatty():
        print(f"… {case}", file=sys.stderr)
    checked = spawn_check(case, lineup)
    verdicts = {name: Verdict(**verdict) for name, verdict in checked["verdicts"].items()}
    able = [name for name, verdict in verdicts.items() if verdict.status == "same" and name not in untimed]

    samples: dict[str, list[float]] = {name: [] for name in (*lineup, *able)}
    peaks, disturbances = dict.fromkeys(samples, 0), dict.fromkeys(samples, 0.0)
    extras: dict[str, int | None] = dict.fromkeys(samples, None)
    moved, moves = Traffic(*checked["traffic"]), []
    for _ in range(pace.rounds):
        for name in samples:
            if samples[name] and min(samples[name]) > LONG:
                continue  # long enough to outlast a disturbance
            found = spawn_measure(case, name, pace)
            samples[name] += found["seconds"]
            peaks[name] = max(peaks[name], found["peak"])
            extras[name] = None if found["extra"] is None else max(extras[name] or 0, found["extra"])
            disturbances[name] = max(disturbances[name], found["disturbance"])
        moves += spawn_move(moved, pace)["seconds"]

    times = {name: Spread.of(values) for name, values in samples.items()}
    records = [Verdict(**record) for record in checked["records"]]
    return Contest(
        case, lineup, verdicts, records, times, peaks, extras, disturbances, moved=moved, bound=Spread.of(moves)
    )


def tell(contest: Contest, report: Report) -> None:
    """Put the case's rows and faults into the report."""
    report.rows += [{"bench": report.name, **row} for row in _rows(contest)]
    report.faults += [f"{contest.case}: {p} {v}" for p, v in contest.verdicts.items() if v.status == "differs"]
    report.faults += [f"{contest.case}: our {record}" for record in contest.records if record.status == "differs"]


def _rows(contest: Contest) -> Iterator[dict[str, Any]]:
    for ours, peers in contest.lineup.items():
        shared = {
            "case": contest.case,
            "ours": ours,
            "ours_time": asdict(contest.times[ours]),
            "ours_peak_bytes": contest.peaks[ours],
            "ours_extra_bytes": contest.extras[ours],
            "bytes_moved": sum(contest.moved),
            "bound": asdict(contest.bound),
        }
        for peer in peers or ("-",):
            verdict = contest.verdicts.get(peer, Verdict("same"))
            timed = peer in contest.times
            yield shared | {
                "peer": peer,
                "peer_time": asdict(contest.times[peer]) if timed else None,
                "peer_extra_bytes": contest.extras.get(peer),
                "peer_columns": PEERS[peer].columns if peer in PEERS else None,
                "ratio": contest.ratio(ours, peer),
                "answer": verdict.to_dict(),
                "disturbance": max(contest.disturbances[ours], contest.disturbances.get(peer, 0.0)),
            }


def table(rows: list[dict[str, Any]]) -> str:
    """Case, ours, peer, ratio (peer over ours), spread, bound."""
    return aligned(HEAD, [_line(row) for row in rows])


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    ours, bound = Spread(**row["ours_time"]), Spread(**row["bound"])
    left = (row["case"], row["ours"], seconds(ours.median), quartiles(ours))
    right = (seconds(bound.median), f"{ours.median / bound.median:.2f}x")
    if row["peer_time"] is None:
        return (*left, row["peer"], "-", "-", "-", *right, _note(row))
    peer = Spread(**row["peer_time"])
    return (*left, row["peer"], seconds(peer.median), quartiles(peer), f"{row['ratio']:.2f}x", *right, _note(row))


def _note(row: dict[str, Any]) -> str:
    """Why a peer has no time, and whether to trust the times."""
    notes = []
    if row["peer_time"] is None:
        verdict = Verdict(**row["answer"])
        notes.append("answer compared, not timed" if verdict.status == "same" else str(verdict))
    elif row["peer_columns"]:
        notes.append(f"timed on {row['peer_columns']} columns, scaled up")
    if row["disturbance"] > QUIET:
        notes.append(f"disturbed: others used {row['disturbance']:.1f} cores")
    return "; ".join(notes)


def bandwidths(contests: list[Contest]) -> str:
    """The measured bandwidth behind each bound."""
    lines = ["bound: the time one thread needs to read (np.add.reduce) and to write anew (np.full) what must move"]
    for contest in contests:
        speed = sum(contest.moved) / contest.bound.median / 1e9
        read, written = (f"{size / 1e6:.3g} MB" for size in contest.moved)
        lines.append(f"  {contest.case}: {read} in, {written} out at {speed:.3g} GB/s {quartiles(contest.bound)}")
    return "\n".join(lines)


def memories(contest: Contest) -> str:
    """What each call needs on top of its input."""
    rows = [(name, "-" if extra is None else f"{extra / 1e6:.0f} MB") for name, extra in contest.extras.items()]
    return aligned((contest.case, "peak memory above the input"), rows)
