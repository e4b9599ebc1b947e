"""Writes COCO's panoptic form: a JSON file of segments, and a folder of PNG files whose colours are their ids."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from vesica._check import panoptic as check
from vesica.io import atomic
from vesica.io.png_write import png_of


def write_images(
    path: str | os.PathLike[str],
    images: Iterable[tuple[int | str, np.ndarray, Mapping[int, tuple[int, bool]]]],
    categories: list[dict[str, Any]],
    /,
    *,
    overwrite: bool,
) -> None:
    """Write images, each with its id, its map and its segments, one after the other.

    Both the file and its folder are moved to their places at the end, by one who leaves a mark where it is interrupted.
    """
    place = Path(path)
    check.json_name(place)

    def earlier(folder: Path) -> list[Path]:
        maps = folder / place.stem
        found = [folder / place.name, *(sorted(maps.glob("*.png")) if maps.is_dir() else ())]
        return [one for one in found if one.is_file()]

    with atomic.folder(place.parent, earlier, overwrite=overwrite) as folder:
        (folder / place.stem).mkdir()
        rows, sizes = [], []
        for image, ids, told in images:
            name = f"{image:012d}.png" if isinstance(image, int) else f"{image}.png"
            check.fits_colours(ids, image)
            known, boxes, areas = _extents(ids)
            check.all_known(np.where(np.isin(known, list(told)), 0, -1), np.array(known, np.int64), "map", image)
            check.all_there(np.isin(list(told), known), np.array(list(told), np.int64), "map", image)
            atomic.put(folder / place.stem / name, png_of(colours_of_ids(ids)))
            info = [
                {"id": id, "category_id": told[id][0], "area": area, "bbox": box, "iscrowd": int(told[id][1])}
                for id, area, box in zip(known, areas, boxes, strict=True)
            ]
            rows.append({"image_id": image, "file_name": name, "segments_info": info})
            sizes.append({"id": image, "file_name": name, "height": ids.shape[0], "width": ids.shape[1]})
        content = {"images": sizes, "annotations": rows, "categories": categories}
        atomic.put(folder / place.name, json.dumps(content, ensure_ascii=False))


def colours_of_ids(ids: np.ndarray, /) -> np.ndarray:
    """(H, W, 3) uint8: R + 256 G + 65536 B is the id."""
    return np.stack([ids & 255, ids >> 8 & 255, ids >> 16], axis=-1).astype(np.uint8)


def _extents(ids: np.ndarray) -> tuple[list[int], list[list[int]], list[int]]:
    """The ids of a map but 0, rising; of each the box x, y, w, h around it, and its pixels."""
    known, inverse, areas = np.unique(ids, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(ids.shape)
    low, high = np.full((2, len(known)), max(ids.shape)), np.zeros((2, len(known)), np.int64)
    for axis in (0, 1):
        along = np.indices(ids.shape)[axis]
        np.minimum.at(low[axis], inverse, along)
        np.maximum.at(high[axis], inverse, along + 1)
    boxes = np.stack([low[1], low[0], high[1] - low[1], high[0] - low[0]], axis=1)
    there = known != 0
    return known[there].tolist(), boxes[there].tolist(), areas[there].tolist()
