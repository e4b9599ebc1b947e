"""Which image is in which part: twelve bytes an image where ids are integers, for there may be many millions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np


class _Level(NamedTuple):
    """Ids of many parts, rising, and the part of each."""

    ids: np.ndarray
    parts: np.ndarray

    def find(self, ids: np.ndarray) -> np.ndarray:
        """Places of ids, −1 for those that are not here."""
        place = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return np.where(self.ids[place] == ids, place, -1)


class SeenImages:
    """Images of parts that were looked at.

    >>> seen = SeenImages()
    >>> seen.add([7, 3, "a"], 0), seen.add([4, 3], 1)
    (None, (3, 0))
    >>> seen.lacking(["a", 3, 9, "b"])
    [9, 'b']
    """

    def __init__(self) -> None:
        self._levels: list[_Level] = []
        self._others: dict[Any, int] = {}

    def add(self, images: Iterable[Any], part: int, /) -> tuple[Any, int] | None:
        """Remember the images of a part. The first of them that another part has, and that part."""
        ids, others = _by_kind(images)
        clash = next(((one, self._others[one]) for one in others if one in self._others), None)
        self._others.update(dict.fromkeys(others, part))
        if not len(ids):
            return clash
        for level in self._levels:
            hits = level.find(ids)
            if clash is None and (hits >= 0).any():
                first = int(np.argmax(hits >= 0))
                clash = int(ids[first]), int(level.parts[hits[first]])
        self._levels.append(_sorted(ids, np.full(len(ids), part, np.int32)))
        # Each level is longer than the next, so that there are few, and an id moves seldom.
        while len(self._levels) > 1 and len(self._levels[-1].ids) >= len(self._levels[-2].ids):
            two = [self._levels.pop(), self._levels.pop()]
            self._levels.append(_sorted(*(np.concatenate(columns) for columns in zip(*two, strict=True))))
        return clash

    def lacking(self, asked: Iterable[Any], /) -> list[Any]:
        """Those that were in no part."""
        listed = list(asked)
        ids, _ = _by_kind(listed)
        found = {one for level in self._levels for one in ids[level.find(ids) >= 0].tolist()}
        return [one for one in listed if one not in found and one not in self._others]


def _sorted(ids: np.ndarray, parts: np.ndarray) -> _Level:
    order = np.argsort(ids, kind="stable")
    return _Level(ids[order], parts[order])


def _by_kind(images: Iterable[Any]) -> tuple[np.ndarray, list[Any]]:
    """Integers of 64 bits, and all others."""
    listed = list(images)
    whole = [one for one in listed if type(one) is int and abs(one) < 1 << 63]
    ids = np.array(whole, np.int64)
    return ids, [] if len(whole) == len(listed) else [
        one for one in listed if type(one) is not int or abs(one) >= 1 << 63
    ]
