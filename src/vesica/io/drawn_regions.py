"""Regions of a data set as annotation tools draw them: boxes, turned boxes, outlines and masks, one by one."""

from __future__ import annotations

import json
from collections import Counter
from typing import NamedTuple

import numpy as np

from vesica._check import brief
from vesica.dataset import CocoMasks, Dataset
from vesica.dataset.boxless import boxes_of
from vesica.errors import InputError
from vesica.io.turned_boxes import Turned, turned

_NEAR = 1e-6
_NOTES = {
    "drawn": "{} polygons of several parts were drawn as masks",
    "bent": "{} rotated boxes are no rectangles, and were written as polygons",
    "boxes": "{} boxes are other than those around their masks or polygons, and were left out",
}


class Region(NamedTuple):
    """One of these is there; of a mask, `mask` is its part of the image, and where that lies."""

    box: list[float] | None = None
    """x, y, width, height"""
    turned: Turned | None = None
    rings: list[np.ndarray] | None = None
    """(P, 2) each; one, unless the tool knows parts"""
    mask: np.ndarray | None = None
    """(height, width) bool"""
    corner: tuple[int, int] = (0, 0)
    """left, top"""


def drawn(data: Dataset, /, *, parts: bool = False, turns: bool = True) -> tuple[list[Region], tuple[str, ...]]:
    """A region for each row, and what is other than in the data set.

    With `parts` polygons may have several, with `turns` boxes may be rotated: the tool has them.
    """
    boxes = boxes_of(data)
    counted: Counter[str] = Counter()
    segments = None if data.segments is None else data.segments.sized(data.images.sizes[data.image])
    forms = np.zeros(len(data), np.uint8) if segments is None else segments.form
    texts = [b""] * len(data) if segments is None else list(segments.written())
    found: list[Region] = []
    for row, (text, form, box) in enumerate(zip(texts, forms.tolist(), boxes.tolist(), strict=True)):
        if form == CocoMasks.NONE:
            found.append(_boxed(data, row, box, turns, counted))
            continue
        rings = _rings(text) if form == CocoMasks.JSON else None
        if rings and (parts or len(rings) == 1):
            region = Region(rings=rings)
            around = np.concatenate(rings)
            is_other = not np.allclose([*around.min(axis=0), *np.ptp(around, axis=0)], box, atol=_NEAR)
        else:
            assert segments is not None
            counted["drawn"] += bool(rings)
            region = _masked(data, segments, row)
            is_other = region.mask is not None and not np.allclose(
                [*region.corner, *region.mask.shape[::-1]], box, atol=_NEAR
            )
        counted["boxes"] += is_other
        found.append(region)
    return found, tuple(text.format(f"{counted[key]:,}") for key, text in _NOTES.items() if counted[key])


def _boxed(data: Dataset, row: int, box: list[float], turns: bool, counted: Counter[str]) -> Region:
    if data.corners is None:
        return Region(box=box)
    corners = data.corners[row]
    x, y, w, h = box
    if np.array_equal(corners, [[x, y], [x + w, y], [x + w, y + h], [x, y + h]]):
        return Region(box=box)
    rectangle = turned(corners)
    if rectangle is None or not turns:
        counted["bent"] += turns
        return Region(rings=[corners])
    return Region(turned=rectangle)


def _rings(text: bytes) -> list[np.ndarray] | None:
    """The polygons of a segmentation; None of run lengths."""
    if not text.lstrip().startswith(b"["):
        return None
    value = json.loads(text)
    parts = value if value and isinstance(value[0], list) else [value]
    flat = [np.asarray(part, np.float64).reshape(-1) for part in parts]
    return [ring.reshape(-1, 2) for ring in flat if len(ring) >= 6 and len(ring) % 2 == 0]


def _masked(data: Dataset, segments: CocoMasks, row: int) -> Region:
    """The part of the image in which the mask lies."""
    if not segments.size[row].all():
        image = data.images.ids.tolist()[int(data.image[row])]
        raise InputError(f"Masks need the size of their image, and that of {brief(image)} is not known.")
    mask = segments.to_rle([row])
    x1, y1, x2, y2 = (int(side) for side in mask.boxes.xyxy[0].tolist())
    if x1 == x2:  # no pixel: one of the background stands for it
        return Region(mask=np.zeros((1, 1), bool))
    return Region(mask=mask.crop(x1, y1, x2, y2).to_masks().array[0], corner=(x1, y1))
