"""What stands behind all things: sky, hills, houses, trees, and the ground of each place."""

from __future__ import annotations

import numpy as np

from vesica.demo.brush import Brush, darker, lighter, mixed
from vesica.demo.canvas import Canvas, Colour
from vesica.demo.kinds import label_of
from vesica.demo.light import Light
from vesica.demo.places import BRIDGE, HEIGHT, KERB, PARK, WIDTH, Place, road_middle, row_at
from vesica.demo.shapes import Ellipse, Outline, Rectangle, Shape, circle

_ROAD: Colour = (0.36, 0.38, 0.42)
_PAVEMENT: Colour = (0.74, 0.71, 0.67)
_GRASS: Colour = (0.5, 0.66, 0.36)
_LEAVES: Colour = (0.28, 0.48, 0.26)
_BARK: Colour = (0.36, 0.27, 0.21)
_LINE: Colour = (0.93, 0.92, 0.87)
_WALLS: tuple[Colour, ...] = (
    (0.86, 0.74, 0.62), (0.78, 0.58, 0.48), (0.88, 0.84, 0.76), (0.66, 0.68, 0.72), (0.82, 0.66, 0.55),
    (0.7, 0.5, 0.44),
)  # fmt: skip
_LIT: Colour = (1.0, 0.84, 0.5)
_ROAD_L, _PAVEMENT_L, _GRASS_L, _BUILDING_L, _TREE_L, _SKY_L = (
    label_of(name) for name in ("road", "pavement", "grass", "building", "tree", "sky")
)


def paint(canvas: Canvas, place: Place, light: Light, rng: np.random.Generator, /) -> None:
    """All that is no thing."""
    _sky(canvas, place, light, rng)
    _hills(canvas, place, light, rng)
    _GROUNDS[place.name](canvas, place)
    _houses(canvas, place, light, rng)
    _trees(canvas, place, light, rng)


def _sky(canvas: Canvas, place: Place, light: Light, rng: np.random.Generator) -> None:
    canvas.fade(light.above, light.horizon, 0, place.horizon)
    canvas.labels[:] = _SKY_L
    spot = rng.uniform(0.12, 0.88) * WIDTH, rng.uniform(0.2, 0.5) * place.horizon
    radius = 17 if light.name != "night" else 13
    canvas.paint(circle(spot, 4 * radius), light.disc, soft=7 * radius, strength=0.5, shines=True)
    canvas.paint(circle(spot, radius), light.disc, shines=True)
    if light.name == "night":
        for x, y, size in zip(
            rng.uniform(0, WIDTH, 60), rng.uniform(0, place.horizon, 60), rng.random(60), strict=True
        ):
            canvas.paint(circle((x, y), 0.4 + 0.5 * size), (1, 1, 1), strength=0.4 + 0.5 * size, shines=True)
        return
    white = mixed((1, 1, 1), light.horizon, 0.35)
    for _ in range(rng.integers(2, 5)):
        x, y, size = rng.uniform(0, WIDTH), rng.uniform(0.1, 0.7) * place.horizon, rng.uniform(16, 30)
        for shift, high in ((-1.3, 0.5), (-0.5, 0.85), (0.4, 0.7), (1.2, 0.45)):
            puff = Ellipse((x + shift * size, y - 0.25 * high * size), size * (0.5 + 0.4 * high), size * 0.5 * high)
            canvas.paint(puff, white, soft=9, strength=0.8)


def _hills(canvas: Canvas, place: Place, light: Light, rng: np.random.Generator) -> None:
    """Two ranges; what is far is nearer to the colour of the sky."""
    tint = 0.25 if light.name == "night" else 1.0
    for share, height in ((0.72, 0.3), (0.5, 0.18)):
        xs = np.linspace(-20, WIDTH + 20, 9)
        ys = place.horizon - height * place.horizon * (0.4 + 0.6 * rng.random(9))
        colour = mixed(mixed((0.3, 0.45, 0.33), (0, 0, 0), 1 - tint), light.horizon, share)
        points = [*zip(xs.tolist(), ys.tolist(), strict=True)]
        hill = Outline((*points, (WIDTH + 20.0, place.horizon + 3), (-20.0, place.horizon + 3)))
        own = tuple(channel / max(t, 0.05) for channel, t in zip(colour, light.tint, strict=True))
        canvas.paint(hill, own, label=_TREE_L)  # type: ignore[arg-type]


def _band(canvas: Canvas, y1: float, y2: float, colour: Colour, low: Colour, label: int) -> None:
    canvas.paint(Rectangle(-9, y1, WIDTH + 9, y2), colour, low, label=label)


