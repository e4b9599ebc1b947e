"""Data sets from Arrow tables: a row for each image with its objects in a list, or a row for each object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from vesica._array import objects
from vesica._check import arrow as check
from vesica._check.dataset import different
from vesica._check.dataset import ids as checked_ids
from vesica.dataset import Categories, Dataset, Images
from vesica.dataset.arrow_arrays import (
    flat,
    floats,
    ids,
    is_list,
    is_null,
    is_text,
    lengths_of,
    numbers,
    rows_of_numbers,
    texts,
    whole_numbers,
)
from vesica.dataset.coco_masks import CocoMasks
from vesica.dataset.column_names import NAMES, box_columns, known_columns, plain
from vesica.dataset.ids import table_of
from vesica.dataset.tables import Ragged

SIDES = ("truth", "guess", "objects")
"""Columns with a list of objects for each image; the last is that of Hugging Face's data sets."""
_BOX = ("box", "bbox", "boxes")
_OUTLINES = ("polygons", "segmentation")
_OF_IMAGES = ("imageid", "id", "filename", "file", "path")


def dataset_of(
    table: Any,
    /,
    *,
    side: str | None = None,
    form: str | None = None,
    categories: Any = None,
    masks: bool = True,
    look: bool = True,
) -> tuple[Dataset, str]:
    """The objects of a table, and what the four numbers of their boxes are."""
    check.columns(table.column_names, plain)
    facts = check.metadata(table.schema.metadata)
    present = [name for name in SIDES if name in table.column_names]
    if not present:
        return _of_rows(table, facts, form, categories, look)
    chosen = check.side(side, present, table.column_names)
    return _of_images(table, chosen, facts, form, categories, masks, look)


def sides_of_table(table: Any, /) -> tuple[str, ...]:
    """Which columns have a list of objects for each image."""
    return tuple(name for name in SIDES if name in table.column_names)


def images_in(table: Any, /) -> Images:
    """The images of a table with a row for each; their objects need not be there."""
    return _images(table)


def categories_said(schema: Any, side: str, /) -> Categories | None:
    """The table of categories that was written beside the columns; None where objects alone tell them."""
    return _categories(check.metadata(schema.metadata), schema, side)


def categories_among(table: Any, side: str, /) -> Categories:
    """The categories of the objects of one side, as `dataset_of` finds them where no table is written beside them."""
    _, fields = _fields(flat(table.column(side)), side, np.arange(len(table)))
    names = check.columns(list(fields), plain)
    own = next((fields[names[one]] for one in ("category", *NAMES["category"]) if one in names), None)
    if own is None:
        return Categories(np.array([1]))
    is_number = fields[names["categoryisnumber"]] if "categoryisnumber" in names else None
    return Categories(table_of(checked_ids(ids(own, "category", is_number=is_number), "category"))[0])


# A row for each image.


def _of_images(
    table: Any, side: str, facts: dict[str, Any], form: str | None, categories: Any, masks: bool, look: bool
) -> tuple[Dataset, str]:
    images = _images(table)
    counts, fields = _fields(flat(table.column(side)), side, images.ids)
    row_of = np.repeat(np.arange(len(images)), counts)
    image = images.ids[row_of]
    names = check.columns(list(fields), plain)

    def found(*wanted: str) -> Any:
        return next((fields[names[one]] for one in wanted if one in names), None)

    kinds = _categories(facts, table.schema, side) if categories is None else categories
    category = found("category", *NAMES["category"])
    given: dict[str, Any] = {
        "image": image,
        "images": images,
        "category": None if category is None else _categories_of(category, found("categoryisnumber"), kinds, image),
        "categories": kinds,
    }
    score, area = found("score", *NAMES["score"]), found("area")
    given["score"] = None if score is None else numbers(score, "score", image=image)
    given["area"] = None if area is None or area.null_count == len(area) else floats(area, "area")
    given |= _flags(found("flags"), found("crowd", "iscrowd"), found("ignore", "difficult"), image)
    id_ = found("id", "annotationid", "objectid")
    given["id"] = None if id_ is None else ids(id_, "id", is_number=found("idisnumber"), image=image)
    given |= _people(found, facts, table, images, image)
    box, corners = found(*_BOX), found("corners")
    own = facts.get("boxes") or form or ("xywh" if box is None else None)
    if facts.get("boxes") and form:
        check.agree(facts["boxes"], form)
    if own is None:
        raise check.form_is_open(next(names[one] for one in _BOX if one in names))
    boxes: np.ndarray | None = None
    if corners is not None:
        boxes = rows_of_numbers(corners, 8, "corners", image=image).reshape(-1, 4, 2)
    elif box is not None and not (len(box) and box.null_count == len(box)):
        boxes = rows_of_numbers(box, 4, "box", image=image)
    segments = _segments(found, image) if masks else None
    if boxes is None and segments is None:
        if found("rle", *_OUTLINES) is None:
            raise check.no_column("box", list(fields))
        boxes = np.zeros((0, 4)) if not len(image) else None
    with check.of_images(side, image):
        data = Dataset.from_arrays(boxes, form=own, masks=segments, check=look, **given)
    return replace(data, attributes=_attributes(found("attributes"))), own


