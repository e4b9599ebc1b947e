"""Label maps: the truth, and what two segmenters make of it. Their edges wander, and small and thin things get lost."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica.demo.kinds import BICYCLE, CAR, VAN, VOID, label_of
from vesica.demo.places import HEIGHT, WIDTH
from vesica.demo.scene import Picture


class Segmenter(NamedTuple):
    """A network: how far its edges wander in pixels, and what it does not notice."""

    name: str
    wanders: float
    small: float
    """The side in pixels of things that it sees half of the time."""
    bicycles: float
    """How many bicycles it sees."""
    mixes: float
    """How often a car is called a van."""


_DOWN, _ACROSS = 33, 49
"""Numbers of noise in a picture."""
SEGMENTERS = (Segmenter("a", 3.6, 22, 0.9, 0.2), Segmenter("b", 2.0, 14, 0.6, 0.06))


def truth_map(picture: Picture, /) -> np.ndarray:
    """The class of each pixel; outlines of things are void."""
    owners = picture.owners
    padded = np.pad(owners, 1, mode="edge")
    edge = np.zeros(owners.shape, bool)
    for down, right in ((0, 1), (2, 1), (1, 0), (1, 2)):
        edge |= padded[down : down + HEIGHT, right : right + WIDTH] != owners
    labels: np.ndarray = np.where(edge, VOID, picture.labels).astype(np.uint8)
    return labels


def guessed_map(segmenter: Segmenter, picture: Picture, number: int, seed: int, /) -> np.ndarray:
    rng = np.random.default_rng([seed, number, 4, ord(segmenter.name)])
    labels = picture.ground.copy()
    for thing in picture.things:
        side = float(np.sqrt(thing.box[2] * thing.box[3]))
        share = 1 / (1 + np.exp(-(side - segmenter.small) / (0.2 * segmenter.small)))
        seen = share * (segmenter.bicycles if thing.category == BICYCLE else 0.98)
        name = thing.category
        if name in (CAR, VAN) and rng.random() < segmenter.mixes:
            name = VAN if name == CAR else CAR
        if rng.random() < seen:
            labels[picture.owners == thing.number] = label_of(name)
    return _wandered(labels, segmenter.wanders, rng)


def _wandered(labels: np.ndarray, reach: float, rng: np.random.Generator) -> np.ndarray:
    """The same with edges off by a few pixels, and here and there grass taken for pavement, a house for a tree."""
    down, right, doubt = (_slow_noise(rng) for _ in range(3))
    y, x = np.arange(HEIGHT)[:, None], np.arange(WIDTH)
    rows = np.clip(np.rint(y + reach * down), 0, HEIGHT - 1).astype(np.intp)
    columns = np.clip(np.rint(x + reach * right), 0, WIDTH - 1).astype(np.intp)
    found: np.ndarray = labels[rows, columns]
    limit = 2.5 - 0.3 * reach
    for name, other, sign in (("grass", "pavement", 1), ("building", "tree", -1), ("pavement", "road", -1)):
        found[(found == label_of(name)) & (sign * doubt > limit)] = label_of(other)
    return found


def _slow_noise(rng: np.random.Generator) -> np.ndarray:
    """Noise that changes slowly: few numbers, with straight lines between them."""
    few = rng.normal(0, 1, (_DOWN, _ACROSS))
    return np.ascontiguousarray(_lines_between(_lines_between(few, HEIGHT).T, WIDTH).T)


def _lines_between(few: np.ndarray, many: int) -> np.ndarray:
    """As many rows, on straight lines between the few."""
    at = np.linspace(0, len(few) - 1, many)
    low = np.minimum(at.astype(np.intp), len(few) - 2)
    share = (at - low)[:, None]
    rows: np.ndarray = few[low] * (1 - share) + few[low + 1] * share
    return rows
