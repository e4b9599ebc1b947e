"""Three annotators: ann draws loose boxes, ben overlooks small things, cleo calls cars vans until she is told."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica.demo.kinds import CAR, VAN
from vesica.demo.models import Box
from vesica.demo.places import HEIGHT, WIDTH
from vesica.demo.scene import Picture


class Annotator(NamedTuple):
    """Somebody who marks things, and how."""

    name: str
    care: float
    """How far edges are off, in pixels."""
    loose: float
    """How far boxes are too large, as a share of the side at each edge."""
    overlooks: float
    """The side in pixels below which most things are not marked."""
    mixes: tuple[float, float]
    """How often a car is called a van, or a van a car: in the first two weeks, and after that."""


ANNOTATORS = (
    Annotator("ann", 0.9, 0.075, 8, (0.03, 0.02)),
    Annotator("ben", 0.8, 0.0, 27, (0.03, 0.02)),
    Annotator("cleo", 0.9, 0.0, 9, (0.5, 0.04)),
)


class Mark(NamedTuple):
    """What somebody marked."""

    category: str
    box: Box


class Task(NamedTuple):
    """When an image was given to people, and to whom."""

    week: int
    people: tuple[Annotator, ...]

    @property
    def date(self) -> str:
        return ("2026-03-02", "2026-03-09", "2026-03-16", "2026-03-23")[self.week]


def task(number: int, images: int, /) -> Task:
    """Three of four images were given to two people, and every fourth to all; in the course of four weeks."""
    left_out = number % (len(ANNOTATORS) + 1)
    people = tuple(one for place, one in enumerate(ANNOTATORS) if place != left_out)
    return Task(4 * number // images, people)


def marks(annotator: Annotator, picture: Picture, number: int, week: int, seed: int, /) -> list[Mark]:
    """What somebody marks in a picture; nobody marks crowds."""
    rng = np.random.default_rng([seed, number, 3, *annotator.name.encode()])
    found = []
    for thing in picture.things:
        side = float(np.sqrt(thing.box[2] * thing.box[3]))
        is_seen = rng.random() < (0.97 if side > annotator.overlooks else 0.2)
        category = thing.category
        if category in (CAR, VAN) and rng.random() < annotator.mixes[week // 2]:
            category = VAN if category == CAR else CAR
        box = _drawn(annotator, thing.box, rng)
        if is_seen and not thing.is_crowd:
            found.append(Mark(category, box))
    return found


def _drawn(annotator: Annotator, box: Box, rng: np.random.Generator) -> Box:
    """Whole pixels, inside the picture."""
    x, y, width, height = box
    wide, high = annotator.loose * width, annotator.loose * height
    meant = np.array([x - wide, y - high, x + width + wide, y + height + high])
    x1, y1, x2, y2 = np.rint(meant + rng.normal(0, annotator.care, 4)).tolist()
    x1, y1 = min(max(x1, 0), WIDTH - 3), min(max(y1, 0), HEIGHT - 3)
    return x1, y1, max(min(x2, WIDTH) - x1, 2), max(min(y2, HEIGHT) - y1, 2)
