"""Label maps as small pictures: the truth, the guess, and where they differ."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vesica.io.png_write import png_of
from vesica.report.label_maps import LabelMapPair

SIDE = 320
"""Pixels of the longer side of a picture, at most."""
MOST = 250
"""Colours: of more classes some share one."""
Colour = tuple[int, int, int]
NO_CLASS: Colour = (58, 66, 78)
SAME: Colour = (226, 231, 236)
DIFFERENT: Colour = (194, 65, 12)

# For the first classes: far from each other in hue and in lightness, also to who sees no red or no green.
_FIRST: tuple[Colour, ...] = (
    (86, 136, 166),
    (236, 190, 82),
    (120, 60, 110),
    (128, 190, 150),
    (206, 96, 60),
    (190, 200, 214),
    (60, 84, 140),
    (226, 150, 190),
    (110, 120, 50),
    (150, 214, 226),
)


class MapPicture(NamedTuple):
    """A picture for a page."""

    name: str
    width: int
    height: int
    source: str
    """A data: address of a PNG."""


def pictures_of(pair: LabelMapPair, classes: int, /, *, side: int = SIDE) -> list[MapPicture]:
    """The truth, the guess, and where they differ. What is no class or does not count is dark."""
    step = max(1, -(-max(pair.truth.shape) // side))
    colours = colours_of(classes)
    found = [
        _picture(name, np.where(labels < 0, len(colours), labels % max(len(colours), 1)), [*colours, NO_CLASS], step)
        for name, labels in (("truth", pair.truth), ("guess", pair.guess))
    ]
    # A pixel that differs is seen, also where only some rows and columns are drawn.
    differs = _any_of(pair.differs, step)
    counts = pair.counts[::step, ::step]
    return [*found, _picture("differ", np.where(differs, 1, np.where(counts, 0, 2)), [SAME, DIFFERENT, NO_CLASS], 1)]


def colours_of(classes: int, /) -> list[Colour]:
    """One for each class, the same in every report."""
    return [_colour(place) for place in range(min(classes, MOST))]


def _colour(place: int) -> Colour:
    if place < len(_FIRST):
        return _FIRST[place]
    hue, light = (place * 0.618034) % 1.0, (0.45, 0.75, 0.6)[place % 3]
    # A hue as three waves, a third of a turn apart.
    wave = [0.5 + 0.5 * np.cos(2 * np.pi * (hue - third / 3)) for third in range(3)]
    red, green, blue = (int(255 * light * (0.35 + 0.65 * one)) for one in wave)
    return red, green, blue


def _any_of(mask: np.ndarray, step: int) -> np.ndarray:
    """Squares of `step` pixels in which any is set."""
    if step == 1:
        return mask
    height, width = (-(-side // step) for side in mask.shape)
    padded = np.zeros((height * step, width * step), bool)
    padded[: mask.shape[0], : mask.shape[1]] = mask
    return np.asarray(padded.reshape(height, step, width, step).any(axis=(1, 3)))


def _picture(name: str, places: np.ndarray, palette: Sequence[Colour], step: int) -> MapPicture:
    pixels = np.ascontiguousarray(places[::step, ::step]).astype(np.uint8)
    data = base64.b64encode(png_of(pixels, palette=palette)).decode()
    return MapPicture(name, pixels.shape[1], pixels.shape[0], f"data:image/png;base64,{data}")
