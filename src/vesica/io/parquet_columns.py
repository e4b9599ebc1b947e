"""Which columns of a Parquet file are read: those of the side that is asked for, and masks only where they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vesica.dataset.arrow import SIDES
from vesica.dataset.column_names import NAMES, plain

_MASKS = ("rle", "polygons", "size")
_BOXES = ("box", "bbox", "boxes", "corners")


def columns_of(file: Any, /, *, sides: Sequence[str | None] = (None,), masks: bool = True) -> list[str] | None:
    """The columns of a `pyarrow.parquet.ParquetFile` that objects are made of, as its `columns=` takes them.

    None stands for all: of sides, or of columns. Photographs that lie beside the objects are never among them.
    """
    every = [file.schema.column(place).path for place in range(len(file.schema))]
    kept = [path for path in every if _is_read(path, every, sides, masks)]
    return None if kept == every else kept


def category_columns(file: Any, side: str, /) -> list[str]:
    """The columns that tell the category of the objects of one side."""
    every = [file.schema.column(place).path for place in range(len(file.schema))]
    wanted = {"category", *NAMES["category"], "categoryisnumber"}
    return [path for path in every if path.split(".")[0] == side and {*map(plain, path.split(".")[1:])} & wanted]


def _is_read(path: str, every: Sequence[str], sides: Sequence[str | None], masks: bool) -> bool:
    top, *inner = path.split(".")
    if top not in SIDES:
        return not (plain(top) in ("image", "picture") and inner == ["bytes"])
    if None not in sides and top not in sides:
        return False
    return masks or not {*map(plain, inner)} & {*_MASKS} or not _has_boxes(top, every)


def _has_boxes(side: str, every: Sequence[str]) -> bool:
    """Objects that have masks alone keep them: whoever reads them says what is missing."""
    return any({*map(plain, path.split(".")[1:])} & {*_BOXES} for path in every if path.split(".")[0] == side)
