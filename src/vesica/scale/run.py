"""A run: parts are worked on in any order. Records that add up are merged as they come; others at the end.

On a cluster they are merged in two rounds, the first of them there.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from vesica import _check
from vesica._check import scale as check
from vesica.errors import InputError
from vesica.results.result import Note
from vesica.scale.engines import Engine, engine_of
from vesica.scale.kept import Head, Keeper, files_of_part, lasting
from vesica.scale.parts import Part
from vesica.scale.rules import ENGINES
from vesica.scale.seen_images import SeenImages
from vesica.scale.work import adds_up, joined, mapped, merged

TOGETHER = 8
"""Records that are merged at a time, at least."""

Item = TypeVar("Item")
Progress = Callable[[int, int, int], None]
"""Is told parts that are done, all parts, and rows so far."""


def together(parts: int, /) -> int:
    """How many records a cluster merges at a time: so many that two rounds are enough, and a guess is copied twice.

    >>> together(10), together(1000)
    (8, 32)
    """
    return max(TOGETHER, math.isqrt(max(parts - 1, 0)) + 1)


class Total(NamedTuple):
    """The records of all parts, and the images that were expected and are in none."""

    records: Any
    """Of the kind that was asked for; None where parts stay apart."""
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
    kept: Keeper | None = None,
    few_at_once: bool = False,
    joined: bool = True,
) -> Total:
    """The records of all parts as one, the same whichever worker made them, and in any order.

    What is in `kept` is not worked on again, and all that is finished goes there. With `few_at_once` no more parts are
    under way than workers, and one. Without `joined` they stay apart, in `kept`, and no records come back.
    """
    _check.one_of(engine, ENGINES, "engine")
    asked = check.expected(expected)
    chosen = engine_of(engine, check.workers(workers))
    repeats = (merging or {}).get("duplicates")
    may_repeat = None if repeats is None else repeats == "same"
    work = _Work(chosen, kind, parts, options, merging or {}, kept, _Count(parts, may_repeat, progress))
    try:
        total = work.all(chosen.workers + 1 if few_at_once or adds_up(kind) else len(parts), joined)
    finally:
        chosen.close()
    lacking = [] if asked is None else work.so_far.seen.lacking(asked)
    if lacking and not partial:
        raise check.missing(lacking, len(asked or ()))
    return Total(total, lacking)


def lasting_run(kind: str, parts: Sequence[Part], options: dict[str, Any], /, *, checkpoint: Any, **how: Any) -> Total:
    """A run that goes on where it was stopped, if a checkpoint is asked for."""
    with lasting(checkpoint, kind, parts, options) as kept:
        return run(kind, parts, options, kept=kept, **how)


class _Count:
    """What was done so far. No image may be in two parts; both are named.

    `may_repeat` is None where equal ones cannot count once.
    """

    def __init__(self, parts: Sequence[Part], may_repeat: bool | None, progress: Progress | None) -> None:
        self.parts, self.may_repeat, self.progress = parts, may_repeat, progress
        self.seen, self.done, self.rows = SeenImages(), 0, 0

    def add(self, head: Head) -> None:
        clash = self.seen.add(head.images, head.part)
        if clash is not None and not self.may_repeat:
            image, other = clash
            names = self.parts[other]["name"], self.parts[head.part]["name"]
            raise check.not_twice(image, *names, may_be_same=self.may_repeat is not None)
        self.done, self.rows = self.done + 1, self.rows + head.rows
        if self.progress is not None:
            self.progress(self.done, len(self.parts), self.rows)


class _Pile:
    """Bodies that wait for others to be merged with, by how often they were merged.

    What adds up is merged as soon as some are there, so that few ever lie side by side. Of anything else each merging
    copies all that there is, so it is done once, by the process that asked. Only a cluster does it once before, so
    that one machine need not look at thousands of parts.
    """

    def __init__(self, parts: int, *, adds_up: bool, is_cluster: bool) -> None:
        self.some = TOGETHER if adds_up else together(parts)
        self._rounds = None if adds_up else int(is_cluster)
        self._bodies: list[list[Any]] = [[]]

    def add(self, times: int, body: Any) -> None:
        self._bodies += [[] for _ in range(times + 1 - len(self._bodies))]
        self._bodies[times].append(body)

    def taken(self) -> tuple[int, list[Any]] | None:
        """Some that were merged as often as each other, if there are enough."""
        for times, waiting in enumerate(self._bodies[: self._rounds]):
            if len(waiting) >= self.some:
                self._bodies[times] = waiting[self.some :]
                return times, waiting[: self.some]
        return None

    def all(self) -> list[Any]:
        return [body for waiting in reversed(self._bodies) for body in waiting]


class _Work(NamedTuple):
    """What is to be done, by whom."""

    engine: Engine
    kind: str
    parts: Sequence[Part]
    options: dict[str, Any]
    merging: dict[str, Any]
    kept: Keeper | None
    so_far: _Count

    def all(self, at_once: int, joined: bool) -> Any:
        try:
            return self._all(at_once, joined)
        except BaseException:
            if self.kept is not None and self.kept.lasting:
                with contextlib.suppress(InputError):  # the first error is told
                    self.kept.write(self._merged)
            raise

    def _all(self, at_once: int, is_joined: bool) -> Any:
        todo: Iterator[int] = iter(self._todo())
        stored: Iterator[bytes] = iter(())
        pending: dict[Any, tuple[int, list[list[Any]]] | int] = {}  # a part with its files, or how often it was merged
        pile = _Pile(len(self.parts), adds_up=adds_up(self.kind), is_cluster=self.engine.is_cluster)
        kept = self.kept
        while True:
            for part in _some(todo, at_once - len(pending)):
                given = self.parts[part]
                files = [] if kept is None else files_of_part(given)  # before they are read
                ticket = self.engine.submit(mapped, given["name"], self.kind, given, self.options)
                pending[ticket] = part, files
            if not pending and kept is not None:
                kept.write(self._merged)
                if not is_joined:
                    return None
                stored, kept = kept.bodies(), None
            for body in _some(stored, pile.some * (at_once - len(pending))):
                pile.add(0, body)
            while (together_now := pile.taken()) is not None:
                times, bodies = together_now
                pending[self.engine.submit(merged, "merging", self.kind, self.merging, *bodies)] = times + 1
            if not pending:
                bodies = [one if isinstance(one, bytes) else self.engine.body(one) for one in pile.all()]
                return joined(self.kind, self.merging, bodies, threads=os.cpu_count() or 1)
            ended = [(pending.pop(ticket), json.loads(head), body) for ticket, head, body in self.engine.wait()]
            # Errors last, so that what is finished is kept; of several, that of the first part.
            for told_of, told, body in sorted(ended, key=lambda one: ("error" in one[1], _part_in(one[0]))):
                _check_sound(told)
                if isinstance(told_of, int):
                    pile.add(told_of, body)
                    continue
                facts = Head(told_of[0], told["images"], told["rows"], told_of[1])
                self.so_far.add(facts)
                if kept is None:
                    pile.add(0, body)
                else:
                    kept.add(facts, self.engine.body(body), self._merged)

    def _todo(self) -> list[int]:
        """Numbers of parts that were not finished earlier."""
        if self.kept is None:
            return list(range(len(self.parts)))
        earlier, self.kept.earlier = self.kept.earlier, []
        for head in earlier:
            self.so_far.add(head)
        done = {head.part for head in earlier}
        return [number for number in range(len(self.parts)) if number not in done]

    def _merged(self, bodies: list[bytes]) -> bytes:
        head, body = merged(self.kind, self.merging, *bodies)
        _check_sound(json.loads(head))
        return body


def _part_in(told_of: tuple[int, Any] | int) -> int:
    """The number of a part; what was merged is of none, and comes first."""
    return -1 if isinstance(told_of, int) else told_of[0]


def _some(items: Iterator[Item], count: int) -> Iterator[Item]:
    """The next of them, so many at most."""
    for _, item in zip(range(count), items, strict=False):
        yield item


def _check_sound(told: dict[str, Any]) -> None:
    """What a worker says of its work: an error of the input is one here."""
    if "error" in told:
        raise InputError(told["error"])
