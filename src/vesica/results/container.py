"""Containers: a header and columns as bytes, with a version, and a checksum for each block.

magic · block of the header (JSON) · one block for each column
block = length (8 bytes) · CRC-32 (4 bytes) · content, little-endian
"""

from __future__ import annotations

import contextlib
import math
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from vesica._array import objects
from vesica._check import container as check
from vesica.errors import InputError

_BLOCK = struct.Struct("<QI")


class Kind(NamedTuple):
    """What a container holds."""

    noun: str
    """Plural, for messages: "records"."""
    magic: bytes
    version: int


class Content(NamedTuple):
    """What a container held."""

    header: dict[str, Any]
    columns: dict[str, np.ndarray]


def to_bytes(kind: Kind, header: Mapping[str, Any], columns: Mapping[str, np.ndarray], /) -> bytes:
    """Equal bytes for equal content. The header is what JSON can hold; `version` and `columns` are added to it."""
    return b"".join(pieces(kind, header, columns))


def pieces(kind: Kind, header: Mapping[str, Any], columns: Mapping[str, np.ndarray], /) -> Iterator[bytes | memoryview]:
    """The same bytes one after the other, without a second copy of the columns."""
    import json  # late: most results are never written

    listed = [[name, column.dtype.str, list(column.shape)] for name, column in columns.items()]
    whole = {**header, "version": kind.version, "columns": listed}
    yield kind.magic
    yield from _block(json.dumps(whole, sort_keys=True, ensure_ascii=False).encode())
    for column in columns.values():
        yield from _block(np.ascontiguousarray(column).reshape(-1).view(np.uint8).data)


def from_bytes(kind: Kind, data: bytes, /) -> Content:
    """What `to_bytes` was given. Damage, other content and other versions are errors."""
    import json

    check.magic(data, kind.magic, kind.noun)
    blocks = list(_blocks(data, len(kind.magic), kind.noun))
    check.complete(bool(blocks), kind.noun)
    check.header(len(blocks[0]), kind.noun)
    with readable(kind):
        header = json.loads(blocks[0])
        check.version(header["version"], kind.version, kind.noun)
        read = zip(blocks[1:], header["columns"], strict=True)
        columns = {name: np.frombuffer(block, dtype).reshape(shape) for block, (name, dtype, shape) in read}
        check.column_names(columns)
        check.complete(len(columns) == len(blocks) - 1, kind.noun)
        return Content(header, columns)


class Opened(NamedTuple):
    """A container whose last column was not read: where that begins, and how many bytes it has."""

    content: Content
    begin: int
    length: int


def opened(kind: Kind, read: Callable[[int, int], bytes], /) -> Opened:
    """The header and all columns but the last, of `read(begin, count)`: for what is too much to be read at once.

    The caller looks at the checksums of the last column.
    """
    import json

    check.magic(read(0, len(kind.magic)), kind.magic, kind.noun)
    length, at = _sized(kind, read, len(kind.magic))
    check.header(length, kind.noun)
    with readable(kind):
        header = json.loads(_block_of(kind, read, at, length))
        check.version(header["version"], kind.version, kind.noun)
        columns = {}
        for name, dtype, shape in header["columns"][:-1]:
            at += length
            length, at = _sized(kind, read, at)
            columns[name] = np.frombuffer(_block_of(kind, read, at, length), dtype).reshape(shape)
        check.column_names(columns)
        last, at = _sized(kind, read, at + length)
        _, dtype, shape = header["columns"][-1]
        check.complete(last == np.dtype(dtype).itemsize * math.prod(shape), kind.noun)
        return Opened(Content(header, columns), at, last)


def _sized(kind: Kind, read: Callable[[int, int], bytes], at: int) -> tuple[int, int]:
    """The length of a block, and where its content begins."""
    head = read(at, _BLOCK.size)
    check.complete(len(head) == _BLOCK.size, kind.noun)
    return _BLOCK.unpack(head)[0], at + _BLOCK.size


def _block_of(kind: Kind, read: Callable[[int, int], bytes], at: int, length: int) -> bytes:
    _, checksum = _BLOCK.unpack(read(at - _BLOCK.size, _BLOCK.size))
    block = read(at, length)
    check.complete(len(block) == length, kind.noun)
    check.checksum(zlib.crc32(block) == checksum, at, kind.noun)
    return block


@contextlib.contextmanager
def readable(kind: Kind, /) -> Iterator[None]:
    """Whatever is missing or of the wrong kind in here is an error of the file."""
    try:
        yield
    except (KeyError, ValueError, TypeError, IndexError, AttributeError, OverflowError, RecursionError) as error:
        raise InputError(f"These {kind.noun} cannot be read: {error}.") from error


def listed(column: np.ndarray | None, /) -> list[Any] | None:
    """Ids and names as a header holds them."""
    return None if column is None else column.tolist()


def column_of(values: list[Any] | None, /) -> np.ndarray | None:
    """Ids and names from a header: int64 if all are whole numbers, else objects."""
    if values is None:
        return None
    check.listed(values)
    if all(type(value) is int and abs(value) < 2**63 for value in values):
        return np.array(values, np.int64)
    return objects(values)


def _block(content: bytes | memoryview) -> Iterator[bytes | memoryview]:
    yield _BLOCK.pack(len(content), zlib.crc32(content))
    yield content


def _blocks(data: bytes, at: int, noun: str) -> Iterator[bytes]:
    while at < len(data):
        check.complete(at + _BLOCK.size <= len(data), noun)
        length, checksum = _BLOCK.unpack_from(data, at)
        at += _BLOCK.size
        block = data[at : at + length]
        check.complete(len(block) == length, noun)
        check.checksum(zlib.crc32(block) == checksum, at, noun)
        yield block
        at += length
