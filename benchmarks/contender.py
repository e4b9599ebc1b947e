"""A contender: one call of one library, ours or a peer's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Call = Callable[[], Any]
JOIN_AT = 0.5
SOFT_AT, SOFT_SIGMA, SOFT_LEAST = 0.3, 0.5, 0.001
FUSE_AT, MODELS = 0.55, 5


@dataclass(frozen=True)
class Contender:
    """One call of one library.

    `prepare` takes the two tables, brings them into the library's own arrays, and returns the call that is timed.
    `answer` says the call's result in our words, when the clock has stopped.
    """

    name: str
    package: str
    prepare: Callable[[Any, Any], Call]
    answer: Callable[[Any], Any] = np.asarray
    rounding: float = 0.0
    """How far its own arithmetic may lead it astray, where it counts in another precision than the case."""
    columns: int | None = None
    """A call too slow for the whole answer makes its first columns alone; its seconds are scaled up."""
