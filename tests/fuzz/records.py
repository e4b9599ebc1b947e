"""Records as bytes: sound ones with bytes changed, and with checksums that are right all the same."""

from __future__ import annotations

import contextlib
import json
import struct
import zlib

import numpy as np

from vesica import InputError, _native
from vesica.detection import Records, merge, records_of, summarise

from .detection import IMAGES, columns_of, dataset, numbers, options_of
from .numbers import EXTREMES, Rng, chance, isa_level, pick

START = struct.calcsize("<QI")


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    every = np.ones(IMAGES, bool)
    truth, guess = (dataset(columns_of(rng, "box", guesses=guesses), every) for guesses in (False, True))
    try:
        sound = records_of(truth, guess, details=chance(rng, 0.5), **options_of(rng, "box")).to_bytes()
    except (ValueError, TypeError):
        return  # no such options
    magic, blocks = _taken_apart(sound)
    data = _changed_block(rng, magic, blocks) if chance(rng, 0.7) else _changed(rng, sound)
    try:
        records = Records.from_bytes(data)
    except InputError:
        return
    assert Records.from_bytes(records.to_bytes()).to_bytes() == records.to_bytes()
    result = summarise(records, threads=int(rng.integers(1, 4)))
    numbers(result)
    if records.details is not None:
        with contextlib.suppress(ValueError):  # a threshold of 0
            result.causes(like=pick(rng, (None, "tidecv"))), result.confusion(), result.objects()
            result.by_size(bins=3)
    assert merge(records).to_bytes() == records.to_bytes()


def _taken_apart(data: bytes) -> tuple[bytes, list[bytes]]:
    """What records begin with, and the blocks behind it: a length, a checksum, and bytes."""
    at = data.index(b"\n") + 1
    magic, blocks = data[:at], []
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        blocks.append(data[at + START : at + START + length])
        at += START + length
    return magic, blocks


def _changed_block(rng: Rng, magic: bytes, blocks: list[bytes]) -> bytes:
    """One block is another; its checksum fits."""
    k = int(rng.integers(len(blocks)))
    blocks[k] = _header(rng, blocks[k]) if k == 0 and chance(rng, 0.7) else _numbers(rng, blocks[k])
    return magic + b"".join(struct.pack("<QI", len(block), zlib.crc32(block)) + block for block in blocks)


def _header(rng: Rng, block: bytes) -> bytes:
    """One value of the header is another."""
    header = json.loads(block)
    place = header
    while isinstance(place, (dict, list)) and place:
        key = pick(rng, list(place) if isinstance(place, dict) else range(len(place)))
        if not isinstance(place[key], (dict, list)) or not place[key] or chance(rng, 0.3):
            place[key] = pick(rng, (None, 0, -1, 1.5, "", "x", [], {}, [[]], True, 2**70, 1e300, *EXTREMES[-3:]))
            break
        place = place[key]
    return json.dumps(header).encode()


def _numbers(rng: Rng, block: bytes) -> bytes:
    """A few words of a column are others, or it has another length."""
    if chance(rng, 0.2):
        return _changed(rng, block)
    column = bytearray(block)
    width = int(pick(rng, (1, 4, 8)))
    for _ in range(int(rng.integers(1, 4))):
        if len(column) >= width:
            at = int(rng.integers(len(column) // width)) * width
            value = pick(rng, (0, 1, -1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), int(rng.integers(0, 50))))
            column[at : at + width] = int(value).to_bytes(9, "little", signed=True)[:width]
    return bytes(column)


def _changed(rng: Rng, data: bytes) -> bytes:
    broken = bytearray(data)
    at = int(rng.integers(len(broken) + 1))
    pick(
        rng,
        (
            lambda: broken.__setitem__(slice(at, at + 1), bytes([int(rng.integers(256))])),
            lambda: broken.__delitem__(slice(at, at + int(rng.integers(1, 30)))),
            lambda: broken.__setitem__(slice(at, at), bytes(rng.integers(0, 256, 9, np.uint8))),
            lambda: broken.__delitem__(slice(at, None)),
        ),
    )()
    return bytes(broken)
