"""Records as bytes: blocks with length and checksum, taken apart and put together for tests that damage them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable

MAGIC = b"VESICA records\n"


def blocks_of(data: bytes) -> list[bytes]:
    blocks, at = [], len(MAGIC)
    while at < len(data):
        length, _ = struct.unpack_from("<QI", data, at)
        blocks.append(data[at + 12 : at + 12 + length])
        at += 12 + length
    return blocks


def bytes_of(blocks: Iterable[bytes]) -> bytes:
    """With checksums that are right."""
    return MAGIC + b"".join(struct.pack("<QI", len(block), zlib.crc32(block)) + block for block in blocks)
