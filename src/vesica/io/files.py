"""One file: its bytes, a name for messages, and what its bytes are."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import FileIO
from typing import Any, BinaryIO

import numpy as np

from vesica.errors import InputError

KINDS = ("npy", "npz", "csv", "json", "png")
GZIP = b"\x1f\x8b"
"""What a file begins with that gzip packed."""

_MEMBER = r"(.+\.npz):(.+)"
_STARTS = {b"\x93NUMPY": "npy", b"PK\x03\x04": "npz", b"PK\x05\x06": "npz", b"\x89PNG": "png"}
# Bytes from which on several threads read a file, and from which on it may be read in pieces.
_LARGE = 1 << 20
_STEP = 1 << 20
# Bytes that tell what a file is.
_HEAD = 4096
# Python reads no longer whole numbers, unless it is told to.
_MOST_DIGITS = sys.int_info.default_max_str_digits
MOST_OF_A_STREAM = 4 << 30
"""Bytes that are read from a pipe, which has no size and may have no end."""


class OpenFile:
    """A file that is open as long as this lives, to be read piece by piece.

    What is read must be the file of one moment: the one at which it was opened. One that changes is an error.
    """

    def __init__(self, path: str) -> None:
        self._file, self._path = FileIO(path), path
        found = os.fstat(self._file.fileno())
        self._is_regular, self._stamp = stat.S_ISREG(found.st_mode), _stamp(found)

    def __del__(self) -> None:
        if hasattr(self, "_file"):  # it could be opened
            self._file.close()

    @property
    def size(self) -> int:
        return self._stamp[0]

    @property
    def is_regular(self) -> bool:
        """Can it be read at any place? A pipe cannot."""
        return self._is_regular

    @contextmanager
    def reading(self) -> Iterator[int]:
        """Its descriptor, for whoever reads it inside. What goes wrong there, and a change, become InputError."""
        is_whole = True
        try:
            yield self._file.fileno()
        except EOFError:
            is_whole = False
        except MemoryError as error:
            raise InputError(f"{self._path} has {self.size:,} bytes, more than there is memory for.") from error
        except OSError as error:
            raise _unreadable(self._path, error) from error
        now = _stamp(os.fstat(self._file.fileno()))
        if not is_whole or now != self._stamp:
            raise InputError(
                f"{self._path} changed while it was read: it had {self.size} bytes, and then {now[0]}. Read it once "
                "it is complete; whoever writes it can write another file and rename that at the end."
            )

    def head(self, count: int) -> bytes:
        """The first bytes, so many at most."""
        with self.reading():
            self._file.seek(0)
            return self._file.read(count)

    @cached_property
    def data(self) -> bytes:
        """All bytes."""
        if self._is_regular:
            with self.reading() as number:
                return self._all_bytes(number)
        try:
            return _stream(self._file, self._path)
        except OSError as error:
            raise _unreadable(self._path, error) from error

    def _all_bytes(self, number: int) -> bytes:
        if self.size < _LARGE:
            self._file.seek(0)
            return self._file.readall()
        from vesica._kernels.native.coco_file import file_bytes

        return file_bytes(number, self.size)


def _stamp(found: os.stat_result) -> tuple[int, int]:
    return found.st_size, found.st_mtime_ns


def _unreadable(path: str, error: OSError) -> InputError:
    return InputError(f"{path} cannot be read: {error.strerror or error}.")


@dataclass(frozen=True)
class File:
    """The bytes of a file, not yet parsed."""

    name: str
    content: bytes | OpenFile
    kind: str
    """One of KINDS: by the ending of the name, or else by the first bytes."""
    member: str | None = None
    """Which array of an archive: of `masks.npz:truth` it is `truth`."""

    @property
    def data(self) -> bytes:
        """All bytes."""
        return self.content if isinstance(self.content, bytes) else self.content.data

    def head(self, count: int) -> bytes:
        """The first bytes, so many at most."""
        return self.content[:count] if isinstance(self.content, bytes) else self.content.head(count)

    @property
    def view(self) -> np.ndarray:
        """All bytes as an array, not copied."""
        return np.frombuffer(self.data, np.uint8)

    def json(self) -> Any:
        """The value of a JSON file."""
        return json_of(self.data, self.name)


def json_of(text: str | bytes, name: str, /, *, objects: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """The value of a JSON text. `objects` makes something else than a dict of the pairs of an object."""
    try:
        return json.loads(text, object_pairs_hook=objects)
    except json.JSONDecodeError as error:
        raise InputError(f"{name} is no JSON: {error}.") from error
    except RecursionError as error:
        raise InputError(f"{name} is no JSON that is read here: it is nested too deeply.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is no JSON: byte {error.start} is not {error.encoding.upper()}.") from error
    except ValueError as error:
        raise InputError(
            f"{name} is no JSON that is read here: a whole number has more than {_MOST_DIGITS:,} digits."
        ) from error


def load(path: str | os.PathLike[str], /, *, in_pieces: bool = False) -> File:
    """Read one file. `-` is standard input, and `FILE.npz:NAME` is one array of an archive.

    What gzip packed is unpacked. `in_pieces` leaves the bytes of a large file of JSON where they are: its reader takes
    them piece by piece, and all of them together take no memory.
    """
    path = os.fspath(path)
    if path == "-":
        data = _unpacked(_standard_input(), "standard input")
        return File("standard input", data, _sniff(data))
    # Looked for plainly first: few paths need the pattern, which takes longer to compile than a small file to read.
    named = re.fullmatch(_MEMBER, path, re.IGNORECASE) if ".npz:" in path.lower() else None
    if named and not os.path.exists(path):
        return File(path, bytes_at(named[1]), "npz", named[2])
    kind = os.path.splitext(path.removesuffix(".gz"))[1].lower().lstrip(".")
    file = _opened(path)
    if in_pieces and file.size >= _LARGE:
        head = file.head(_HEAD)
        if not head.startswith(GZIP) and (kind if kind in KINDS else _sniff(head)) == "json":
            return File(path, file, "json")
    data = _unpacked(file.data, path)
    return File(path, data, kind if kind in KINDS else _sniff(data))


def _unpacked(data: bytes, name: str) -> bytes:
    """What gzip packed, if it did."""
    if not data.startswith(GZIP):
        return data
    from vesica.io.archives import gunzipped  # late: most files are not packed, and zipfile takes long to load

    return gunzipped(data, name)


def bytes_at(path: str | os.PathLike[str], /) -> bytes:
    """The bytes of a file as they are at one moment: one that changes meanwhile is an error."""
    return _opened(os.fspath(path)).data


def _opened(path: str) -> OpenFile:
    try:
        return OpenFile(path)
    except OSError as error:
        raise _unreadable(path, error) from error


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise InputError("standard input is closed.")
    try:
        return _stream(sys.stdin.buffer, "standard input")
    except OSError as error:
        raise InputError(f"standard input cannot be read: {error.strerror or error}.") from error


def _stream(file: BinaryIO | FileIO, name: str) -> bytes:
    """All that comes from a pipe or a terminal. A device that never ends is refused at once, a pipe at last."""
    if _is_endless(file):
        raise InputError(f"{name} is a device, which has no end, and no file.")
    read = io.BytesIO()
    while part := file.read(_STEP):
        read.write(part)
        if read.tell() > MOST_OF_A_STREAM:
            raise InputError(f"{name} has more than {MOST_OF_A_STREAM >> 30} GiB. Write it into a file, and read that.")
    return read.getvalue()


def _is_endless(file: BinaryIO | FileIO) -> bool:
    try:
        found = os.fstat(file.fileno())
    except OSError:
        return False  # no file of the system
    is_device = stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode)
    return is_device and not file.isatty() and found.st_rdev != os.stat(os.devnull).st_rdev


def _sniff(data: bytes) -> str:
    start = data[:_HEAD].removeprefix(b"\xef\xbb\xbf")
    for first, kind in _STARTS.items():
        if start.startswith(first):
            return kind
    return "json" if start.lstrip()[:1] in (b"[", b"{") else "csv"
