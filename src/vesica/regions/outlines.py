"""Outlines: where regions end, as closed rings of points."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from vesica._array import to_numpy
from vesica.regions.boxes import Boxes
from vesica.regions.labels import LabelMap
from vesica.regions.pixels import PixelRegions
from vesica.regions.polygons import Polygons
from vesica.regions.rotated import RotatedBoxes


def outlines(regions: Any, /, *, step: int = 1) -> list[list[np.ndarray]]:
    """Of each region its rings, (P, 2) points x, y each, of which the last is the first; none for what is empty.

    Holes are rings too. Those of pixels go along their edges; with a larger `step` along those of every so many.

    >>> outlines(Boxes([[0, 0, 4, 2]]))[0][0].tolist()
    [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [0.0, 2.0], [0.0, 0.0]]
    """
    if isinstance(regions, Boxes):
        corners = np.asarray(to_numpy(regions.xyxy), np.float64).reshape(-1, 4)
        return [[ring] for ring in corners[:, [[0, 1], [2, 1], [2, 3], [0, 3], [0, 1]]]]
    if isinstance(regions, (PixelRegions, LabelMap)):
        return _of_pixels(regions, step)
    shapes = Polygons.from_rotated(regions) if isinstance(regions, RotatedBoxes) else regions
    points, rings, parts, of = shapes.arrays
    closed = [np.concatenate([ring, ring[:1]]) for ring in np.split(points, rings[1:-1])] if len(points) else []
    ends = parts[of]
    return [closed[begin:end] for begin, end in itertools.pairwise(ends.tolist())]


def _of_pixels(regions: Any, step: int) -> list[list[np.ndarray]]:
    masks = regions.to_rle()
    boxes = np.asarray(to_numpy(masks.boxes.xyxy)).astype(np.int64)
    found: list[list[np.ndarray]] = []
    for place, (x1, y1, x2, y2) in enumerate(boxes.tolist()):
        if x2 <= x1 or y2 <= y1:
            found.append([])
            continue
        cells = np.asarray(to_numpy(masks[place : place + 1].crop(x1, y1, x2, y2).to_masks().array))[0]
        found.append([ring * step + np.array([x1, y1]) for ring in traced(cells[::step, ::step])])
    return found


def traced(cells: np.ndarray, /) -> list[np.ndarray]:
    """The edges between cells that are set and others, as closed rings; what is set lies to the right.

    >>> import numpy as np
    >>> traced(np.array([[True, True], [False, False]]))[0].tolist()
    [[0, 0], [2, 0], [2, 1], [0, 1], [0, 0]]
    """
    padded = np.pad(cells, 1).astype(np.int8)
    across, down = np.diff(padded, axis=0)[:, 1:-1], np.diff(padded, axis=1)[1:-1]
    # From each corner, the steps that leave it: right along upper edges, left along lower ones, and so on.
    steps: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for change, (dx, dy), of in (
        (1, (1, 0), across),
        (-1, (-1, 0), across),
        (-1, (0, 1), down),
        (1, (0, -1), down),
    ):
        for y, x in np.argwhere(of == change).tolist():
            steps.setdefault((x + (dx < 0), y + (dy < 0)), []).append((dx, dy))
    rings = []
    while steps:
        rings.append(_ring(steps))
    return rings


def _ring(steps: dict[tuple[int, int], list[tuple[int, int]]]) -> np.ndarray:
    """One ring, taken out of the steps."""
    start = at = next(iter(steps))
    came = steps[at][0]
    corners = [at]
    while True:
        leaving = steps[at]
        # Where two cells touch at a corner, a turn to the right stays with the same one.
        right = (-came[1], came[0])
        step = right if right in leaving else leaving[0]
        leaving.remove(step)
        if not leaving:
            del steps[at]
        if step != came:
            corners.append(at)
        at, came = (at[0] + step[0], at[1] + step[1]), step
        if at == start:
            return np.array([*corners[corners[:1] == corners[1:2] :], start])
