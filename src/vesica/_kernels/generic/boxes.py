"""Parts of pairs of boxes. A box is its four columns, x1, y1, x2, y2, broadcast against those of its partner."""

from __future__ import annotations

from vesica._array import Array, namespace, real

Box = tuple[Array, Array, Array, Array]


def sides(box: Box) -> tuple[Array, Array]:
    """Width and height; 0 where an unchecked box is inverted."""
    x1, y1, x2, y2 = box
    xp = namespace(x1)
    return xp.clip(x2 - x1, 0, None), xp.clip(y2 - y1, 0, None)


def inter(a: Box, b: Box) -> Array:
    """The shared area."""
    xp = namespace(a[0])
    w = xp.clip(xp.minimum(a[2], b[2]) - xp.maximum(a[0], b[0]), 0, None)
    h = xp.clip(xp.minimum(a[3], b[3]) - xp.maximum(a[1], b[1]), 0, None)
    return w * h


def hull_sides(a: Box, b: Box) -> tuple[Array, Array]:
    """Width and height of the smallest box around both."""
    xp = namespace(a[0])
    w = xp.maximum(a[2], b[2]) - xp.minimum(a[0], b[0])
    h = xp.maximum(a[3], b[3]) - xp.minimum(a[1], b[1])
    return w, h


def offsets2(a: Box, b: Box) -> tuple[Array, Array]:
    """Twice the way from the centre of b to that of a, along x and y; float64 for integers."""
    return real((a[0] + a[2]) - (b[0] + b[2])), real((a[1] + a[3]) - (b[1] + b[3]))


def centre2(a: Box, b: Box) -> Array:
    """The squared distance of the centres; float64 for integers."""
    dx, dy = offsets2(a, b)
    return (dx * dx + dy * dy) / 4


def slope(w: Array, h: Array) -> Array:
    """atan2(w, h): the shape of a box as an angle. A point has 0, with gradient 0."""
    xp = namespace(w)
    w, h = real(w), real(h)
    point = (w == 0) & (h == 0)
    return xp.where(point, xp.zeros_like(w), xp.atan2(w, xp.where(point, xp.ones_like(h), h)))
