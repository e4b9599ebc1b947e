"""Checks of data sets, and their wording."""

from __future__ import annotations

from typing import Any

import numpy as np

_KINDS = {
    "image": "i",
    "category": "i",
    "xywh": "f",
    "score": "f",
    "area": "f",
    "crowd": "b",
    "ignore": "b",
    "annotator": "i",
}


def columns(data: Any, /) -> None:
    """Columns of one length that point into their tables."""
    count = len(data.image)
    for name, kind in _KINDS.items():
        column = getattr(data, name)
        if column is None:
            continue
        shape = (count, 4) if name == "xywh" else (count,)
        if not isinstance(column, np.ndarray) or column.shape != shape or column.dtype.kind != kind:
            what = {"i": "integers", "f": "floats", "b": "booleans"}[kind]
            got = f"{column.dtype} of shape {column.shape}" if isinstance(column, np.ndarray) else type(column).__name__
            raise ValueError(f"`{name}` must be a NumPy array of {what} of shape {shape}; got {got}.")
    for name in ("segments", "id"):
        column = getattr(data, name)
        if column is not None and len(column) != count:
            raise ValueError(f"`{name}` must have a row for each of the {count} objects; got {len(column)}.")
    for name, table in (("image", data.images), ("category", data.categories)):
        column = getattr(data, name)
        if count and not 0 <= int(column.min()) <= int(column.max()) < len(table):
            row = int(np.argmax((column < 0) | (column >= len(table))))
            raise ValueError(f"`{name}` of row {row} must be a place in a table of {len(table)}; got {column[row]}.")


def some_boxes(xywh: np.ndarray | None, /) -> np.ndarray:
    """The boxes, if there are any to speak of."""
    if xywh is None:
        raise ValueError("This data set has no boxes; its regions are masks.")
    return xywh
