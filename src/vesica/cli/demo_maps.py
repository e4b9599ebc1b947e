"""Label maps for the demo: streets, and the guesses of a network that blurs edges and misses small things."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

WIDTH, HEIGHT = 192, 112
VOID = 255
"""Pixels of the truth that count nowhere: the bonnet of the car with the camera."""


class Kind(NamedTuple):
    """A class: its name, and its colour in pictures."""

    name: str
    colour: tuple[int, int, int]


KINDS = (
    Kind("road", (110, 118, 130)),
    Kind("pavement", (190, 178, 164)),
    Kind("building", (171, 130, 112)),
    Kind("sky", (188, 222, 235)),
    Kind("tree", (96, 148, 88)),
    Kind("car", (11, 99, 140)),
    Kind("person", (240, 190, 40)),
)
ROAD, PAVEMENT, BUILDING, SKY, TREE, CAR, PERSON = range(len(KINDS))
VOID_COLOUR = (58, 66, 78)
_SEEN = {TREE: 0.9, CAR: 0.93, PERSON: 0.7}
"""How many of them a network notices."""


class Thing(NamedTuple):
    """An ellipse, or a rectangle, about a centre."""

    kind: int
    x: float
    y: float
    width: float
    height: float


def generate(images: int, seed: int, /) -> tuple[np.ndarray, np.ndarray]:
    """Truths and guesses, (N, H, W) uint8; the same seed gives the same."""
    rng = np.random.default_rng([seed, 1])
    pairs = [_pair(rng) for _ in range(images)]
    truth, guess = (np.stack(side) for side in zip(*pairs, strict=True))
    return truth, guess


def palette() -> list[tuple[int, int, int]]:
    """The colour of each label from 0 to 255."""
    unused = [(0, 0, 0)] * (VOID - len(KINDS))
    return [*(kind.colour for kind in KINDS), *unused, VOID_COLOUR]


def _pair(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    horizon = rng.uniform(0.36, 0.5) * HEIGHT
    things = _things(horizon, rng)
    noticed = [one for one in things if rng.random() < _SEEN.get(one.kind, 1.0)]
    middle = rng.uniform(0.4, 0.6) * WIDTH
    truth = _drawn(things, horizon, middle)
    guess = _moved(_drawn(noticed, horizon, middle), rng)
    y, x = np.ogrid[:HEIGHT, :WIDTH]
    bonnet = ((x - WIDTH / 2) / (0.42 * WIDTH)) ** 2 + ((y - HEIGHT) / (0.11 * HEIGHT)) ** 2 < 1
    truth[bonnet] = VOID
    return truth, guess


def _things(horizon: float, rng: np.random.Generator) -> list[Thing]:
    """From far to near: houses, trees, cars and people; what stands nearer is larger and lower."""
    houses, x = [], -5.0
    while x < WIDTH:
        width, height = rng.uniform(18, 44), rng.uniform(0.25, 0.9) * horizon
        if rng.random() < 0.85:
            houses.append(Thing(BUILDING, x + width / 2, horizon - height / 2 + 2, width, height + 4))
        x += width
    trees = [
        Thing(TREE, rng.uniform(0, WIDTH), horizon - rng.uniform(4, 12), rng.uniform(12, 30), rng.uniform(16, 30))
        for _ in range(rng.integers(1, 5))
    ]
    shapes = ((CAR, rng.integers(1, 4), 1.0, 0.62), (PERSON, rng.integers(0, 5), 0.2, 0.55))
    movers = []
    for kind, count, wide, high in shapes:
        for depth in rng.uniform(0.12, 1, count):
            size = 10 + 34 * depth
            movers.append(Thing(kind, rng.uniform(0.05, 0.95) * WIDTH, horizon + 0.3 * size, wide * size, high * size))
    return [*houses, *trees, *sorted(movers, key=lambda one: one.y)]


def _drawn(things: list[Thing], horizon: float, middle: float) -> np.ndarray:
    y, x = np.ogrid[:HEIGHT, :WIDTH]
    labels = np.full((HEIGHT, WIDTH), SKY, np.uint8)
    labels[np.broadcast_to(y >= horizon, labels.shape)] = PAVEMENT
    labels[(y >= horizon) & (np.abs(x - middle) < 10 + 1.35 * (y - horizon))] = ROAD
    for one in things:
        across, down = np.abs(x - one.x) / (one.width / 2), np.abs(y - one.y) / (one.height / 2)
        power = 8 if one.kind == BUILDING else 4 if one.kind == CAR else 2
        labels[across**power + down**power < 1] = one.kind
    return labels


def _moved(labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same with edges that wander by a few pixels, and the pavement taken for road here and there."""
    dy, dx, doubt = (_smooth(rng) for _ in range(3))
    y, x = np.indices(labels.shape)
    rows = np.clip(np.rint(y + 1.6 * dy), 0, HEIGHT - 1).astype(np.intp)
    columns = np.clip(np.rint(x + 1.6 * dx), 0, WIDTH - 1).astype(np.intp)
    found: np.ndarray = labels[rows, columns]
    found[(found == PAVEMENT) & (doubt > 1.1)] = ROAD
    found[(found == TREE) & (doubt < -1.2)] = BUILDING
    return found


def _smooth(rng: np.random.Generator) -> np.ndarray:
    """Noise that changes slowly: few numbers, with straight lines between them."""
    few = rng.normal(0, 1, (9, 15))
    wide = np.array([np.interp(np.linspace(0, 14, WIDTH), np.arange(15), row) for row in few])
    field: np.ndarray = np.array([np.interp(np.linspace(0, 8, HEIGHT), np.arange(9), column) for column in wide.T]).T
    return field
