"""A scene: a place, its light, and the things that stand there; drawn, it is a picture with its truth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica.demo import backdrop
from vesica.demo.brush import Brush
from vesica.demo.canvas import Canvas
from vesica.demo.kinds import BALLOON, PERSON, label_of
from vesica.demo.light import LIGHTS, Light
from vesica.demo.places import HEIGHT, PLACES, WIDTH, Place, Spot, spot_for, unit_at
from vesica.demo.things import DRAWINGS, Look, look_of

_EXTENTS = {
    "person": (0.4, 1.0), "car": (1.0, 0.36), "van": (1.0, 0.48), "bicycle": (1.0, 0.62), "dog": (1.0, 0.78),
    "balloon": (0.68, 1.0), "group": (1.6, 1.15),
}  # fmt: skip
"""Width and height of drawings, in their units."""
_TRIES = 12
_HIDDEN = 0.35
"""No thing hides more of another."""
_LEAST = 9
"""Pixels that a thing is high at least: what is smaller nobody could mark."""


class Standing(NamedTuple):
    """A thing of a scene."""

    kind: str
    spot: Spot
    unit: float
    look: Look

    def box(self) -> tuple[float, float, float, float]:
        """About where it is, as x1, y1, x2, y2."""
        width, height = _EXTENTS[self.kind]
        if self.spot.from_behind:
            width = 0.48
        x, y = self.spot.x, self.spot.y
        return x - width * self.unit / 2, y - height * self.unit, x + width * self.unit / 2, y


class Seen(NamedTuple):
    """A thing in a picture: its category, its number there, and whether it is a crowd."""

    category: str
    number: int
    """In `Picture.owners`."""
    box: tuple[int, int, int, int]
    """x, y, width, height around its pixels."""
    area: int
    is_crowd: bool


class Picture(NamedTuple):
    """What a camera sees, and what there is to see."""

    camera: str
    daylight: str
    pixels: np.ndarray
    """(H, W, 3) uint8."""
    labels: np.ndarray
    """(H, W) uint8: the class of each pixel."""
    ground: np.ndarray
    """The same as if there were no things."""
    owners: np.ndarray
    """(H, W) int32: the number of the thing that a pixel belongs to; 0 for none."""
    things: tuple[Seen, ...]


def picture(number: int, seed: int, /) -> Picture:
    """The picture of a number; the same seed gives the same."""
    rng = np.random.default_rng([seed, number])
    place = PLACES[number % len(PLACES)]
    light = LIGHTS[(number // len(PLACES)) % len(LIGHTS)] if rng.random() < 0.6 else LIGHTS[0]
    canvas = Canvas(WIDTH, HEIGHT, light.tint)
    backdrop.paint(canvas, place, light, rng)
    ground = canvas.labels.copy()
    standing = _standing(place, light, rng)
    for thing, one in enumerate(standing, 1):
        _paint(canvas, one, thing, light)
    things = tuple(_seen(canvas, standing))
    return Picture(place.name, light.name, canvas.pixels(), canvas.labels, ground, canvas.things, things)


def _standing(place: Place, light: Light, rng: np.random.Generator) -> list[Standing]:
    """Things that hide little of each other, the farthest first."""
    found: list[Standing] = []
    for kind, (low, high) in place.counts.items():
        for _ in range(rng.integers(low, high + 1)):
            for _ in range(_TRIES):
                one = _thing(kind, place, light, rng)
                if _fits(one, found):
                    found.append(one)
                    break
    return sorted(found, key=lambda one: (one.kind != BALLOON, one.spot.y))


def _thing(kind: str, place: Place, light: Light, rng: np.random.Generator) -> Standing:
    spot = spot_for(kind, place, rng)
    unit = rng.uniform(22, 84) if kind == BALLOON else unit_at(place, kind, spot.y) * rng.uniform(0.92, 1.08)
    return Standing(kind, spot, unit, look_of(rng, from_behind=spot.from_behind, is_lit=light.lamps))


def _fits(one: Standing, others: list[Standing]) -> bool:
    """Is it large enough, most of it in the picture, and little of it behind or before another?"""
    x1, y1, x2, y2 = one.box()
    if y2 - y1 < _LEAST:
        return False
    inside = max(min(x2, WIDTH) - max(x1, 0), 0) * max(min(y2, HEIGHT) - max(y1, 0), 0)
    if inside < 0.7 * (x2 - x1) * (y2 - y1):
        return False
    for other in others:
        u1, v1, u2, v2 = other.box()
        shared = max(min(x2, u2) - max(x1, u1), 0) * max(min(y2, v2) - max(y1, v1), 0)
        if shared > _HIDDEN * min((x2 - x1) * (y2 - y1), (u2 - u1) * (v2 - v1)):
            return False
    return True


def _paint(canvas: Canvas, one: Standing, thing: int, light: Light) -> None:
    foot = one.spot.x, one.spot.y
    if one.kind != BALLOON:
        width, height = _EXTENTS[one.kind]
        wide = 0.46 if one.spot.from_behind else 0.85 * width
        backdrop.cast_shadow(canvas, foot, wide * one.unit, height * one.unit, light)
    label = label_of(PERSON if one.kind == "group" else one.kind)
    DRAWINGS[one.kind](Brush(canvas, foot, one.unit, one.spot.facing, label, thing), one.look)


def _seen(canvas: Canvas, standing: list[Standing]) -> list[Seen]:
    found = []
    for thing, one in enumerate(standing, 1):
        mask = canvas.things == thing
        if mask.any():
            rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
            x, y = int(columns[0]), int(rows[0])
            box = x, y, int(columns[-1]) + 1 - x, int(rows[-1]) + 1 - y
            is_crowd = one.kind == "group"
            found.append(Seen(PERSON if is_crowd else one.kind, thing, box, int(mask.sum()), is_crowd))
    return found
