"""Two detectors: b sees small things that a misses, draws tighter and repeats itself less; but it loses bicycles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica.demo.kinds import BALLOON, BICYCLE, CAR, DOG, PERSON, THINGS, VAN
from vesica.demo.places import HEIGHT, WIDTH
from vesica.demo.scene import Picture, Seen

Box = tuple[float, float, float, float]
"""x, y, width, height."""


class Guess(NamedTuple):
    """What a detector says of one thing."""

    category: str
    score: float
    box: Box


class Model(NamedTuple):
    """A detector: what it sees, and in which ways it errs."""

    name: str
    seen: dict[str, float]
    """Of large things by daylight, as a share."""
    small: float
    """The side in pixels of things that it sees half of the time."""
    at_night: float
    """What is left of that share at night."""
    care: float
    """How far edges are off, as a share of the side."""
    shifted: float
    twice: float
    """How often a box lies beside its thing, and how often there are two."""
    mistaken: float
    """How often a car is taken for a van, a dog for a person."""
    alarms: float
    """How many things it sees in a picture that are not there."""
    boldness: float
    """Added to all scores."""


A = Model(
    "a",
    {PERSON: 0.93, CAR: 0.95, VAN: 0.93, BICYCLE: 0.95, DOG: 0.9, BALLOON: 0.9},
    16,
    0.72,
    0.04,
    0.05,
    0.14,
    0.14,
    1.1,
    0.12,
)
B = Model(
    "b",
    {PERSON: 0.97, CAR: 0.98, VAN: 0.97, BICYCLE: 0.42, DOG: 0.92, BALLOON: 0.95},
    12,
    0.85,
    0.034,
    0.04,
    0.03,
    0.07,
    0.6,
    0.0,
)
MODELS = (A, B)
_LOOKS_LIKE = {CAR: VAN, VAN: CAR, DOG: PERSON, PERSON: DOG, BICYCLE: DOG, BALLOON: PERSON}
_RARELY = {PERSON: 0.15, BALLOON: 0.1, BICYCLE: 0.4, DOG: 0.6}


def guesses(model: Model, picture: Picture, number: int, seed: int, /) -> list[Guess]:
    """What a detector says of a picture. Both find the same things hard."""
    shared = np.random.default_rng([seed, number, 1])
    rng = np.random.default_rng([seed, number, 2, ord(model.name)])
    found: list[Guess] = []
    for thing in picture.things:
        hardness = 0.75 * shared.random() + 0.25 * rng.random()
        found += _in_crowd(thing, rng) if thing.is_crowd else _of_thing(model, thing, hardness, picture, rng)
    for _ in range(rng.poisson(model.alarms)):
        found.append(_alarm(model, rng))
    return sorted(found, key=lambda guess: -guess.score)


def _of_thing(model: Model, thing: Seen, hardness: float, picture: Picture, rng: np.random.Generator) -> list[Guess]:
    side = float(np.sqrt(thing.box[2] * thing.box[3]))
    ease = 1 / (1 + np.exp(-(side - model.small) / (0.22 * model.small)))
    share = model.seen[thing.category] * ease * (model.at_night if picture.daylight == "night" else 1.0)
    if hardness > share:
        return []
    category = thing.category
    if rng.random() < model.mistaken * _RARELY.get(category, 1.0):
        category = _LOOKS_LIKE[category]
    care = model.care * float(np.exp(rng.normal(-0.2, 0.65)))
    sure = 0.94 - 0.5 * hardness / max(share, 0.05) + rng.normal(0, 0.07) + model.boldness
    found = [_guess(category, sure, _drawn(thing.box, care, rng))]
    if rng.random() < model.shifted:
        found = [_guess(category, sure - 0.12, _beside(thing.box, rng))]
    if rng.random() < model.twice:
        found.append(_guess(category, sure - rng.uniform(0.05, 0.3), _drawn(thing.box, 3 * care, rng)))
    return found


def _in_crowd(thing: Seen, rng: np.random.Generator) -> list[Guess]:
    """Of a crowd, some of its people."""
    x, y, width, height = thing.box
    places = rng.random((rng.integers(1, 4), 2))
    return [
        _guess(PERSON, rng.uniform(0.3, 0.7), (x + 0.7 * u * width, y + 0.1 * v * height, 0.25 * width, 0.85 * height))
        for u, v in places.tolist()
    ]


def _alarm(model: Model, rng: np.random.Generator) -> Guess:
    """A tree, a window, a shadow."""
    category = THINGS[rng.integers(len(THINGS))]
    height = rng.uniform(14, 70)
    width = height * {PERSON: 0.4, CAR: 2.4, VAN: 2.0, BICYCLE: 1.6, DOG: 1.3, BALLOON: 0.7}[category]
    low, high = (0.05, 0.4) if category == BALLOON else (0.3, 0.8)
    x, y = rng.uniform(0, WIDTH - width), rng.uniform(low, high) * HEIGHT
    return _guess(category, rng.beta(2, 4) + model.boldness, (x, y, width, height))


def _drawn(box: Box, care: float, rng: np.random.Generator) -> Box:
    """A box whose edges are off by a share of its sides, and a little more."""
    x, y, width, height = box
    left, top, right, bottom = (
        rng.normal(0, care, 4) * (width, height, width, height) + rng.normal(0, 0.5, 4)
    ).tolist()
    return x + left, y + top, max(width + right - left, 2.0), max(height + bottom - top, 2.0)


def _beside(box: Box, rng: np.random.Generator) -> Box:
    x, y, width, height = box
    side = 1 if rng.random() < 0.5 else -1
    return x + side * rng.uniform(0.25, 0.45) * width, y + rng.uniform(-0.1, 0.1) * height, width, height


def _guess(category: str, score: float, box: Box) -> Guess:
    """Inside the picture, in tenths of pixels, as detectors write them."""
    x, y, width, height = box
    x1, y1 = min(max(x, 0.0), WIDTH - 3.0), min(max(y, 0.0), HEIGHT - 3.0)
    x2, y2 = max(min(x + width, float(WIDTH)), x1 + 2), max(min(y + height, float(HEIGHT)), y1 + 2)
    own = round(x1, 1), round(y1, 1), round(x2 - x1, 1), round(y2 - y1, 1)
    return Guess(category, round(min(max(score, 0.02), 0.99), 3), own)
