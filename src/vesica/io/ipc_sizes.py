"""Sizes of Arrow's messages: how many bytes the batches of a file become, told before any of them is unpacked.

pyarrow tells the length of a message as it is packed alone. What is in it stands in a small table in front of it, as
flatbuffers have it: of a batch, the places and lengths of its buffers. A packed buffer begins with its length.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from vesica._check import arrow as check

_HEADER, _BUFFERS, _COMPRESSION, _DATA = 2, 2, 3, 1
"""Fields of a message, of a batch, and of a dictionary, whose values are a batch."""
_AS_IT_IS = -1


def unpacked(content: bytes, start: int, /) -> int:
    """Bytes of all batches of a stream of messages, which begins at `start`."""
    arrow = check.installed("pyarrow", "A file of Arrow")
    source = arrow.BufferReader(memoryview(content)[start:])
    return sum(
        _size(bytes(message.metadata), memoryview(message.body), message.type == "dictionary")
        for message in arrow.ipc.MessageReader.open_stream(source)
        if message.type in ("record batch", "dictionary")
    )


def _size(head: bytes, body: memoryview, is_dictionary: bool) -> int:
    try:
        batch = _table(head, _field(head, _number("<I", head, 0), _HEADER))
        if is_dictionary:
            batch = _table(head, _field(head, batch, _DATA))
        is_packed = bool(_field(head, batch, _COMPRESSION))
        total = 0
        for place, length in _buffers(head, batch):
            told = _number("<q", body, place) if is_packed and length else _AS_IT_IS
            if told < _AS_IT_IS or length < 0:
                raise ValueError(f"a buffer of {told:,} bytes")
            total += length if told == _AS_IT_IS else told
    except struct.error as error:
        raise ValueError(f"a message is broken: {error}") from error
    return total


def _buffers(head: bytes, batch: int) -> Iterator[tuple[int, int]]:
    field = _field(head, batch, _BUFFERS)
    if field:
        first = _table(head, field)
        yield from struct.iter_unpack("<qq", head[first + 4 : first + 4 + 16 * _number("<I", head, first)])


def _field(head: bytes, table: int, number: int) -> int:
    """Where a field of a table stands; 0 if it is not there."""
    names = table - _number("<i", head, table)
    at = 4 + 2 * number
    step = _number("<H", head, names + at) if at < _number("<H", head, names) else 0
    return table + step if step else 0


def _table(head: bytes, field: int) -> int:
    """Where a field points to."""
    return field + _number("<I", head, field)


def _number(form: str, data: Any, place: int) -> int:
    if place < 0:
        raise struct.error("a place before its beginning")
    return int(struct.unpack_from(form, data, place)[0])
