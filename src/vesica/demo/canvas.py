"""A canvas: colours, and for every pixel the class and the thing that lie there."""

from __future__ import annotations

import numpy as np

from vesica.demo.shapes import Shape

Colour = tuple[float, float, float]
"""Red, green, blue from 0 to 1."""


class Canvas:
    """Paint, nearest last. Edges are mixed, so that a line looks smooth; classes and things are whole pixels."""

    def __init__(self, width: int, height: int, tint: Colour = (1, 1, 1)) -> None:
        self.width, self.height = width, height
        self.colours = np.zeros((height, width, 3), np.float32)
        self.labels = np.zeros((height, width), np.uint8)
        self.things = np.zeros((height, width), np.int32)
        """0 where there is none."""
        self._tint = np.array(tint, np.float32)

    def paint(
        self,
        shape: Shape,
        colour: Colour,
        low: Colour | None = None,
        *,
        label: int | None = None,
        thing: int | None = None,
        soft: float = 1.0,
        strength: float = 1.0,
        shines: bool = False,
    ) -> None:
        """A colour from the top of the shape to `low` at its foot, over an edge `soft` pixels wide.

        What shines is not tinted by the light of day, and adds to what lies below.
        """
        rows, columns = self._window(shape, soft)
        if rows.start >= rows.stop or columns.start >= columns.stop:
            return
        y, x = _middles(rows, columns)
        far = shape.distance(x, y)
        cover = np.clip(0.5 - far / soft, 0, 1)
        if soft > 2:
            cover = cover * cover * (3 - 2 * cover)
        cover = (strength * cover)[..., None].astype(np.float32)
        own = _between(colour, colour if low is None else low, shape, y)
        below = self.colours[rows, columns]
        if shines:
            self.colours[rows, columns] = below + cover * own * (1.15 - np.minimum(below, 1))
        else:
            self.colours[rows, columns] = below + cover * (own * self._tint - below)
        self._mark(rows, columns, far < 0, label, thing)

    def mark(self, shape: Shape, *, label: int | None, thing: int | None) -> None:
        """What belongs to a thing and shows what is behind it, such as the inside of a wheel."""
        rows, columns = self._window(shape, 1)
        if rows.start >= rows.stop or columns.start >= columns.stop:
            return
        y, x = _middles(rows, columns)
        self._mark(rows, columns, shape.distance(x, y) < 0, label, thing)

    def fade(self, tops: Colour, foots: Colour, /, begin: float, end: float) -> None:
        """Rows from one colour to another, before anything else is painted."""
        share = np.clip((np.arange(self.height) - begin) / max(end - begin, 1), 0, 1)[:, None, None]
        high, low = (np.array(colour, np.float32) for colour in (tops, foots))
        self.colours[:] = (high + share * (low - high)).astype(np.float32)

    def pixels(self) -> np.ndarray:
        """(H, W, 3) uint8, darker towards the corners as a lens makes it."""
        y, x = np.ogrid[-1 : 1 : self.height * 1j, -1 : 1 : self.width * 1j]
        lens = (1 - 0.09 * (x**2 + y**2))[..., None]
        return np.asarray(np.rint(np.clip(self.colours * lens, 0, 1) * 255).astype(np.uint8))

    def _window(self, shape: Shape, soft: float) -> tuple[slice, slice]:
        x1, y1, x2, y2 = shape.ends()
        reach = soft / 2 + 1
        rows = slice(max(int(y1 - reach), 0), min(int(y2 + reach) + 1, self.height))
        columns = slice(max(int(x1 - reach), 0), min(int(x2 + reach) + 1, self.width))
        return rows, columns

    def _mark(self, rows: slice, columns: slice, inside: np.ndarray, label: int | None, thing: int | None) -> None:
        for plane, value in ((self.labels, label), (self.things, thing)):
            if value is not None:
                plane[rows, columns][inside] = value


def _middles(rows: slice, columns: slice) -> tuple[np.ndarray, np.ndarray]:
    """Of pixels, (H, 1) and (1, W)."""
    y = np.arange(rows.start, rows.stop, dtype=np.float32)[:, None] + np.float32(0.5)
    x = np.arange(columns.start, columns.stop, dtype=np.float32)[None] + np.float32(0.5)
    return y, x


def _between(high: Colour, low: Colour, shape: Shape, y: np.ndarray) -> np.ndarray:
    _, y1, _, y2 = shape.ends()
    share = np.clip((y - y1) / max(y2 - y1, 1e-9), 0, 1)[..., None]
    first, last = (np.array(colour, np.float32) for colour in (high, low))
    mixed: np.ndarray = (first + share * (last - first)).astype(np.float32)
    return mixed
