"""One file: its bytes, a name for messages, and what its bytes are."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import sys
from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from vesica.errors import InputError
from vesica.io.archives import gunzipped

KINDS = ("npy", "npz", "csv", "json", "png")

_STARTS = {b"\x93NUMPY": "npy", b"PK\x03\x04": "npz", b"PK\x05\x06": "npz", b"\x89PNG": "png"}
_MEMBER = re.compile(r"(.+\.npz):(.+)", re.IGNORECASE)
# Bytes from which on several threads read a file.
_LARGE = 1 << 20
_STEP = 1 << 20
# Python reads no longer whole numbers, unless it is told to.
_MOST_DIGITS = sys.int_info.default_max_str_digits
MOST_OF_A_STREAM = 4 << 30
"""Bytes that are read from a pipe, which has no size and may have no end."""


class File(NamedTuple):
    """The bytes of a file, not yet parsed."""

    name: str
    data: bytes
    kind: str
    """One of KINDS: by the ending of the name, or else by the first bytes."""
    member: str | None = None
    """Which array of an archive: of `masks.npz:truth` it is `truth`."""

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


def load(path: str | os.PathLike[str], /) -> File:
    """Read one file. `-` is standard input, and `FILE.npz:NAME` is one array of an archive.

    What gzip packed is unpacked.
    """
    path = os.fspath(path)
    if path == "-":
        data = gunzipped(_standard_input(), "standard input")
        return File("standard input", data, _sniff(data))
    named = _MEMBER.fullmatch(path)
    if named and not os.path.exists(path):
        return File(path, bytes_at(named[1]), "npz", named[2])
    kind = os.path.splitext(path.removesuffix(".gz"))[1].lower().lstrip(".")
    data = gunzipped(bytes_at(path), path)
    return File(path, data, kind if kind in KINDS else _sniff(data))


def bytes_at(path: str | os.PathLike[str], /) -> bytes:
    """The bytes of a file as they are at one moment: one that changes meanwhile is an error."""
    size = 0
    try:
        with open(path, "rb") as file:
            before = os.fstat(file.fileno())
            size = before.st_size
            if not stat.S_ISREG(before.st_mode):
                return _stream(file, os.fspath(path))
            data = _all_bytes(file, size)
            after = os.fstat(file.fileno())
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    except MemoryError as error:
        raise InputError(f"{path} has {size:,} bytes, more than there is memory for.") from error
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise InputError(
            f"{path} changed while it was read: it had {before.st_size} bytes, and then {after.st_size}. Read it once "
            "it is complete; whoever writes it can write another file and rename that at the end."
        )
    return data


def _all_bytes(file: BinaryIO, size: int) -> bytes:
    if size < _LARGE:
        return file.read()
    from vesica._kernels.native.coco_file import file_bytes

    return file_bytes(file.fileno(), size)


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise InputError("standard input is closed.")
    try:
        return _stream(sys.stdin.buffer, "standard input")
    except OSError as error:
        raise InputError(f"standard input cannot be read: {error.strerror or error}.") from error


def _stream(file: BinaryIO, name: str) -> bytes:
    """All that comes from a pipe or a terminal. A device that never ends is refused at once, a pipe at last."""
    if _is_endless(file):
        raise InputError(f"{name} is a device, which has no end, and no file.")
    read = io.BytesIO()
    while part := file.read(_STEP):
        read.write(part)
        if read.tell() > MOST_OF_A_STREAM:
            raise InputError(f"{name} has more than {MOST_OF_A_STREAM >> 30} GiB. Write it into a file, and read that.")
    return read.getvalue()


def _is_endless(file: BinaryIO) -> bool:
    try:
        found = os.fstat(file.fileno())
    except OSError:
        return False  # no file of the system
    is_device = stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode)
    return is_device and not file.isatty() and found.st_rdev != os.stat(os.devnull).st_rdev


def _sniff(data: bytes) -> str:
    start = data[:4096].removeprefix(b"\xef\xbb\xbf")
    for first, kind in _STARTS.items():
        if start.startswith(first):
            return kind
    return "json" if start.lstrip()[:1] in (b"[", b"{") else "csv"
