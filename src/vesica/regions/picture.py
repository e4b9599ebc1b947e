"""How regions show themselves in a notebook: what they are, the first rows, and their outlines."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import _html
from vesica._array import to_numpy
from vesica.regions.boxes import Boxes
from vesica.regions.outlines import outlines
from vesica.regions.sets import Sets

MOST, SIDE = 60, 280
"""Regions that are drawn, and pixels of the longer side of the drawing."""
PIXELS = 50_000_000
"""Of all boxes around masks that are drawn."""
BYTES = 60_000
"""Of all outlines: one that would be too much is left out."""


def html_of(regions: Any, /) -> str:
    """One table and one drawing."""
    if isinstance(regions, Sets):
        return _html.page(_html.words(repr(regions)), _table_of_sizes(regions))
    flat = regions if len(regions.shape) == 1 else Boxes(np.asarray(to_numpy(regions.xyxy)).reshape(-1, 4), check=False)
    return _html.page(_html.words(repr(regions)), _table(flat), _drawing(flat))


def _table(regions: Any) -> str:
    first = regions[: _html.ROWS]
    boxes = first if isinstance(first, Boxes) else first.boxes
    corners = np.asarray(to_numpy(boxes.xyxy), np.float64).tolist()
    areas = np.asarray(to_numpy(first.area), np.float64).tolist()
    rows = [
        [str(row), *(f"{value:g}" for value in box), f"{area:g}"]
        for row, (box, area) in enumerate(zip(corners, areas, strict=True))
    ]
    return _html.table(["", "x1", "y1", "x2", "y2", "area"], rows, total=len(regions))


def _table_of_sizes(sets: Sets) -> str:
    sizes = np.asarray(sets.area[: _html.ROWS]).tolist()
    return _html.table(["", "members"], [[str(row), str(size)] for row, size in enumerate(sizes)], total=len(sets))


def _drawing(regions: Any) -> str:
    first = regions[:MOST]
    size = getattr(first, "size", None)
    if size is not None:  # masks of large pictures: no more than can be looked at while somebody waits
        boxes = np.asarray(to_numpy(first.boxes.xyxy), np.float64)
        pixels = np.cumsum((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]))
        first = first[: max(1, int(np.searchsorted(pixels, PIXELS, side="right")))]
    step = 1 if size is None else max(1, -(-max(size) // SIDE))
    drawn = [[ring for ring in rings if np.isfinite(ring).all()] for rings in outlines(first, step=step)]
    points = [ring for rings in drawn for ring in rings]
    if not points:
        return ""
    if size is None:
        low, high = np.concatenate(points).min(axis=0), np.concatenate(points).max(axis=0)
        room = 0.04 * (float((high - low).max()) or 1.0)
        (x, y), (width, height) = (low - room).tolist(), (high - low + 2 * room).tolist()
    else:
        x, y, width, height = 0.0, 0.0, float(size[1]), float(size[0])
    scale = SIDE / max(width, height)
    paths, used = [], 0
    for number, rings in enumerate(drawn):
        path = _path(rings, number, (x, y), scale)
        used += len(path)
        if used > BYTES:
            break
        paths.append(path)
    count = len(regions)
    title = f"outlines of {len(paths):,} of {count:,} regions"
    sides = round(width * scale), round(height * scale)
    frame = f'<rect width="{sides[0]}" height="{sides[1]}" fill="none" stroke="currentColor" opacity="0.3"/>'
    picture = _html.svg(*sides, title, [frame, *paths])
    return picture + (_html.words(f"{len(paths):,} of {count:,} are drawn") if len(paths) < count else "")


def _path(rings: list[np.ndarray], number: int, origin: tuple[float, float], scale: float) -> str:
    colour = _html.COLOURS[number % len(_html.COLOURS)]
    moved = [((ring[:-1] - origin) * scale).round(1).tolist() for ring in rings]
    d = "".join(f"M{'L'.join(f'{x:g} {y:g}' for x, y in ring)}Z" for ring in moved)
    return (
        f'<path d="{d}" fill="{colour}" fill-opacity="0.15" fill-rule="evenodd" stroke="{colour}" stroke-width="1.5"/>'
    )
