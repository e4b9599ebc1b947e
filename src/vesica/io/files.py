"""One file: its bytes, a name for messages, and what its bytes are."""

from __future__ import annotations

import json
import os
import re
import sys
import zlib
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from vesica.errors import InputError

KINDS = ("npy", "npz", "csv", "json", "png")

_STARTS = {b"\x93NUMPY": "npy", b"PK\x03\x04": "npz", b"PK\x05\x06": "npz", b"\x89PNG": "png"}
_MEMBER = re.compile(r"(.+\.npz):(.+)", re.IGNORECASE)
_GZIP = b"\x1f\x8b"
# Bytes from which on several threads read a file.
_LARGE = 1 << 20
# What a packed file may become: so much in all, and beyond the first megabytes so many times its size.
_MOST_BYTES, _FREE_BYTES, _MOST_RATIO = 16 << 30, 16 << 20, 200
_STEP = 1 << 20


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
        try:
            return json.loads(self.data)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.name} is no JSON: {error}.") from error


def load(path: str | os.PathLike[str], /) -> File:
    """Read one file. `-` is standard input, and `FILE.npz:NAME` is one array of an archive.

    What gzip packed is unpacked.
    """
    path = os.fspath(path)
    if path == "-":
        data = _unpacked(sys.stdin.buffer.read(), "standard input")
        return File("standard input", data, _sniff(data))
    named = _MEMBER.fullmatch(path)
    if named and not os.path.exists(path):
        return File(path, _bytes(named[1]), "npz", named[2])
    kind = os.path.splitext(path.removesuffix(".gz"))[1].lower().lstrip(".")
    data = _unpacked(_bytes(path), path)
    return File(path, data, kind if kind in KINDS else _sniff(data))


def _bytes(path: str) -> bytes:
    """The bytes of a file as they are at one moment: one that changes meanwhile is an error."""
    try:
        with open(path, "rb") as file:
            before = os.fstat(file.fileno())
            data = _all_bytes(file, before.st_size)
            after = os.fstat(file.fileno())
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
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


def _unpacked(data: bytes, name: str) -> bytes:
    """The bytes that gzip packed, if it did."""
    if not data.startswith(_GZIP):
        return data
    import gzip
    import io

    parts, size = [], 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            while part := packed.read(_STEP):
                size += len(part)
                if size > _MOST_BYTES:
                    raise InputError(f"{name} expands to more than {_MOST_BYTES >> 30} GiB.")
                if size > max(_FREE_BYTES, _MOST_RATIO * len(data)):
                    raise InputError(f"{name} expands more than {_MOST_RATIO}:1, as no file of annotations does.")
                parts.append(part)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{name} is packed by gzip, and broken: {error}.") from error
    return b"".join(parts)


def _sniff(data: bytes) -> str:
    start = data[:4096].removeprefix(b"\xef\xbb\xbf")
    for first, kind in _STARTS.items():
        if start.startswith(first):
            return kind
    return "json" if start.lstrip()[:1] in (b"[", b"{") else "csv"
