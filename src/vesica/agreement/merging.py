"""Merging: records of different images as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from vesica._check import agreement_records as check
from vesica.agreement.records import AgreementRecords, Lines, Outcomes
from vesica.dataset import Categories
from vesica.dataset.ids import rising, table_of, together


def merge(*records: AgreementRecords) -> AgreementRecords:
    """Records of disjoint sets of images as one, the same whatever the order: as if all had been compared at once."""
    check.some(records)
    for other in records[1:]:
        check.together(records[0], other)
    images, image_of = _united([one.images for one in records])
    check.disjoint(images)
    annotators, annotator_of = _table([one.annotators for one in records])
    category_ids, category_of = _table([one.categories.ids for one in records])
    image = _mapped([one.image for one in records], image_of)
    order = np.argsort(image, kind="stable")
    place_of = _places(order, [len(one) for one in records])
    asked = np.argsort(_mapped([one.asked_image for one in records], image_of), kind="stable")
    scene_order = np.argsort(_mapped([one.scenes.image for one in records], image_of), kind="stable")
    scene_of = _places(scene_order, [len(one.scenes) for one in records])

    def column(name: str, tables: Sequence[np.ndarray] | None = None) -> np.ndarray:
        own = [getattr(one, name) for one in records]
        return np.concatenate(own) if tables is None else _mapped(own, tables)

    group, batch = (
        _of_images([getattr(one, name) for one in records], image_of, len(images)) for name in ("group", "batch")
    )
    left, right = (_merged_sides(records, name, place_of, scene_of) for name in ("left", "right"))
    return AgreementRecords(
        records[0].policy,
        records[0].kind,
        images,
        group,
        batch,
        _categories(records, category_ids),
        annotators,
        column("asked_image", image_of)[asked],
        column("asked_annotator", annotator_of)[asked],
        column("asked_round")[asked],
        _dates(records, asked),
        image[order],
        column("annotator", annotator_of)[order],
        column("round")[order],
        column("category", category_of)[order],
        column("box")[order],
        column("area")[order],
        together([one.id for one in records])[order],
        column("crowd")[order],
        column("has_mask")[order],
        column("attributes")[order],
        column("cluster", place_of)[order],
        column("mean_iou")[order],
        column("cluster_margin")[order],
        column("cluster_alternative", place_of)[order],
        column("is_exact")[order],
        left,
        right,
        _merged_lines([one.lines for one in records], scene_of, category_of),
    )


def _united(tables: Sequence[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """All ids, rising, and the rank of each id of each table."""
    ids, rank = rising(together(tables))
    return ids, np.split(rank.astype(np.int64), np.cumsum([len(table) for table in tables])[:-1])


def _table(tables: Sequence[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """The different ids, rising, and the place of each id of each table."""
    ids, where = table_of(together(tables))
    return ids, np.split(where, np.cumsum([len(table) for table in tables])[:-1])


def _places(order: np.ndarray, counts: Sequence[int]) -> list[np.ndarray]:
    """Where the rows of each part are, once all are in this order."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return np.split(place, np.cumsum(counts)[:-1])


def _mapped(columns: Sequence[np.ndarray], tables: Sequence[np.ndarray]) -> np.ndarray:
    """Places of all parts as places in the joint table; −1 stays."""
    pairs = zip(columns, tables, strict=True)
    return np.concatenate([np.append(table, -1)[column] for column, table in pairs])


def _of_images(given: Sequence[np.ndarray | None], image_of: Sequence[np.ndarray], count: int) -> np.ndarray | None:
    """Groups or batches of all images; None where nobody has any."""
    if all(one is None for one in given):
        return None
    whole = np.full(count, None, object)
    for own, where in zip(given, image_of, strict=True):
        if own is not None:
            whole[where] = own
    return whole


def _dates(records: Sequence[AgreementRecords], order: np.ndarray) -> np.ndarray | None:
    if all(one.asked_date is None for one in records):
        return None
    parts = [
        np.full(len(one.asked_image), None, object) if one.asked_date is None else one.asked_date for one in records
    ]
    dates: np.ndarray = np.concatenate(parts)[order]
    return dates


def _categories(records: Sequence[AgreementRecords], ids: np.ndarray) -> Categories:
    """All categories; those that parts share are the same in all of them."""
    columns: dict[str, Any] = {}
    for name in ("names", "parents", "frequency"):
        given = [getattr(one.categories, name) for one in records]
        if any(own is not None for own in given):
            known: dict[Any, Any] = {}
            for one, own in zip(records, given, strict=True):
                told = [None] * len(one.categories) if own is None else own.tolist()
                check.same_category(known, dict(zip(one.categories.ids.tolist(), told, strict=True)), name)
            columns[name] = np.array([known[id] for id in ids.tolist()] + [None], object)[:-1]
    return Categories(ids, **columns)


def _merged_sides(
    records: Sequence[AgreementRecords], name: str, place_of: Sequence[np.ndarray], scene_of: Sequence[np.ndarray]
) -> Outcomes:
    order = np.argsort(_mapped([getattr(one.scenes, name).scene for one in records], scene_of), kind="stable")
    sides = [getattr(one, name) for one in records]

    def column(name: str) -> np.ndarray:
        own = [getattr(side, name) for side in sides]
        whole = _mapped(own, place_of) if name in ("partner", "alternative") else np.concatenate(own)
        return np.asarray(whole[order])

    return Outcomes(**{field.name: column(field.name) for field in fields(Outcomes)})


def _merged_lines(lines: Sequence[Lines], scene_of: Sequence[np.ndarray], category_of: Sequence[np.ndarray]) -> Lines:
    scene = _mapped([one.scene for one in lines], scene_of)
    category = _mapped([one.category for one in lines], category_of)
    order = np.argsort(scene, kind="stable")
    type, amount = (np.concatenate([getattr(one, name) for one in lines])[order] for name in ("type", "amount"))
    return Lines(scene[order], type, category[order], amount)
