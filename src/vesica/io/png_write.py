"""PNG files from pixels: grey, colours, or indices into a palette, all of 8 bits. Needs nothing but zlib."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import numpy as np

_GREY, _COLOURS, _PALETTE = 0, 2, 3
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png_of(pixels: np.ndarray, /, *, palette: Sequence[tuple[int, int, int]] | None = None) -> bytes:
    """The bytes of a PNG file of uint8, (H, W) or (H, W, 3); with a palette, (H, W) are places in it."""
    height, width = pixels.shape[:2]
    kind = _COLOURS if pixels.ndim == 3 else _GREY if palette is None else _PALETTE
    rows = np.zeros((height, 1 + pixels[0].size), np.uint8)  # each row begins with its filter, 0 for none
    rows[:, 1:] = pixels.reshape(height, -1)
    chunks = [(b"IHDR", struct.pack(">2I5B", width, height, 8, kind, 0, 0, 0))]
    if palette is not None:
        chunks.append((b"PLTE", bytes(value for colour in palette for value in colour)))
    chunks += [(b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b"")]
    return _SIGNATURE + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
