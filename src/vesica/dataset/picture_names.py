"""Names of pictures: whether two of them are of one image, though folders, endings and leading zeros differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from vesica._check import meeting as check
from vesica.dataset.meeting import Found, Remark
from vesica.dataset.tables import Images

PICTURES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".gif", ".avif"})
"""Endings of pictures."""
_LABELS = frozenset({".txt", ".xml", ".json"})
"""Endings of files that are called like the picture they are about."""

Key = str | int
_Ways = dict[str, Callable[[Any, str | None], Iterable[Key]]]


def meet(truth: Images, guess: Any, by_id: Found, /) -> Found:
    """The images of the guess by the first way of comparing names that finds all of them that have objects.

    Ids that meet stay, unless names of both sides say otherwise of some image and meet themselves.
    """
    apart = _contradictions(truth, guess.images, by_id.places)
    if not apart.size and not (by_id.places < 0).any():
        return by_id
    used = np.zeros(len(guess.images), bool)
    used[guess.image] = True
    if not apart.size and not (used & (by_id.places < 0)).any():
        return by_id
    found = by_name(truth, guess.images, used, _TEXTS if apart.size else _WAYS)
    if found is not None:
        return found._replace(remarks=(_joined(truth, guess.images, found, used),))
    if not apart.size:
        return by_id
    elsewhere = _placed(_keys(truth, _WAYS["stem"]), _keys(guess.images, _WAYS["stem"]))[apart]
    if (elsewhere >= 0).any():
        swapped = apart[np.argmax(elsewhere >= 0)]
        check.names_contradict(_shown(guess.images, swapped), _shown(truth, by_id.places[swapped]))
    return by_id._replace(remarks=(_though(truth, guess.images, by_id.places, apart),))


def by_name(truth: Images, guess: Images, used: np.ndarray, ways: _Ways | None = None, /) -> Found | None:
    """Where the guess's images are among the truth's by name; None if some that are used are not, or two are one."""
    for way, keys_of in (_WAYS if ways is None else ways).items():
        found = _placed(_keys(truth, keys_of), _keys(guess, keys_of))
        wanted = found[used]
        if (wanted >= 0).all() and len(np.unique(wanted)) == len(wanted):
            return Found(found, way)
    return None


def nowhere(truth: Images, guess: Images, /) -> np.ndarray:
    """Which images of the guess no way of comparing finds."""
    lost = np.ones(len(guess), bool)
    for keys_of in _WAYS.values():
        lost &= _placed(_keys(truth, keys_of), _keys(guess, keys_of)) < 0
    return lost


def file_of(name: str, /) -> str:
    """The last part of a path, whichever slashes it has."""
    return name.replace("\\", "/").rpartition("/")[2]


def stem_of(name: str, /) -> str:
    """The name of a picture, or of a file about it, without folders and ending."""
    last = file_of(name)
    stem, dot, ending = last.rpartition(".")
    return stem if stem and dot + ending.lower() in PICTURES | _LABELS else last


def _contradictions(truth: Images, guess: Images, found: np.ndarray) -> np.ndarray:
    """Images of the guess whose name is not that of the image with their id."""
    if truth.names is None or guess.names is None or truth.ids.dtype == object or guess.ids.dtype == object:
        return np.empty(0, np.int64)
    met = np.flatnonzero(found >= 0)
    ours, theirs = truth.names[found[met]], guess.names[met]
    if np.array_equal(ours, theirs):
        return np.empty(0, np.int64)
    pairs = zip(met.tolist(), ours.tolist(), theirs.tolist(), strict=True)
    return np.array([k for k, a, b in pairs if a is not None and b is not None and stem_of(a) != stem_of(b)], np.int64)


# What two images must share to be one, by each way of comparing.


def _texts(id: Any, name: str | None) -> list[str]:
    return [text for text in (name, id) if isinstance(text, str)]


def _number(id: Any, name: str | None) -> list[Key]:
    """What is written in digits, zeros before it or not; an id that is a number where nothing is written."""
    texts = [stem_of(text) for text in _texts(id, name)]
    if not texts:
        return [id]
    return [int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 19]


_TEXTS: _Ways = {
    "name": _texts,
    "file name": lambda id, name: map(file_of, _texts(id, name)),
    "stem": lambda id, name: map(stem_of, _texts(id, name)),
}
_WAYS: _Ways = {**_TEXTS, "id as text": lambda id, name: [str(id)], "number": _number}
"""The first that finds all counts."""


def _keys(images: Images, keys_of: Callable[[Any, str | None], Iterable[Key]]) -> list[set[Key]]:
    names = [None] * len(images) if images.names is None else images.names.tolist()
    return [set(keys_of(id, name)) for id, name in zip(images.ids.tolist(), names, strict=True)]


def _placed(ours: list[set[Key]], theirs: list[set[Key]]) -> np.ndarray:
    """The one image of ours that shares a key with each of theirs; −1 where there is none, or more than one."""
    place_of: dict[Key, int] = {}
    for place, keys in enumerate(ours):
        for key in keys:
            place_of[key] = -1 if key in place_of else place
    hits = [{place_of.get(key, -1) for key in keys} - {-1} for keys in theirs]
    return np.array([hit.pop() if len(hit) == 1 else -1 for hit in hits], np.int64)


def _joined(truth: Images, guess: Images, found: Found, used: np.ndarray) -> Remark:
    some = np.flatnonzero(used)
    shown = check.pairs([(_shown(guess, k), _shown(truth, found.places[k])) for k in some[:2]], len(some))
    return Remark("J1", len(some), f"images were joined by {found.by}, not by id", shown)


def _though(truth: Images, guess: Images, found: np.ndarray, apart: np.ndarray) -> Remark:
    shown = check.pairs([(_shown(guess, k), _shown(truth, found[k])) for k in apart[:2]], len(apart))
    return Remark("J1", len(apart), "images were joined by id, though their names differ", shown)


def _shown(images: Images, place: Any) -> str:
    return check.named(images.ids.tolist()[place], None if images.names is None else images.names[place])
