"""Files of which no row has been read yet: their text, and what is in it as columns.

Dicts are made at the first look at one of them: a file that is only scored never needs them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica.dataset import Dataset
from vesica.errors import InputError
from vesica.io.coco import dataset_of
from vesica.io.coco_literal import first_record, has_plain_counts
from vesica.io.files import File


@dataclass(frozen=True, eq=False)
class Unread:
    """A file whose columns say all that a score needs."""

    text: bytes
    columns: Dataset

    @property
    def may_have_null(self) -> bool:
        """Is there a null anywhere? Columns do not tell it from a value that is not there."""
        return b"null" in self.text

    def value(self) -> Any:
        """What the file holds, as Python has it."""
        return json.loads(self.text)


def truths(text: bytes, name: str) -> Unread | None:
    """A file of truths; None if it lacks something, so that only the dicts tell what happens."""
    columns = _columns(text, name)
    if columns is None or columns.id is None or columns.id.dtype == object or columns.xywh is None:
        return None
    return Unread(text, columns)


def results(text: bytes, name: str, images: np.ndarray) -> Unread | None:
    """A file of results in known images: all of them boxes, or all of them run lengths."""
    columns = _columns(text, name)
    if columns is None or columns.id is not None or not np.isin(columns.images.ids, images).all():
        return None
    if columns.xywh is None and (columns.segments is None or not _are_objects(columns) or _has_box(text, name)):
        return None
    return Unread(text, columns)


def _columns(text: bytes, name: str) -> Dataset | None:
    """The columns of a file in which no value is missing or strange."""
    try:
        columns = dataset_of(File(name, text, "json"))
    except InputError:
        return None
    if columns.notes or not len(columns) or (columns.xywh is not None and np.isnan(columns.xywh).any()):
        return None
    return columns


def _has_box(text: bytes, name: str) -> bool:
    """Does the first result have a box after all, one that is no list of numbers?"""
    return bool(first_record(File(name, text, "json")).get("bbox", []) != [])


def _are_objects(columns: Dataset) -> bool:
    """Is every mask a dict of compressed counts? Polygons alone are no results."""
    segments = columns.segments
    assert segments is not None
    present = bool((segments.form == segments.JSON).all())
    are_objects = present and bool((segments.text[segments.begin] == ord("{")).all())
    return are_objects and not has_plain_counts(segments.text)
