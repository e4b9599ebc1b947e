"""Brush masks of Label Studio: a bit stream of run lengths over the four channels of a picture, row by row.

A stream is 32 bits with the number of values, 5 with the bits of a value less one, four times 4 with the bits of a
length less one. Then come blocks: 1 bit (one value repeated, or each by itself), 2 bits that choose among the four
sizes, the length less one in so many bits, and the value or values. A pixel belongs if the last of its four values,
its opacity, is not 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica.errors import InputError
from vesica.io.marks import MOST_PIXELS

_CHANNELS = 4
_SIZES = (4, 8, 12, 16)
"""Bits of lengths, as they are written here."""


def mask_of(packed: Any, size: tuple[int, int], place: str, /) -> np.ndarray:
    """The mask of a list of bytes, (height, width) bool."""
    height, width = size
    if height * width > MOST_PIXELS:
        raise InputError(f"{place}: a brush mask may have {MOST_PIXELS:,} pixels; the image has {height * width:,}.")
    try:
        data = bytes(packed if isinstance(packed, list) else [-1])  # bytes(10**12) would be so many
    except (TypeError, ValueError):
        raise InputError(f"{place}: `rle` must be a list of numbers from 0 to 255.") from None
    stream = _Bits(data, place)
    count, word = stream.read(32), stream.read(5) + 1
    sizes = [stream.read(4) + 1 for _ in range(4)]
    if count != _CHANNELS * height * width:
        raise InputError(
            f"{place}: `rle` has {count:,} values; an image of {height}×{width} pixels has {_CHANNELS} for each."
        )
    flat, at = np.zeros(height * width, bool), 0
    while at < count:
        is_repeated = stream.read(1)
        end = at + stream.read(sizes[stream.read(2)]) + 1
        if end > count:
            raise InputError(f"{place}: `rle` has a run that ends behind the last pixel.")
        # Value k is the opacity of a pixel if k % 4 is 3.
        if is_repeated:
            flat[at // _CHANNELS : end // _CHANNELS] = stream.read(word) != 0
        else:
            flat[at // _CHANNELS : end // _CHANNELS] = stream.are_set(end - at, word)[(3 - at) % _CHANNELS :: _CHANNELS]
        at = end
    return flat.reshape(height, width)


class _Bits:
    """Bits from the first to the last, the highest of each byte first."""

    def __init__(self, data: bytes, place: str) -> None:
        self._data, self._place, self._at = data, place, 0
        self._bits = np.unpackbits(np.frombuffer(data, np.uint8))

    def read(self, count: int) -> int:
        """A number of so many bits."""
        begin, end = self._at, self._moved(count)
        part = int.from_bytes(self._data[begin >> 3 : (end + 7) >> 3], "big")
        return part >> (-end & 7) & (1 << count) - 1

    def are_set(self, count: int, word: int) -> np.ndarray:
        """Of so many numbers: which are not 0."""
        begin, end = self._at, self._moved(count * word)
        return np.asarray(self._bits[begin:end].reshape(count, word).any(axis=1))

    def _moved(self, count: int) -> int:
        self._at += count
        if self._at > len(self._bits):
            raise InputError(f"{self._place}: `rle` ends before the mask does.")
        return self._at


def packed(mask: np.ndarray, /) -> list[int]:
    """The list of bytes of a mask: all four values of a pixel are 255 or 0."""
    flat = mask.reshape(-1)
    edges = np.flatnonzero(np.diff(flat)) + 1
    begins = np.concatenate([[0], edges, [len(flat)]]) * _CHANNELS
    words = [format(_CHANNELS * len(flat), "032b"), format(7, "05b"), *(format(bits - 1, "04b") for bits in _SIZES)]
    longest = 1 << _SIZES[-1]
    for k, length in enumerate(np.diff(begins).tolist()):
        value = format(255 if flat[begins[k] // _CHANNELS] else 0, "08b")
        for part in [longest] * (length // longest) + [length % longest][: length % longest]:
            words.append(_block(part, value))
    text = "".join(words)
    text += "0" * (-len(text) % 8)
    return list(int(text, 2).to_bytes(len(text) // 8, "big"))


def _block(length: int, value: str) -> str:
    """One value, repeated."""
    choice = next(k for k, bits in enumerate(_SIZES) if length <= 1 << bits)
    return f"1{choice:02b}{length - 1:0{_SIZES[choice]}b}{value}"
