"""Label maps as one small picture: the truth, the guess, where they differ, and what was guessed there."""

from __future__ import annotations

import base64
import io
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from vesica.io.png_write import png_of
from vesica.report.label_maps import LabelMapPair
from vesica.report.views import Colour

SIDE, LEAST = 240, 96
"""Pixels of the longer side of each part, at most and, where a map is smaller, about at least."""
MOST = 250
"""Colours: of more classes some share one."""
GAP = 3
NO_CLASS: Colour = (58, 66, 78)
BACKGROUND: Colour = (180, 188, 197)
SAME: Colour = (226, 231, 236)
DIFFERENT: Colour = (112, 122, 136)
"""Dark enough to be seen alone, and grey: what is asked for is drawn over it in a colour."""
BETWEEN: Colour = (128, 136, 146)

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
    """Parts beside or below each other, as a picture for a page.

    Attributes
    ----------
    width, height : of the whole
    source : a data: address of a PNG
    words : what the parts are, in the order in which they are read
    step, zoom : one pixel of a part stands for a square of `step` of the map, and is drawn as a square of `zoom`
    x, y : where the part begins that shows what differs
    """

    width: int
    height: int
    source: str
    words: str
    step: int
    zoom: int
    x: int
    y: int

    def runs_of(self, mask: np.ndarray, /) -> tuple[int, int, tuple[int, ...]]:
        """A mask of the map as runs over the part that shows what differs: columns first, as COCO has them."""
        small = _any_of(mask, self.step).repeat(self.zoom, 0).repeat(self.zoom, 1)
        whole = np.zeros((self.width, self.height), bool)
        whole[self.x : self.x + small.shape[1], self.y : self.y + small.shape[0]] = small.T
        turns = np.flatnonzero(np.diff(whole.ravel(), prepend=False))
        counts = np.diff(turns, prepend=0, append=whole.size)
        return self.height, self.width, tuple(counts.tolist())


