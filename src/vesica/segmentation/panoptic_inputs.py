"""What panoptic quality is told about: categories, and pairs of a map and its segments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from vesica._array import Array, to_numpy
from vesica._check import panoptic as check
from vesica.segmentation.panoptic import PanopticCategories, Segments


def segments_of(
    ids: Array, told: Mapping[int, tuple[int, bool]], categories: PanopticCategories, side: str, image: Any, /
) -> Segments:
    """The segments of one image as columns."""
    known = sorted(told)
    category = np.array([told[id][0] for id in known], np.int64)
    check.known_categories(category, categories.ids, side, image)
    return Segments(ids, np.array(known, np.int64), category, np.array([told[id][1] for id in known], bool))


def categories_of(value: Any, things: Any, /) -> PanopticCategories:
    """COCO's list of dicts, a dict of id → name, or ids alone; `things` are the ids with single objects."""
    if isinstance(value, PanopticCategories):
        return value
    if isinstance(value, Mapping):
        rows: list[Any] = [{"id": id, "name": name} for id, name in value.items()]
    else:
        rows = [row if isinstance(row, Mapping) else {"id": row} for row in value]
    found = {check.category_id(row): row for row in rows}
    check.listed_once(len(found), len(rows))
    ids = np.array(sorted(found), np.int64)
    names = tuple(found[id].get("name", id) for id in ids.tolist())
    if things is not None:
        chosen = {check.whole(one, "`things`") for one in things}
        check.known_things(chosen, ids)
        return PanopticCategories(ids, names, np.isin(ids, sorted(chosen)))
    told = [found[id].get("isthing") for id in ids.tolist()]
    is_told = len(told) > 0 and all(one in (0, 1) for one in told)
    return PanopticCategories(ids, names, np.array(told, bool) if is_told else None)


def categories_in(sides: Iterable[Mapping[int, tuple[int, bool]]], things: Any, /) -> PanopticCategories:
    """All categories that segments have."""
    return categories_of(sorted({category for told in sides for category, _ in told.values()}), things)


def rows_of(categories: PanopticCategories, /) -> list[dict[str, Any]]:
    """Categories as COCO's list; "isthing" where it is known."""
    rows = [{"id": id, "name": name} for id, name in zip(categories.ids.tolist(), categories.names, strict=True)]
    if categories.things is None:
        return rows
    return [{**row, "isthing": int(thing)} for row, thing in zip(rows, categories.things.tolist(), strict=True)]


def maps_of(
    pairs: Iterable[tuple[Any, Any]], categories: PanopticCategories, /
) -> Iterator[tuple[int | str, np.ndarray, dict[int, tuple[int, bool]]]]:
    """Each image's id, map and segments, checked when it is asked for."""
    for image, pair in pairs:
        known = check.image_id(image)
        ids, told = check.pair(pair, "images", known)
        segments_of(ids, told, categories, "map", known)
        yield known, to_numpy(ids), told
