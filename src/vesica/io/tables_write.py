"""CSV, written."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from vesica._check.dataset import some_boxes
from vesica.dataset import Dataset


def csv_text(data: Dataset, /) -> tuple[str, tuple[str, ...]]:
    """The text of a CSV file, and what it could not keep. Images without objects have a row without a box."""
    columns = _columns(data)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue(), tuple(_lost(data))


def _columns(data: Dataset) -> dict[str, list[Any]]:
    """Cells of each column: first a row for each object, then one for each image without any."""
    boxes = some_boxes(data.xywh).tolist()
    empty = sorted(set(range(len(data.images))) - set(data.image.tolist()))
    image = np.concatenate([data.image, np.array(empty, np.int64)])
    blank = [""] * len(empty)
    found: dict[str, list[Any]] = {"image_id": _taken(data.images.ids, image)}
    if data.images.names is not None:
        found["file_name"] = ["" if name is None else name for name in data.images.names[image].tolist()]
    if data.images.height is not None and data.images.width is not None:
        found |= {"image_height": data.images.height[image].tolist(), "image_width": data.images.width[image].tolist()}
    found["category_id"] = _taken(data.categories.ids, data.category) + blank
    if data.categories.names is not None and data.categories.names.tolist() != data.categories.ids.tolist():
        names = data.categories.names[data.category].tolist()
        found["category_name"] = ["" if name is None else name for name in names] + blank
    for k, side in enumerate("xywh"):
        found[side] = [repr(box[k]) for box in boxes] + blank
    for name in ("score", "area"):
        column = getattr(data, name)
        if column is not None:
            found[name] = ["" if value != value else repr(value) for value in column.tolist()] + blank
    for name in ("crowd", "ignore"):
        column = getattr(data, name)
        if column is not None:
            found[name] = [int(flag) for flag in column.tolist()] + blank
    if data.id is not None:
        found["id"] = data.id.tolist() + blank
    if data.annotator is not None:
        found["annotator"] = _taken(data.annotators, data.annotator) + blank
    return found


def _taken(table: np.ndarray, rows: np.ndarray) -> list[Any]:
    return table[rows].tolist() if len(rows) else []


def _lost(data: Dataset) -> list[str]:
    notes = ["a table of boxes has no place for masks"] if data.segments is not None else []
    if len(set(data.category.tolist())) < len(data.categories):
        notes.append("categories without an object left no trace")
    if any(isinstance(id, str) and id.lstrip("-").isdigit() for id in data.images.ids.tolist()):
        notes.append("image ids that are written as numbers are read as numbers")
    return notes
