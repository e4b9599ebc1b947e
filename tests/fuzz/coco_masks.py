"""Masks of files: any bytes as a segmentation, any size, any box."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from vesica import _native
from vesica._check.coco_masks import bad_segment
from vesica._kernels.native import coco_masks as native
from vesica.dataset import CocoMasks

from .numbers import EXTREMES, Rng, chance, isa_level, pick

SIZES = ((0, 0), (1, 1), (5, 5), (64, 65), (480, 640), (30_000, 3), (-1, 5), (2**31, 2), (2**62, 4), (0, 7))
TOKENS = (b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b'"size"', b'"counts"', b"null", b"NaN", b"-Infinity", b" ",
          b"1", b"-0", b"1e5", b"1e400", b"0.5", b"\\u0031", b"\\\\", b"\x00", b"\xff", b"713", b"o" * 9)  # fmt: skip


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    guesses, truths = (_column(rng, int(rng.integers(0, 7))) for _ in range(2))
    literal, threads = chance(rng, 0.5), int(rng.integers(1, 4))

    rows = np.arange(len(guesses[1]))
    found = native.decode(guesses, rows, literal=literal, threads=threads)
    _sound(found, guesses)
    measured = native.areas(guesses, rows, literal=literal, threads=threads)
    assert all(np.array_equal(a, b) for a, b in zip(measured, found.measured, strict=True))

    crowd = rng.random(len(truths[1])) < 0.3 if chance(rng, 0.5) else None
    boundary = chance(rng, 0.5) and bool(max(guesses[4].max(initial=0), truths[4].max(initial=0)) < 2**16)
    every, fault = native.iou(guesses, truths, crowd, boundary=boundary, literal=literal)
    assert fault is None or "row" in str(bad_segment(fault, "guess.json"))
    assert np.all(np.isin(every, -1) | ((every >= 0) & (every <= 1)))
    assert not (every < 0).any() or literal
    floor = pick(rng, (0.1, 0.5, 1.0))
    some, other = native.iou(guesses, truths, crowd, floor=floor, boundary=boundary, literal=literal)
    assert np.array_equal(some, np.where(every >= floor, every, 0)) and other == fault


def _sound(found: native.Decoded, column: native.Column) -> None:
    """Counts are canonical, and areas and boxes those of the counts."""
    for k in range(len(column[1])):
        counts = found.counts[found.offsets[k] : found.offsets[k + 1]]
        x1, y1, x2, y2 = found.boxes[k].tolist()
        if found.measured.kind[k]:
            assert len(counts) == 0 and found.measured.area[k] == 0 and [x1, y1, x2, y2] == [0, 0, 0, 0]
            continue
        height, width = found.sizes[k].tolist()
        assert counts.sum() == height * width and np.all(counts[1:] > 0) and counts[0] >= 0
        assert found.measured.area[k] == counts[1::2].sum()
        assert 0 <= x1 <= x2 <= width and 0 <= y1 <= y2 <= height
        assert (found.measured.area[k] > 0) == (x2 > x1) == (y2 > y1)
        assert found.measured.area[k] <= (x2 - x1) * (y2 - y1)


def _column(rng: Rng, count: int) -> native.Column:
    size = pick(rng, SIZES)
    texts, forms = [], []
    for _ in range(count):
        form, text = _text(rng, size if min(size) > 0 and max(size) < 10**6 else (5, 5))
        texts.append(text), forms.append(form)
    ends = np.cumsum([0, *map(len, texts)])
    sizes = np.array([size if chance(rng, 0.9) else pick(rng, SIZES) for _ in range(count)], np.int64).reshape(-1, 2)
    xywh = None
    if chance(rng, 0.4):
        xywh = rng.normal(3, pick(rng, (3.0, 300.0)), (count, 4))
        xywh[rng.random((count, 4)) < 0.03] = pick(rng, (np.nan, np.inf, -1e300, 2.0**41))
    text = np.frombuffer(b"".join(texts), np.uint8)
    return native.column(text, ends[:-1], ends[1:], np.array(forms, np.uint8), sizes, xywh)


def _text(rng: Rng, size: tuple[int, int]) -> tuple[int, bytes]:
    kind = rng.random()
    if kind < 0.1:
        return CocoMasks.NONE, b""
    if kind < 0.25:
        return CocoMasks.COUNTS, bytes(rng.integers(44, 114, int(rng.integers(0, 150)), np.uint8))
    if kind < 0.35:
        return int(rng.integers(0, 256)), bytes(rng.integers(0, 256, int(rng.integers(0, 40)), np.uint8))
    if kind < 0.5:
        return CocoMasks.JSON, b"".join(pick(rng, TOKENS) for _ in range(int(rng.integers(0, 25))))
    text = bytearray(json.dumps(_value(rng, size)).encode())
    if text and chance(rng, 0.3):
        text[int(rng.integers(len(text)))] = int(rng.integers(0, 256))
    if chance(rng, 0.1):
        text = text[: int(rng.integers(len(text) + 1))]
    return CocoMasks.JSON, bytes(text)


def _value(rng: Rng, size: tuple[int, int]) -> Any:
    height, width = size
    if chance(rng, 0.5):
        scale = pick(rng, (1.0, 1.0, 30.0, 1e13))
        parts = [
            rng.uniform(-0.3 * scale, 1.3 * scale, (int(rng.integers(0, 9)), 2)) * [width, height] for _ in range(3)
        ]
        flat = [np.round(part, int(pick(rng, (0, 2, 9)))).ravel().tolist() for part in parts[: int(rng.integers(0, 4))]]
        if flat and chance(rng, 0.1):
            flat[0] = flat[0][:-1]
        return flat
    pixels = height * width
    cuts = np.sort(rng.integers(0, pixels + 1, int(rng.integers(0, 30))))
    counts = np.diff(cuts, prepend=0).tolist()
    if chance(rng, 0.6):
        counts.append(pixels - sum(counts))
    if counts and chance(rng, 0.15):
        counts[int(rng.integers(len(counts)))] = int(pick(rng, (*EXTREMES, 0, 1, pixels)))
    if chance(rng, 0.5):
        from vesica import RleMasks

        try:
            return {"counts": RleMasks([counts], size=size).to_strings()[0].decode(), "size": [height, width]}
        except ValueError:
            pass
    return {"size": [height, width], "counts": counts}
