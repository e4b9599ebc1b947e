"""Tables, written: CSV, archives of columns, and COCO's arrays of seven columns."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from vesica._check.dataset import some_boxes
from vesica.dataset import Dataset
from vesica.errors import InputError


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


def table_of(data: Dataset, /) -> tuple[np.ndarray, tuple[str, ...]]:
    """COCO's array: image, x, y, w, h, score, category; and what it could not keep."""
    if data.score is None:
        raise InputError("COCO's array of seven columns is for guesses, and this data set has no scores. Write .npz.")
    if data.images.ids.dtype == object or data.categories.ids.dtype == object:
        raise InputError("COCO's array of seven columns holds numbers, and some ids are strings. Write .npz.")
    image, category = data.images.ids[data.image], data.categories.ids[data.category]
    boxes = some_boxes(data.xywh)
    table = np.column_stack([image, boxes, data.score, category]).astype(np.float64).reshape(-1, 7)
    if np.any(table[:, 0].astype(np.int64) != image):
        raise InputError(
            "COCO's array of seven columns is of floats, and some image id has more than 53 bits. Write .npz."
        )
    held = {"masks": data.segments, "areas": data.area, "crowds": data.crowd, "ids": data.id}
    held |= {"image sizes": data.images.height, "what is to be ignored": data.ignore, "names": data.categories.names}
    return table, tuple(f"the array has no place for {what}" for what, column in held.items() if column is not None)


def archive_of(data: Dataset, /) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """All columns and tables under their names, for np.savez."""
    arrays = {**_ids("images", data.images.ids), **_ids("categories", data.categories.ids)}
    arrays |= _ids("image", data.images.ids[data.image]) | _ids("category", data.categories.ids[data.category])
    for name in ("xywh", "score", "area", "crowd", "ignore"):
        if getattr(data, name) is not None:
            arrays[name] = getattr(data, name)
    if data.id is not None:
        arrays |= _ids("id", data.id)
    if data.annotator is not None:
        arrays |= _ids("annotator", data.annotators[data.annotator])
    for table in ("images", "categories"):
        for field in ("height", "width", "names", "parents", "frequency"):
            column = getattr(getattr(data, table), field, None)
            if column is not None:
                arrays[f"{table}_{field}"] = column if column.dtype != object else _texts(column)
    if data.segments is not None:
        for key in ("text", "begin", "end", "form", "size"):
            arrays[f"segment_{key}"] = getattr(data.segments, key)
    lost = data.images.absent is not None or data.images.partial is not None
    return arrays, ("lists of categories of images, as LVIS has them, were not kept",) if lost else ()


def _ids(key: str, column: np.ndarray) -> dict[str, np.ndarray]:
    if column.dtype != object:
        return {key: column}
    is_number = np.array([not isinstance(id, str) for id in column.tolist()], bool)
    texts = np.array([str(id) for id in column.tolist()], np.str_)
    return {key: texts} if not is_number.any() else {key: texts, f"{key}_is_number": is_number}


def _texts(column: np.ndarray) -> np.ndarray:
    return np.array(["" if word is None else str(word) for word in column.tolist()], np.str_)