def _by_kerb(canvas: Canvas, place: Place) -> None:
    rows = [row_at(place, near) for near in (0, 0.06, 0.15, 0.67, 1.1)]
    _band(canvas, rows[0] - 1, rows[1], lighter(_GRASS, 0.1), _GRASS, _GRASS_L)
    _band(canvas, rows[1], rows[2], _PAVEMENT, darker(_PAVEMENT, 0.08), _PAVEMENT_L)
    _band(canvas, rows[2], rows[3], lighter(_ROAD, 0.1), darker(_ROAD, 0.15), _ROAD_L)
    _band(canvas, rows[2], rows[2] + 2, lighter(_PAVEMENT, 0.3), darker(_PAVEMENT, 0.3), _ROAD_L)
    middle = row_at(place, 0.37)
    for x in np.arange(10.0, WIDTH, 74).tolist():
        canvas.paint(Outline(((x, middle), (x + 38, middle), (x + 36, middle + 5), (x - 4, middle + 5))), _LINE)
    _band(canvas, rows[3], rows[4], lighter(_PAVEMENT, 0.1), darker(_PAVEMENT, 0.15), _PAVEMENT_L)
    _band(canvas, rows[3], rows[3] + 5, lighter(_PAVEMENT, 0.35), darker(_PAVEMENT, 0.35), _PAVEMENT_L)
    for k in range(-6, 16):
        x = WIDTH / 2 + (k - 4.5) * 66
        canvas.paint(
            Outline(
                (
                    (x, rows[3] + 6),
                    (x + 1, rows[3] + 6),
                    (x + (k - 4.5) * 22 + 2, HEIGHT + 4),
                    (x + (k - 4.5) * 22, HEIGHT + 4),
                )
            ),
            darker(_PAVEMENT, 0.2),
            strength=0.45,
        )


def _from_bridge(canvas: Canvas, place: Place) -> None:
    _band(canvas, place.horizon - 1, HEIGHT + 9, lighter(_GRASS, 0.15), darker(_GRASS, 0.1), _GRASS_L)

    def strip(left: float, right: float) -> Shape:
        far, near = row_at(place, 0.0), row_at(place, 1.05)
        xs = [(road_middle(n) + side * WIDTH * n) for n, side in ((0, left), (0, right), (1.05, right), (1.05, left))]
        return Outline(((xs[0] - 1, far), (xs[1] + 1, far), (xs[2], near), (xs[3], near)))

    canvas.paint(strip(-0.46, 0.46), lighter(_PAVEMENT, 0.05), darker(_PAVEMENT, 0.12), label=_PAVEMENT_L)
    canvas.paint(strip(-0.3, 0.3), lighter(_ROAD, 0.14), darker(_ROAD, 0.12), label=_ROAD_L)
    for side in (-1, 1):
        canvas.paint(strip(side * 0.285 - 0.004, side * 0.285 + 0.004), _LINE, strength=0.8)
    for k in range(14):
        begin, end = 0.05 * 1.25**k, 0.05 * 1.25**k * 1.12
        shape = [
            (road_middle(n) + side * 0.008 * WIDTH * n, row_at(place, n))
            for n, side in ((begin, -1), (begin, 1), (end, 1), (end, -1))
        ]
        canvas.paint(Outline(tuple(shape)), _LINE)


def _in_park(canvas: Canvas, place: Place) -> None:
    rows = [row_at(place, near) for near in (0, 0.04, 0.13, 1.1)]
    _band(canvas, rows[0] - 1, rows[1], lighter(_GRASS, 0.2), _GRASS, _GRASS_L)
    _band(canvas, rows[1], rows[2], lighter(_ROAD, 0.2), _ROAD, _ROAD_L)
    _band(canvas, rows[2], rows[3], lighter(_GRASS, 0.12), darker(_GRASS, 0.25), _GRASS_L)
    for near, share in ((0.24, 0.16), (0.42, 0.1), (0.7, 0.14)):
        middle = row_at(place, near)
        canvas.paint(Ellipse((WIDTH * (0.3 + near), middle), WIDTH * 0.5, 20 * near), lighter(_GRASS, share), soft=16)
    xs = np.linspace(0, 1, 20)
    left = [(WIDTH * (0.62 - 0.5 * t**1.5 + 0.1 * np.sin(4 * t)), row_at(place, 0.13 + 0.95 * t)) for t in xs]
    right = [(x + 12 + 190 * t**1.3, y) for (x, y), t in zip(left, xs, strict=True)]
    canvas.paint(
        Outline((*left, *reversed(right))), lighter(_PAVEMENT, 0.1), darker(_PAVEMENT, 0.05), label=_PAVEMENT_L
    )


_GROUNDS = {KERB.name: _by_kerb, BRIDGE.name: _from_bridge, PARK.name: _in_park}


