"""Engines: who works on the parts. Each takes a function with its arguments, and answers with heads and bodies.

A head is read at once; a body may stay where it was made, and goes on to the next function.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol

from vesica._check import scale as check

ATTEMPTS = 3
"""How often a part is tried again when its process ends without a word."""
PATIENCE = 5.0
"""Seconds without an answer, after which a pool is asked whether it is broken."""


class Engine(Protocol):
    """Works on many things at once."""

    workers: int
    """How many."""
    is_cluster: bool
    """Does what it makes lie on other machines, as far as can be told?"""

    def submit(self, function: Callable[..., tuple[bytes, bytes]], name: str, *arguments: Any) -> Any:
        """Begin something; what comes back stands for it."""

    def wait(self) -> list[tuple[Any, bytes, Any]]:
        """What has ended since: what stood for it, its head, and its body for further functions."""

    def body(self, value: Any) -> bytes:
        """The bytes of a body."""

    def close(self) -> None:
        """Stop, whatever is under way."""


def workers_of(engine: str, workers: int | None, /) -> int:
    """How many parts are worked on at once: as many as there are cores, of this machine or of the cluster."""
    count = check.workers(workers) or os.cpu_count() or 1
    ray = sys.modules.get("ray")
    if engine == "ray" and workers is None and ray is not None and ray.is_initialized():
        return max(count, int(ray.cluster_resources().get("CPU", 0)))
    return count


def engine_of(name: str, workers: int | None, /) -> Engine:
    if name == "ray":
        from vesica.scale.ray import Ray

        return Ray(workers)
    pools: dict[str, Callable[[int], Engine]] = {"threads": Threads, "processes": Processes}
    return pools[name](workers or os.cpu_count() or 1)


class _Pool:
    """A pool of the standard library."""

    is_cluster = False

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._running: dict[Any, tuple[int, Callable[..., Any], str, tuple[Any, ...]]] = {}
        self._count = 0
        self._pool: concurrent.futures.Executor = self._opened(workers)

    def _opened(self, workers: int) -> concurrent.futures.Executor:
        raise NotImplementedError

    def submit(self, function: Callable[..., tuple[bytes, bytes]], name: str, *arguments: Any) -> int:
        self._count += 1
        self._start(self._count, function, name, arguments)
        return self._count

    def _start(self, ticket: int, function: Callable[..., Any], name: str, arguments: tuple[Any, ...]) -> None:
        self._running[self._pool.submit(function, *arguments)] = (ticket, function, name, arguments)

    def wait(self) -> list[tuple[Any, bytes, Any]]:
        done, _ = concurrent.futures.wait(self._running, return_when=concurrent.futures.FIRST_COMPLETED)
        return [(self._running.pop(future)[0], *future.result()) for future in done]

    def body(self, value: Any) -> bytes:
        found: bytes = value
        return found

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


class Threads(_Pool):
    """Threads of this process: kernels let go of the interpreter."""

    def _opened(self, workers: int) -> concurrent.futures.Executor:
        return concurrent.futures.ThreadPoolExecutor(workers)


class Processes(_Pool):
    """Processes of this machine. One that dies takes its pool with it: what was not done is done by the next."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self._breaks = 0
        self._ended: list[tuple[Any, bytes, Any]] = []

    def _opened(self, workers: int) -> concurrent.futures.Executor:
        # Spawned: a process that is forked while other threads run may find their locks taken.
        return concurrent.futures.ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))

    def submit(self, function: Callable[..., tuple[bytes, bytes]], name: str, *arguments: Any) -> int:
        self._count += 1
        self._begin([(self._count, function, name, arguments)])
        return self._count

    def wait(self) -> list[tuple[Any, bytes, Any]]:
        while not self._ended:
            first = concurrent.futures.FIRST_COMPLETED
            done, _ = concurrent.futures.wait(self._running, timeout=PATIENCE, return_when=first)
            broken = self._collected(done)
            if broken or (not done and self._is_broken()):
                self._begin(self._left_over(broken))
        ended, self._ended = self._ended, []
        return ended

    def _begin(self, tasks: list[Any]) -> None:
        while tasks:
            try:
                self._start(*tasks[0])
            except BrokenProcessPool:
                tasks = self._left_over(tasks)
            else:
                tasks = tasks[1:]

    def _is_broken(self) -> bool:
        """What is submitted while a pool breaks may never be told that it did; the next is."""
        try:
            self._pool.submit(int)
        except BrokenProcessPool:
            return True
        return False

    def _collected(self, futures: Iterable[Any]) -> list[Any]:
        """Keep what has ended; the tasks of those that broke."""
        broken = []
        for future in futures:
            task = self._running.pop(future)
            try:
                ended = [(task[0], *future.result())] if future.done() else []
            except (BrokenProcessPool, concurrent.futures.CancelledError):
                ended = []
            self._ended += ended
            broken += [] if ended else [task]
        return broken

    def _left_over(self, broken: list[Any]) -> list[Any]:
        """A new pool, and all that must be begun again there: nothing that was under way in a broken one is done.

        After several that broke, one task after the other is done alone: then it is known who does it.
        """
        self._pool.shutdown(wait=True, cancel_futures=True)  # what has not ended now never will
        tasks = [*broken, *self._collected(list(self._running))]
        self._breaks += 1
        if self._breaks > ATTEMPTS:
            self._ended += [(task[0], *self._alone(task)) for task in tasks]
            self._breaks, tasks = 0, []
        self._pool = self._opened(self.workers)
        return tasks

    def _alone(self, task: Any) -> tuple[bytes, bytes]:
        for _ in range(ATTEMPTS):
            with self._opened(1) as pool:
                try:
                    found: tuple[bytes, bytes] = pool.submit(task[1], *task[3]).result()
                    return found
                except BrokenProcessPool:
                    continue
        raise check.poisonous(task[2], 2 * ATTEMPTS)
