"""The clock: seconds a call takes, and what to say about many of them."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

WARM_UP = 0.2  # seconds: thread pools start, caches fill, the processor finds its pace
TOO_SHORT = 1e-4  # seconds: below this a sample is many calls, or it would time the clock
SAMPLE = 1e-3
SLOW = 0.3
LONG = 1.0  # seconds: such a call is warm after one, and one process repeats it often enough
FEW = 3


@dataclass(frozen=True)
class Pace:
    """How often: `rounds` fresh processes a cell, each with `slow` repeats of a slow call or `usual` of any other."""

    rounds: int
    slow: int
    usual: int


# Rounds alternate between the contenders, so that a disturbance of the machine does not fall on one alone.
FULL = Pace(rounds=3, slow=3, usual=9)
QUICK = Pace(rounds=1, slow=7, usual=7)


@dataclass(frozen=True)
class Spread:
    """Median and quartiles, in seconds."""

    median: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Spread:
        low, median, high = statistics.quantiles(seconds, n=4, method="inclusive")
        return cls(median, low, high, len(seconds))


def watch(call: Callable[[], Any], pace: Pace) -> list[float]:
    """Seconds a call, once for each repeat. The answer is dropped after the clock has stopped."""
    number, repeats = _plan(_warm(call), pace)
    gc.disable()
    try:
        return [_sample(call, number) for _ in range(repeats)]
    finally:
        gc.enable()


def _warm(call: Callable[[], Any]) -> float:
    """Call until warm; the seconds of the last call."""
    start = time.perf_counter()
    call()  # the first pays for what is loaded late
    last = time.perf_counter()
    if last - start > LONG:
        return last - start
    start = last
    while True:
        call()
        now = time.perf_counter()
        if now - start > WARM_UP:
            return now - last
        last = now


def _plan(once: float, pace: Pace) -> tuple[int, int]:
    number = 1 if once > TOO_SHORT else math.ceil(SAMPLE / once)
    if once > LONG:
        return number, FEW
    return number, pace.slow if once > SLOW else pace.usual


def _sample(call: Callable[[], Any], number: int) -> float:
    if number == 1:
        start = time.perf_counter()
        answer = call()
        stop = time.perf_counter()
        del answer
        return stop - start
    start = time.perf_counter()
    for _ in range(number):
        call()
    return (time.perf_counter() - start) / number
