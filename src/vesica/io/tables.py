"""Tables with a row for each object: CSV with a header, archives of columns, and COCO's arrays of seven columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vesica import _check as check
from vesica.dataset import Categories, Dataset, Images, Segments
from vesica.dataset.arrays import xywh_of
from vesica.errors import InputError
from vesica.io.options import Options
from vesica.io.rows import objects, sound, text_of

SEPARATORS = ",;\t"

# What a column may be called, without case, spaces and underscores. The first name that is there counts.
_NAMES: dict[str, tuple[str, ...]] = {
    "image": ("imageid", "image", "imgid", "img", "filename", "file", "picture", "imagename", "path"),
    "image_name": ("filename", "file", "picture", "imagename", "path"),
    "category": (
        "categoryid",
        "classid",
        "labelid",
        "category",
        "class",
        "label",
        "labelname",
        "classname",
        "categoryname",
    ),
    "category_name": ("category", "class", "label", "labelname", "classname", "categoryname"),
    "score": ("score", "confidence", "conf", "probability", "prob"),
    "area": ("area",),
    "crowd": ("crowd", "iscrowd"),
    "ignore": ("ignore", "difficult"),
    "id": ("id", "annotationid", "boxid", "objectid"),
    "annotator": ("annotator", "annotatorid", "worker", "workerid", "rater", "user"),
}
_BOXES: dict[str, tuple[tuple[str, ...], ...]] = {
    "xyxy": (("x1", "y1", "x2", "y2"), ("xmin", "ymin", "xmax", "ymax"), ("left", "top", "right", "bottom")),
    "cxcywh": (("cx", "cy", "w", "h"), ("cx", "cy", "width", "height"), ("xcenter", "ycenter", "width", "height"),
               ("xcentre", "ycentre", "width", "height")),
    "xywh": (("x", "y", "w", "h"), ("x", "y", "width", "height"), ("bboxx", "bboxy", "bboxw", "bboxh"),
             ("left", "top", "width", "height")),
}  # fmt: skip
_SIZES = (("imageheight", "imagewidth"), ("imgheight", "imgwidth"), ("height", "width"))


@dataclass(frozen=True)
class _Found:
    """Which column is what."""

    form: str
    box: tuple[str, ...]
    columns: dict[str, str]
    size: tuple[str, ...]


def csv_of(data: bytes, name: str, options: Options, /) -> tuple[Dataset, str]:
    """The objects of a CSV file with a header, and the form of its boxes.

    There must be a column of images and four of the box; class, score, area, crowd, ignore, id, annotator and the
    image's width and height are read where they are. A row whose box is empty is an image in which nothing was found.
    """
    header, columns = _split(text_of(data, name), name)
    cells = dict(zip(header, columns, strict=True))
    found = _recognised(header, name, options.boxes)

    empty = _without_box(cells, found, name)
    kept = [k for k, is_empty in enumerate(empty) if not is_empty] if any(empty) else None
    rows = {
        key: cells[column] if kept is None else [cells[column][k] for k in kept]
        for key, column in found.columns.items()
    }
    place = _places(name, kept)
    box, comma = _numbers(
        [[cells[side][k] for k in kept] if kept is not None else cells[side] for side in found.box], place
    )
    boxes = xywh_of(np.stack(box, axis=1).reshape(-1, 4), found.form, None, look=False)
    given: dict[str, Any] = {key: _floats(rows[key], key, place) for key in ("score", "area") if key in rows}
    if options.check:
        sound({"boxes": boxes, **given}, place)
    flags: dict[str, Any] = {key: _flags(rows[key], key, place) for key in ("crowd", "ignore") if key in rows}
    every = ids_of(cells[found.columns["image"]], "image", _places(name, None))
    images = _images(every, cells, found, options, name)
    notes = [f"{sum(empty)} rows without a box: images in which nothing was found"] if kept is not None else []
    notes += ["decimal commas were read as points"] if comma else []
    result = Dataset.from_arrays(
        boxes,
        form="xywh",
        image=every if kept is None else every[kept],
        images=images,
        category=ids_of(rows["category"], "category", place) if "category" in rows else None,
        categories=_category_names(rows, place),
        id=ids_of(rows["id"], "id", place) if "id" in rows and all(rows["id"]) else None,
        annotator=ids_of(rows["annotator"], "annotator", place) if "annotator" in rows else None,
        check=False,
        **given,
        **flags,
    )
    return replace(result, notes=tuple(notes)), found.form


def looks_like_csv(text: str, /) -> bool:
    """Does the first line name the columns of a table of objects?"""
    line = text.lstrip().partition("\n")[0]
    header = next(csv.reader([line], delimiter=_separator(line)), [])
    plain = {_plain(word) for word in header}
    return bool(plain & set(_NAMES["image"])) and _box_columns(plain) is not None


def _plain(word: str) -> str:
    return re.sub(r"[\s_\-.]", "", word).lower()


def _separator(line: str) -> str:
    return max(SEPARATORS, key=line.count)


def _split(text: str, name: str) -> tuple[list[str], list[Any]]:
    """The header and the columns of cells, as text."""
    head = text.lstrip("\r\n").partition("\n")[0]
    try:
        rows = [
            row for row in csv.reader(io.StringIO(text, newline=""), delimiter=_separator(head), strict=True) if row
        ]
    except csv.Error as error:
        raise InputError(f"{name} is no CSV: {error}.") from error
    if not rows:
        raise InputError(f"{name} is empty. A table has a header: image,category,x1,y1,x2,y2,score")
    header = [word.strip() for word in rows.pop(0)]
    plain = [_plain(word) for word in header]
    twice = next((word for k, word in enumerate(plain) if word in plain[:k] and word), None)
    if twice is not None:
        raise InputError(f"{name}: two columns are called {twice!r}.")
    if set(map(len, rows)) - {len(header)}:
        bad = next(k for k, row in enumerate(rows) if len(row) != len(header))
        raise InputError(f"{name}, row {bad + 1}: {len(rows[bad])} cells, and the header has {len(header)}.")
    return plain, [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in header]


def _places(name: str, kept: list[int] | None) -> Callable[[int], str]:
    return lambda row: f"{name}, row {(row if kept is None else kept[row]) + 1}"


def _recognised(header: list[str], name: str, boxes: str | None) -> _Found:
    present = set(header)
    found = _box_columns(present)
    if found is None:
        raise InputError(
            f"{name}: the header must name a box: x1,y1,x2,y2 or x,y,w,h or xmin,ymin,xmax,ymax; "
            f"got {check.brief(header)}."
        )
    form, box = found
    if boxes is not None:
        forms = (form, "xyxy_inclusive") if form == "xyxy" else (form,)
        form = check.one_of(boxes, forms, "boxes")
    left = present - set(box)
    size = next((sides for sides in _SIZES if set(sides) <= left), ())
    columns: dict[str, str] = {}
    for key, names in _NAMES.items():
        column = next((one for one in names if one in left and one not in columns.values()), None)
        if column is not None:
            columns[key] = column
    if "image" not in columns:
        raise InputError(
            f"{name}: the header must name the image: image, image_id or file_name; got {check.brief(header)}."
        )
    return _Found(form, box, columns, size)


def _box_columns(present: set[str]) -> tuple[str, tuple[str, ...]] | None:
    """The form of the box and its four columns."""
    return next(((form, sides) for form, known in _BOXES.items() for sides in known if set(sides) <= present), None)


def _without_box(cells: dict[str, Any], found: _Found, name: str) -> list[bool]:
    """Rows in which all four cells of the box are empty."""
    sides = [cells[side] for side in found.box]
    if all("" not in column for column in sides):
        return []
    lengths = [sum(1 for cell in row if cell.strip()) for row in zip(*sides, strict=True)]
    part = next((k for k, filled in enumerate(lengths) if 0 < filled < 4), None)
    if part is not None:
        raise InputError(f"{name}, row {part + 1}: the box has an empty cell.")
    return [not filled for filled in lengths]


def _numbers(columns: list[Any], place: Callable[[int], str]) -> tuple[list[np.ndarray], bool]:
    """Columns of floats, and whether commas stood for points."""
    try:
        return [_parsed(column) for column in columns], False
    except ValueError:
        pointed = [[cell.replace(",", ".") for cell in column] for column in columns]
    found = [_floats(column, "box", place) for column in pointed]
    return found, True


def _parsed(column: Any) -> np.ndarray:
    """All cells at once. Python also reads 1_000, which no table means."""
    if "_" in "".join(column):
        raise ValueError
    return np.array(list(map(float, column)), np.float64)


def _floats(column: Any, key: str, place: Callable[[int], str]) -> np.ndarray:
    """A column of numbers; an area may be empty."""
    try:
        return _parsed([cell if cell.strip() else "nan" for cell in column] if key == "area" else column)
    except ValueError:
        row = next(
            k for k, cell in enumerate(column) if not _is_number(cell) and not (key == "area" and not cell.strip())
        )
        what = "is empty" if not column[row].strip() else f"must be a number; got {check.brief(column[row])}"
        raise InputError(f"{place(row)}: `{key}` {what}.") from None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def ids_of(column: Any, key: str, place: Callable[[int], str]) -> np.ndarray:
    """Ids as they stand: integers if all of them are written as such, without leading zeros; else strings."""
    if "" in column:
        raise InputError(f"{place(column.index(''))}: `{key}` is empty.")
    try:
        numbers = list(map(int, column))
    except ValueError:
        return objects(column)
    if list(map(str, numbers)) != column or (numbers and not -(2**63) <= min(numbers) <= max(numbers) < 2**63):
        return objects(column)
    return np.array(numbers, np.int64)


_FLAGS = {"0": False, "1": True, "false": False, "true": True, "": False, "0.0": False, "1.0": True}


def _flags(column: Any, key: str, place: Callable[[int], str]) -> np.ndarray:
    words = {cell: _FLAGS.get(cell.strip().lower()) for cell in set(column)}
    odd = next((cell for cell, flag in words.items() if flag is None), None)
    if odd is not None:
        raise InputError(f"{place(column.index(odd))}: `{key}` must be 0 or 1; got {check.brief(odd)}.")
    return np.array([words[cell] for cell in column], bool)


def _images(every: np.ndarray, cells: dict[str, Any], found: _Found, options: Options, name: str) -> Images:
    """The table of images: those given, or those that occur, with what the rows say of them."""
    if options.images is not None:
        table = options.images.images if isinstance(options.images, Dataset) else options.images
        if not isinstance(table, Images):
            raise InputError(f"{name}: of a table, `images` must be a data set of the same images.")
        return table
    ids, first = _first_of(every)
    images = Images(ids)
    if found.size:
        sides = [_sides(cells[side], first, side, name) for side in found.size]
        images = replace(images, height=sides[0], width=sides[1])
    if "image_name" in found.columns:
        names = cells[found.columns["image_name"]]
        images = replace(images, names=objects(names[k] or None for k in first))
    return images


def _first_of(every: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """The different ids in the order they come, and the row of each."""
    first: dict[Any, int] = {}
    for row, id in enumerate(every.tolist()):
        first.setdefault(id, row)
    ids = objects(first) if every.dtype == object else np.array(list(first), np.int64)
    return ids, list(first.values())


def _sides(column: Any, first: list[int], side: str, name: str) -> np.ndarray:
    values = [column[row].strip() or "0" for row in first]
    odd = next((k for k, value in enumerate(values) if not value.isdigit() or int(value) >= 2**30), None)
    if odd is not None:
        raise InputError(
            f"{name}, row {first[odd] + 1}: `{side}` must be a whole number; got {check.brief(values[odd])}."
        )
    return np.array(list(map(int, values)), np.int64)


def _category_names(rows: dict[str, Any], place: Callable[[int], str]) -> Categories | None:
    """The table of categories, where a second column has their names, or the first is names."""
    if "category" not in rows:
        return None
    ids, first = _first_of(ids_of(rows["category"], "category", place))
    order = sorted(range(len(first)), key=lambda k: (isinstance(ids[k], str), ids[k]))
    if "category_name" in rows:
        return Categories(ids[order], names=objects(rows["category_name"][first[k]] or None for k in order))
    return Categories(ids[order], names=ids[order] if ids.dtype == object else None)


# Arrays.


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

    There are `image`, `xywh` or `xyxy` or `boxes`, and `category`, `score`, … as `Dataset.from_arrays` has them. What
    `vesica.write` puts there beside, tables of images and categories and the text of masks, is read as well.
    """
    own = next((form for form in ("xywh", "xyxy", "cxcywh") if form in arrays), None)
    boxes, form = arrays.get(own or "boxes"), own or options.boxes or "xyxy"
    if "image" not in arrays or (boxes is None and "segment_text" not in arrays):
        raise InputError(
            f"{name} must have arrays `image` and `xywh`, `xyxy` or `boxes`; it has {check.brief(sorted(arrays))}."
        )
    try:
        given: dict[str, Any] = {key: arrays.get(key) for key in ("score", "area", "crowd", "ignore")}
        given |= {key: _ids(arrays, key) if key in arrays else None for key in ("image", "category", "id", "annotator")}
        given["images"] = _stored(arrays, "images", Images, ("height", "width", "names"))
        given["categories"] = _stored(arrays, "categories", Categories, ("names", "parents", "frequency"))
        given["masks"] = _segments(arrays, name) if "segment_text" in arrays and options.masks else None
        return Dataset.from_arrays(boxes, form=form, check=options.check, **given), form
    except (ValueError, TypeError) as error:
        raise InputError(f"{name}: {error}") from error


def _ids(arrays: Mapping[str, np.ndarray], key: str) -> np.ndarray:
    """A column of ids; where integers stand among strings, another column says which."""
    column = arrays[key]
    if column.dtype.kind != "U" or f"{key}_is_number" not in arrays:
        return column
    pairs = zip(column.tolist(), arrays[f"{key}_is_number"].tolist(), strict=False)
    return objects(int(word) if is_number else word for word, is_number in pairs)


def _stored(arrays: Mapping[str, np.ndarray], key: str, kind: Any, fields: tuple[str, ...]) -> Any:
    """A table that was written beside the columns."""
    if key not in arrays:
        return None
    from vesica._check.dataset import different, ids

    found = {field: arrays.get(f"{key}_{field}") for field in fields}
    for field, column in found.items():
        if column is not None and column.dtype.kind == "U":
            found[field] = objects(word or None for word in column.tolist())
    return kind(different(ids(_ids(arrays, key), key), key), **found)


def _segments(arrays: Mapping[str, np.ndarray], name: str) -> Segments:
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
    return Segments(
        text.astype(np.uint8),
        begin.astype(np.int64),
        end.astype(np.int64),
        form.astype(np.uint8),
        size.astype(np.int64),
    )
