"""Run lengths: any list, any string, any size."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import RleMasks, _native

from . import sound
from .numbers import EXTREMES, STRANGE, Rng, any_size, chance, isa_level, pick


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    size = any_size(rng)
    pixels = _pixels(size)
    counts = [_counts(rng, pixels) for _ in range(int(rng.integers(0, 7)))]
    make = pick(rng, (_plain, _plain, _coco, _arrays))

    found = sound.attempt(lambda: make(counts, size), "`counts`", "size", '"counts"', "Masks must", "`offsets`")
    if found is not None:
        sound.masks(found, rng)


def _pixels(size: Any) -> int:
    """Of the image, where it is one."""
    try:
        height, width = size
        return min(max(0, int(height * width)), 2**60)
    except (TypeError, ValueError):
        return 25


def _plain(counts: list[Any], size: Any) -> RleMasks:
    return RleMasks(counts, size=size)


def _coco(counts: list[Any], size: Any) -> RleMasks:
    return RleMasks.from_coco([{"size": size, "counts": one} for one in counts])


def _arrays(counts: list[Any], size: Any) -> RleMasks:
    lists = [one for one in counts if isinstance(one, list)]
    flat = [number for one in lists for number in one]
    return RleMasks.from_arrays(flat, np.cumsum([0, *map(len, lists)]), size=size)


def _counts(rng: Rng, pixels: int) -> Any:
    kind = rng.random()
    if kind < 0.35:
        return _sound_list(rng, pixels)
    if kind < 0.6:
        return _mutated(rng, RleMasks([_sound_list(rng, pixels)], size=(pixels, 1)).to_strings()[0]) \
            if pixels < 2**30 else _sound_list(rng, pixels)  # fmt: skip
    if kind < 0.7:
        return bytes(rng.integers(48, 112, int(rng.integers(0, 20)), np.uint8))
    if kind < 0.75:
        return _any_text(rng)
    if kind < 0.85:
        return [int(rng.integers(-3, pixels + 3)) for _ in range(int(rng.integers(0, 5)))]
    if kind < 0.93:
        return [int(pick(rng, EXTREMES)) if chance(rng, 0.3) else int(rng.integers(0, 9)) for _ in range(6)]
    return [pick(rng, STRANGE) if chance(rng, 0.3) else 1 for _ in range(3)] if chance(rng, 0.8) else pick(rng, STRANGE)


def _sound_list(rng: Rng, pixels: int) -> list[int]:
    """Counts that fit, with zeros among them and perhaps short."""
    cuts = np.sort(rng.integers(0, pixels + 1, int(rng.integers(0, 12))))
    counts = np.diff(cuts, prepend=0).tolist() + ([pixels - int(cuts[-1])] if cuts.size and chance(rng, 0.5) else [])
    return [0] * (pick(rng, (0, 0, 1, 2, 3))) + counts


def _mutated(rng: Rng, text: bytes) -> Any:
    """A string as it is, cut, longer, or with another character."""
    broken = bytearray(text)
    if broken and chance(rng, 0.3):
        broken[int(rng.integers(len(broken)))] = int(rng.integers(0, 256))
    if chance(rng, 0.2):
        broken = broken[: int(rng.integers(len(broken) + 1))]
    if chance(rng, 0.2):
        broken += bytes(rng.integers(40, 120, 3, np.uint8))
    return pick(rng, (bytes(broken), broken, broken.decode("latin-1")))


def _any_text(rng: Rng) -> Any:
    raw = bytes(rng.integers(0, 256, int(rng.integers(0, 30)), np.uint8))
    return pick(rng, (raw, raw.decode("latin-1"), raw.decode("utf-16", "replace"), "\ud800" + raw.decode("latin-1")))
