"""Columns of images: a value for each, told by id, file name or stem, or as they come."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from vesica._array import objects
from vesica._check import slices as check
from vesica.dataset.tables import Images


def column_of(column: Any, images: Images, name: str, /) -> np.ndarray:
    """(I,) a value for each image, of a dict or as they come."""
    if not isinstance(column, Mapping):
        return check.one_each(objects(check.listed(column, name)), len(images), name)
    found = [next((column[key] for key in keys if key in column), check.MISSING) for keys in _keys(images)]
    return check.all_told(objects(found), images.ids, column, name)


def _keys(images: Images) -> Iterator[tuple[Any, ...]]:
    """What each image may be called: its id, as a text too, its file name, that without folders, and its stem."""
    names = [None] * len(images) if images.names is None else images.names.tolist()
    for one, name in zip(images.ids.tolist(), names, strict=True):
        file = str(one) if name is None else os.path.basename(name)
        yield (one, str(one), file if name is None else name, file, os.path.splitext(file)[0])


def drawn_by(by: Any, images: Images, known: Mapping[str, np.ndarray], /) -> tuple[str, np.ndarray | None]:
    """What is drawn again for intervals, in a word, and the group of each image; None: images themselves.

    `by` is "image", the name of a known column, a dict of image → group, or one group for each image.
    """
    if isinstance(by, str) and by == "image":
        return by, None
    told = by if isinstance(by, str) else "group"
    column = known[check.drawn_by(by, known)] if isinstance(by, str) else column_of(by, images, "by")
    return told, check.no_none(column, images.ids)
