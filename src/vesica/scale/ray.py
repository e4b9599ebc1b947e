"""The engine of Ray: workers of a cluster, which may lose a worker, or be started anew, in the middle."""

from __future__ import annotations

import contextlib
import importlib
import os
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from vesica._check import scale as check
from vesica.scale.engines import ATTEMPTS

PATIENCE = 2.0
"""Seconds without news after which it is asked whether the cluster is still there."""

GROWTH = 20.0
"""Seconds after which it is asked again how large the cluster is: the question is a task, which may need a process."""

AHEAD = 16
"""Tasks that are given to Ray at least, where no number of workers is: a cluster that grows does so when tasks wait."""


class Task(NamedTuple):
    """What is done: enough to do it again."""

    function: Callable[..., tuple[bytes, bytes]]
    name: str
    arguments: tuple[Any, ...]


class Body(NamedTuple):
    """Stands for the body of a task, which lies in the cluster."""

    ticket: int


class Ray:
    """Workers of a cluster of Ray; one of this machine is started where none was reached.

    A worker that dies is Ray's to replace. A head that dies takes everything with it that lies in the cluster, and Ray
    waits for ever: then the connection is made anew, and what was lost is done again. Every task is a function of its
    arguments alone, so nothing comes out otherwise. A connection that somebody else made is left to them: an error says
    so.
    """

    is_cluster = True

    def __init__(self, workers: int | None) -> None:
        try:
            self._ray: Any = importlib.import_module("ray")
        except ImportError as error:
            raise check.no_ray(error) from error
        self._workers = workers
        """None: as many as the cluster has room for."""
        self._is_ours = not self._ray.is_initialized()
        if self._is_ours:
            self._connect()
        self.workers = workers or processors()
        self._raylet = self._raylet_of_this_process()
        self._losses = self._count = 0
        self._tasks: dict[int, Task] = {}
        self._waiting: deque[int] = deque()
        self._running: dict[Any, int] = {}
        """Tickets by what stands for heads."""
        self._bodies: dict[int, Any] = {}
        """What stands for bodies that lie in the cluster."""
        self._remote: dict[Any, Any] = {}
        self._question: Any = None
        """What stands for the size of the cluster, where it was asked."""
        self._asked = time.monotonic()

    def _connect(self) -> None:
        self._ray.init(
            num_cpus=None if os.environ.get("RAY_ADDRESS") else self._workers or os.cpu_count(),
            include_dashboard=False,
            log_to_driver=False,
            logging_level="error",
        )

    def submit(self, function: Callable[..., tuple[bytes, bytes]], name: str, *arguments: Any) -> int:
        self._count += 1
        self._tasks[self._count] = Task(function, name, arguments)
        self._waiting.append(self._count)
        with self._restored():
            self._begin()
        return self._count

    def wait(self) -> list[tuple[Any, bytes, Any]]:
        found: list[tuple[Any, bytes, Any]] = []
        while not found:
            with self._restored():
                self._begin()
                done, _ = self._ray.wait(list(self._running), num_returns=1, timeout=PATIENCE)
                if not done:
                    self._look()
                    self._grow()
                for head in done:
                    ticket = self._running[head]
                    content = self._got(head, self._tasks[ticket].name)
                    del self._running[head]
                    self._release(ticket)
                    found.append((ticket, content, Body(ticket)))
        return found

    def body(self, value: Any) -> bytes:
        """Bytes of a body; it is not needed again."""
        while True:
            with self._restored():
                found: bytes = self._got(self._body(value.ticket), self._tasks[value.ticket].name)
                del self._tasks[value.ticket], self._bodies[value.ticket]
                return found

    def close(self) -> None:
        """Give up what waits and whatever is not fetched; what is under way ends with a connection of ours.

        Elsewhere it is left to end: `ray.cancel` of a task that is just then begun or done ends this process (a check
        of Ray's own, seen in 2.60), and few tasks are under way at any time.
        """
        self._waiting.clear()
        self._running, self._bodies = {}, {}
        if self._is_ours:
            self._ray.shutdown()

    def _begin(self) -> None:
        room = self._workers or max(AHEAD, 2 * self.workers)  # no worker waits for its next task
        while self._waiting and len(self._running) < room:
            self._running[self._launched(self._waiting[0])] = self._waiting[0]
            self._waiting.popleft()

    def _launched(self, ticket: int) -> Any:
        """Begin a task; what stands for its head."""
        function, _, arguments = self._tasks[ticket]
        given = [self._body(one.ticket) if isinstance(one, Body) else one for one in arguments]
        if function not in self._remote:
            self._remote[function] = self._ray.remote(num_returns=2, max_retries=ATTEMPTS)(function)
        head, self._bodies[ticket] = self._remote[function].remote(*given)
        return head

    def _body(self, ticket: int) -> Any:
        """What stands for a body; one that was lost is made again."""
        if ticket not in self._bodies:
            self._launched(ticket)
        return self._bodies[ticket]

    def _release(self, ticket: int) -> None:
        """What a finished task was made of need not lie in the cluster; should its own body be lost, it comes again."""
        for one in self._tasks[ticket].arguments:
            if isinstance(one, Body):
                self._bodies.pop(one.ticket, None)

    def _got(self, reference: Any, name: str) -> Any:
        while True:
            try:
                return self._ray.get(reference, timeout=PATIENCE)
            except self._ray.exceptions.GetTimeoutError:
                self._look()
            except (self._ray.exceptions.WorkerCrashedError, self._ray.exceptions.OutOfMemoryError) as error:
                self._look()
                raise check.poisonous(name, ATTEMPTS + 1) from error
            except self._ray.exceptions.RayTaskError as error:
                raise error.cause if isinstance(error.cause, Exception) else error from None

    # The head of the cluster.

    def _raylet_of_this_process(self) -> str | None:
        """The socket of the node that this process is connected to; None where it cannot be reached from here."""
        if not hasattr(socket, "AF_UNIX"):
            return None
        own = self._ray.get_runtime_context().get_node_id()
        name = next((node.get("RayletSocketName") for node in self._ray.nodes() if node["NodeID"] == own), None)
        return name if name and _answers(name) else None

    def _is_there(self) -> bool:
        # Not by a question to Ray: where the head is another one, it ends the process that asks.
        return self._raylet is None or _answers(self._raylet)

    def _look(self) -> None:
        if not self._is_there():
            raise _Lost

    def _grow(self) -> None:
        """A cluster may be larger than it was. A worker asks: Ray ends who asks the head while it is replaced."""
        if self._workers is not None:
            return
        if self._question is None:
            if time.monotonic() - self._asked >= GROWTH:
                self._asked = time.monotonic()
                self._question = self._ray.remote(num_cpus=0, max_retries=0)(processors).remote()
        elif self._ray.wait([self._question], timeout=0)[0]:
            question, self._question = self._question, None
            with contextlib.suppress(self._ray.exceptions.RayError):  # it is asked again
                self.workers = max(self.workers, self._ray.get(question))

    @contextlib.contextmanager
    def _restored(self) -> Iterator[None]:
        """Where the cluster is gone meanwhile, connect again and begin again what was under way."""
        try:
            yield
        except Exception as error:
            if not isinstance(error, (_Lost, self._ray.exceptions.RayError, OSError)) or self._is_there():
                raise
            self._losses += 1
            if not self._is_ours or self._losses > ATTEMPTS:
                raise check.cluster_gone(self._is_ours, self._losses) from error
            self._connect_again()

    def _connect_again(self) -> None:
        self._waiting.extendleft(sorted(self._running.values(), reverse=True))
        self._running, self._bodies, self._remote, self._question = {}, {}, {}, None
        self._ray.shutdown()
        try:
            self._connect()
        except (ConnectionError, RuntimeError, TimeoutError) as error:
            raise check.cluster_gone(True, self._losses) from error
        self._raylet = self._raylet_of_this_process()


def processors() -> int:
    """How many the cluster has that this process is connected to."""
    return max(1, int(importlib.import_module("ray").cluster_resources().get("CPU", 1)))


class _Lost(Exception):
    """The cluster is gone."""


def _answers(name: str) -> bool:
    """Does a process listen at this socket?"""
    with socket.socket(socket.AF_UNIX) as end:
        try:
            end.connect(name)
        except OSError:
            return False
        return True
