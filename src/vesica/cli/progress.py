"""A bar on stderr for work that takes a while: on a terminal only, and only after a second."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 1.0
"""Seconds without a bar."""


def track(work: Sequence[int], what: str) -> Iterator[int]:
    """The items, with a bar that counts them once a second has passed."""
    if not sys.stderr.isatty():
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
    from rich.console import Console
    from rich.progress import track as bar

    rest = bar(work[done:], description=what, completed=done, total=len(work), console=Console(stderr=True))
    yield from rest


@contextmanager
def steps(*names: str) -> Iterator[Callable[[], None]]:
    """A bar over a few long steps; what it gives is called when one of them is done.

    A step is one call that does not report back, so a thread of its own shows the bar when the second has passed.
    """
    if not sys.stderr.isatty():
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
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description:<12}"), BarColumn(), TimeElapsedColumn())
        with self._lock:
            if self._over:
                return
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
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
