"""A run: parts are worked on in any order, and their records merged eight at a time until one is left."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from vesica import _check
from vesica._check import scale as check
from vesica.errors import InputError
from vesica.results.result import Note
from vesica.scale.engines import Engine, engine_of
from vesica.scale.parts import Part
from vesica.scale.rules import ENGINES
from vesica.scale.work import mapped, merged

TOGETHER = 8
"""Records that are merged at a time."""

Progress = Callable[[int, int, int], None]
"""Is told parts that are done, all parts, and rows so far."""


class Total(NamedTuple):
    """The records of all parts, and the images that were expected and are in none."""

    records: bytes
    lacking: list[Any]

    @property
    def notes(self) -> list[Note]:
        """What a result says of images that are missing."""
        return lacking_notes(len(self.lacking))


def lacking_notes(count: int, /) -> list[Note]:
    """What is told of expected images that were in no part."""
    return [Note("partial", count, "expected images were in no part: the score is of the rest")] if count else []


def run(
    kind: str,
    parts: Sequence[Part],
    options: dict[str, Any],
    /,
    *,
    engine: str = "threads",
    workers: int | None = None,
    merging: dict[str, Any] | None = None,
    expected: Any = None,
    partial: bool = False,
    progress: Progress | None = None,
) -> Total:
    """The records of all parts as one, the same bytes whoever worked on them, and in whichever order."""
    _check.one_of(engine, ENGINES, "engine")
    asked = check.expected(expected)
    chosen = engine_of(engine, check.workers(workers))
    repeats = (merging or {}).get("duplicates")
    may_repeat = None if repeats is None else repeats == "same"
    try:
        total, seen = _all(chosen, kind, parts, options, merging or {}, may_repeat, progress)
    finally:
        chosen.close()
    lacking = [] if asked is None else [one for one in asked if one not in seen]
    if lacking and not partial:
        raise check.missing(lacking, len(asked or ()))
    return Total(total, lacking)


def _all(
    engine: Engine,
    kind: str,
    parts: Sequence[Part],
    options: dict[str, Any],
    merging: dict[str, Any],
    may_repeat: bool | None,
    progress: Progress | None,
) -> tuple[bytes, dict[Any, str]]:
    seen: dict[Any, str] = {}
    ready: list[Any] = []
    pending = {engine.submit(mapped, part["name"], kind, part, options): part["name"] for part in parts}
    done = rows = 0
    while pending:
        for ticket, head, body in engine.wait():
            name = pending.pop(ticket)
            told = json.loads(head)
            if "error" in told:
                raise InputError(told["error"])
            if name is not None:
                _look(told["images"], name, seen, may_repeat)
                done, rows = done + 1, rows + told["rows"]
                if progress is not None:
                    progress(done, len(parts), rows)
            ready.append(body)
        while len(ready) >= TOGETHER or (len(ready) > 1 and not pending):
            some, ready = ready[:TOGETHER], ready[TOGETHER:]
            pending[engine.submit(merged, "merging", kind, merging, *some)] = None
    return engine.body(ready[0]), seen


def _look(images: list[Any], name: str, seen: dict[Any, str], may_repeat: bool | None) -> None:
    """No image may be in two parts; both are named. None: of this kind equal ones cannot count once."""
    for one in images:
        if one in seen and not may_repeat:
            raise check.not_twice(one, seen[one], name, may_be_same=may_repeat is not None)
        seen[one] = name
