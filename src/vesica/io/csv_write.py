"""CSV, written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from vesica.dataset import Dataset
from vesica.dataset.boxless import boxes_of


def content(data: Dataset, /) -> tuple[bytes, tuple[str, ...]]:
    """The bytes of a CSV file, and what it could not keep. Images without objects have a row without a box."""
    columns = _columns(data)
    rows = map(",".join, zip(*columns.values(), strict=True))
    return "\n".join([",".join(columns), *rows, ""]).encode("utf-8"), tuple(_lost(data))


def _columns(data: Dataset) -> dict[str, list[str]]:
    """Cells of each column: first a row for each object, then one for each who saw nothing in an image."""
    boxes = boxes_of(data)
    empty = _nothing_seen(data)
    image = np.concatenate([data.image, np.array([place for place, _, _ in empty], np.int64)])
    found: dict[str, list[str]] = {"image_id": _cells(data.images.ids[image])}
    if data.images.names is not None:
        found["file_name"] = _cells(data.images.names[image])
    if data.images.height is not None and data.images.width is not None:
        found |= {"image_height": _cells(data.images.height[image]), "image_width": _cells(data.images.width[image])}
    found |= {name: cells + [""] * len(empty) for name, cells in _own(data, boxes).items()}
    return found | _people(data, empty)


def _nothing_seen(data: Dataset) -> list[tuple[int, int | None, int]]:
    """Image, annotator and round of each who was asked and marked nothing; images without anybody and anything too."""
    asked = data.assignments
    known = set(data.image.tolist())
    if asked is None:
        return [(place, None, 0) for place in range(len(data.images)) if place not in known]
    rounds = np.zeros(len(data), np.int64) if data.round is None else data.round
    people = np.zeros(len(data), np.int64) if data.annotator is None else data.annotator
    marked = set(zip(data.image.tolist(), people.tolist(), rounds.tolist(), strict=True))
    every = list(zip(asked.image.tolist(), asked.annotator.tolist(), asked.rounds.tolist(), strict=True))
    known |= set(asked.image.tolist())
    bare = [(place, None, 0) for place in range(len(data.images)) if place not in known]
    return [one for one in every if one not in marked] + bare


def _people(data: Dataset, empty: list[tuple[int, int | None, int]]) -> dict[str, list[str]]:
    """Who marked, and who saw nothing."""
    if data.annotator is None and data.assignments is None:
        return {}
    table = data.annotators.tolist()
    own = [] if data.annotator is None else data.annotator.tolist()
    who = [None if place is None else table[place] for place in (*own, *(place for _, place, _ in empty))]
    found = {"annotator": _cells(np.array([*who, None], object)[:-1])}
    if data.round is not None:
        found["round"] = [str(one) for one in (*data.round.tolist(), *(turn for _, _, turn in empty))]
    return found


def _own(data: Dataset, boxes: np.ndarray) -> dict[str, list[str]]:
    """Cells of what belongs to objects."""
    names, ids = data.categories.names, data.categories.ids
    found = {"category_id": _cells(ids[data.category])}
    if names is not None and names.tolist() != ids.tolist():
        found["category_name"] = _cells(names[data.category])
    found |= {side: _cells(boxes[:, k]) for k, side in enumerate("xywh")}
    plain = {name: getattr(data, name) for name in ("score", "area", "crowd", "ignore", "id")}
    return found | {name: _cells(column) for name, column in plain.items() if column is not None}


def _cells(column: np.ndarray) -> list[str]:
    """A column as text: shortest decimals, flags as 0 and 1, nothing for NaN and None."""
    values: Iterable[Any] = column.tolist()
    if column.dtype.kind == "f":
        return ["" if value != value else repr(value) for value in values]
    if column.dtype.kind == "O":
        return ["" if value is None else _quoted(value) if isinstance(value, str) else str(value) for value in values]
    return [str(int(value)) for value in values]


def _quoted(text: str) -> str:
    """Quotes around what would end a cell, and around what a spreadsheet would take for a formula."""
    if not text.startswith(("=", "+", "-", "@", " ")) and not any(mark in text for mark in ',;\t"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


def _lost(data: Dataset) -> list[str]:
    notes = ["a table of boxes has no place for masks"] if data.segments is not None else []
    if data.corners is not None:
        notes.append("a table of boxes has no place for rotated ones: the upright ones around them were written")
    if data.attributes is not None:
        notes.append("a table of boxes has no place for attributes")
    if len(set(data.category.tolist())) < len(data.categories):
        notes.append("categories without an object left no trace")
    if any(isinstance(id, str) and id.lstrip("-").isdigit() for id in data.images.ids.tolist()):
        notes.append("image ids that are written as numbers are read as numbers")
    if data.assignments is not None and not any(place is not None for _, place, _ in _nothing_seen(data)):
        notes.append("who was asked is not written, because everyone who was asked marked something")
    return notes