def _images(table: Any) -> Images:
    names = {plain(name): name for name in table.column_names}

    def column(*wanted: str) -> Any:
        return next((flat(table.column(names[one])) for one in wanted if one in names), None)

    own = column(*_OF_IMAGES)
    if own is None:
        raise check.no_layout(table.column_names)
    of = different(checked_ids(ids(own, "image_id", is_number=column("imageidisnumber")), "image_id"), "image_id")
    sizes = {side: column(side) for side in ("height", "width")}
    known: dict[str, Any] = {
        side: None if found is None else check.whole(_zero_for_none(floats(found, side)), side, of)
        for side, found in sizes.items()
    }
    words = {
        key: column(*given) for key, given in (("names", ("filename",)), ("group", ("group",)), ("batch", ("batch",)))
    }
    kept: dict[str, Any] = {key: texts(found, key) for key, found in words.items() if found is not None}
    lists = {key: column(key) for key in ("absent", "partial")}
    kept |= {key: _ragged(found) for key, found in lists.items() if found is not None}
    is_sized = known["height"] is not None and known["width"] is not None
    return Images(of, **(known if is_sized else {}), **kept)


def _zero_for_none(sizes: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(sizes), 0.0, sizes)


def _ragged(array: Any) -> Ragged:
    offsets = np.concatenate([[0], np.cumsum(lengths_of(array))])
    return Ragged(np.asarray(ids(array.flatten(), "categories of images")), offsets.astype(np.int64))


