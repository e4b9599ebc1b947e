"""Box readings: what the four numbers of a box may mean, and the corners that they are then."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SWAPPED = (1, 0, 3, 2)
LAYOUTS: dict[str, tuple[tuple[int, ...] | None, str]] = {
    "xywh": (None, "xywh"),
    "xyxy": (None, "xyxy"),
    "cxcywh": (None, "cxcywh"),
    "yxyx": (None, "yxyx"),
    "yxhw": (SWAPPED, "xywh"),
}
"""By name: the order in which columns are taken, and the form of `Boxes` that they then have."""
AXES_SWAPPED = ("yxyx", "yxhw")
UNITS = {"pixels": 0.0, "shares": 1.0, "percent": 100.0}
"""How much of a unit a whole side of the image is; pixels do not ask for the image."""
FRAMES = ("letterbox", "corner", "stretch")
"""How a picture is put into the square that a network sees: in its middle, at its corner, or drawn out."""
SIDES = (
    *(256, 288, 300, 320, 352, 384, 416, 448, 480, 512, 544),
    *(576, 608, 640, 704, 736, 768, 800, 896, 960, 1024, 1280),
)
"""Of squares that networks see."""


class Frame(NamedTuple):
    """The square that a network sees, as one of `FRAMES`."""

    kind: str
    side: int

    def to_image(self, corners: np.ndarray, sizes: np.ndarray, /) -> np.ndarray:
        """Corners in the square as corners in images of these heights and widths, (N, 2)."""
        width, height = sizes[:, 1].astype(np.float64), sizes[:, 0].astype(np.float64)
        if self.kind == "stretch":
            return np.asarray(corners * np.stack([width, height, width, height], axis=1) / self.side)
        longest = np.maximum(np.maximum(width, height), 1)
        pads = np.zeros_like(corners)
        if self.kind == "letterbox":
            room = (self.side - np.stack([width, height], axis=1) * (self.side / longest)[:, None]) / 2
            pads = np.concatenate([room, room], axis=1)
        return np.asarray((corners - pads) * (longest / self.side)[:, None])


class BoxReading(NamedTuple):
    """A meaning of four numbers: their layout, their unit, and the frame that they are in, None for the image."""

    layout: str = "xywh"
    unit: str = "pixels"
    frame: Frame | None = None

    @property
    def words(self) -> str:
        """As `--assume` takes it."""
        return self.layout if self.unit == "pixels" else f"{self.layout}-{self.unit}"

    def corners(self, numbers: np.ndarray, sizes: np.ndarray, /) -> np.ndarray:
        """(N, 4) x1, y1, x2, y2 in pixels of images of these heights and widths, (N, 2)."""
        from vesica.regions.boxes import Boxes  # late: a quick look needs no other reading

        order, form = LAYOUTS[self.layout]
        taken = numbers if order is None else numbers[:, order]
        corners: np.ndarray = Boxes(taken, form, check=False).to("xyxy")  # type: ignore[arg-type]  # one of FORMS
        if self.unit != "pixels":
            corners = corners * (sizes[:, SWAPPED_SIDES] / UNITS[self.unit])
        return corners if self.frame is None else self.frame.to_image(corners, sizes)

    def numbers(self, xywh: np.ndarray, sizes: np.ndarray, /) -> np.ndarray:
        """The four numbers of which a reader made these boxes; those of a frame are not asked for."""
        order, form = LAYOUTS[self.layout]
        if form == "xywh" and self.unit == "pixels" and order is None:
            return xywh
        from vesica.regions.boxes import Boxes

        corners = Boxes(xywh, "xywh", check=False).to("xyxy")
        if self.unit != "pixels":
            corners = corners / (np.maximum(sizes[:, SWAPPED_SIDES], 1) / UNITS[self.unit])
        numbers: np.ndarray = Boxes(corners, check=False).to(form)  # type: ignore[arg-type]
        return numbers if order is None else numbers[:, order]


SWAPPED_SIDES = (1, 0, 1, 0)
"""Width, height, width, height of a row of height and width."""

_DECLARED = {
    "shares of the image": BoxReading("cxcywh", "shares"),
    "percent of the image": BoxReading("xywh", "percent"),
    "pixels from 1": BoxReading("xyxy"),
    "corners as written": BoxReading("xyxy"),
    "corners in pixels": BoxReading("xyxy"),
}


def declared(form: str, format: str = "", /) -> BoxReading:
    """What a format says that its numbers are, by the words in which its reader tells them.

    >>> declared("xywh pixels").words, declared("shares of the image", "yolo").words
    ('xywh', 'cxcywh-shares')
    """
    if format == "csv" and form in _DECLARED:  # shares of Open Images
        return BoxReading("xyxy", "shares")
    layout = form.partition(" ")[0].partition("_")[0]
    return _DECLARED.get(form) or BoxReading(layout if layout in LAYOUTS else "xyxy")


def reading_of(words: str, /) -> BoxReading | None:
    """The reading of `--assume boxes=WORDS`; None if there is none."""
    layout, _, unit = words.partition("-")
    return BoxReading(layout, unit or "pixels") if layout in LAYOUTS and (unit or "pixels") in UNITS else None
