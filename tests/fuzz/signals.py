"""A signal at any moment of a call: what its handler raises comes through, or the answer does; the next is right."""

from __future__ import annotations

import signal
from typing import Any

from vesica import _native

from .calls import answers, calls, some
from .numbers import Rng, chance, isa_level


class Enough(Exception):
    """What the handler raises."""


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    answers()
    raises, seen = chance(rng, 0.7), []

    def handler(*_: Any) -> None:
        seen.append(1)
        if raises:
            raise Enough

    name, count = some(rng, 1)[0], int(rng.integers(1, 5))
    before = signal.signal(signal.SIGALRM, handler)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, float(rng.uniform(1e-5, 0.05)))
            for _ in range(5):
                assert calls()[name](count) == answers()[name]
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Enough:  # it comes once, in a call or here, while the timer is turned off
        assert raises
    finally:
        signal.signal(signal.SIGALRM, before)
    assert calls()[name](count) == answers()[name]
