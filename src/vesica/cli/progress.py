"""A bar on stderr for work that takes a while: on a terminal only, and only after a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence


def track(work: Sequence[int], what: str) -> Iterator[int]:
    """The items, with a bar that counts them once a second has passed."""
    if not sys.stderr.isatty():
        yield from work
        return
    begin = time.monotonic()
    done = 0
    for item in work:
        if time.monotonic() - begin > 1:
            break
        yield item
        done += 1
    if done == len(work):
        return
    from rich.console import Console
    from rich.progress import track as bar

    rest = bar(work[done:], description=what, completed=done, total=len(work), console=Console(stderr=True))
    yield from rest
