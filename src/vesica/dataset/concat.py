"""Several data sets as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vesica._array import objects
from vesica._check import dataset as check
from vesica.dataset.assignments import joined
from vesica.dataset.boxless import boxes_of
from vesica.dataset.coco_masks import CocoMasks
from vesica.dataset.corners import upright_corners
from vesica.dataset.ids import places, table_of, together
from vesica.dataset.tables import Categories, Images, Ragged

_ROW_COLUMNS = ("xywh", "corners", "score", "area", "crowd", "ignore", "id", "round", "attributes")
_IMAGE_COLUMNS = ("height", "width", "names", "group", "batch")
_CATEGORY_COLUMNS = ("names", "parents", "frequency")
_FILLED = {"area": np.nan, "crowd": False, "ignore": False, "round": 0, "attributes": None}
"""What rows have in a column that their part did not give."""
_WIDE = {"xywh": (4,), "corners": (4, 2)}


def columns_of_parts(parts: Sequence[Any], categories: Any = None, /) -> dict[str, Any]:
    """What the fields of a data set are that has all rows of all parts, one part after the other."""
    ids = together([part.images.ids for part in parts])
    check.different(ids, "images")
    first = np.cumsum([0, *(len(part.images) for part in parts[:-1])])
    own = united_categories([*([] if categories is None else [categories]), *(part.categories for part in parts)])
    kinds = own if categories is None else categories
    image = [part.image + start for part, start in zip(parts, first.tolist(), strict=True)]
    category = [places(part.categories.ids, kinds.ids)[part.category] for part in parts]
    of_images: dict[str, Any] = {name: _of_images(parts, name) for name in _IMAGE_COLUMNS}
    of_images |= {name: _lists(parts, name) for name in ("absent", "partial")}
    return {
        "images": Images(ids, **of_images),
        "categories": kinds,
        "image": np.concatenate(image),
        "category": np.concatenate(category),
        **columns_of_rows(parts),
        **_annotations(parts, first.tolist()),
    }


def _lists(parts: Sequence[Any], name: str) -> Ragged | None:
    """Lists of categories of all images; empty for those of a part that has none."""
    given = [getattr(part.images, name) for part in parts]
    if all(one is None for one in given):
        return None
    counts = [
        np.zeros(len(part.images), np.int64) if one is None else np.diff(one.offsets)
        for part, one in zip(parts, given, strict=True)
    ]
    return Ragged(
        together([one.values for one in given if one is not None]),
        np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64),
    )


def columns_of_rows(parts: Sequence[Any], /) -> dict[str, Any]:
    """The columns that point into no table, one part after the other."""
    counts = [len(part) for part in parts]
    columns: dict[str, Any] = {name: _column(parts, name, counts) for name in _ROW_COLUMNS}
    return {**columns, "segments": _segments([part.segments for part in parts], counts)}


def _annotations(parts: Sequence[Any], first: list[int]) -> dict[str, Any]:
    """Who marked each row and who was asked, of parts whose images begin at `first`; in all parts or in none."""
    if all(part.annotator is None and part.assignments is None for part in parts):
        return {}
    people, where = table_of(together([part.annotators for part in parts]))
    place_of = np.split(where, np.cumsum([len(part.annotators) for part in parts])[:-1])
    if any(part.annotator is None and len(part) for part in parts):
        raise check.not_in_all("annotator")
    asked = [part.assignments for part in parts]
    if any(one is None for one in asked) and any(one is not None for one in asked):
        raise check.not_in_all("assignments")
    pairs = zip(parts, place_of, strict=True)
    rows = [where[:0] if part.annotator is None else own[part.annotator] for part, own in pairs]
    return {
        "annotator": np.concatenate(rows),
        "annotators": people,
        "assignments": None if asked[0] is None else joined(asked, first, place_of),
    }


def _told(tables: Sequence[Categories], column: str) -> dict[Any, Any]:
    """What each category is called, belongs to, or how frequent it is, as the first table says that says it."""
    known: dict[Any, Any] = {}
    for table in tables:
        own = getattr(table, column)
        if own is not None:
            pairs = zip(table.ids.tolist(), own.tolist(), strict=True)
            given = {id: one for id, one in pairs if one is not None}
            if column != "parents":  # no number depends on them
                check.same_category(known, given, column)
            known = given | known
    return known


def united_categories(tables: Sequence[Categories], /) -> Categories:
    """All categories of all tables. One that is not the same in all is an error."""
    told = {name: _told(tables, name) for name in _CATEGORY_COLUMNS}
    ids, _ = table_of(together([table.ids for table in tables]))
    columns = {name: objects(known.get(one) for one in ids.tolist()) for name, known in told.items() if known}
    return Categories(ids, **columns)


def _column(parts: Sequence[Any], name: str, counts: list[int]) -> np.ndarray | None:
    """A column of all rows, None if no part has it; some may lack what has a natural value."""
    given = [getattr(part, name) for part in parts]
    some = [one is not None for one, count in zip(given, counts, strict=True) if count]
    if not any(one is not None for one in given) or (name == "id" and not all(some)):
        return None
    own = [_own(part, name) if count else one for part, one, count in zip(parts, given, counts, strict=True)]
    lacking = [place for place, (one, count) in enumerate(zip(own, counts, strict=True)) if one is None and count]
    if lacking and name not in _FILLED:
        raise check.not_in_all(name, lacking[0])
    filled = [
        np.full((count, *_WIDE.get(name, ())), _FILLED.get(name, 0)) if one is None else one
        for one, count in zip(own, counts, strict=True)
    ]
    return np.concatenate(filled)


def _own(part: Any, name: str) -> np.ndarray | None:
    """A column of a part; of one without it, where others have it, boxes around its masks and corners of its upright
    boxes."""
    column: np.ndarray | None = getattr(part, name)
    if column is None and name == "xywh" and part.segments is not None:
        return boxes_of(part)
    if column is None and name == "corners" and (part.xywh is not None or part.segments is not None):
        return upright_corners(boxes_of(part))
    return column


def _of_images(parts: Sequence[Any], name: str) -> np.ndarray | None:
    given = [getattr(part.images, name) for part in parts]
    if all(one is None for one in given):
        return None
    is_number = name in ("height", "width")
    nothing: Any = 0 if is_number else None
    kind: Any = np.int64 if is_number else object
    sizes = [len(part.images) for part in parts]
    pairs = zip(given, sizes, strict=True)
    return np.concatenate([np.full(count, nothing, kind) if one is None else one for one, count in pairs])


def _segments(given: list[CocoMasks | None], counts: list[int]) -> CocoMasks | None:
    if all(one is None for one in given):
        return None
    nowhere = (CocoMasks.none(np.zeros((count, 2), np.int64)) for count in counts)
    parts = [empty if one is None else one for one, empty in zip(given, nowhere, strict=True)]
    first = np.cumsum([0, *(len(part.text) for part in parts[:-1])])
    shifted = list(zip(parts, first.tolist(), strict=True))
    return CocoMasks(
        np.concatenate([part.text for part in parts]),
        np.concatenate([part.begin + start for part, start in shifted]),
        np.concatenate([part.end + start for part, start in shifted]),
        np.concatenate([part.form for part in parts]),
        np.concatenate([part.size for part in parts]),
    )
