"""Outlines: each object of a data set as one closed line, which is all that YOLO has for masks."""

from __future__ import annotations

import json
from typing import NamedTuple

import numpy as np

from vesica.dataset import CocoMasks, Dataset


class Outlines(NamedTuple):
    """A line for each object, and how many of them are not what the data set has."""

    points: list[np.ndarray]
    """(P, 2) x and y. Never four of them, which might be a rotated box."""
    boxed_masks: int
    boxes: int
    joined: int


def outlines_of(data: Dataset, boxes: np.ndarray, /) -> Outlines | None:
    """Polygons where there are any, and else the boxes; None if no object has a polygon."""
    if data.segments is None:
        return None
    parts = [
        _parts(text, form) for text, form in zip(data.segments.written(), data.segments.form.tolist(), strict=True)
    ]
    if not any(parts):
        return None
    points = [_closed(_joined(found) if found else _corners(box)) for found, box in zip(parts, boxes, strict=True)]
    bare = sum(not found for found in parts)
    boxed_masks = sum(
        not found for found, form in zip(parts, data.segments.form, strict=True) if form != CocoMasks.NONE
    )
    return Outlines(points, boxed_masks, bare - boxed_masks, sum(len(found) > 1 for found in parts))


def _parts(text: bytes, form: int) -> list[np.ndarray]:
    """The polygons of a segmentation that have an area; none of run lengths."""
    if form != CocoMasks.JSON or not text.lstrip().startswith(b"["):
        return []
    value = json.loads(text)
    rings = value if value and isinstance(value[0], list) else [value]
    flat = [np.asarray(ring, np.float64).reshape(-1) for ring in rings]
    return [ring.reshape(-1, 2) for ring in flat if len(ring) >= 6 and len(ring) % 2 == 0]


def _corners(box: np.ndarray) -> np.ndarray:
    x, y, w, h = box.tolist()
    return np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]])


def _closed(points: np.ndarray) -> np.ndarray:
    """Four points and the first again: the same outline, and no rotated box."""
    return np.concatenate([points, points[:1]]) if len(points) == 4 else points


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    """All parts as one line: there and back between the two corners that are nearest, which encloses nothing."""
    line, *others = parts
    for part in others:
        apart = ((line[:, None] - part[None]) ** 2).sum(axis=2)
        here, there = np.unravel_index(int(apart.argmin()), apart.shape)
        line = np.concatenate([line[: here + 1], part[there:], part[: there + 1], line[here:]])
    return line
