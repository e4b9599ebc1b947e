"""LabelMe's JSON, written: one file for each image."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

from vesica.dataset import Dataset
from vesica.io import atomic
from vesica.io.drawn_regions import Region, drawn
from vesica.io.labelme import files_in
from vesica.io.png_write import png_of
from vesica.io.text_fields import different, known_by_name, lost_columns, names_of, rows_by_image, stem_of


def write(folder: Path, data: Dataset, /) -> tuple[str, ...]:
    """Write the files into a folder. Returns what could not be kept."""
    regions, notes = drawn(data, parts=True, turns=False)
    labels, stems = names_of(data), different([stem_of(id, "image") for id in data.images.ids.tolist()])
    sizes = data.images.sizes.tolist()
    for place, (stem, rows) in enumerate(zip(stems, rows_by_image(data), strict=True)):
        shapes = [shape for row in rows for shape in _shapes(regions[row], labels[data.category[row]], row)]
        text = json.dumps(_page(data, place, sizes[place], shapes), ensure_ascii=False, indent=1)
        atomic.put(folder / f"{stem}.json", text + "\n")
    return (*_lost(data, regions), *known_by_name(data), *notes)


def stale(folder: Path, /) -> list[Path]:
    """What an earlier data set left where this one is to be written."""
    return files_in(folder)[1]


def _lost(data: Dataset, regions: list[Region]) -> list[str]:
    is_turned = data.corners is not None and any(region.rings is not None for region in regions)
    return [*lost_columns(data, "LabelMe"), *(["rotated boxes were written as polygons"] if is_turned else [])]


def _page(data: Dataset, place: int, size: list[int], shapes: list[dict[str, Any]]) -> dict[str, Any]:
    height, width = size
    name = None if data.images.names is None else data.images.names[place]
    sizes = {"imageHeight": height or None, "imageWidth": width or None}
    return {"version": "5.5.0", "flags": {}, "shapes": shapes, "imagePath": name, "imageData": None, **sizes}


def _shapes(region: Region, label: str, row: int) -> list[dict[str, Any]]:
    """One shape; of polygons with several parts, one for each, which share a group."""
    plain: dict[str, Any] = {"label": label, "group_id": None, "description": "", "flags": {}, "mask": None}
    if region.mask is not None:
        return [{**plain, "points": _pixels(region), "shape_type": "mask", "mask": _picture(region.mask)}]
    if region.rings is not None:
        group = row if len(region.rings) > 1 else None
        return [{**plain, "points": ring.tolist(), "shape_type": "polygon", "group_id": group} for ring in region.rings]
    assert region.box is not None
    x, y, w, h = region.box
    return [{**plain, "points": [[x, y], [x + w, y + h]], "shape_type": "rectangle"}]


def _pixels(region: Region) -> list[list[int]]:
    """The first and the last pixel of a mask."""
    assert region.mask is not None
    (left, top), (height, width) = region.corner, region.mask.shape
    return [[left, top], [left + width - 1, top + height - 1]]


def _picture(mask: np.ndarray) -> str:
    return base64.b64encode(png_of(mask.astype(np.uint8) * np.uint8(255))).decode()
