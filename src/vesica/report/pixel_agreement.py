"""The page of an agreement of label maps: who agrees with whom, pixel by pixel, and on which classes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica import plot
from vesica._array import to_numpy
from vesica.regions import LabelMap
from vesica.report import annotators, leads
from vesica.report.charts import chart
from vesica.report.label_maps import LabelMapPair, places_of, worst_slice
from vesica.report.leads import facts_of
from vesica.report.map_pictures import colours_of, picture_of, swatches_of
from vesica.report.numbers import number_tiles, policy_of
from vesica.report.views import Block, Chart, Colour, Item, Line, Mark, Page, Part, Row, Shape, Table

if TYPE_CHECKING:
    from vesica.agreement.label_maps import PixelAgreementResult

MOST_IMAGES, MOST_ITEMS, DRAWN = 12, 40, 12
NOTES = {
    "mIoU": "mean over classes of what every two share",
    "mDice": "the same, as Dice",
    "pixel_agreement": "share of pixels with one label",
}
TYPES = {
    "loose edge": "near an outline of the class",
    "label": "two classes in one place",
    "missing": "only the first has something there",
    "extra": "only the second has something there",
}


def part_of_maps(result: PixelAgreementResult, key: str, /) -> Part:
    """All that an agreement of label maps gives to a report."""
    items, names = _items(result), _names(result, _labels(result))
    shown = {item.facts["image"] for item in items}
    rows = [Row(str(image), {"image": str(image)}) for image in result.images if str(image) not in shown]
    blocks: list[Block] = [
        _matrix(result, key),
        annotators.coefficients(result, key, title="Classes", score="iou", word="IoU"),
        _ledger(result, key),
        _disputed(result, key),
    ]
    tiles = number_tiles(result, key, intervals=result.interval(), notes=NOTES, title="Agreement")
    how = f"{100 * result.policy.level:g} % intervals of {result.policy.replicates:,} replicates by image"
    return Part(
        Page(key, "Agreement", tuple(blocks), result.headline),
        replace(tiles, sentence=f"{result.headline}; {how}"),
        items=tuple(items),
        rows=tuple(rows),
        notes=tuple(Line(f"{note.count:,} {note.text}", "note") for note in result.notes),
        policy=policy_of(result.to_dict()),
        legend={"wrong": "pixels that two annotators gave to two classes"},
        swatches=swatches_of(names, _colours(result), names),
    )


def _labels(result: PixelAgreementResult) -> np.ndarray:
    return np.unique(result.cells.label)


def _names(result: PixelAgreementResult, labels: np.ndarray) -> list[str]:
    return [str(result.names.get(label, label)) for label in labels.tolist()]


def _colours(result: PixelAgreementResult) -> list[Colour]:
    labels = _labels(result)
    return colours_of(len(labels), *np.flatnonzero(labels == result.policy.background).tolist())


def _matrix(result: PixelAgreementResult, key: str) -> Chart:
    """19: every two annotators."""
    rows = list(result.pairs())
    people = tuple(str(one) for one in result.annotators)
    shared = np.zeros((len(people), len(people)), np.int64)
    pairs = result.pairs_of_images
    np.add.at(shared, (pairs.a, pairs.b), 1)
    shared += shared.T
    names = [f"{row['annotator_a']} and {row['annotator_b']}" for row in rows]
    columns = ("iou", "dice", "inter", "union")
    table = Table(
        f"{key}-pairs",
        "Every two annotators, by class",
        ("annotators", "class", "IoU", "Dice", "shared pixels", "all pixels"),
        tuple(
            (name, str(row["category"]), *(row[one] for one in columns)) for name, row in zip(names, rows, strict=True)
        ),
        tuple(facts_of(annotators=name, category=row["category"]) for name, row in zip(names, rows, strict=True)),
    )
    return annotators.matrix(result, key, people=people, shared=shared.tolist(), table=table)


def _ledger(result: PixelAgreementResult, key: str) -> Chart:
    """22: types of disagreement, whose amounts add up to what mIoU lacks."""
    rows = list(result.ledger())
    table = Table(
        f"{key}-ledger",
        "Types of disagreement",
        ("type", "pixels", "amount", "what it is"),
        tuple((row["type"], row["count"], row["amount"], TYPES.get(row["type"], "")) for row in rows),
        sentence=f"The amounts add up to the gap of {1 - result['mIoU']:.3f}."
        if result["mIoU"] == result["mIoU"]
        else "",
    )
    return chart(
        f"{key}-ledger", lambda ax: plot.ledger(result, ax=ax), table=table, height=1.5 + 0.3 * max(4, len(rows) + 1)
    )


def _disputed(result: PixelAgreementResult, key: str) -> Chart:
    """23: the images whose maps are least alike."""
    rows = sorted((row for row in result.by_image() if row["mIoU"] is not None), key=lambda row: row["rank"])
    columns = [name for name in (rows[0] if rows else ()) if name not in ("image", "status", "rank")]
    table = Table(
        f"{key}-disputed",
        "Most disputed images",
        ("image", *(name.replace("_", " ") for name in columns)),
        tuple((str(row["image"]), *(annotators.cell(row[name]) for name in columns)) for row in rows[:200]),
        tuple(facts_of(image=row["image"]) for row in rows[:200]),
        left_out=f"{len(rows) - 200:,} more images are left out." if len(rows) > 200 else "",
    )

    def told(facts: Mapping[str, Any]) -> Mark:
        return Mark(f"image {facts['image']}", facts_of(image=facts["image"]))

    return chart(
        f"{key}-disputed",
        lambda ax: plot.disputed(result, most=MOST_IMAGES, ax=ax),
        table=table,
        marks=leads.drawn(told),
        height=1.5 + 0.24 * max(4, min(len(rows), MOST_IMAGES)),
    )


def _items(result: PixelAgreementResult) -> list[Item]:
    """Of the most disputed images the two annotators whose maps are least alike."""
    labels = _labels(result)
    names = _names(result, labels)
    rows = sorted((row for row in result.by_image() if row["mIoU"] is not None), key=lambda row: row["rank"])
    return [one for row in rows[:MOST_ITEMS] if (one := _item(result, row["image"], row["mIoU"], labels, names))]


def _item(result: PixelAgreementResult, image: Any, score: float, labels: np.ndarray, names: list[str]) -> Item | None:
    there = [who for who in result.annotators if image in result.maps[who]]
    maps = {who: _array(result.maps[who][image]) for who in there}
    pairs = [(a, b, _pair(maps[a], maps[b], labels, result)) for a, b in itertools.combinations(there, 2)]
    if not pairs or not pairs[0][2].truth.size:
        return None
    pairs.sort(key=lambda one: -int(one[2].differs.sum()))
    (a, b, worst), *others = pairs
    picture = picture_of(worst, _colours(result), sides=(str(a), str(b)))
    shapes = []
    for number, (place, mask) in enumerate(_mistakes(worst)):
        facts = _facts(a, b, place, int(mask.sum()), names)
        runs = picture.runs_of(mask) if number < DRAWN else None
        shapes.append(Shape("wrong", runs=runs, facts=facts))
    for one, other, pair in others:  # of the other two it is told what differs, and not where
        told = (_facts(one, other, place, int(mask.sum()), names) for place, mask in _mistakes(pair))
        shapes += [Shape("wrong", facts=facts) for facts in told]
    note = f", {worst.note}" if worst.note else ""
    caption = f"{image}{note}, mIoU {score:.3f}; {picture.words}"
    facts_of_image = {"image": str(image)}
    return Item(
        f"map-{image}",
        str(image),
        caption,
        picture.width,
        picture.height,
        tuple(shapes),
        facts_of_image,
        picture.source,
    )


def _mistakes(pair: LabelMapPair) -> Iterator[tuple[tuple[int, int], np.ndarray]]:
    """Two classes that two annotators gave to the same pixels, and where."""
    for one, other in np.unique(np.stack([pair.truth, pair.guess])[:, pair.differs].T, axis=0).tolist():
        yield (one, other), pair.differs & (pair.truth == one) & (pair.guess == other)


def _facts(a: Any, b: Any, classes: tuple[int, int], pixels: int, names: list[str]) -> dict[str, str | tuple[str, ...]]:
    return {
        "annotators": f"{a} and {b}",
        "annotator": (str(a), str(b)),
        "differs from": (str(b), str(a)),
        "category": tuple(names[place] if place >= 0 else "none" for place in classes),
        "pixels": f"{pixels:,}",
    }


def _pair(one: np.ndarray, other: np.ndarray, labels: np.ndarray, result: PixelAgreementResult) -> LabelMapPair:
    counts = ~np.isin(one, result.policy.ignore) & ~np.isin(other, result.policy.ignore)
    found = LabelMapPair(places_of(one, labels), places_of(other, labels), counts, counts & (one != other))
    return found if one.ndim == 2 else worst_slice(found)


def _array(value: Any) -> np.ndarray:
    return np.asarray(
        to_numpy(value.array) if isinstance(value, LabelMap) else to_numpy(value) if hasattr(value, "dtype") else value
    )
