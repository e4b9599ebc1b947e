"""Images of an agreement for the gallery: what each annotator drew, where they lose most against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vesica.agreement.ledger import LOOSE_EDGE, TYPES
from vesica.agreement.tables import labels_of
from vesica.regions.outlines import outlines
from vesica.report.views import Item, Row, Shape

if TYPE_CHECKING:
    from vesica.agreement.result import AgreementResult

MOST, MOST_ROWS = 80, 6000
"""Images that have a picture, and objects of other images that are listed."""
KINDS = 6
"""Looks that can be told apart."""
_SIDE = 320


class _Losses(NamedTuple):
    """Of each object the types that it loses by, and the annotators against whom: sets of places."""

    types: list[set[int]]
    others: list[set[int]]


def legend_of(result: AgreementResult, /) -> dict[str, str]:
    """Which look is whose; of many annotators some share one."""
    people = [str(one) for one in result.records.annotators.tolist()]
    return {f"kind{k}": ", ".join(people[k::KINDS]) for k in range(min(KINDS, len(people)))}


def items_of(result: AgreementResult, /) -> tuple[list[Item], list[Row], tuple[str, ...]]:
    """The images that lose most, with all that was drawn in them; objects of others that lose something, as rows."""
    records = result.records
    place = {image: k for k, image in enumerate(records.images.tolist())}
    queue = result.worst(MOST, per_group=None)
    shown = [place[one.image] for one in queue]
    losses = _losses(result)
    items = [_item(result, at, queue[k].lost, queue[k].text, losses) for k, at in enumerate(shown)]
    if len(items) < MOST:  # where they agree is worth a look as well
        known = set(shown)
        more = [at for at in np.unique(records.image).tolist() if at not in known][: min(8, MOST - len(items))]
        items += [_item(result, at, 0.0, "", losses) for at in more]
        shown += more
    rows, left = _rows(result, set(shown), losses)
    told = (f"{left:,} objects that annotators differ in are neither shown nor listed.",) if left else ()
    return items, rows, told


def _losses(result: AgreementResult) -> _Losses:
    records, scenes = result.records, result.records.scenes
    types: list[set[int]] = [set() for _ in range(len(records))]
    others: list[set[int]] = [set() for _ in range(len(records))]
    for outcomes, side, people in ((records.left, scenes.left, scenes.b), (records.right, scenes.right, scenes.a)):
        kept = np.flatnonzero((outcomes.type >= 0) & ~scenes.is_self[side.scene])
        columns = side.row[kept], outcomes.type[kept], people[side.scene[kept]]
        for row, type, other in zip(*(column.tolist() for column in columns), strict=True):
            types[row].add(type)
            others[row].add(other)
    return _Losses(types, others)


def _facts(result: AgreementResult, row: int, losses: _Losses, names: list[str], people: list[str]) -> dict[str, Any]:
    records = result.records
    types = tuple(TYPES[one] for one in sorted(losses.types[row]))
    facts: dict[str, Any] = {
        "annotator": people[records.annotator[row]],
        "category": names[records.category[row]],
        "agreed": "no" if set(types) - {TYPES[LOOSE_EDGE]} else "yes",  # all have it, under one label
    }
    if types:
        facts["type"] = types
        facts["differs from"] = tuple(people[one] for one in sorted(losses.others[row]))
    return facts


def _names(result: AgreementResult) -> tuple[list[str], list[str]]:
    return [str(one) for one in labels_of(result.records).tolist()], [
        str(one) for one in result.records.annotators.tolist()
    ]


def _item(result: AgreementResult, at: int, lost: float, text: str, losses: _Losses) -> Item:
    records = result.records
    image = records.images.tolist()[at]
    low, high = np.searchsorted(records.image, [at, at + 1])
    rows = np.arange(low, high)
    height, width, has_size = _size(result, at, rows)
    names, people = _names(result)
    geometry = _geometry(result, rows, max(height, width))
    shapes = []
    for row, where in zip(rows.tolist(), geometry, strict=True):
        facts = _facts(result, row, losses, names, people)
        told = f"{facts['annotator']}: {facts['category']}"
        shapes.append(Shape(f"kind{records.annotator[row] % KINDS}", told, **where, facts=facts))
    caption = f"{image}, {lost:.2f} lost: {text}" if text else f"{image}, nothing lost"
    facts_of_image: dict[str, str] = {"image": str(image)}
    if records.batch is not None and records.batch[at] is not None:
        facts_of_image["batch"] = str(records.batch[at])
    return Item(
        f"image-{at}", _file_of(result, image), caption, width, height, tuple(shapes), facts_of_image, has_size=has_size
    )


def _file_of(result: AgreementResult, image: Any) -> str:
    """The name by which its photograph is found."""
    if result.annotations is not None and result.annotations.data.images.names is not None:
        images = result.annotations.data.images
        found = np.flatnonzero(images.ids == image)
        if len(found) and images.names is not None and images.names[found[0]] is not None:
            return str(images.names[found[0]])
    return str(image)


def _size(result: AgreementResult, at: int, rows: np.ndarray) -> tuple[float, float, bool]:
    """Height and width, and whether they are known; else as much as was drawn in."""
    if result.annotations is not None and (result.annotations.size[at] > 0).all():
        height, width = result.annotations.size[at].tolist()
        return float(height), float(width), True
    boxes = result.records.box[rows]
    ends = boxes[np.isfinite(boxes).all(axis=1)][:, 2:]
    width, height = (max(1.0, float(end) * 1.04) for end in (ends.max(axis=0) if len(ends) else (100, 100)))
    return height, width, False


def _geometry(result: AgreementResult, rows: np.ndarray, side: float) -> list[dict[str, Any]]:
    """Where each object is: its outlines where the regions are at hand, else its box."""
    records = result.records
    if records.kind == "box" or result.annotations is None:
        return [{"box": tuple(box)} for box in records.box[rows].tolist()]
    regions = result.annotations.objects.regions[rows]
    rings = outlines(regions, step=max(1, int(side // _SIDE))) if records.kind == "mask" else outlines(regions)
    return [{"rings": tuple(tuple(ring.ravel().tolist()) for ring in own)} for own in rings]


def _rows(result: AgreementResult, shown: set[int], losses: _Losses) -> tuple[list[Row], int]:
    """Objects of other images that lose something: of everybody some, before anybody has many."""
    records = result.records
    known = [row for row, at in enumerate(records.image.tolist()) if losses.types[row] and at not in shown]
    lost = np.array(known, np.int64)
    who = records.annotator[lost]
    order = np.argsort(who, kind="stable")
    rank = np.empty(len(lost), np.int64)
    rank[order] = np.arange(len(lost)) - np.searchsorted(who[order], who[order])
    kept = np.sort(lost[np.argsort(rank, kind="stable")[:MOST_ROWS]]).tolist()
    images, (names, people) = records.images.tolist(), _names(result)
    found = [Row(str(images[records.image[row]]), _facts(result, row, losses, names, people)) for row in kept]
    return found, len(lost) - len(kept)
