"""Several threads inside calls at once, each of which asks for threads: everyone gets the answer of one."""

from __future__ import annotations

import threading

from vesica import _native

from .calls import answers, calls, some
from .numbers import Rng, isa_level


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    answers()
    names, counts = some(rng, int(rng.integers(2, 7))), rng.integers(1, 9, 6).tolist()
    wrong: list[str] = []
    start = threading.Barrier(len(names))

    def work(name: str, count: int) -> None:
        start.wait()
        if calls()[name](count) != answers()[name]:
            wrong.append(name)

    workers = [threading.Thread(target=work, args=pair) for pair in zip(names, counts, strict=False)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong, wrong
