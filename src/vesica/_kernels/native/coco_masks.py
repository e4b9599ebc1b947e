"""Masks of a data set as files write them: decoded, measured, compared."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica import _native
from vesica._array import contiguous
from vesica._kernels import native

Column = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]
"""text, begin, end, form, size, and xywh or None: see csrc/dataset/coco_masks.hpp."""

FORMS = tuple(_native.mask_form_names())
FAULTS = tuple(_native.mask_fault_names())
SIDES = tuple(_native.mask_side_names())


class Fault(NamedTuple):
    """Why a row, or a pair of rows, has no answer."""

    kind: str
    row: int
    position: int = 0
    """The byte of the row's text; inside a compressed string its character."""
    side: str = "truth"
    other: int = 0
    """The row of the other side, where a pair is at fault."""
    sizes: tuple[tuple[int, int], tuple[int, int]] | None = None
    """Height and width of the row and of the other, where they differ."""


class Measured(NamedTuple):
    """A row of each: what all of them have that were decoded, with or without runs."""

    area: np.ndarray
    kind: np.ndarray
    position: np.ndarray
    finding: np.ndarray
    """Bits: 1 the counts are short, 2 a polygon has no area."""

    def fault(self, rows: np.ndarray) -> Fault | None:
        """The first one."""
        bad = np.flatnonzero(self.kind)
        if not bad.size:
            return None
        first = bad[np.argmin(rows[bad])]
        return Fault(FAULTS[self.kind[first]], int(rows[first]), int(self.position[first]))


class Decoded(NamedTuple):
    """Canonical counts of rows, row k having counts[offsets[k] : offsets[k + 1]]."""

    counts: np.ndarray
    offsets: np.ndarray
    boxes: np.ndarray
    """(N, 4) int64: x1, y1, x2, y2, half-open; all 0 for an empty mask."""
    sizes: np.ndarray
    """(N, 2) int64: height and width of the images."""
    measured: Measured


def column(
    text: np.ndarray,
    begin: np.ndarray,
    end: np.ndarray,
    form: np.ndarray,
    size: np.ndarray,
    xywh: np.ndarray | None = None,
) -> Column:
    """Columns that kernels may trust: of the right dtypes, contiguous, and inside the text."""
    flat = [contiguous(one, np.int64) for one in (begin, end)]
    if len(flat[0]) and (flat[0].min() < 0 or (flat[1] < flat[0]).any() or flat[1].max() > len(text)):
        raise ValueError("`begin` and `end` must lie inside the text, one behind the other.")
    count = len(flat[0])
    sides = contiguous(size, np.int64)
    forms = contiguous(form, np.uint8)
    boxes = None if xywh is None else contiguous(xywh, np.float64)
    if len(flat[1]) != count or forms.shape != (count,) or sides.shape != (count, 2):
        raise ValueError(f"Columns must have a row for each of the {count} masks.")
    if boxes is not None and boxes.shape != (count, 4):
        raise ValueError(f"`xywh` must be of shape ({count}, 4); got {boxes.shape}.")
    return contiguous(text, np.uint8), flat[0], flat[1], forms, sides, boxes


def decode(column: Column, rows: np.ndarray, *, literal: bool = False, threads: int | None = None) -> Decoded:
    """Runs, boxes and areas of some rows."""
    count = native.thread_count(threads)
    counts, offsets, places, measured = _native.coco_masks_decode(column, rows, literal, count)
    counts, offsets = native.plain(counts, offsets)
    places = places.reshape(-1, 6)
    return Decoded(counts, offsets, places[:, :4], places[:, 4:], Measured(*measured))


def areas(column: Column, rows: np.ndarray, *, literal: bool = False, threads: int | None = None) -> Measured:
    """The areas of some rows."""
    return Measured(*_native.coco_masks_areas(column, rows, literal, native.thread_count(threads)))


def iou(
    guesses: Column,
    truths: Column,
    crowd: np.ndarray | None = None,
    *,
    floor: float = 0.0,
    boundary: bool = False,
    literal: bool = False,
) -> tuple[np.ndarray, Fault | None]:
    """Every guess against every truth of one image, by COCO's rule: (G, T) float64, 0 where it is below the floor."""
    out = np.empty((len(guesses[1]), len(truths[1])))
    flags = None if crowd is None else contiguous(crowd, np.bool_).view(np.uint8)
    told, _ = _native.coco_masks_iou(guesses, truths, flags, floor, boundary, literal, out)
    return out, fault_of(*told)


def fault_of(kind: int, side: int, row: int, other: int, position: int, size: list[int]) -> Fault | None:
    """A fault as the kernels tell it."""
    if not kind:
        return None
    sizes = ((size[0], size[1]), (size[2], size[3])) if FAULTS[kind] == "sizes_differ" else None
    return Fault(FAULTS[kind], row, position, SIDES[side], other, sizes)
