"""Gathering at the end of an epoch: bytes and seconds, beside the ways of torchmetrics and pycocotools.

Eight ranks are one process here: what each would send is made and counted, and rank 0 gets it without a network. With
two ranks the same is done by two processes over gloo.
"""

from __future__ import annotations

import time
from typing import Any

from benchmarks import scale_gloo
from benchmarks.lap import Failure
from benchmarks.report import Bar, Report, aligned, seconds
from benchmarks.scale_cell import ask
from benchmarks.scale_ranks import WAYS, json_size, sides_of
from benchmarks.scale_size import Size

HEAD = (
    "way",
    "guesses",
    "on a rank",
    "sent by all",
    "bytes a guess",
    "gather",
    "score at rank 0",
    "against ours",
    "note",
)
TOLERANCE = {"pycocotools": 0.0, "torchmetrics": 1e-6}
"""torchmetrics answers in float32."""


def bench(size: Size) -> Report:
    report = Report("gathering")
    alone = {
        way: _asked(lambda way=way: ask("gathering", way=way, ranks=size.ranks, images=size.images)) for way in WAYS
    }
    both = {way: _asked(lambda way=way: scale_gloo.ask(way, size.images)) for way in WAYS}
    for found, ranks in ((alone, size.ranks), (both, scale_gloo.WORLD)):
        report.faults += _faults(found, ranks)
        report.rows += [{"bench": "scale", "way": way, "ranks": ranks, **told} for way, told in found.items()]
    title = f"{size.ranks} ranks × {size.images} images, one process, no network"
    report.tables.append(f"{title}\n\n{aligned(HEAD, [_line(way, alone) for way in WAYS])}")
    title = f"{scale_gloo.WORLD} ranks × {size.images} images, two processes, gloo"
    report.tables.append(f"{title}\n\n{aligned(HEAD, [_line(way, both) for way in WAYS])}")
    report.bars = [_faster(alone, way) for way in TOLERANCE]
    return report


def measure(way: str, ranks: int, images: int) -> dict[str, Any]:
    """What all ranks send, and the score of rank 0; in this process."""
    chosen, many = WAYS[way], [sides_of(rank, ranks, images) for rank in range(ranks)]
    guesses = sum(len(guess.image) for _, guess in many)
    known, given = chosen.known(many), [chosen.given(one) for one in many]
    sent, spent = [], []
    for one in given:
        start = time.perf_counter()
        sent.append(chosen.send(one))
        spent.append(time.perf_counter() - start)
    size = chosen.size(sent)
    more = {"json": json_size(sent)} if way == "pycocotools" else {}
    start = time.perf_counter()
    numbers = chosen.score(sent, known)
    took = time.perf_counter() - start
    return {"guesses": guesses, "rank": max(spent), "bytes": size, "score": took, "numbers": numbers, **more}


def _asked(call: Any) -> dict[str, Any]:
    try:
        found: dict[str, Any] = call()
        return found
    except Failure as failure:
        return {"failure": str(failure)}


def _faults(found: dict[str, dict[str, Any]], ranks: int) -> list[str]:
    ours = found["vesica"]
    if "failure" in ours:
        return [f"{ranks} ranks: ours failed: {ours['failure']}"]
    faults = []
    for way, tolerance in TOLERANCE.items():
        if "failure" in found[way]:
            continue
        apart = max(abs(a - b) for a, b in zip(ours["numbers"], found[way]["numbers"], strict=True))
        if not apart <= tolerance:
            faults.append(f"{ranks} ranks: {way} differs by {apart:.1e}")
    return faults


def _line(way: str, found: dict[str, dict[str, Any]]) -> tuple[str, ...]:
    told, ours = found[way], found["vesica"]
    if "failure" in told:
        return (way, *["-"] * (len(HEAD) - 2), told["failure"])
    spent = told.get("gather", 0.0) + told["score"]
    base = ours.get("gather", 0.0) + ours["score"] if "score" in ours else None
    return (
        way,
        f"{told['guesses']}" if "guesses" in told else "-",
        seconds(told["rank"]) if "rank" in told else "-",
        f"{told['bytes'] / 1e6:.1f} MB" if "bytes" in told else "-",
        f"{told['bytes'] / told['guesses']:.1f}" if "bytes" in told else "-",
        seconds(told["gather"]) if "gather" in told else "-",
        seconds(told["score"]),
        "-" if base is None else f"{spent / base:.1f}x",
        f"as JSON {told['json'] / 1e6:.1f} MB" if "json" in told else "",
    )


def _faster(found: dict[str, dict[str, Any]], way: str) -> Bar:
    text = f"score at rank 0, faster than {way}"
    if "score" not in found[way] or "score" not in found["vesica"]:
        return Bar(text, None, 10, more_is_better=True, why=found[way].get("failure", "ours failed"))
    return Bar(text, found[way]["score"] / found["vesica"]["score"], 10, more_is_better=True)
