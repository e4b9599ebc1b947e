"""Arrays, written: archives of columns under their names, and COCO's array of seven columns."""

from __future__ import annotations

import io

import numpy as np

from vesica.dataset import Dataset
from vesica.dataset.boxless import boxes_of
from vesica.errors import InputError


def table_content(data: Dataset, /) -> tuple[bytes, tuple[str, ...]]:
    """The bytes of COCO's array of seven columns, and what it could not keep."""
    table, notes = table_of(data)
    out = io.BytesIO()
    np.save(out, table, allow_pickle=False)
    return out.getvalue(), notes


def archive_content(data: Dataset, /) -> tuple[bytes, tuple[str, ...]]:
    """The bytes of an archive of columns, and what it could not keep."""
    arrays, notes = archive_of(data)
    out = io.BytesIO()
    try:
        np.savez_compressed(out, **arrays)  # type: ignore[arg-type]
    except ValueError as error:
        # Interrupted, NumPy closes an archive that has an open member, and tells of that instead.
        raise error.__context__ if isinstance(error.__context__, KeyboardInterrupt) else error from None
    return out.getvalue(), notes


def table_of(data: Dataset, /) -> tuple[np.ndarray, tuple[str, ...]]:
    """COCO's array: image, x, y, w, h, score, category; and what it could not keep."""
    if data.score is None:
        raise InputError("COCO's array of seven columns is for guesses, and this data set has no scores. Write .npz.")
    if data.images.ids.dtype == object or data.categories.ids.dtype == object:
        raise InputError("COCO's array of seven columns holds numbers, and some ids are strings. Write .npz.")
    image, category = data.images.ids[data.image], data.categories.ids[data.category]
    boxes = boxes_of(data)
    table = np.column_stack([image, boxes, data.score, category]).astype(np.float64).reshape(-1, 7)
    if np.any(table[:, 0].astype(np.int64) != image):
        raise InputError(
            "COCO's array of seven columns is of floats, and some image id has more than 53 bits. Write .npz."
        )
    held = {
        "masks": data.segments,
        "rotated boxes": data.corners,
        "areas": data.area,
        "crowds": data.crowd,
        "ids": data.id,
        "attributes": data.attributes,
    }
    held |= {"image sizes": data.images.height, "what is to be ignored": data.ignore, "names": data.categories.names}
    return table, tuple(f"the array has no place for {what}" for what, column in held.items() if column is not None)


def archive_of(data: Dataset, /) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """All columns and tables under their names, for np.savez."""
    arrays = {**_ids("images", data.images.ids), **_ids("categories", data.categories.ids)}
    arrays |= _ids("image", data.images.ids[data.image]) | _ids("category", data.categories.ids[data.category])
    for name in ("xywh", "corners", "score", "area", "crowd", "ignore", "round"):
        if getattr(data, name) is not None:
            arrays[name] = getattr(data, name)
    if data.id is not None:
        arrays |= _ids("id", data.id)
    if data.annotator is not None:
        arrays |= _ids("annotator", data.annotators[data.annotator])
    if data.annotator is not None or data.assignments is not None:
        arrays |= _ids("annotators", data.annotators)
    if data.assignments is not None:
        arrays |= _assignments(data)
    for table in ("images", "categories"):
        for field in ("height", "width", "names", "group", "batch", "parents", "frequency"):
            column = getattr(getattr(data, table), field, None)
            if column is not None:
                arrays[f"{table}_{field}"] = column if column.dtype != object else _texts(column)
    if data.segments is not None:
        for key in ("text", "begin", "end", "form", "size"):
            arrays[f"segment_{key}"] = getattr(data.segments, key)
    lists = data.images.absent is not None or data.images.partial is not None
    lost = {"lists of categories of images, as LVIS has them,": lists, "attributes": data.attributes is not None}
    return arrays, tuple(f"{what} were not kept" for what, is_there in lost.items() if is_there)


def _assignments(data: Dataset) -> dict[str, np.ndarray]:
    """Who was asked for which image, by ids."""
    asked = data.assignments
    assert asked is not None
    arrays = _ids("assignment_image", data.images.ids[asked.image])
    arrays |= _ids("assignment_annotator", data.annotators[asked.annotator])
    if asked.round is not None:
        arrays["assignment_round"] = asked.round
    if asked.date is not None:
        arrays["assignment_date"] = _texts(asked.date)
    return arrays


def _ids(key: str, column: np.ndarray) -> dict[str, np.ndarray]:
    if column.dtype != object:
        return {key: column}
    is_number = np.array([not isinstance(id, str) for id in column.tolist()], bool)
    texts = np.array([str(id) for id in column.tolist()], np.str_)
    return {key: texts} if not is_number.any() else {key: texts, f"{key}_is_number": is_number}


def _texts(column: np.ndarray) -> np.ndarray:
    return np.array(["" if word is None else str(word) for word in column.tolist()], np.str_)
