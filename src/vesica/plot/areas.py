"""What two regions share and what each has alone, as cells of a grid over the part of the plane that is shown."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica._array import to_numpy
from vesica.regions import Boxes, Polygons, Region, RotatedBoxes
from vesica.regions.outlines import outlines, traced
from vesica.regions.pixels import PixelRegions

CELLS = 480
"""Along the longer side of what is shown."""
MARGIN = 0.22
"""What is shown around the regions, as a share of the longer side of both."""


class Frame(NamedTuple):
    """The part of the plane that is shown."""

    x1: float
    y1: float
    x2: float
    y2: float

    @property
    def cell(self) -> float:
        return max(self.x2 - self.x1, self.y2 - self.y1) / CELLS

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return max(1, round((self.y2 - self.y1) / self.cell)), max(1, round((self.x2 - self.x1) / self.cell))


def frame_of(a: Region, b: Region, size: tuple[int, int] | None, /) -> Frame:
    """All of a picture of this height and width; without one, both regions and a margin."""
    if size is not None:
        return Frame(0.0, 0.0, float(size[1]), float(size[0]))
    corners = np.concatenate([_box(a), _box(b)])
    x1, y1 = corners[:, :2].min(axis=0)
    x2, y2 = corners[:, 2:].max(axis=0)
    room = MARGIN * (max(x2 - x1, y2 - y1) or 1.0)
    return Frame(float(x1 - room), float(y1 - room), float(x2 + room), float(y2 + room))


def _box(region: Region) -> np.ndarray:
    """(0 or 1, 4): an empty mask has none."""
    boxes = region if isinstance(region, Boxes) else region.boxes  # type: ignore[union-attr]  # sets are refused before
    corners = np.asarray(to_numpy(boxes.xyxy), np.float64).reshape(-1, 4)
    if isinstance(region, PixelRegions):
        return corners[(corners[:, 2:] > corners[:, :2]).all(axis=1)] if len(corners) else corners
    return corners


def cells_of(region: Region, frame: Frame, /) -> np.ndarray:
    """Which cells have their centre inside a region."""
    rows, columns = frame.shape
    x = frame.x1 + (np.arange(columns) + 0.5) * frame.cell
    y = frame.y1 + (np.arange(rows) + 0.5) * frame.cell
    if isinstance(region, Boxes):
        x1, y1, x2, y2 = _box(region)[0]
        return np.outer((y >= y1) & (y < y2), (x >= x1) & (x < x2))
    if isinstance(region, PixelRegions):
        return _sampled(np.asarray(to_numpy(region.to_masks().array))[0], x, y)
    shape = Polygons.from_rotated(region) if isinstance(region, RotatedBoxes) else region
    assert isinstance(shape, Polygons)
    points, *starts = shape.arrays
    on_grid = (points - (frame.x1, frame.y1)) / frame.cell
    drawn = Polygons.from_arrays(on_grid, *starts).to_rle((rows, columns), rule="centre")
    cells: np.ndarray = np.asarray(to_numpy(drawn.to_masks().array))[0]
    return cells


def _sampled(mask: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    column, row = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    inside = np.outer((row >= 0) & (row < mask.shape[0]), (column >= 0) & (column < mask.shape[1]))
    found = mask[np.clip(row, 0, mask.shape[0] - 1)][:, np.clip(column, 0, mask.shape[1] - 1)]
    cells: np.ndarray = found & inside
    return cells


def rings_of(region: Region, cells: np.ndarray, frame: Frame, /) -> list[np.ndarray]:
    """The outline as closed rings of points: of pixels, that of their cells."""
    if isinstance(region, PixelRegions):
        return [ring * frame.cell + (frame.x1, frame.y1) for ring in traced(cells)]
    return outlines(region)[0]
