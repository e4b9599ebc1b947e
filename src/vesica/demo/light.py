"""Light: what day, dusk and night do to colours and shadows."""

from __future__ import annotations

from typing import NamedTuple

from vesica.demo.canvas import Colour


class Light(NamedTuple):
    """The colours of the sky, the tint of everything below it, and how shadows fall."""

    name: str
    above: Colour
    horizon: Colour
    tint: Colour
    disc: Colour
    """The sun, or the moon."""
    lean: float
    """How far shadows reach to the side, as a share of the height of a thing."""
    shadow: float
    """How dark they are."""
    lamps: bool


DAY = Light("day", (0.3, 0.56, 0.82), (0.82, 0.91, 0.95), (1, 1, 0.98), (1, 0.97, 0.82), 0.55, 0.36, False)
DUSK = Light("dusk", (0.25, 0.26, 0.5), (0.99, 0.66, 0.42), (0.92, 0.74, 0.68), (1, 0.78, 0.45), -1.1, 0.38, True)
NIGHT = Light("night", (0.04, 0.07, 0.16), (0.16, 0.22, 0.38), (0.42, 0.48, 0.66), (0.9, 0.93, 1), 0.25, 0.5, True)
LIGHTS = (DAY, DUSK, NIGHT)
