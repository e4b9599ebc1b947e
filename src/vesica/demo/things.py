"""How things look: one drawing a thing, in units of its own size, standing on (0, 0) and looking to the right."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from vesica.demo.brush import BLACK, Brush, darker, lighter, mixed
from vesica.demo.canvas import Colour

GLASS: Colour = (0.16, 0.24, 0.31)
_CHROME: Colour = (0.78, 0.8, 0.83)
_RED: Colour = (0.86, 0.1, 0.12)
_WARM: Colour = (1.0, 0.93, 0.72)
_SKINS: tuple[Colour, ...] = ((0.93, 0.76, 0.63), (0.78, 0.57, 0.42), (0.5, 0.34, 0.25), (0.96, 0.83, 0.72))
_HAIRS: tuple[Colour, ...] = ((0.16, 0.12, 0.1), (0.42, 0.27, 0.14), (0.75, 0.58, 0.3), (0.6, 0.6, 0.6))
_CLOTHES: tuple[Colour, ...] = (
    (0.83, 0.26, 0.22), (0.16, 0.43, 0.6), (0.94, 0.69, 0.17), (0.22, 0.5, 0.36),
    (0.55, 0.32, 0.56), (0.89, 0.87, 0.82), (0.25, 0.28, 0.35), (0.9, 0.48, 0.2),
)  # fmt: skip
_PAINTS: tuple[Colour, ...] = (
    (0.75, 0.14, 0.15), (0.13, 0.36, 0.6), (0.9, 0.9, 0.88), (0.2, 0.23, 0.27),
    (0.93, 0.66, 0.13), (0.32, 0.54, 0.47), (0.56, 0.6, 0.64), (0.45, 0.18, 0.3),
)  # fmt: skip
_COATS: tuple[Colour, ...] = ((0.52, 0.33, 0.18), (0.2, 0.17, 0.16), (0.82, 0.69, 0.48), (0.88, 0.86, 0.83))


class Look(NamedTuple):
    """What one thing has of its own."""

    paint: int
    second: int
    pose: float
    """From 0 to 1: a step, a shape."""
    from_behind: bool
    is_lit: bool
    """Its lamps are on."""


def look_of(rng: np.random.Generator, /, *, from_behind: bool, is_lit: bool) -> Look:
    paint, second = (int(number) for number in rng.integers(0, 64, 2))
    return Look(paint, second, float(rng.random()), from_behind, is_lit)


def _of(colours: tuple[Colour, ...], number: int) -> Colour:
    return colours[number % len(colours)]


def person(brush: Brush, look: Look) -> None:
    """One unit tall."""
    skin, hair = _of(_SKINS, look.second), _of(_HAIRS, look.paint // 3)
    shirt, trousers = _of(_CLOTHES, look.paint), _of(_CLOTHES, look.paint // 8 + look.second)
    trousers = mixed(trousers, (0.2, 0.23, 0.33), 0.65)
    step = 0.03 + 0.11 * look.pose
    for side in (-1, 1):
        shade = trousers if side == 1 else darker(trousers, 0.25)
        brush.stroke((side * 0.03, 0.48), (side * step, 0.05), 0.047, shade, darker(shade))
        brush.stroke((side * step, 0.025), (side * step + 0.05, 0.022), 0.024, BLACK)
    brush.stroke((-0.08, 0.76), (-0.11 - step / 2, 0.5), 0.033, darker(shirt), darker(shirt, 0.4))
    brush.outline(
        ((-0.075, 0.5), (-0.085, 0.76), (0.085, 0.76), (0.07, 0.5)), lighter(shirt), darker(shirt), radius=0.04
    )
    brush.stroke((0.085, 0.76), (0.1 + step / 2, 0.5), 0.033, shirt, darker(shirt))
    brush.disc((0.11 + step / 2, 0.47), 0.028, skin)
    brush.stroke((0, 0.8), (0, 0.86), 0.03, darker(skin, 0.2))
    brush.ellipse((0, 0.915), 0.066, 0.08, lighter(skin, 0.15), darker(skin, 0.15))
    brush.outline(((-0.055, 0.91), (-0.055, 0.965), (0.03, 0.975), (0.05, 0.945)), hair, radius=0.022)


def group(brush: Brush, look: Look) -> None:
    """A crowd of people, as one thing."""
    for k, (x, y) in enumerate(
        ((-0.55, 0.1), (-0.2, 0.14), (0.2, 0.12), (0.5, 0.08), (-0.38, 0.0), (0.02, -0.02), (0.36, 0))
    ):
        foot = brush.at(x, y)
        own = Look(look.paint + 5 * k, look.second + 3 * k, (look.pose + 0.37 * k) % 1, False, False)
        person(Brush(brush.canvas, foot, brush.unit, 1 if k % 2 else -1, brush.label, brush.thing), own)


def _wheels(brush: Brush, radius: float, reach: float) -> None:
    for x in (-reach, reach):
        brush.disc((x, radius), radius, (0.1, 0.1, 0.12))
        brush.disc((x, radius), 0.6 * radius, _CHROME, (0.5, 0.52, 0.55))
        brush.disc((x, radius), 0.22 * radius, (0.25, 0.26, 0.28))


def _lamps(brush: Brush, look: Look, front: tuple[float, float], back: tuple[float, float], size: float) -> None:
    if look.is_lit:
        brush.glow(front, 0.34, _WARM, 0.5)
        brush.glow(back, 0.16, _RED, 0.5)
    brush.ellipse(front, size, 0.7 * size, _WARM)
    brush.ellipse(back, 0.7 * size, size, _RED)


def car(brush: Brush, look: Look) -> None:
    """One unit long."""
    if look.from_behind:
        return _car_behind(brush, look)
    paint = _of(_PAINTS, look.paint)
    roof = 0.3 + 0.05 * look.pose
    brush.outline(((-0.36, 0.2), (-0.25, roof), (0.09, roof), (0.25, 0.2)), lighter(paint, 0.3), paint, radius=0.02)
    brush.outline(
        ((-0.31, 0.21), (-0.225, roof - 0.02), (-0.09, roof - 0.02), (-0.09, 0.21)), lighter(GLASS, 0.35), GLASS
    )
    brush.outline(((-0.06, 0.21), (-0.06, roof - 0.02), (0.075, roof - 0.02), (0.2, 0.21)), lighter(GLASS, 0.45), GLASS)
    body = ((-0.465, 0.09), (-0.47, 0.185), (-0.38, 0.205), (0.3, 0.205), (0.455, 0.165), (0.47, 0.09))
    brush.outline(body, lighter(paint, 0.22), darker(paint, 0.35), radius=0.022)
    brush.stroke((-0.42, 0.185), (0.33, 0.185), 0.005, lighter(paint, 0.55))
    brush.stroke((-0.075, 0.2), (-0.075, 0.1), 0.003, darker(paint, 0.4))
    brush.stroke((-0.13, 0.165), (-0.1, 0.165), 0.007, _CHROME)
    brush.box((-0.47, 0.07, 0.47, 0.1), darker(paint, 0.6), radius=0.012)
    _wheels(brush, 0.08, 0.29)
    _lamps(brush, look, (0.455, 0.165), (-0.475, 0.175), 0.022)


def _car_behind(brush: Brush, look: Look) -> None:
    """0.46 wide."""
    paint = _of(_PAINTS, look.paint)
    for x in (-0.17, 0.17):
        brush.box((x - 0.04, 0, x + 0.04, 0.12), (0.1, 0.1, 0.12), radius=0.015)
    brush.outline(((-0.17, 0.2), (-0.125, 0.33), (0.125, 0.33), (0.17, 0.2)), lighter(paint, 0.3), paint, radius=0.02)
    brush.outline(((-0.145, 0.21), (-0.11, 0.315), (0.11, 0.315), (0.145, 0.21)), lighter(GLASS, 0.45), GLASS)
    brush.box((-0.225, 0.06, 0.225, 0.225), lighter(paint, 0.2), darker(paint, 0.35), radius=0.04)
    brush.box((-0.06, 0.1, 0.06, 0.14), (0.95, 0.93, 0.82), radius=0.006)
    brush.stroke((-0.18, 0.205), (0.18, 0.205), 0.005, lighter(paint, 0.5))
    _tail_lamps(brush, look, 0.18, (0.15, 0.19))


def van(brush: Brush, look: Look) -> None:
    """One unit long, and higher than a car."""
    if look.from_behind:
        return _van_behind(brush, look)
    paint = _of(_PAINTS, look.paint)
    roof = 0.42 + 0.04 * look.pose
    body = ((-0.465, 0.1), (-0.465, roof), (0.2, roof), (0.35, 0.26), (0.46, 0.21), (0.47, 0.1))
    brush.outline(body, lighter(paint, 0.28), darker(paint, 0.3), radius=0.022)
    brush.outline(
        ((0.05, 0.255), (0.05, roof - 0.03), (0.19, roof - 0.03), (0.315, 0.255)), lighter(GLASS, 0.45), GLASS
    )
    brush.stroke((0.02, roof - 0.02), (0.02, 0.12), 0.003, darker(paint, 0.4))
    brush.box((-0.4, 0.26, -0.04, 0.3), mixed(_of(_CLOTHES, look.second), paint, 0.15))
    brush.stroke((-0.44, roof - 0.005), (0.18, roof - 0.005), 0.005, lighter(paint, 0.6))
    brush.box((-0.475, 0.07, 0.475, 0.11), darker(paint, 0.6), radius=0.012)
    _wheels(brush, 0.085, 0.3)
    _lamps(brush, look, (0.465, 0.19), (-0.48, 0.22), 0.024)


def _van_behind(brush: Brush, look: Look) -> None:
    """0.48 wide."""
    paint = _of(_PAINTS, look.paint)
    roof = 0.44 + 0.04 * look.pose
    for x in (-0.18, 0.18):
        brush.box((x - 0.04, 0, x + 0.04, 0.12), (0.1, 0.1, 0.12), radius=0.015)
    brush.box((-0.235, 0.06, 0.235, roof), lighter(paint, 0.28), darker(paint, 0.3), radius=0.035)
    for side in (-1, 1):
        ends = sorted((side * 0.02, side * 0.17))
        brush.box((ends[0], 0.26, ends[1], roof - 0.06), lighter(GLASS, 0.4), GLASS, radius=0.015)
    brush.stroke((0, 0.1), (0, roof - 0.02), 0.004, darker(paint, 0.4))
    brush.box((-0.06, 0.1, 0.06, 0.14), (0.95, 0.93, 0.82), radius=0.006)
    _tail_lamps(brush, look, 0.2, (0.13, 0.22))


def _tail_lamps(brush: Brush, look: Look, reach: float, heights: tuple[float, float]) -> None:
    for x in (-reach, reach):
        if look.is_lit:
            brush.glow((x, sum(heights) / 2), 0.16, _RED, 0.5)
        brush.box((x - 0.025, heights[0], x + 0.025, heights[1]), lighter(_RED, 0.2), _RED, radius=0.01)


def bicycle(brush: Brush, look: Look) -> None:
    """One unit long."""
    paint = _of(_CLOTHES, look.paint)
    hubs = (-0.29, 0.22), (0.29, 0.22)
    for hub in hubs:
        brush.ring(hub, 0.2, 0.03, (0.13, 0.13, 0.15))
        brush.disc(hub, 0.022, _CHROME)
    saddle, crank, head = (-0.1, 0.5), (-0.04, 0.22), (0.21, 0.5)
    for begin, end in (
        (hubs[0], crank), (hubs[0], (-0.09, 0.46)), (crank, (-0.09, 0.46)), (crank, (0.2, 0.46)),
        ((-0.09, 0.44), (0.2, 0.46)), (hubs[1], head),
    ):  # fmt: skip
        brush.stroke(begin, end, 0.016, lighter(paint, 0.1), darker(paint, 0.2))
    brush.stroke((-0.16, saddle[1]), (-0.04, saddle[1]), 0.022, BLACK)
    brush.stroke(head, (0.28, 0.57), 0.013, _CHROME)
    brush.stroke((0.28, 0.57), (0.22, 0.59), 0.014, BLACK)
    brush.disc(crank, 0.035, (0.3, 0.31, 0.33))


def dog(brush: Brush, look: Look) -> None:
    """One unit long."""
    coat = _of(_COATS, look.paint)
    step = 0.04 + 0.05 * look.pose
    for x, shade in ((-0.24, 0.3), (0.14, 0.3), (-0.3, 0.08), (0.2, 0.08)):
        own = darker(coat, shade)
        brush.stroke((x, 0.35), (x + (step if shade > 0.2 else -step), 0.04), 0.042, own, darker(own, 0.2))
    brush.stroke((-0.34, 0.45), (-0.46, 0.62), 0.035, coat)
    brush.stroke((-0.24, 0.42), (0.16, 0.44), 0.13, lighter(coat, 0.22), darker(coat, 0.2))
    brush.stroke((0.2, 0.48), (0.3, 0.62), 0.085, coat)
    brush.ellipse((0.33, 0.66), 0.115, 0.105, lighter(coat, 0.25), coat)
    brush.stroke((0.38, 0.63), (0.46, 0.61), 0.05, lighter(coat, 0.15), darker(coat, 0.1))
    brush.disc((0.5, 0.625), 0.022, BLACK)
    brush.stroke((0.26, 0.72), (0.22, 0.6), 0.04, darker(coat, 0.4))
    brush.disc((0.36, 0.685), 0.016, BLACK)


def balloon(brush: Brush, look: Look) -> None:
    """One unit tall, with its basket at the foot."""
    first, second = _of(_CLOTHES[:6], look.paint), _of(_CLOTHES[:6], look.paint + 1 + look.second % 4)
    for x in (-0.05, 0.05):
        brush.stroke((1.9 * x, 0.33), (x, 0.13), 0.006, (0.3, 0.25, 0.2))
    brush.outline(((-0.2, 0.5), (-0.055, 0.24), (0.055, 0.24), (0.2, 0.5)), first, darker(first), radius=0.02)
    for share, colour in ((1.0, first), (0.72, second), (0.42, first), (0.14, second)):
        brush.ellipse((0, 0.64), 0.33 * share, 0.35, lighter(colour, 0.3), darker(colour, 0.18))
    brush.box((-0.06, 0, 0.06, 0.12), (0.62, 0.43, 0.24), (0.4, 0.26, 0.14), radius=0.015)
    if look.is_lit:
        brush.glow((0, 0.36), 0.36, (1.0, 0.75, 0.35), 0.45)


DRAWINGS: dict[str, Callable[[Brush, Look], None]] = {
    "person": person,
    "car": car,
    "van": van,
    "bicycle": bicycle,
    "dog": dog,
    "balloon": balloon,
    "group": group,
}
