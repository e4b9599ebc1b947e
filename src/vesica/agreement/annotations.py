"""Annotations: what was drawn, by whom and where, in an order that depends on nothing but that."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica._check import agreement as check
from vesica.agreement.drawn import Drawn, drawn_of
from vesica.agreement.order import order_by
from vesica.agreement.scenes import Objects
from vesica.dataset import Categories, CocoMasks, Dataset
from vesica.dataset.ids import rising
from vesica.regions import Region


@dataclass(frozen=True, eq=False)
class Annotations:
    """The objects of a data set by image, annotator, round and geometry, and who was asked for what.

    Tables are in rising order of ids, so equal annotations are equal here, whatever order they came in.

    Attributes
    ----------
    images : (I,) ids; `group`, `batch` : (I,) objects or None
    size : (I, 2) int64: height and width, 0 where unknown
    categories : Categories
    annotators : (P,) ids
    asked_image, asked_annotator, asked_round : (A,) int64, by image, then round, then annotator
    asked_date : (A,) objects, or None
    objects : regions, labels (places in `categories`) and ranks
    image, annotator, round : (N,) int64
    box : (N, 4) float64: x1, y1, x2, y2 around each region
    area : (N,) float64
    geometry : (N,) int64: a number for each geometry, the same for equal ones
    row : (N,) int64: rows of the data set
    id : (N,) their ids; where they have none, their numbers in the image
    crowd, has_mask : (N,) bool: is it a group? Is it a mask, and no box?
    attributes : (N,) int64: a number for what else is said of it, the same where the same is said; 0 for nothing
    kind : "box", "rotated", "polygon" or "mask"
    data : Dataset: what they are of
    """

    images: np.ndarray
    size: np.ndarray
    group: np.ndarray | None
    batch: np.ndarray | None
    categories: Categories
    annotators: np.ndarray
    asked_image: np.ndarray
    asked_annotator: np.ndarray
    asked_round: np.ndarray
    asked_date: np.ndarray | None
    objects: Objects
    image: np.ndarray
    annotator: np.ndarray
    round: np.ndarray
    box: np.ndarray
    area: np.ndarray
    geometry: np.ndarray
    row: np.ndarray
    id: np.ndarray
    crowd: np.ndarray
    has_mask: np.ndarray
    attributes: np.ndarray
    kind: str
    data: Dataset

    def __len__(self) -> int:
        return len(self.row)


def annotations_of(
    data: Dataset,
    /,
    *,
    regions: str | None = None,
    missing: str | None = None,
    drawn: Drawn | None = None,
    threads: int | None = None,
) -> Annotations:
    """The annotations of a data set that says who drew what, and who was asked for which image.

    `drawn` are its regions, where they are others than it has columns for.
    """
    asked = check.assigned(data)
    images, image_rank = rising(data.images.ids)
    people, annotator_rank = rising(data.annotators)
    _, category_rank = rising(data.categories.ids)
    if drawn is None:
        drawn = drawn_of(data, regions=regions, missing=missing, threads=threads)

    image, category = image_rank[data.image].astype(np.int64), category_rank[data.category].astype(np.int64)
    own = np.empty(0, np.int64) if data.annotator is None else annotator_rank[data.annotator].astype(np.int64)
    rounds = np.zeros(len(data), np.int64) if data.round is None else data.round
    rank, geometry = _ranks(drawn, data.id, category, own, rounds, image)
    order = order_by(image, own, rounds, rank)
    at = np.argsort(image_rank, kind="stable")
    group, batch = (None if column is None else column[at] for column in (data.images.group, data.images.batch))
    by_image = order_by(image_rank[asked.image], asked.rounds, annotator_rank[asked.annotator])
    return Annotations(
        images=images,
        size=data.images.sizes[at],
        group=group,
        batch=batch,
        categories=_in_order(data.categories, np.argsort(category_rank, kind="stable")),
        annotators=people,
        asked_image=image_rank[asked.image][by_image].astype(np.int64),
        asked_annotator=annotator_rank[asked.annotator][by_image].astype(np.int64),
        asked_round=asked.rounds[by_image],
        asked_date=None if asked.date is None else asked.date[by_image],
        objects=Objects(_taken(drawn.regions, order), category[order], rank[order]),
        image=image[order],
        annotator=own[order],
        round=rounds[order],
        box=drawn.box[order],
        area=drawn.area[order],
        geometry=geometry[order],
        row=order,
        id=_numbers(image[order]) if data.id is None else data.id[order],
        crowd=_flags(data.crowd, len(data))[order],
        has_mask=_flags(None if data.segments is None else data.segments.form != CocoMasks.NONE, len(data))[order],
        attributes=_digests(data.attributes, len(data))[order],
        kind=drawn.kind,
        data=data,
    )


def _in_order(table: Categories, order: np.ndarray) -> Categories:
    columns: dict[str, Any] = {name: None if column is None else column[order] for name, column in vars(table).items()}
    return Categories(**columns)


def _taken(regions: Region, order: np.ndarray) -> Region:
    """Regions in an order; those that are in it stay as they are, so that large masks are not copied."""
    is_same = np.array_equal(order, np.arange(len(order)))
    return regions if is_same else regions[order]


def _flags(column: np.ndarray | None, count: int) -> np.ndarray:
    """False for all where there is no column."""
    return np.zeros(count, bool) if column is None else column


def _digests(column: np.ndarray | None, count: int) -> np.ndarray:
    """A number for each dict, which other keys or values would make another one, as good as always; 0 for none. It
    depends on nothing else, so that records of different runs meet."""
    found = np.zeros(count, np.int64)
    known: dict[Any, int] = {}
    for row, one in enumerate([] if column is None else column.tolist()):
        if one:
            key: Any = tuple((name, type(value), value) for name, value in one.items())
            try:
                is_new = key not in known
            except TypeError:  # a list in it, say
                key = _told(one)
                is_new = key not in known
            if is_new:
                digest = hashlib.blake2b(_told(one).encode(), digest_size=8).digest()
                known[key] = int.from_bytes(digest, "little", signed=True)
            found[row] = known[key]
    return found


def _told(attributes: Any) -> str:
    """A text that is the same for equal attributes. Those of files are JSON; others may be anything."""
    try:
        return json.dumps(attributes, sort_keys=True, default=str)
    except (TypeError, ValueError, RecursionError):
        return repr(attributes)


def _numbers(image: np.ndarray) -> np.ndarray:
    """0, 1, … in each image; those of one image stand together."""
    numbers = np.arange(len(image))
    starts = np.where(np.diff(image, prepend=-1) != 0, numbers, 0)
    numbers -= np.maximum.accumulate(starts)
    return numbers


def _ranks(drawn: Drawn, ids: np.ndarray | None, *others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One order of all objects, by geometry, then id, then what else differs; and a number for each geometry."""
    count = len(drawn.area)
    id_rank = np.zeros(count, np.int64) if ids is None else rising(ids)[1]
    order = _sorted([*drawn.keys, id_rank, *reversed(others)])
    differs = np.zeros(count, bool)
    for key in drawn.keys:
        differs[1:] |= key[order][1:] != key[order][:-1]
    rank, geometry = np.empty(count, np.int64), np.empty(count, np.int64)
    rank[order], geometry[order] = np.arange(count), np.cumsum(differs)
    return rank, geometry


def _sorted(keys: list[np.ndarray]) -> np.ndarray:
    """The order by all keys, the first one first. Most rows differ in it, so the others are looked at among equals."""
    order = np.argsort(keys[0])
    first = keys[0][order]
    same = np.zeros(len(first) + 1, bool)
    same[1:-1] = first[1:] == first[:-1]
    tied = np.flatnonzero(same[1:] | same[:-1])  # places next to an equal one
    if tied.size:
        rows = order[tied]
        order[tied] = rows[np.lexsort([rows, *(key[rows] for key in reversed(keys))])]  # of equal ones the first row
    return order