def _fields(column: Any, side: str, images: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
    """How many objects each image has, and their fields: of a list of structs, or of a struct of lists."""
    import pyarrow as pa

    if is_list(column.type) and pa.types.is_struct(column.type.value_type):
        counts, inner = lengths_of(column), column.flatten()
        check.no_nulls(is_null(inner), side, np.repeat(images, counts))
        return counts, {inner.type.field(k).name: one for k, one in enumerate(inner.flatten())}
    if pa.types.is_struct(column.type) and all(is_list(field.type) for field in column.type):
        lists = {column.type.field(k).name: one for k, one in enumerate(column.flatten())}
        counts = next((lengths_of(one) for one in lists.values()), np.zeros(len(column), np.int64))
        for name, one in lists.items():
            odd = np.flatnonzero(lengths_of(one) != counts)
            if odd.size:
                row = int(odd[0])
                raise check.equal_lengths(name, row, images.tolist()[row], int(lengths_of(one)[row]), int(counts[row]))
        return counts, {name: one.flatten() for name, one in lists.items()}
    raise check.no_layout([f"{side}: {column.type}"])


def _categories(facts: dict[str, Any], schema: Any, side: str) -> Categories | None:
    """The table of categories that was written beside the columns, or the names of Hugging Face's class labels."""
    if "categories" in facts:
        return _stored(facts["categories"])
    names = _class_labels((schema.metadata or {}).get(b"huggingface"), side)
    return None if names is None else Categories(np.arange(len(names)), names=objects(names))


def _stored(facts: Any) -> Categories:
    if not isinstance(facts, Mapping) or not isinstance(facts.get("ids"), list) or set(facts) - set(_CATEGORY):
        raise check.table_of_ids("categories", facts)
    own = different(checked_ids(facts["ids"], "categories"), "categories")
    given = {key: facts[key] for key in _CATEGORY[1:] if facts.get(key) is not None}
    if any(not isinstance(column, list) or len(column) != len(own) for column in given.values()):
        raise check.table_of_ids("categories", facts)
    if "names" in given and check.names(given["names"]) is None:
        raise check.table_of_ids("categories", facts)
    return Categories(own, **{key: objects(column) for key, column in given.items()})


_CATEGORY = ("ids", "names", "parents", "frequency")


def _class_labels(text: bytes | None, side: str) -> list[str] | None:
    """Names of the classes, where the features of the data set say them."""
    try:
        features = json.loads(text or b"{}")["info"]["features"][side]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    inner = features.get("feature", features) if isinstance(features, dict) else features
    inner = inner[0] if isinstance(inner, list) and inner else inner
    for key in ("category", "label", "labels", "category_id"):
        found = inner.get(key) if isinstance(inner, dict) else None
        found = found.get("feature", found) if isinstance(found, dict) else found
        found = found[0] if isinstance(found, list) and found else found
        if isinstance(found, dict) and isinstance(found.get("names"), list):
            return [str(name) for name in found["names"]]
    return None


def _categories_of(column: Any, is_number: Any, table: Any, image: np.ndarray) -> np.ndarray:
    """Ids of categories. Names stand for them where the table has names, and ids that are numbers."""
    found = ids(column, "category", is_number=is_number, image=image)
    if found.dtype != object or not isinstance(table, Categories) or table.names is None or table.ids.dtype == object:
        return found
    by_name = dict(zip(table.names.tolist(), table.ids.tolist(), strict=True))
    return objects(by_name.get(one, one) for one in found.tolist())


def _flags(flags: Any, crowd: Any, ignore: Any, image: np.ndarray) -> dict[str, Any]:
    if flags is not None:
        bits = whole_numbers(flags, "flags", image=image)
        odd = (bits < 0) | (bits > 3)
        if odd.any():
            raise check.flags(int(bits[np.argmax(odd)]), int(np.argmax(odd)))
        return {key: (bits & bit) != 0 if (bits & bit).any() else None for key, bit in (("crowd", 1), ("ignore", 2))}
    given = {"crowd": crowd, "ignore": ignore}
    return {key: None if one is None else numbers(one, key, image=image) for key, one in given.items()}


def _people(found: Any, facts: dict[str, Any], table: Any, images: Images, image: np.ndarray) -> dict[str, Any]:
    """Who marked each object, and who was asked for which image."""
    annotator, round_ = found("annotator", *NAMES["annotator"]), found("round")
    given: dict[str, Any] = {
        "annotator": None
        if annotator is None
        else ids(annotator, "annotator", is_number=found("annotatorisnumber"), image=image),
        "round": None if round_ is None else whole_numbers(round_, "round", image=image),
        "annotators": facts.get("annotators"),
    }
    if "asked" not in table.column_names:
        return given
    counts, asked = _fields(flat(table.column("asked")), "asked", images.ids)
    if "annotator" not in asked:
        raise check.no_annotator(list(asked))
    told: dict[str, Any] = {
        "image": np.repeat(images.ids, counts),
        "annotator": ids(asked["annotator"], "annotator", is_number=asked.get("annotator_is_number")),
    }
    told["round"] = whole_numbers(asked["round"], "round") if "round" in asked else None
    told["date"] = asked["date"].to_pylist() if "date" in asked else None
    return {**given, "assignments": told}


def _segments(found: Any, image: np.ndarray) -> CocoMasks | None:
    """Masks as they were written: COCO's compressed run lengths, or polygons and run lengths as JSON."""
    rle, outlines = found("rle"), found(*_OUTLINES)
    if rle is None and outlines is None:
        return None
    rows = len(image)
    form, parts, lengths = np.zeros(rows, np.uint8), [], np.zeros(rows, np.int64)
    for column, kind in ((rle, CocoMasks.COUNTS), (outlines, CocoMasks.JSON)):
        if column is None:
            continue
        column = _mask_texts(column, "rle" if column is rle else "segmentation")
        here = ~is_null(column)
        form[here] = kind
        parts.append((column, here))
    begin, texts_, start = np.zeros(rows, np.int64), [], 0
    for column, here in parts:
        if not here.any():
            continue
        column = flat(column)
        _, offsets, data = column.buffers()
        bounds = np.frombuffer(offsets, np.int64)[column.offset : column.offset + rows + 1]
        text = np.frombuffer(data, np.uint8)[bounds[0] : bounds[-1]] if data is not None else np.empty(0, np.uint8)
        begin[here] = (bounds[:-1] - bounds[0] + start)[here]
        lengths[here] = np.diff(bounds)[here]
        texts_.append(text)
        start += len(text)
    sizes = _mask_sizes(found("size"), image)
    text = texts_[0] if len(texts_) == 1 else np.concatenate([np.empty(0, np.uint8), *texts_])
    return CocoMasks(text, begin, begin + lengths, form, sizes)


def _mask_sizes(column: Any, image: np.ndarray) -> np.ndarray:
    """Height and width of the image of each mask; 0 where nothing is said."""
    sizes = np.zeros((len(image), 2), np.int64)
    if column is not None:
        said = ~is_null(column)
        own = image[said]
        sizes[said] = check.whole_sizes(rows_of_numbers(column.drop_null(), 2, "size", image=own), own)
    return sizes


def _mask_texts(column: Any, name: str) -> Any:
    """A column of what was written of each mask, as bytes; lists of polygons, and run lengths in a struct, as JSON."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_null(column.type):
        return column
    if is_text(column.type) or pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        return column.cast(pa.large_binary())
    if name == "rle" or not (is_list(column.type) or pa.types.is_struct(column.type)):
        raise check.masks(str(column.type), name)
    texts = [None if one is None else json.dumps(one, default=_decoded).encode() for one in column.to_pylist()]
    return pa.array(texts, pa.large_binary())


def _decoded(value: Any) -> str:
    """Compressed counts are often kept as bytes."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    raise check.masks(type(value).__name__, "segmentation")


def _attributes(column: Any) -> np.ndarray | None:
    if column is None:
        return None
    found = []
    for row, text in enumerate(column.to_pylist()):
        try:
            one = None if text is None else json.loads(text)
        except (ValueError, TypeError):
            raise check.attributes(text, row) from None
        if one is not None and not isinstance(one, dict):
            raise check.attributes(text, row)
        found.append(one)
    return objects(found)


# A row for each object.


def _of_rows(table: Any, facts: dict[str, Any], form: str | None, categories: Any, look: bool) -> tuple[Dataset, str]:
    names = check.columns(table.column_names, plain)
    columns = {key: flat(table.column(name)) for key, name in names.items()}
    sides = box_columns(columns.keys())
    listed = next((name for name in _BOX if name in columns), None)
    known = known_columns(set(columns) - set(sides[1] if sides else ()))
    if "image" not in known or (sides is None and listed is None):
        raise check.no_layout(table.column_names)
    image = ids(columns[known["image"]], names[known["image"]])
    if sides is not None:
        own = sides[0] if form is None else form
        boxes = np.stack([numbers(columns[side], side, image=image) for side in sides[1]], axis=1)
    else:
        if form is None:
            raise check.form_is_open(str(listed))
        own, boxes = form, rows_of_numbers(columns[str(listed)], 4, str(listed), image=image)
    given: dict[str, Any] = {
        key: ids(columns[known[key]], key, image=image) for key in ("category", "id", "annotator") if key in known
    }
    given |= {
        key: numbers(columns[known[key]], key, image=image)
        for key in ("score", "crowd", "ignore", "round")
        if key in known
    }
    if "area" in known:
        given["area"] = floats(columns[known["area"]], "area")
    kinds = categories
    if kinds is None and "category" in given and given["category"].dtype == object:
        names_, _ = table_of(checked_ids(given["category"], "category"))
        kinds = Categories(names_, names=names_)
    return Dataset.from_arrays(boxes, form=own, image=image, categories=kinds, check=look, **given), own
