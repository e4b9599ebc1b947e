"""One file: its bytes, a name for messages, and what its bytes are."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import re
import sys
import zlib
from typing import Any, NamedTuple

import numpy as np

from vesica.errors import InputError

KINDS = ("npy", "npz", "csv", "json", "png")

_STARTS = {b"\x93NUMPY": "npy", b"PK\x03\x04": "npz", b"PK\x05\x06": "npz", b"\x89PNG": "png"}
_MEMBER = re.compile(r"(.+\.npz):(.+)", re.IGNORECASE)
_GZIP = b"\x1f\x8b"
# Smaller files are read: a map costs more than it saves.
_MAPPED = 1 << 20
# What a packed file may become: so much in all, and beyond the first megabytes so many times its size.
_MOST_BYTES, _FREE_BYTES, _MOST_RATIO = 16 << 30, 16 << 20, 200
_STEP = 1 << 20


class File(NamedTuple):
    """The bytes of a file, not yet parsed."""

    name: str
    content: bytes | mmap.mmap
    kind: str
    """One of KINDS: by the ending of the name, or else by the first bytes."""
    member: str | None = None
    """Which array of an archive: of `masks.npz:truth` it is `truth`."""

    @property
    def data(self) -> bytes:
        """All bytes."""
        return self.content if isinstance(self.content, bytes) else self.content[:]

    @property
    def view(self) -> np.ndarray:
        """All bytes as an array, not copied."""
        return np.frombuffer(self.content, np.uint8)

    @property
    def is_mapped(self) -> bool:
        """Do the bytes come from the file whenever they are looked at?"""
        return not isinstance(self.content, bytes)

    def json(self) -> Any:
        """The value of a JSON file."""
        try:
            return json.loads(self.data)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.name} is no JSON: {error}.") from error


def load(path: str | os.PathLike[str], /) -> File:
    """Read one file. `-` is standard input, and `FILE.npz:NAME` is one array of an archive.

    What gzip packed is unpacked. Large JSON files are mapped instead of read.
    """
    path = os.fspath(path)
    if path == "-":
        data = _unpacked(sys.stdin.buffer.read(), "standard input")
        return File("standard input", data, _sniff(data))
    named = _MEMBER.fullmatch(path)
    if named and not os.path.exists(path):
        return File(path, _bytes(named[1]), "npz", named[2])
    kind = os.path.splitext(path.removesuffix(".gz"))[1].lower().lstrip(".")
    content = _content(path, kind)
    if isinstance(content, bytes):
        content = _unpacked(content, path)
    return File(path, content, kind if kind in KINDS else _sniff(content))


def _content(path: str, kind: str) -> bytes | mmap.mmap:
    """The bytes of a file, or a map of them."""
    try:
        with open(path, "rb") as file:
            start = file.peek(len(_GZIP))[: len(_GZIP)]
            is_large = os.fstat(file.fileno()).st_size >= _MAPPED
            if is_large and start != _GZIP and kind in ("json", ""):
                with contextlib.suppress(OSError, ValueError):  # not every system maps every file
                    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return file.read()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error


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


def _sniff(data: bytes | mmap.mmap) -> str:
    start = data[:4096].removeprefix(b"\xef\xbb\xbf")
    for first, kind in _STARTS.items():
        if start.startswith(first):
            return kind
    return "json" if start.lstrip()[:1] in (b"[", b"{") else "csv"
