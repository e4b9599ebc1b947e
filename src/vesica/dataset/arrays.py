"""A data set from columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from vesica._array import as_array, objects, to_numpy
from vesica._check import LIMITS
from vesica._check import dataset as check
from vesica._kernels import native
from vesica.dataset.coco_masks import CocoMasks
from vesica.dataset.corners import corners_of, is_corners, xywh_around
from vesica.dataset.ids import places, table_of, together
from vesica.dataset.tables import Categories, Images


def columns_of(
    boxes: Any,
    masks: Any,
    *,
    form: str,
    normalised: bool,
    image: Any,
    category: Any,
    images: Any,
    categories: Any,
    sizes: Any,
    look: bool,
    **given: Any,
) -> dict[str, Any]:
    """What the fields of a Dataset are, of columns in any library."""
    check.some_regions(boxes, masks)
    ids = check.ids(image, "image")
    images = _asked_for(ids, given.get("assignments")) if images is None else images
    table, image_of = _placed(ids, images, Images, "image", "images")
    table = _sized(table, sizes, given=images is not None)
    kinds, category_of = _categories(category, categories, len(ids))
    of_rows = table.sizes[image_of] if normalised or masks is not None else None
    segments = None if of_rows is None or masks is None else _segments(masks, of_rows, len(ids), look)
    if segments is not None:
        table = _sized_by_masks(table, image_of, segments)
    people = _annotations(given, len(ids), table.ids)
    xywh = corners = None
    if boxes is not None:
        check.no_outlines(boxes)
        shares = of_rows if normalised else None
        if shares is not None:
            check.known_size(shares, ids)
        if is_corners(boxes):
            corners = corners_of(boxes, shares, look=look)
        xywh = xywh_of(boxes, form, shares, look=look) if corners is None else xywh_around(corners)
        check.one_for_each(xywh, len(ids), "boxes")
    return {
        "images": table,
        "categories": kinds,
        "image": image_of,
        "category": category_of,
        "xywh": xywh,
        "corners": corners,
        "segments": segments,
        **people,
        **_plain(given, len(ids), look),
    }


def _placed(ids: np.ndarray, table: Any, kind: Any, name: str, names: str) -> tuple[Any, np.ndarray]:
    """The table of images or categories, and the place of each row in it."""
    if table is None:
        found, where = table_of(ids)
        return kind(found), where
    if not isinstance(table, kind):
        labels = list(table.values()) if isinstance(table, Mapping) else None
        own = check.different(check.ids(list(table) if labels is not None else table, names), names)
        table = kind(own) if labels is None else kind(own, names=objects(labels))
    where = places(ids, table.ids)
    check.known(where, ids, name, names)
    return table, where


def _categories(category: Any, categories: Any, count: int) -> tuple[Categories, np.ndarray]:
    if category is None:
        table, _ = _placed(
            np.zeros(0, np.int64), [1] if categories is None else categories, Categories, "", "categories"
        )
        check.one_category(len(table))
        return table, np.zeros(count, np.int64)
    ids = check.ids(category, "category")
    check.one_for_each(ids, count, "category")
    return _placed(ids, categories, Categories, "category", "categories")


def _asked_for(ids: np.ndarray, assignments: Any) -> np.ndarray | None:
    """The images that somebody was asked for, those of the rows among them; None if that is not said."""
    if assignments is None or isinstance(assignments, str):
        return None
    from vesica.dataset.assignments import assignment_columns

    return table_of(together([ids, assignment_columns(assignments)["image"]]))[0]


def _annotations(given: dict[str, Any], count: int, images: np.ndarray) -> dict[str, Any]:
    """Who marked each row, in which round, and who was asked; taken out of what was given."""
    names = ("annotator", "round", "annotators", "assignments")
    annotator, rounds, people, asked = (given.pop(name, None) for name in names)
    if annotator is rounds is people is asked is None:
        return {}
    from vesica._check import assignments as check_assignments  # late: most data sets have one author
    from vesica.dataset.assignments import annotators_of, assignments_of

    check_assignments.rounds_of_somebody(rounds, annotator)

    rows = None if annotator is None else check.ids(annotator, "annotator")
    if rows is not None:
        check.one_for_each(rows, count, "annotator")
    table = annotators_of(people, rows, asked)
    where = None if rows is None else places(rows, table).astype(np.int64)
    if rows is not None and where is not None:
        check.known(where, rows, "annotator", "annotators")
    return {
        "annotator": where,
        "annotators": table,
        "round": None if rounds is None else check_assignments.rounds(rounds, count, "round"),
        "assignments": None if asked is None else assignments_of(asked, images, table),
    }


def _sized(table: Images, sizes: Any, *, given: bool) -> Images:
    """The images with the sizes that were given."""
    if sizes is None:
        return table
    if isinstance(sizes, Mapping):
        sizes, given = np.reshape([sizes.get(id, (0, 0)) for id in table.ids.tolist()], (-1, 2)), True
    array = check.image_sizes(sizes)
    if array.ndim == 2:
        check.whose_sizes(len(array), len(table), given)
    pairs = np.broadcast_to(array, (len(table), 2))
    return replace(table, height=pairs[:, 0].copy(), width=pairs[:, 1].copy())


def _segments(masks: Any, of_rows: np.ndarray, count: int, look: bool) -> CocoMasks:
    from vesica.dataset.masks import segments_of  # late: boxes need no other region

    check.one_for_each(masks, count, "masks")
    return segments_of(masks, of_rows, look=look)


def _sized_by_masks(table: Images, image_of: np.ndarray, segments: CocoMasks) -> Images:
    """Run lengths know how large their image is: fill in sizes that are unknown, and refuse those that differ."""
    sizes = table.sizes
    rows = np.flatnonzero((segments.size > 0).all(axis=1))
    fresh = sizes.copy()
    unsaid = rows[(sizes[image_of[rows]] <= 0).any(axis=1)][::-1]  # the first row of an image comes last, and stays
    fresh[image_of[unsaid]] = segments.size[unsaid]
    check.same_size(segments.size, fresh, rows, image_of, table.ids)
    if not fresh.any():
        return table
    return replace(table, height=fresh[:, 0].copy(), width=fresh[:, 1].copy())


def xywh_of(boxes: Any, form: Any, sizes: np.ndarray | None, /, *, look: bool) -> np.ndarray:
    """The boxes as x, y, width, height in float64: those that come so bit for bit, and sides that come as such.

    With `sizes`, (N, 2) heights and widths, the boxes are shares of their images.
    """
    own: np.ndarray
    if form == "xywh" and sizes is None and _is_plain(boxes):
        own = boxes.view()  # the caller's array stays writeable
        if not look or native.are_sides_sound(own, LIMITS["float64"]):
            return own
    from vesica.regions.boxes import Boxes
    from vesica.regions.collection import Collection

    scale = None
    if isinstance(boxes, Collection):
        boxes, form, scale = boxes.array, boxes.form, boxes.normalised  # type: ignore[attr-defined]
    array = to_numpy(as_array(boxes))
    if array.dtype.kind in "iuf":
        array = array.astype(np.float64, copy=False)  # before the first subtraction
    if sizes is not None and array.shape == (len(sizes), 4):
        check.shares(form)
        array = array * (sizes[:, [0, 1, 0, 1]] if form == "yxyx" else sizes[:, [1, 0, 1, 0]])
    table = Boxes(array, form, normalised=scale, check=look)
    check.box_table(table)
    xywh: np.ndarray = table.to("xywh")
    if form == "cxcywh" and scale is None:
        xywh[:, 2:] = array[:, 2:]
    own = xywh.view()
    return own


def _is_plain(boxes: Any) -> bool:
    """Is it what a data set has already?"""
    return type(boxes) is np.ndarray and boxes.dtype == np.float64 and boxes.ndim == 2 and boxes.shape[1] == 4


def _plain(given: dict[str, Any], count: int, look: bool) -> dict[str, Any]:
    """Columns that stand for themselves."""
    columns: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            columns[name] = None
        elif name in ("crowd", "ignore"):
            columns[name] = check.flags(value, count, name)
        elif name == "id":
            columns[name] = check.ids(value, name).view()
            check.one_for_each(columns[name], count, name)
        else:
            columns[name] = check.numbers(value, count, name, missing=name == "area", look=look).view()
    return columns
