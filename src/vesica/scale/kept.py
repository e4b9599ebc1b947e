"""Finished parts in a folder: what is there is not worked on again, and takes no memory.

A folder that lasts, a checkpoint, says in a file of its own what is worked on; a folder for one run goes with it.
Files appear whole or not at all, so that a process may be killed at any moment. A file of the input that was changed
since its part was finished is an error.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from vesica._check import checkpoints as check
from vesica.errors import InputError
from vesica.io import atomic
from vesica.results import container
from vesica.scale.parts import Part

PARTS = container.Kind("finished parts", b"VESICA finished parts\n", version=1)
PLAN = container.Kind("checkpoints", b"VESICA checkpoint\n", version=1)
PLAN_NAME, ENDING = "plan.vesica", ".parts"

TOGETHER = 8 << 20
"""Bytes of small parts that go into one file."""
SECONDS = 1.0
"""How long a finished part of a checkpoint may wait for others before it is written."""


class Head(NamedTuple):
    """What there is to know of a part at once."""

    part: int
    images: list[Any]
    rows: int
    files: list[list[Any]]
    """Path, size and time of change of what it was made of."""


class Keeper(Protocol):
    """Takes parts as they are finished."""

    earlier: list[Head]
    """Of parts that were there before: their images are looked at once."""
    lasting: bool

    def add(self, head: Head, body: bytes, merge: Callable[[list[bytes]], bytes], /) -> None:
        """Keep a part; small ones wait for others, and are merged with them."""

    def write(self, merge: Callable[[list[bytes]], bytes], /) -> None:
        """Write what waits, as one."""

    def bodies(self) -> Iterator[bytes]:
        """What was kept."""


class Kept:
    """Finished parts, in files of some parts each."""

    def __init__(self, folder: Path, name: str, *, lasting: bool) -> None:
        self.folder, self.name, self.lasting = folder, name, lasting
        self.files: list[Path] = []
        self.earlier: list[Head] = []
        """Of parts that were there before: their images are looked at once."""
        self._waiting: list[tuple[Head, bytes]] = []
        self._written = time.monotonic()
        for path in sorted(folder.glob(f"*{ENDING}")):
            self._remember(path)

    def _remember(self, path: Path) -> None:
        """What an earlier process finished."""
        with _of_file(path):
            header = container.opened(PARTS, reader(path)).content.header
            with container.readable(PARTS):
                check.same_plan(header["plan"], self.name)
                heads = [Head(**head) for head in header["heads"]]
        check.not_twice(path, {head.part for head in heads} & {head.part for head in self.earlier})
        for told in {tuple(told) for head in heads for told in head.files}:
            check.unchanged(self.folder, list(told), _told(told[0]))
        self.files.append(path)
        self.earlier += heads

    def add(self, head: Head, body: bytes, merge: Callable[[list[bytes]], bytes], /) -> None:
        """Keep a part; small ones wait for others."""
        self._waiting.append((head, body))
        size = sum(len(one) for _, one in self._waiting)
        if size >= TOGETHER or (self.lasting and time.monotonic() - self._written >= SECONDS):
            self.write(merge)

    def write(self, merge: Callable[[list[bytes]], bytes], /) -> None:
        """Write what waits, as one."""
        if not self._waiting:
            return
        heads = [head for head, _ in self._waiting]
        bodies = [body for _, body in self._waiting]
        body = bodies[0] if len(bodies) == 1 else merge(bodies)
        last = max((int(one.stem) for one in self.files if one.stem.isdecimal()), default=0)
        path = self.folder / f"{last + 1:06d}{ENDING}"
        header = {"plan": self.name, "heads": [head._asdict() for head in heads]}
        with atomic.file(path, lasting=self.lasting) as out:
            for piece in container.pieces(PARTS, header, {"body": np.frombuffer(body, np.uint8)}):
                out.write(piece)
        self._waiting, self._written = [], time.monotonic()
        self.files.append(path)

    def bodies(self) -> Iterator[bytes]:
        """The records of all files."""
        for path in self.files:
            with _of_file(path):
                yield container.from_bytes(PARTS, path.read_bytes()).columns["body"].tobytes()


@contextlib.contextmanager
def checkpoint(folder: str | os.PathLike[str], plan: Mapping[str, Any], /) -> Iterator[Kept]:
    """Parts in a folder that lasts. One of another plan, of other files or of another version is an error."""
    place = Path(folder)
    check.is_folder(place)
    with atomic.alone(place):
        path = place / PLAN_NAME
        if path.exists():
            with _of_file(path), container.readable(PLAN):
                found = container.from_bytes(PLAN, path.read_bytes()).header["plan"]
            check.same(place, found, plan)
        else:
            check.is_empty(place, [entry.name for entry in os.scandir(place)])
            with atomic.file(path) as out:
                out.write(container.to_bytes(PLAN, {"plan": plan}, {}))
        name = hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()
        yield Kept(place, name, lasting=True)


def lasting(
    folder: str | os.PathLike[str] | None, kind: str, parts: Sequence[Part], options: Mapping[str, Any], /
) -> contextlib.AbstractContextManager[Kept | None]:
    """The checkpoint of a run, if one is asked for."""
    return contextlib.nullcontext() if folder is None else checkpoint(folder, plan_of(kind, parts, options))


@contextlib.contextmanager
def scratch(folder: str | os.PathLike[str] | None, /) -> Iterator[Kept]:
    """Parts in a folder of their own, in this one or where the system has room; it goes with the run."""
    if folder is not None:
        check.is_there(Path(folder))
    with tempfile.TemporaryDirectory(prefix="vesica-", dir=folder, ignore_cleanup_errors=True) as place:
        yield Kept(Path(place), "", lasting=False)


def plan_of(kind: str, parts: Sequence[Part], options: Mapping[str, Any], /) -> dict[str, Any]:
    """What is worked on, as plain values: equal plans have equal records."""
    from vesica import __version__

    return {
        "version": __version__,
        "kind": kind,
        "options": {key: check.plain(value, key) for key, value in options.items() if key != "threads"},
        "parts": [{key: check.plain(value, key) for key, value in part.items()} for part in parts],
    }


def files_of_part(part: Part, /) -> list[list[Any]]:
    """Path, size and time of change of its files. One that is not there is told so when it is read."""
    given = [part[key] for key in ("table", "file", "truth", "guess") if key in part]
    return [_told(path) for one in given for path in ([one] if isinstance(one, str) else one)]


def _told(path: str) -> list[Any]:
    try:
        told = os.stat(path)
    except OSError:
        return [path, None, None]
    return [path, told.st_size, told.st_mtime_ns]


def reader(path: Path, /) -> Callable[[int, int], bytes]:
    """What gives so many bytes of a file, from one on; fewer at its end."""

    def read(begin: int, count: int) -> bytes:
        try:
            with open(path, "rb") as file:
                file.seek(begin)
                return file.read(count)
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error

    return read


def body_of(path: Path, /) -> Callable[[int, int], bytes]:
    """The same of the records in a file of finished parts."""
    read = reader(path)
    with _of_file(path):
        begin = container.opened(PARTS, read).begin
    return lambda first, count: read(begin + first, count)


@contextlib.contextmanager
def _of_file(path: Path) -> Iterator[None]:
    """Errors name the file."""
    try:
        yield
    except InputError as error:
        if str(path) in str(error):
            raise
        raise check.unusable(path, str(error)) from error
