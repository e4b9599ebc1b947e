"""Arrays: archives of columns under their names, and COCO's array of seven columns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import objects
from vesica._check.dataset import different, ids
from vesica.dataset import Categories, CocoMasks, Dataset, Images
from vesica.errors import InputError
from vesica.io import arrays as array_files
from vesica.io.options import Options
from vesica.io.source import Reading, Source


def read_archive(source: Source, options: Options, /) -> Reading:
    """An archive of columns."""
    data, form = archive_of(array_files.archive_of(source.file.data, source.name), source.name, options)
    return Reading(data, f"{form} pixels", "an archive of arrays")


def read_array(source: Source, options: Options, /) -> Reading:
    """COCO's array of seven columns."""
    table = array_files.array_of(replace(source.file, kind="npy"))
    return Reading(array_of(table, source.name, options), f"{options.boxes or 'xywh'} pixels", "COCO's array")


def array_of(array: np.ndarray, name: str, options: Options, /) -> Dataset:
    """COCO's results as an array: image, x, y, w, h, score, category in each row."""
    if array.ndim != 2 or array.shape[1] != 7 or array.dtype.kind not in "iuf":
        raise InputError(
            f"{name} must be a table of seven columns, image, x, y, w, h, score, category; got {array.dtype} of shape "
            f"{array.shape}."
        )
    boxes = np.ascontiguousarray(array[:, 1:5], np.float64)
    columns: dict[str, Any] = {"image": array[:, 0], "score": array[:, 5], "category": array[:, 6]}
    try:
        return Dataset.from_arrays(boxes, form=options.boxes or "xywh", check=options.check, **columns)
    except (ValueError, TypeError) as error:
        raise InputError(f"{name}: {error}") from error


def archive_of(arrays: Mapping[str, np.ndarray], name: str, options: Options, /) -> tuple[Dataset, str]:
    """Columns under their names, and the form of their boxes.

    There are `image`, `xywh` or `xyxy` or `boxes`, or `corners` of rotated boxes, and `category`, `score`, … as
    `Dataset.from_arrays` has them. What `vesica.write` puts there beside, tables of images and categories and the text
    of masks, is read as well.
    """
    own = next((form for form in ("xywh", "xyxy", "cxcywh") if form in arrays), None)
    boxes, form = arrays.get("corners", arrays.get(own or "boxes")), own or options.boxes or "xyxy"
    if "image" not in arrays or (boxes is None and "segment_text" not in arrays):
        raise InputError(
            f"{name} must have arrays `image` and `xywh`, `xyxy` or `boxes`; it has {check.brief(sorted(arrays))}."
        )
    try:
        given: dict[str, Any] = {key: arrays.get(key) for key in ("score", "area", "crowd", "ignore", "round")}
        columns = ("image", "category", "id", "annotator", "annotators")
        given |= {key: _ids(arrays, key) if key in arrays else None for key in columns}
        given["images"] = _stored(arrays, "images", Images, ("height", "width", "names", "group", "batch"))
        given["categories"] = _stored(arrays, "categories", Categories, ("names", "parents", "frequency"))
        given["masks"] = _segments(arrays, name) if "segment_text" in arrays and options.masks else None
        given["assignments"] = _assignments(arrays)
        return Dataset.from_arrays(boxes, form=form, check=options.check, **given), form
    except (ValueError, TypeError) as error:
        raise InputError(f"{name}: {error}") from error


def _assignments(arrays: Mapping[str, np.ndarray]) -> dict[str, Any] | None:
    """Who was asked for which image, if the archive says so."""
    if "assignment_image" not in arrays or "assignment_annotator" not in arrays:
        return None
    asked: dict[str, Any] = {key: _ids(arrays, f"assignment_{key}") for key in ("image", "annotator")}
    dates = arrays.get("assignment_date")
    asked["date"] = None if dates is None else [word or None for word in dates.tolist()]
    return {**asked, "round": arrays.get("assignment_round")}


def _ids(arrays: Mapping[str, np.ndarray], key: str) -> np.ndarray:
    """A column of ids; where integers stand among strings, another column says which."""
    column = arrays[key]
    if column.dtype.kind != "U" or f"{key}_is_number" not in arrays:
        return column
    pairs = zip(column.tolist(), arrays[f"{key}_is_number"].tolist(), strict=False)
    return objects(_number(word, key) if is_number else word for word, is_number in pairs)


def _number(word: str, key: str) -> int:
    if not re.fullmatch("-?[0-9]{1,4300}", word):
        raise ValueError(f"`{key}_is_number` says that {check.brief(word)} is a whole number.")
    return int(word)


def _stored(arrays: Mapping[str, np.ndarray], key: str, kind: Any, fields: tuple[str, ...]) -> Any:
    """A table that was written beside the columns."""
    if key not in arrays:
        return None
    found = {field: arrays.get(f"{key}_{field}") for field in fields}
    for field, column in found.items():
        if column is not None and column.dtype.kind == "U":
            found[field] = objects(word or None for word in column.tolist())
    return kind(different(ids(_ids(arrays, key), key), key), **found)


def _segments(arrays: Mapping[str, np.ndarray], name: str) -> CocoMasks:
    text, begin, end, form, size = (arrays.get(f"segment_{key}") for key in ("text", "begin", "end", "form", "size"))
    if text is None or begin is None or end is None or form is None or size is None:
        raise InputError(f"{name}: masks need segment_text, _begin, _end, _form and _size.")
    kinds = [(text, "u", 1), (begin, "i", 1), (end, "i", 1), (form, "u", 1), (size, "i", 2)]
    fits = all(array.dtype.kind == kind and array.ndim == axes for array, kind, axes in kinds)
    rows = len(begin)
    fits = fits and len(end) == len(form) == rows and size.shape == (rows, 2)
    if not fits or (rows and not (begin.min() >= 0 and (begin <= end).all() and end.max() <= len(text))):
        raise InputError(f"{name}: the segments of its masks do not fit their text.")
    if form.size and form.max() > 2:
        raise InputError(f"{name}: `segment_form` must be 0, 1 or 2; got {form.max()}.")
    return CocoMasks(
        text.astype(np.uint8),
        begin.astype(np.int64),
        end.astype(np.int64),
        form.astype(np.uint8),
        size.astype(np.int64),
    )
