"""Places: where each of three cameras looks, and where things can stand there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica.demo.kinds import BALLOON, BICYCLE, CAR, DOG, PERSON, VAN

WIDTH, HEIGHT = 600, 400
_METRE = 0.2 * HEIGHT
"""In pixels, at the lower edge of the picture."""
METRES = {PERSON: 1.7, CAR: 4.3, VAN: 5.0, BICYCLE: 1.75, DOG: 0.95, "group": 1.7}
"""What one unit of a drawing is."""


class Place(NamedTuple):
    """A camera: its name, the row of its horizon, and what is seen how often."""

    name: str
    horizon: float
    counts: dict[str, tuple[int, int]]
    """Of each kind, from how many to how many."""


KERB = Place(
    "kerb", 0.4 * HEIGHT, {CAR: (2, 4), VAN: (0, 2), PERSON: (2, 5), BICYCLE: (0, 2), DOG: (0, 2), BALLOON: (0, 2)}
)
BRIDGE = Place(
    "bridge", 0.33 * HEIGHT, {CAR: (3, 6), VAN: (1, 3), PERSON: (1, 4), BICYCLE: (0, 2), DOG: (0, 1), BALLOON: (0, 2)}
)
PARK = Place(
    "park",
    0.45 * HEIGHT,
    {CAR: (0, 2), VAN: (0, 1), PERSON: (3, 6), BICYCLE: (1, 3), DOG: (1, 3), BALLOON: (1, 4), "group": (0, 1)},
)
PLACES = (KERB, BRIDGE, PARK)


def nearness(place: Place, y: float, /) -> float:
    """From 0 at the horizon to 1 at the lower edge."""
    return (y - place.horizon) / (HEIGHT - place.horizon)


def unit_at(place: Place, kind: str, y: float, /) -> float:
    """How many pixels one unit of a drawing is, for a thing that stands on a row."""
    return METRES[kind] * _METRE * nearness(place, y)


def row_at(place: Place, near: float, /) -> float:
    return place.horizon + near * (HEIGHT - place.horizon)


def road_middle(near: float, /) -> float:
    """Of the road below the bridge."""
    return 0.5 * WIDTH + 0.03 * WIDTH * (1 - near)


class Spot(NamedTuple):
    """Where a thing stands, and which way it looks."""

    x: float
    y: float
    facing: int
    from_behind: bool = False


def spot_for(kind: str, place: Place, rng: np.random.Generator, /) -> Spot:
    """A place for a thing, by chance, where such things are."""
    facing = 1 if rng.random() < 0.5 else -1
    if kind == BALLOON:
        return Spot(rng.uniform(0.06, 0.94) * WIDTH, rng.uniform(0.32, 0.85) * place.horizon, 1)
    return _SPOTS[place.name](kind, place, facing, rng)


def _on_kerb(kind: str, place: Place, facing: int, rng: np.random.Generator) -> Spot:
    if kind in (CAR, VAN):
        near = 0.3 if facing < 0 else 0.56
        return Spot(rng.uniform(0.05, 0.95) * WIDTH, row_at(place, near + rng.uniform(-0.02, 0.02)), facing)
    near = rng.uniform(0.1, 0.14) if rng.random() < 0.4 else rng.uniform(0.74, 0.95)
    return Spot(rng.uniform(0.04, 0.96) * WIDTH, row_at(place, near), facing)


def _below_bridge(kind: str, place: Place, facing: int, rng: np.random.Generator) -> Spot:
    if kind in (CAR, VAN):
        near = 0.1 + 0.75 * rng.random() ** 1.6
        return Spot(road_middle(near) + facing * 0.145 * WIDTH * near, row_at(place, near), facing, True)
    near = 0.1 + 0.75 * rng.random() ** 1.3
    return Spot(
        road_middle(near) + facing * (0.335 + rng.uniform(0, 0.08)) * WIDTH * near, row_at(place, near), -facing
    )


def _in_park(kind: str, place: Place, facing: int, rng: np.random.Generator) -> Spot:
    if kind in (CAR, VAN):
        return Spot(rng.uniform(0.05, 0.95) * WIDTH, row_at(place, 0.1), facing)
    if kind == "group":
        return Spot(rng.uniform(0.15, 0.85) * WIDTH, row_at(place, rng.uniform(0.17, 0.24)), 1)
    near = 0.16 + 0.76 * rng.random() ** 1.4
    return Spot(rng.uniform(0.05, 0.95) * WIDTH, row_at(place, near), facing)


_SPOTS = {KERB.name: _on_kerb, BRIDGE.name: _below_bridge, PARK.name: _in_park}
