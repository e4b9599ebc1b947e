"""COCO's JSON, written from columns: truths as one object, guesses as a list of results."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from vesica.dataset import CocoMasks, Dataset, Ragged
from vesica.errors import InputError
from vesica.io.coco_rest import Record, rest_of


def content(data: Dataset, /) -> tuple[bytes, tuple[str, ...]]:
    """The bytes of a file of results where there are scores, else of a truth file; and what it could not keep."""
    return results_content(data) if data.score is not None else _encoded(truth_text(data))


def results_content(data: Dataset, /) -> tuple[bytes, tuple[str, ...]]:
    """The bytes of a file of results, and what it could not keep."""
    return _encoded(results_text(data))


def _encoded(made: tuple[str, tuple[str, ...]]) -> tuple[bytes, tuple[str, ...]]:
    text, notes = made
    return text.encode("utf-8"), notes


def truth_text(data: Dataset, /, *, beside: list[Record] | None = None) -> tuple[str, tuple[str, ...]]:
    """The text of a truth file, a row a line, and what it could not keep. `beside` are other keys of the images."""
    rest = rest_of(data, results=False)
    rest = rest if beside is None else rest._replace(images=beside)
    top = "".join(f"{_dumped(key)}: {_dumped(value)},\n" for key, value in rest.top.items())
    images = ",\n".join(_images(data, rest.images))
    rows = ",\n".join(_annotations(data, rest.annotations))
    categories = ",\n".join(_categories(data, rest.categories))
    top += _people(data)
    text = f'{{{top}"images": [\n{images}\n],\n"annotations": [\n{rows}\n],\n"categories": [\n{categories}\n]}}\n'
    notes = [*rest.notes, *_of_rotated(data)]
    if data.id is None and len(data):
        notes.append("objects were numbered from 1")
    elif _share_ids(data):
        notes.append("objects were numbered from 1, because annotators have the same ids")
    if data.area is None and data.xywh is not None and len(data):
        notes.append("areas are those of the boxes, because nobody gave any")
    if data.score is not None:
        notes.append("truths of COCO have no scores")
    return text, tuple(notes)


def results_text(data: Dataset, /) -> tuple[str, tuple[str, ...]]:
    """The text of a file of results, a row a line, and what it could not keep."""
    if data.score is None:
        raise InputError("Results of COCO need scores, and this data set has none. Write it as a truth file.")
    keys = ("image_id", "category_id", "bbox", "segmentation", "score")
    columns = [
        _ids(data.images.ids[data.image]),
        _ids(data.categories.ids[data.category]),
        _boxes(data),
        _masks(data),
        _floats(data.score),
    ]
    rest = rest_of(data, results=True)
    rows = _objects(keys, columns, _with_attributes(data, rest.annotations))
    text = "[" + ",\n ".join(rows) + "]\n"
    lost = {"areas": data.area, "crowds": data.crowd, "ids": data.id, "what is to be ignored": data.ignore}
    lost |= {"annotators": data.annotator, "image sizes": data.images.height, "names": data.categories.names}
    notes = [f"results of COCO have no place for {what}" for what, column in lost.items() if column is not None]
    notes += [*rest.notes, *_of_rotated(data)]
    for noun, table, used in (("images", data.images, data.image), ("categories", data.categories, data.category)):
        if len(set(used.tolist())) < len(table):
            notes.append(f"{noun} without a guess left no trace")
    return text, tuple(notes)


def _of_rotated(data: Dataset) -> list[str]:
    return ["rotated boxes were written as the upright ones around them"] if data.corners is not None else []


def _objects(
    keys: tuple[str, ...], columns: list[Iterator[str] | None], rest: list[Record] | None = None
) -> Iterator[str]:
    """JSON objects of columns, and behind them the rest; empty cells and columns that are None are left out."""
    named = [(f'"{key}": ', column) for key, column in zip(keys, columns, strict=True) if column is not None]
    heads = [head for head, _ in named]
    for place, row in enumerate(zip(*(column for _, column in named), strict=True)):
        text = ", ".join(head + cell for head, cell in zip(heads, row, strict=True) if cell)
        yield f"{{{text}}}" if rest is None or not rest[place] else f"{{{text}, {_dumped(rest[place])[1:]}"


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _images(data: Dataset, rest: list[Record] | None) -> Iterator[str]:
    table = data.images
    keys = ("id", "width", "height", "file_name", "neg_category_ids", "not_exhaustive_category_ids")
    sides, lists = (_sides(table.width), _sides(table.height)), (_lists(table.absent), _lists(table.partial))
    return _objects(keys, [_ids(table.ids), *sides, _texts(table.names), *lists], rest)


def _categories(data: Dataset, rest: list[Record] | None) -> Iterator[str]:
    table = data.categories
    keys = ("id", "name", "supercategory", "frequency")
    columns = [_ids(table.ids), _texts(table.names), _texts(table.parents), _texts(table.frequency)]
    return _objects(keys, columns, rest)


def _annotations(data: Dataset, rest: list[Record] | None) -> Iterator[str]:
    keys = ("id", "image_id", "category_id", "bbox", "area", "segmentation", "iscrowd", "ignore", "annotator", "round")
    columns = [
        _ids(np.arange(1, len(data) + 1) if data.id is None or _share_ids(data) else data.id),
        _ids(data.images.ids[data.image]),
        _ids(data.categories.ids[data.category]),
        _boxes(data),
        _areas(data),
        _masks(data),
        _flags(np.zeros(len(data), bool) if data.crowd is None else data.crowd),
        None if data.ignore is None else _flags(data.ignore),
        None if data.annotator is None else _ids(data.annotators[data.annotator]),
        None if data.round is None else _ids(data.round),
    ]
    return _objects(keys, columns, _with_attributes(data, rest))


def _with_attributes(data: Dataset, rest: list[Record] | None) -> list[Record] | None:
    """The rest of each row, and its attributes in the place of those that the file had."""
    if data.attributes is None:
        return rest
    said = [{} if one is None else {"attributes": one} for one in data.attributes.tolist()]
    return said if rest is None else [{**one, **own} for one, own in zip(rest, said, strict=True)]


def _share_ids(data: Dataset) -> bool:
    """Have two annotators given one id? Each of them begins with 1."""
    return data.annotator is not None and data.id is not None and len(set(data.id.tolist())) < len(data)


def _people(data: Dataset) -> str:
    """Annotators, and who was asked for what, as `coco_annotators` reads them."""
    asked = data.assignments
    if data.annotator is None and asked is None:
        return ""
    text = f'"annotators": {_dumped(data.annotators.tolist())},\n'
    if asked is None:
        return text
    columns = [
        _ids(data.images.ids[asked.image]),
        _ids(data.annotators[asked.annotator]),
        None if asked.round is None else _ids(asked.round),
        None if asked.date is None else ("" if one is None else _dumped(str(one)) for one in asked.date.tolist()),
    ]
    rows = ",\n".join(_objects(("image_id", "annotator", "round", "date"), columns))
    return f'{text}"assignments": [\n{rows}\n],\n'


def _ids(column: np.ndarray) -> Iterator[str]:
    if column.dtype == object:
        return (json.dumps(id, ensure_ascii=False) for id in column.tolist())
    return map(str, column.tolist())


def _texts(column: np.ndarray | None) -> Iterator[str] | None:
    if column is None:
        return None
    return ("" if text is None else json.dumps(text, ensure_ascii=False) for text in column.tolist())


def _sides(column: np.ndarray | None) -> Iterator[str] | None:
    return None if column is None else (str(side) if side else "" for side in column.tolist())


def _lists(column: Ragged | None) -> Iterator[str] | None:
    if column is None:
        return None
    values = column.values.tolist()
    return (json.dumps(values[begin:end]) for begin, end in itertools.pairwise(column.offsets.tolist()))


def _flags(column: np.ndarray) -> Iterator[str]:
    return ("1" if flag else "0" for flag in column.tolist())


def _floats(column: np.ndarray) -> Iterator[str]:
    return map(repr, column.tolist())


def _short(value: float) -> str:
    """The shortest decimal that reads back as the same number: whole numbers without a point."""
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 and str(value)[0:2] != "-0" else repr(value)


def _boxes(data: Dataset) -> Iterator[str] | None:
    if data.xywh is None:
        return None
    # A row with a mask and no box has NaN.
    return ("" if box[0] != box[0] else f"[{', '.join(map(_short, box))}]" for box in data.xywh.tolist())


def _areas(data: Dataset) -> Iterator[str] | None:
    """Areas as they were given; those of the boxes where there is no column of areas: other tools need them."""
    if data.area is not None:
        return ("" if area != area else _short(area) for area in data.area.tolist())
    return None if data.xywh is None else map(_short, (data.xywh[:, 2] * data.xywh[:, 3]).tolist())


def _masks(data: Dataset) -> Iterator[str] | None:
    """Segmentations byte for byte; compressed counts inside the object they belong to."""
    found = data.segments
    if found is None:
        return None
    rows: Any = zip(found.written(), found.form.tolist(), found.size.tolist(), strict=True)
    return (_mask(text, form, size) for text, form, size in rows)


def _mask(text: bytes, form: int, size: list[int]) -> str:
    if form == CocoMasks.COUNTS:
        return f'{{"size": [{size[0]}, {size[1]}], "counts": {json.dumps(text.decode("latin-1"))}}}'
    return text.decode("utf-8") if form == CocoMasks.JSON else ""
