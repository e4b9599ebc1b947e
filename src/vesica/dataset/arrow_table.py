"""Data sets as Arrow tables: a row for each image, with its objects in a list."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from vesica._check import arrow as check
from vesica.dataset import Dataset
from vesica.dataset.coco_masks import CocoMasks
from vesica.dataset.ids import rising
from vesica.dataset.tables import Ragged


def table_of(data: Dataset, /) -> Any:
    """A pyarrow.Table with a row for each image, in the order of their ids."""
    pa = check.installed("pyarrow", "An Arrow table")
    order, rank = _order(data)
    rows = np.argsort(rank[data.image], kind="stable")
    counts = np.bincount(rank[data.image], minlength=len(order))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    columns = _image_columns(pa, data, order)
    columns["truth" if data.score is None else "guess"] = _lists(pa, offsets, _objects(pa, data, rows))
    if data.assignments is not None:
        columns["asked"] = _asked(pa, data, rank, len(order))
    facts: dict[str, Any] = {
        "boxes": "xywh",
        "categories": {
            key: None if column is None else column.tolist() for key, column in vars(data.categories).items()
        },
    }
    if data.annotator is not None or data.assignments is not None:
        facts["annotators"] = data.annotators.tolist()
    return pa.table(columns).replace_schema_metadata({b"vesica": check.written(facts)})


def _order(data: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """The places of images by rising id, and the rank of each place."""
    _, rank = rising(data.images.ids)
    order = np.empty(len(rank), np.int64)
    order[rank] = np.arange(len(rank))
    return order, rank.astype(np.int64)


def _image_columns(pa: Any, data: Dataset, order: np.ndarray) -> dict[str, Any]:
    images = data.images
    columns = _ids(pa, "image_id", images.ids[order])
    for side in ("width", "height"):
        column = getattr(images, side)
        if column is not None:
            columns[side] = pa.array(column[order], pa.int32() if column.max(initial=0) < 2**31 else pa.int64())
    for name, column in (("file_name", images.names), ("group", images.group), ("batch", images.batch)):
        if column is not None:
            columns[name] = pa.array([None if one is None else str(one) for one in column[order].tolist()], pa.string())
    for name, lists in (("absent", images.absent), ("partial", images.partial)):
        if lists is not None:
            columns[name] = _ragged(pa, lists, order)
    return columns


def _ragged(pa: Any, lists: Ragged, order: np.ndarray) -> Any:
    parts = [lists.values[lists.offsets[k] : lists.offsets[k + 1]].tolist() for k in order.tolist()]
    return pa.array(parts, pa.list_(pa.int64() if lists.values.dtype != object else pa.string()))


def _objects(pa: Any, data: Dataset, rows: np.ndarray) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if data.id is not None:
        fields |= _ids(pa, "id", data.id[rows])
    fields |= _ids(pa, "category", data.categories.ids[data.category[rows]])
    if data.score is not None:
        fields["score"] = pa.array(data.score[rows])
    if data.corners is not None:
        fields["corners"] = _fixed(pa, data.corners[rows].reshape(-1, 8))
    elif data.xywh is not None:
        fields["box"] = _fixed(pa, data.xywh[rows])
    if data.segments is not None:
        fields |= _segments(pa, data.segments[rows])
    if data.area is not None:
        fields["area"] = pa.array(data.area[rows], from_pandas=True)
    if data.crowd is not None or data.ignore is not None:
        bits = np.zeros(len(rows), np.uint8)
        for bit, flag in ((1, data.crowd), (2, data.ignore)):
            bits |= np.uint8(bit) * (np.zeros(len(rows), bool) if flag is None else flag[rows]).astype(np.uint8)
        fields["flags"] = pa.array(bits)
    if data.annotator is not None:
        fields |= _ids(pa, "annotator", data.annotators[data.annotator[rows]])
    if data.round is not None:
        fields["round"] = pa.array(data.round[rows])
    if data.attributes is not None:
        kept = data.attributes[rows].tolist()
        fields["attributes"] = pa.array(
            [None if one is None else json.dumps(one, ensure_ascii=False) for one in kept], pa.string()
        )
    return fields


def _segments(pa: Any, segments: CocoMasks) -> dict[str, Any]:
    texts, form = list(segments.written()), segments.form.tolist()
    found: dict[str, Any] = {}
    if CocoMasks.COUNTS in form:
        found["rle"] = pa.array(
            [text if one == CocoMasks.COUNTS else None for text, one in zip(texts, form, strict=True)], pa.binary()
        )
    if CocoMasks.JSON in form or not found:
        found["polygons"] = pa.array(
            [text.decode() if one == CocoMasks.JSON else None for text, one in zip(texts, form, strict=True)],
            pa.string(),
        )
    if (segments.size > 0).any():
        found["size"] = pa.FixedSizeListArray.from_arrays(pa.array(segments.size.reshape(-1)), 2)
    return found


def _asked(pa: Any, data: Dataset, rank: np.ndarray, images: int) -> Any:
    asked = data.assignments
    assert asked is not None
    order = np.argsort(rank[asked.image], kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rank[asked.image], minlength=images))])
    fields = _ids(pa, "annotator", data.annotators[asked.annotator[order]])
    if asked.round is not None:
        fields["round"] = pa.array(asked.round[order])
    if asked.date is not None:
        fields["date"] = pa.array(
            [None if one is None else str(one) for one in asked.date[order].tolist()], pa.string()
        )
    return _lists(pa, offsets, fields)


def _lists(pa: Any, offsets: np.ndarray, fields: dict[str, Any]) -> Any:
    inner = pa.StructArray.from_arrays(list(fields.values()), list(fields))
    kind = pa.ListArray if offsets[-1] < 2**31 else pa.LargeListArray
    return kind.from_arrays(pa.array(offsets, pa.int32() if kind is pa.ListArray else pa.int64()), inner)


def _fixed(pa: Any, rows: np.ndarray) -> Any:
    return pa.FixedSizeListArray.from_arrays(
        pa.array(np.ascontiguousarray(rows, np.float64).reshape(-1)), rows.shape[1]
    )


def _ids(pa: Any, name: str, column: np.ndarray) -> dict[str, Any]:
    """A column of ids; where integers stand among strings, another says which."""
    if column.dtype != object:
        return {name: pa.array(column)}
    is_number = [not isinstance(one, str) for one in column.tolist()]
    texts = pa.array([str(one) for one in column.tolist()], pa.string())
    return {name: texts} if not any(is_number) else {name: texts, f"{name}_is_number": pa.array(is_number)}
