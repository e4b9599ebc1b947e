"""Shapes that are painted: how far each pixel lies outside (above 0) or inside (below 0), and where to look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

Point = tuple[float, float]


class Shape(Protocol):
    """Anything that knows its distance from a pixel."""

    def ends(self) -> tuple[float, float, float, float]:
        """x1, y1, x2, y2 of all that lies inside."""
        ...

    def distance(self, x: np.ndarray, y: np.ndarray, /) -> np.ndarray: ...


@dataclass(frozen=True)
class Ellipse:
    """About a centre; a circle with one radius."""

    centre: Point
    rx: float
    ry: float

    def ends(self) -> tuple[float, float, float, float]:
        (cx, cy), rx, ry = self.centre, self.rx, self.ry
        return cx - rx, cy - ry, cx + rx, cy + ry

    def distance(self, x: np.ndarray, y: np.ndarray, /) -> np.ndarray:
        dx, dy = x - self.centre[0], y - self.centre[1]
        near = np.sqrt((dx / self.rx) ** 2 + (dy / self.ry) ** 2)
        slope = np.sqrt((dx / self.rx**2) ** 2 + (dy / self.ry**2) ** 2)
        found: np.ndarray = np.where(near > 0, near * (near - 1) / np.maximum(slope, 1e-9), -min(self.rx, self.ry))
        return found


def circle(centre: Point, radius: float, /) -> Ellipse:
    return Ellipse(centre, radius, radius)


@dataclass(frozen=True)
class Ring:
    """A circle that has only its line."""

    centre: Point
    radius: float
    width: float

    def ends(self) -> tuple[float, float, float, float]:
        (cx, cy), reach = self.centre, self.radius + self.width / 2
        return cx - reach, cy - reach, cx + reach, cy + reach

    def distance(self, x: np.ndarray, y: np.ndarray, /) -> np.ndarray:
        found: np.ndarray = np.abs(np.hypot(x - self.centre[0], y - self.centre[1]) - self.radius) - self.width / 2
        return found


@dataclass(frozen=True)
class Stroke:
    """A line from a point to another with round ends."""

    begin: Point
    end: Point
    radius: float

    def ends(self) -> tuple[float, float, float, float]:
        xs, ys = (self.begin[0], self.end[0]), (self.begin[1], self.end[1])
        r = self.radius
        return min(xs) - r, min(ys) - r, max(xs) + r, max(ys) + r

    def distance(self, x: np.ndarray, y: np.ndarray, /) -> np.ndarray:
        (x1, y1), (x2, y2) = self.begin, self.end
        length2 = max((x2 - x1) ** 2 + (y2 - y1) ** 2, 1e-9)
        along = np.clip(((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length2, 0, 1)
        found: np.ndarray = np.hypot(x - x1 - along * (x2 - x1), y - y1 - along * (y2 - y1)) - self.radius
        return found


@dataclass(frozen=True)
class Outline:
    """A polygon, its corners rounded by a radius that is added all around."""

    points: tuple[Point, ...]
    radius: float = 0.0

    def ends(self) -> tuple[float, float, float, float]:
        xs, ys = zip(*self.points, strict=True)
        r = self.radius
        return min(xs) - r, min(ys) - r, max(xs) + r, max(ys) + r

    def distance(self, x: np.ndarray, y: np.ndarray, /) -> np.ndarray:
        size = np.broadcast_shapes(x.shape, y.shape)
        nearest2, inside = np.full(size, np.inf), np.zeros(size, bool)
        for (x1, y1), (x2, y2) in zip(self.points, (*self.points[1:], self.points[0]), strict=True):
            length2 = max((x2 - x1) ** 2 + (y2 - y1) ** 2, 1e-9)
            along = np.clip(((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length2, 0, 1)
            nearest2 = np.minimum(nearest2, (x - x1 - along * (x2 - x1)) ** 2 + (y - y1 - along * (y2 - y1)) ** 2)
            if y1 != y2:
                inside ^= ((y1 > y) != (y2 > y)) & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
        found: np.ndarray = np.where(inside, -1, 1) * np.sqrt(nearest2) - self.radius
        return found


@dataclass(frozen=True)
class Rectangle:
    """With upright sides, its corners rounded inwards: it ends where it is said to."""

    x1: float
    y1: float
    x2: float
    y2: float
    radius: float = 0.0

    def ends(self) -> tuple[float, float, float, float]:
        return self.x1, self.y1, self.x2, self.y2

    def distance(self, x: np.ndarray, y: np.ndarray, /) -> np.ndarray:
        wide, high = (self.x2 - self.x1) / 2, (self.y2 - self.y1) / 2
        r = min(self.radius, wide, high)
        across = np.abs(x - (self.x1 + self.x2) / 2) - (wide - r)
        down = np.abs(y - (self.y1 + self.y2) / 2) - (high - r)
        outside = np.hypot(np.maximum(across, 0), np.maximum(down, 0))
        found: np.ndarray = outside + np.minimum(np.maximum(across, down), 0) - r
        return found
