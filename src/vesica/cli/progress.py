"""A bar on stderr for work that takes a while: on a terminal only, and only after a second."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from vesica.cli import look

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 1.0
"""Seconds without a bar."""


def track(work: Sequence[int], what: str) -> Iterator[int]:
    """The items, with a bar that counts them once a second has passed: how many, how fast, how long still."""
    if not look.has_progress():
        yield from work
        return
    begin = time.monotonic()
    done = 0
    for item in work:
        if time.monotonic() - begin > PATIENCE:
            break
        yield item
        done += 1
    if done == len(work):
        return
    with _counting() as bar:
        task = bar.add_task(what, total=len(work), completed=done)
        for item in work[done:]:
            yield item
            bar.advance(task)


def _counting() -> Progress:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.progress import TimeRemainingColumn as Left
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else _rate(speed))

    columns = (TextColumn("{task.description:<12}"), BarColumn(), MofNCompleteColumn(), Rate(), Left())
    return Progress(*columns, console=look.bar_console(), transient=True)


def _rate(speed: float, noun: str = "") -> str:
    number = f"{speed:,.0f}" if speed >= 10 else f"{speed:.1f}"
    return f"{number}{noun and f' {noun}'}/s"


@contextmanager
def parts(noun: str) -> Iterator[Callable[[int, int, int], None]]:
    """A bar over parts that are worked on elsewhere. What it gives is told parts done, all parts, and rows so far;
    `noun` says what the rows are, for the throughput."""
    if not look.has_progress():
        yield lambda done, every, rows: None
        return
    bar = _Parts(noun)
    try:
        yield bar.tell
    finally:
        bar.hide()


class _Parts:
    """How many parts are done, drawn once patience is over."""

    def __init__(self, noun: str) -> None:
        self._noun, self._begin = noun, time.monotonic()
        self._bar: Progress | None = None

    def tell(self, done: int, every: int, rows: int) -> None:
        passed = time.monotonic() - self._begin
        if self._bar is None and passed < PATIENCE:
            return
        if self._bar is None:
            self._bar = self._drawn(every)
        throughput = _rate(rows / passed, self._noun) if passed > 0 else ""
        self._bar.update(self._bar.task_ids[0], completed=done, throughput=throughput)

    def _drawn(self, every: int) -> Progress:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description:<12}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[throughput]}"),
            TimeRemainingColumn(),
        )
        bar = Progress(*columns, console=look.bar_console(), transient=True)
        bar.add_task("parts", total=every, throughput="")
        bar.start()
        return bar

    def hide(self) -> None:
        if self._bar is not None:
            self._bar.stop()


@contextmanager
def steps(*names: str) -> Iterator[Callable[[], None]]:
    """A bar over a few long steps; what it gives is called when one of them is done.

    A step is one call that does not report back, so a thread of its own shows the bar when the second has passed.
    """
    if not look.has_progress():
        yield lambda: None
        return
    bar = _Steps(names)
    timer = threading.Timer(PATIENCE, bar.show)
    timer.daemon = True
    timer.start()
    try:
        yield bar.done
    finally:
        timer.cancel()
        bar.hide()


class _Steps:
    """Which step is under way, drawn or not."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names, self._place, self._over = names, 0, False
        self._bar: Progress | None = None
        self._lock = threading.Lock()

    def done(self) -> None:
        with self._lock:
            self._place += 1
            self._draw()

    def show(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description:<12}"), BarColumn(), TimeElapsedColumn())
        with self._lock:
            if self._over:
                return
            self._bar = Progress(*columns, console=look.bar_console(), transient=True)
            self._bar.add_task("", total=len(self._names))
            self._draw()
            self._bar.start()

    def hide(self) -> None:
        with self._lock:
            self._over = True
            if self._bar is not None:
                self._bar.stop()

    def _draw(self) -> None:
        if self._bar is not None:
            name = self._names[min(self._place, len(self._names) - 1)]
            self._bar.update(self._bar.task_ids[0], description=name, completed=self._place)
