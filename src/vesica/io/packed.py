"""gzip: unpacked piece by piece, and never without end."""

from __future__ import annotations

import zlib

from vesica.errors import InputError

LARGEST = 16 << 30
"""No file may unpack to more bytes than this."""
RATIO, FREE = 200, 16 << 20
"""Nor to more than this many times its own size, once it passes FREE bytes."""

_STEP = 1 << 20


def is_packed(data: bytes, /) -> bool:
    return data[:2] == b"\x1f\x8b"


def unpacked(data: bytes, name: str, /, *, most: int | None = None) -> bytes:
    """The bytes in a gzip file, or the first `most` of them."""
    parts: list[bytes] = []
    total, rest = 0, data
    while rest and (most is None or total < most):
        stream = zlib.decompressobj(wbits=31)
        while not stream.eof and (most is None or total < most):
            part = _next(stream, rest, name)
            rest = stream.unconsumed_tail
            if not part and not rest and not stream.eof:
                raise InputError(f"{name} ends in the middle of its gzip data: it was cut.")
            parts.append(part)
            total += len(part)
            _within(total, len(data), name)
        rest = stream.unused_data.lstrip(b"\0") if stream.eof else rest
    return b"".join(parts)


def _next(stream: zlib._Decompress, rest: bytes, name: str) -> bytes:
    try:
        return stream.decompress(rest, _STEP)
    except zlib.error as error:
        raise InputError(f"{name} is no sound gzip file: {error}.") from error


def _within(total: int, packed: int, name: str) -> None:
    if total > LARGEST or (total > FREE and total > RATIO * packed):
        share = total // max(packed, 1)
        raise InputError(
            f"{name} expands {share}:1 (limits: {RATIO}:1 above {FREE >> 20} MiB, {LARGEST >> 30} GiB in all). "
            "If it is sound, unpack it yourself."
        )
