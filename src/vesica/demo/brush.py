"""A brush that paints a thing where it stands: drawings are in units of its size, x to where it looks, y upwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vesica.demo.canvas import Canvas, Colour
from vesica.demo.shapes import Ellipse, Outline, Point, Rectangle, Ring, Shape, Stroke

BLACK: Colour = (0.07, 0.08, 0.1)


@dataclass(frozen=True)
class Brush:
    """Where a thing stands, how large it is, which way it looks, and as what it is marked."""

    canvas: Canvas
    foot: Point
    unit: float
    facing: int = 1
    label: int | None = None
    thing: int | None = None

    def at(self, x: float, y: float, /) -> Point:
        return self.foot[0] + self.facing * self.unit * x, self.foot[1] - self.unit * y

    def outline(
        self, points: Sequence[Point], colour: Colour, low: Colour | None = None, *, radius: float = 0.0
    ) -> None:
        self._paint(Outline(tuple(self.at(*point) for point in points), radius * self.unit), colour, low)

    def box(
        self,
        ends: tuple[float, float, float, float],
        colour: Colour,
        low: Colour | None = None,
        *,
        radius: float = 0.0,
    ) -> None:
        (u1, v1), (u2, v2) = self.at(*ends[:2]), self.at(*ends[2:])
        shape = Rectangle(min(u1, u2), min(v1, v2), max(u1, u2), max(v1, v2), radius * self.unit)
        self._paint(shape, colour, low)

    def ellipse(self, centre: Point, rx: float, ry: float, colour: Colour, low: Colour | None = None) -> None:
        self._paint(Ellipse(self.at(*centre), rx * self.unit, ry * self.unit), colour, low)

    def disc(self, centre: Point, radius: float, colour: Colour, low: Colour | None = None) -> None:
        self.ellipse(centre, radius, radius, colour, low)

    def ring(self, centre: Point, radius: float, width: float, colour: Colour) -> None:
        """What it holds belongs to the thing too."""
        middle = self.at(*centre)
        self.canvas.mark(Ellipse(middle, radius * self.unit, radius * self.unit), label=self.label, thing=self.thing)
        self._paint(Ring(middle, radius * self.unit, max(width * self.unit, 0.8)), colour, None)

    def stroke(self, begin: Point, end: Point, radius: float, colour: Colour, low: Colour | None = None) -> None:
        self._paint(Stroke(self.at(*begin), self.at(*end), max(radius * self.unit, 0.45)), colour, low)

    def glow(self, centre: Point, radius: float, colour: Colour, strength: float) -> None:
        """Light around a lamp; it marks nothing."""
        reach = radius * self.unit
        spot = Ellipse(self.at(*centre), reach * 0.5, reach * 0.5)
        self.canvas.paint(spot, colour, soft=reach, strength=strength, shines=True)

    def _paint(self, shape: Shape, colour: Colour, low: Colour | None) -> None:
        self.canvas.paint(shape, colour, low, label=self.label, thing=self.thing)


def mixed(one: Colour, other: Colour, share: float, /) -> Colour:
    """So much of the other."""
    r, g, b = (a + share * (z - a) for a, z in zip(one, other, strict=True))
    return r, g, b


def lighter(colour: Colour, share: float = 0.25, /) -> Colour:
    return mixed(colour, (1, 1, 1), share)


def darker(colour: Colour, share: float = 0.3, /) -> Colour:
    return mixed(colour, BLACK, share)
