"""One file: its bytes, a name for messages, and what its bytes are."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from vesica.errors import InputError

KINDS = ("npy", "npz", "csv", "json", "png")

_STARTS = {b"\x93NUMPY": "npy", b"PK\x03\x04": "npz", b"PK\x05\x06": "npz", b"\x89PNG": "png"}
_MEMBER = re.compile(r"(.+\.npz):(.+)", re.IGNORECASE)


class File(NamedTuple):
    """What was read, before anybody looks into it."""

    name: str
    data: bytes
    kind: str
    """One of KINDS: by the ending of the name, or else by the first bytes."""
    member: str | None = None
    """Which array of an archive: of `masks.npz:truth` it is `truth`."""

    def json(self) -> Any:
        """The value of a JSON file."""
        try:
            return json.loads(self.data)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.name} is no JSON: {error}.") from error


def load(path: str, /) -> File:
    """Read one file. `-` is standard input, and `FILE.npz:NAME` is one array of an archive."""
    if path == "-":
        data = sys.stdin.buffer.read()
        return File("standard input", data, _sniff(data))
    named = _MEMBER.fullmatch(path)
    if named and not Path(path).exists():
        return File(path, _bytes(named[1]), "npz", named[2])
    data = _bytes(path)
    kind = Path(path).suffix.lower().lstrip(".")
    return File(path, data, kind if kind in KINDS else _sniff(data))


def _bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error


def _sniff(data: bytes) -> str:
    for start, kind in _STARTS.items():
        if data.startswith(start):
            return kind
    return "json" if data.lstrip()[:1] in (b"[", b"{") else "csv"