def _houses(canvas: Canvas, place: Place, light: Light, rng: np.random.Generator) -> None:
    x, foot = -12.0, place.horizon + 2
    full = {KERB.name: 0.8, BRIDGE.name: 0.7, PARK.name: 0.35}[place.name]
    while x < WIDTH:
        width, height = rng.uniform(40, 86), rng.uniform(0.28, 0.72) * place.horizon
        gap = place is BRIDGE and abs(x + width / 2 - road_middle(0)) < 55
        if rng.random() < full and not gap:
            _house(canvas, (x, foot), (width, height), light, rng)
        x += width + rng.uniform(0, 14)


def _house(
    canvas: Canvas, foot: tuple[float, float], size: tuple[float, float], light: Light, rng: np.random.Generator
) -> None:
    (x, y), (width, height) = foot, size
    wall = _WALLS[rng.integers(len(_WALLS))]
    top = y - height
    if rng.random() < 0.55 and height < 100:
        roof = ((x - 3, top + 1), (x + width / 2, top - 0.3 * width), (x + width + 3, top + 1))
        tiles = mixed((0.55, 0.28, 0.22), (0.34, 0.3, 0.32), rng.random())
        canvas.paint(Outline(roof), lighter(tiles, 0.15), tiles, label=_BUILDING_L)
    canvas.paint(Rectangle(x, top, x + width, y), lighter(wall, 0.12), darker(wall, 0.12), label=_BUILDING_L)
    canvas.paint(Rectangle(x + 0.82 * width, top, x + width, y), darker(wall, 0.18), darker(wall, 0.28))
    columns, rows = max(int(width / 15), 2), max(int(height / 19), 1)
    for row in range(rows):
        for column in range(columns):
            cx, cy = x + 0.82 * width * (column + 0.5) / columns, top + (height - 4) * (row + 0.5) / rows
            pane = Rectangle(cx - 3, cy - 4.5, cx + 3, cy + 4.5)
            if light.lamps and rng.random() < 0.45:
                canvas.paint(pane, _LIT, strength=0.85, shines=True)
            else:
                canvas.paint(pane, (0.35, 0.44, 0.52), (0.22, 0.28, 0.35))


def _trees(canvas: Canvas, place: Place, light: Light, rng: np.random.Generator) -> None:
    low, high = {KERB.name: (3, 6), BRIDGE.name: (4, 8), PARK.name: (6, 10)}[place.name]
    nears = np.sort(
        rng.uniform(0.02, {PARK.name: 0.28, BRIDGE.name: 0.45}.get(place.name, 0.05), rng.integers(low, high))
    )
    for near in nears.tolist():
        x, y = rng.uniform(0, WIDTH), row_at(place, near)
        if place is BRIDGE:
            side = 1 if rng.random() < 0.5 else -1
            x = road_middle(near) + side * (0.5 + rng.uniform(0.05, 0.5)) * WIDTH * max(near, 0.1)
        _tree(canvas, (x, y), 26 + 150 * near, light, rng)


def _tree(canvas: Canvas, foot: tuple[float, float], size: float, light: Light, rng: np.random.Generator) -> None:
    cast_shadow(canvas, foot, 0.7 * size, 1.5 * size, light)
    brush = Brush(canvas, foot, size, label=_TREE_L)
    brush.stroke((0, 0.02), (0, 0.75), 0.06, lighter(_BARK, 0.1), _BARK)
    leaves = mixed(_LEAVES, (0.62, 0.55, 0.22), 0.45 * rng.random())
    for x, y, radius, light_share in (
        (-0.26, 0.8, 0.27, 0.0), (0.27, 0.82, 0.26, 0.0), (0, 0.72, 0.28, 0.0), (0.02, 1.1, 0.32, 0.12),
        (-0.16, 1.02, 0.24, 0.22), (-0.1, 1.24, 0.16, 0.3),
    ):  # fmt: skip
        brush.disc((x, y), radius, lighter(leaves, 0.12 + light_share), darker(leaves, 0.22))


def cast_shadow(canvas: Canvas, foot: tuple[float, float], width: float, height: float, light: Light, /) -> None:
    """On the ground: dark where the thing stands, and to the side that the light does not come from."""
    x, y = foot
    dark: Colour = (0.05, 0.07, 0.14)
    reach = light.lean * height
    long = Ellipse((x + reach / 2, y), width / 2 + abs(reach) / 2, max(0.05 * height, 0.07 * width, 1.0))
    canvas.paint(long, dark, soft=max(0.08 * height, 2.5), strength=light.shadow)
    canvas.paint(Ellipse((x, y), 0.52 * width, max(0.05 * width, 0.8)), dark, soft=3, strength=light.shadow)
