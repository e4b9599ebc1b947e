"""A fork at any moment of other threads' calls: the child answers, and so does its parent."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from typing import NoReturn

from vesica import _native

from .calls import answers, calls, some
from .numbers import Rng, isa_level

PATIENCE = 50
"""Seconds after which the child counts as hung."""


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    answers()
    stop = threading.Event()

    def work(name: str) -> None:
        while not stop.is_set():
            calls()[name](2)

    workers = [threading.Thread(target=work, args=(name,)) for name in some(rng, 2)]
    for worker in workers:
        worker.start()
    time.sleep(float(rng.uniform(0, 0.01)))
    asked, count = some(rng, 2), int(rng.integers(1, 5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of threads: they are what is tried
        child = os.fork()
    if not child:
        _answer(asked, count)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    stop.set()
    for worker in workers:
        worker.join()
    assert code == 0, (code, asked)
    assert all(calls()[name](count) == answers()[name] for name in asked)


def _answer(asked: list[str], count: int) -> NoReturn:
    """The child's life: it never returns, whatever happens."""
    code = 1
    try:
        signal.alarm(PATIENCE)
        code = 0 if all(calls()[name](count) == answers()[name] for name in asked) else 2
    finally:
        os._exit(code)