def _scale(pair: LabelMapPair) -> tuple[int, int]:
    """Every how manieth pixel is drawn, and how large."""
    longest = max(pair.truth.shape)
    return max(1, -(-longest // SIDE)), max(1, LEAST // longest)


def panel_of(pair: LabelMapPair, /) -> tuple[int, int]:
    """Width and height of each part of its picture, for a photograph among them."""
    step, zoom = _scale(pair)
    height, width = (-(-side // step) * zoom for side in pair.truth.shape)
    return width, height


def picture_of(
    pair: LabelMapPair,
    classes: Sequence[Colour],
    /,
    *,
    sides: tuple[str, str] = ("truth", "guess"),
    photograph: np.ndarray | None = None,
) -> MapPicture:
    """Truth and guess, and below them where they differ and what was guessed there; of wide maps one below the other.

    `classes` has a colour for each class. What is no class or does not count is dark. With a photograph, of the size of
    each part, that one comes first.
    """
    step, zoom = _scale(pair)
    colours = [*classes, SAME, DIFFERENT, NO_CLASS, BETWEEN]
    same, different, none, between = range(len(colours) - 4, len(colours))
    truth, guess = (
        np.where(side < 0, none, side % max(same, 1))[::step, ::step].astype(np.uint8)
        for side in (pair.truth, pair.guess)
    )
    # A pixel that differs is seen, also where not every row and column is drawn.
    differs, counts = _any_of(pair.differs, step), pair.counts[::step, ::step]
    where = np.where(differs, different, np.where(counts, same, none)).astype(np.uint8)
    instead = np.where(differs, _first_of(pair.guess, pair.differs, step, none, same), where).astype(np.uint8)
    parts = [side.repeat(zoom, 0).repeat(zoom, 1) for side in (truth, guess, where, instead)]
    high, wide = parts[0].shape
    if photograph is not None:
        table = np.array(colours, np.uint8)
        whole, y, x = _tiled([photograph, *(table[part] for part in parts[:3])], 2, np.array(BETWEEN, np.uint8), 3)
        words = f"the photograph, {sides[0]}; below, {sides[1]}, and where they differ"
        return MapPicture(whole.shape[1], whole.shape[0], _jpeg(whole), words, step, zoom, x, y)
    told = "the guess" if sides[1] == "guess" else sides[1]
    across = 1 if wide >= 2.6 * high else 2
    whole, y, x = _tiled(parts[:3] if across == 1 else parts, across, between, 2)
    words = f"{sides[0]}, {sides[1]}; below, where they differ, and what {told} has there"
    if across == 1:
        words = f"from the top: {sides[0]}, {sides[1]}, where they differ"
    data = base64.b64encode(png_of(whole, palette=colours)).decode()
    return MapPicture(whole.shape[1], whole.shape[0], f"data:image/png;base64,{data}", words, step, zoom, x, y)


def _tiled(parts: Sequence[np.ndarray], across: int, between: Any, place: int) -> tuple[np.ndarray, int, int]:
    """Parts beside and below each other, and where the one at a place begins."""
    high, wide = parts[0].shape[:2]
    down = -(-len(parts) // across)
    size = down * high + (down - 1) * GAP, across * wide + (across - 1) * GAP
    whole = np.empty((*size, *parts[0].shape[2:]), np.uint8)
    whole[:] = between
    starts = [((number // across) * (high + GAP), (number % across) * (wide + GAP)) for number in range(len(parts))]
    for (y, x), part in zip(starts, parts, strict=True):
        whole[y : y + high, x : x + wide] = part
    return whole, *starts[place]


def _jpeg(pixels: np.ndarray) -> str:
    """A photograph is among them: it would be large as PNG."""
    from PIL import Image  # late: without photographs Pillow is not needed

    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "JPEG", quality=80, subsampling=0)
    return f"data:image/jpeg;base64,{base64.b64encode(out.getvalue()).decode()}"


def colours_of(classes: int, background: int | None = None, /) -> list[Colour]:
    """One for each class, the same in every report; grey for the one that is the background, by its place."""
    return [BACKGROUND if place == background else _colour(place) for place in range(min(classes, MOST))]


def swatches_of(
    names: Sequence[str], colours: Sequence[Colour], seen: Collection[str], /
) -> tuple[tuple[str, Colour], ...]:
    """What each colour is: a class that is seen in a picture, or no class."""
    known = [pair for pair in zip(names, colours, strict=False) if pair[0] in seen]
    return (*known, ("no class, or does not count", NO_CLASS))


def _colour(place: int) -> Colour:
    if place < len(_FIRST):
        return _FIRST[place]
    hue, light = (place * 0.618034) % 1.0, (0.45, 0.75, 0.6)[place % 3]
    # A hue as three waves, a third of a turn apart.
    wave = [0.5 + 0.5 * np.cos(2 * np.pi * (hue - third / 3)) for third in range(3)]
    red, green, blue = (int(255 * light * (0.35 + 0.65 * one)) for one in wave)
    return red, green, blue


def _squares(array: np.ndarray, step: int) -> np.ndarray:
    """(h, w, step²) the pixels of each square; those beyond the edge are 0."""
    height, width = (-(-side // step) for side in array.shape)
    padded = np.zeros((height * step, width * step), array.dtype)
    padded[: array.shape[0], : array.shape[1]] = array
    cut = padded.reshape(height, step, width, step).transpose(0, 2, 1, 3)
    return np.asarray(cut.reshape(height, width, step * step))


def _any_of(mask: np.ndarray, step: int) -> np.ndarray:
    """Squares in which any pixel is set."""
    return mask if step == 1 else np.asarray(_squares(mask, step).any(axis=2))


def _first_of(labels: np.ndarray, mask: np.ndarray, step: int, none: int, classes: int) -> np.ndarray:
    """In each square the label of the first pixel that is set."""
    colours = np.where(labels < 0, none, labels % max(classes, 1))
    if step == 1:
        return colours
    places = _squares(mask, step).argmax(axis=2)
    return np.asarray(np.take_along_axis(_squares(colours, step), places[..., None], axis=2)[..., 0])
