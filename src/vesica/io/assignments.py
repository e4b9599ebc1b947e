"""Assignments from a file: who was asked for which image, a row each, as CSV with a header or as JSON."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from vesica import _check as check
from vesica.dataset import Dataset
from vesica.dataset.assignments import assignments_of
from vesica.dataset.picture_names import file_of, stem_of
from vesica.errors import InputError
from vesica.io.files import load
from vesica.io.json_fields import document, fields, listed
from vesica.io.text_fields import text_of

# What a column may be called, without case, spaces and underscores.
_NAMES = {
    "image": ("image", "imageid", "filename", "file", "imagename", "task"),
    "annotator": ("annotator", "annotatorid", "worker", "workerid", "rater", "user", "completedby"),
    "round": ("round",),
    "date": ("date", "createdat", "updatedat"),
}


def assigned(data: Dataset, path: str | os.PathLike[str], /) -> Dataset:
    """The data set with the assignments of a file. Images are told by id or name, annotators as the data set has them.

    Who is in the file and has marked nothing in any image becomes an annotator too. For "all" everybody was asked for
    every image.
    """
    name = os.fspath(path)
    if name == "all":
        return replace(data, assignments=assignments_of("all", data.images.ids, data.annotators))
    rows = _rows(load(path).data, name)
    image = [_found(row["image"], _keys(data), place, "image") for place, row in _placed(rows, name)]
    known = {str(one): one for one in data.annotators.tolist()}
    annotator = [known.get(str(row["annotator"]), row["annotator"]) for row in rows]
    people = list(dict.fromkeys([*data.annotators.tolist(), *annotator]))
    asked = {
        "image": data.images.ids[image] if image else data.images.ids[:0],
        "annotator": annotator,
        "round": [_round(row["round"], place) for place, row in _placed(rows, name)] if _has(rows, "round") else None,
        "date": [row["date"] or None for row in rows] if _has(rows, "date") else None,
    }
    try:
        table = assignments_of(asked, data.images.ids, np.array([*people, None], object)[:-1])
        return replace(data, annotators=np.array([*people, None], object)[:-1], assignments=table)
    except (ValueError, TypeError) as error:
        raise InputError(f"{name}: {error}") from error


def _placed(rows: list[dict[str, Any]], name: str) -> Iterable[tuple[str, dict[str, Any]]]:
    return ((f"{name}, row {k}", row) for k, row in enumerate(rows, 1))


def _has(rows: list[dict[str, Any]], key: str) -> bool:
    return any(row[key] not in (None, "") for row in rows)


def _rows(data: bytes, name: str) -> list[dict[str, Any]]:
    """Each row by the names of the columns; None for what it does not say."""
    if data.lstrip()[:1] in (b"[", b"{"):
        value = document(data, name)
        records = value.get("assignments") if isinstance(value, dict) else value
        given = [fields(one, f"{name}, row {k}") for k, one in enumerate(listed(records, f"{name}: assignments"), 1)]
    else:
        reader = csv.DictReader(io.StringIO(text_of(data, name), newline=""), skipinitialspace=True)
        try:
            given = list(reader)
        except csv.Error as error:
            raise InputError(f"{name} is no CSV: {error}.") from error
    return [_row(one, f"{name}, row {k}") for k, one in enumerate(given, 1)]


def _row(record: dict[Any, Any], place: str) -> dict[str, Any]:
    plain = {str(key).replace("_", "").replace(" ", "").lower(): value for key, value in record.items()}
    found = {key: next((plain[one] for one in names if one in plain), None) for key, names in _NAMES.items()}
    for key in ("image", "annotator"):
        if found[key] in (None, "") or not isinstance(found[key], (int, str)):
            raise InputError(f"{place}: must have an image and an annotator, as in the header `image,annotator`.")
    return found


def _keys(data: Dataset) -> list[dict[str, int]]:
    """Places of images by id, and by name, file name and stem where these tell them apart."""
    ids = [str(id) for id in data.images.ids.tolist()]
    names: list[Any] = [None] * len(ids) if data.images.names is None else data.images.names.tolist()
    ways: list[Callable[[str], str]] = [str, file_of, stem_of]
    texts = [[way(name) for name in names] for way in ways] if None not in names else []
    texts += [[way(id) for id in ids] for way in ways[1:]]
    return [{key: place for place, key in enumerate(keys)} for keys in (ids, *texts) if len(set(keys)) == len(keys)]


def _found(image: Any, keys: list[dict[str, int]], place: str, what: str) -> int:
    for known in keys:
        for key in (str(image), file_of(str(image)), stem_of(str(image))):
            if key in known:
                return known[key]
    raise InputError(f"{place}: the {what} {check.brief(image)} is none of those of the annotations.")


def _round(value: Any, place: str) -> int:
    text = str(value if value not in (None, "") else 0)
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise InputError(f"{place}: `round` must be a whole number from 0; got {check.brief(value)}.")
    return int(text)
