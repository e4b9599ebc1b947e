"""Images of a segmentation for the gallery: the telling ones, with their label maps where they can be had."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vesica.report.label_maps import LabelMapPair, pairs_of
from vesica.report.map_pictures import colours_of, panel_of, picture_of
from vesica.report.photographs import finder, pixels_of
from vesica.report.views import Item, Row, Shape

if TYPE_CHECKING:
    from vesica.report.views import Colour, Facts
    from vesica.segmentation.result import SegmentationResult

MOST = 60
"""Images that have a picture."""
DRAWN = 12
"""Mistakes of an image whose pixels are drawn; of the others it is only told that they are there."""
ROWS = 8
"""Images that are told of each class and each mistake, beside those that have a picture."""
MOST_IMAGES, MOST_ROWS = 2000, 3000
"""Rows of images, and of mistakes."""
WORST, MIDDLE, BEST = "worst", "in the middle", "best"


class Met(NamedTuple):
    """One row for an image and two classes that met there: places of all of them, and the pixels."""

    image: np.ndarray
    truth: np.ndarray
    guess: np.ndarray
    pixels: np.ndarray


class Ranked(NamedTuple):
    """An image with its score, and what it is known for: the worst, the best, or one in the middle."""

    image: Any
    score: float
    kind: str


def met_of(result: SegmentationResult, /) -> Met:
    """Which classes met in which images, without what does not count. Of classes that overlap, nothing is known."""
    counts, labels = result.counts, result.cells.labels
    known = [_places(labels, side) for side in (counts.truth, counts.guess)]
    kept = (known[0] >= 0) & (known[1] >= 0)
    return Met(counts.image[kept], known[0][kept], known[1][kept], counts.count[kept])


def _places(labels: np.ndarray, side: np.ndarray) -> np.ndarray:
    found, place = np.unique(side, return_inverse=True)
    known = {label: k for k, label in enumerate(labels.tolist())}
    return np.array([known.get(one, -1) for one in found.tolist()], np.int64)[place.reshape(-1)]


def ranked(rows: list[dict[str, Any]], name: str, /) -> list[Ranked]:
    """Images by their score, the worst first. A quarter, at most fifteen, are the worst; five are the best, and five
    in the middle. Images without a score are left out.
    """
    known = sorted((row[name], place) for place, row in enumerate(rows) if row[name] is not None)
    count = len(known)
    quarter = -(-count // 4)
    kinds = {place: WORST for _, place in known[: min(15, quarter)]}
    few = min(5, count // 4)
    begin = (count - few) // 2
    kinds |= {place: MIDDLE for _, place in known[begin : begin + few]}
    kinds |= {place: BEST for _, place in known[count - few :]}
    return [Ranked(rows[place]["image"], score, kinds.get(place, "")) for score, place in known]


def first_of_pairs(met: Met, rows: np.ndarray, count: int, /) -> np.ndarray:
    """Places in `rows`: of each two classes the first `count` images, those with most pixels first."""
    if not len(rows):
        return np.empty(0, np.int64)
    code = met.truth[rows] * (int(met.guess.max()) + 1) + met.guess[rows]
    order = np.lexsort((met.image[rows], -met.pixels[rows], code))
    begin = np.flatnonzero(np.diff(code[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(begin, np.diff(begin, append=len(order)))
    return np.asarray(order[rank < count])


def telling(order: list[Ranked], met: Met, images: list[Any], /) -> list[Any]:
    """The images that are shown, those first that should stay where not all fit."""
    first = [one.image for kind in (WORST, BEST, MIDDLE) for one in order if one.kind == kind]
    wrong = np.flatnonzero(met.truth != met.guess)
    # For each mistake the image with most of its pixels, the most common mistakes first.
    most = wrong[first_of_pairs(met, wrong, 1)]
    by_pair = [images[place] for place in met.image[most[np.argsort(-met.pixels[most], kind="stable")]].tolist()]
    return list(dict.fromkeys([*first[:30], *by_pair, *first, *(one.image for one in order), *images]))[:MOST]


def items_of(
    result: SegmentationResult,
    order: list[Ranked],
    maps: Any,
    score: str,
    bins: Mapping[Any, str],
    photographs: Any,
    /,
) -> tuple[list[Item], list[Row], tuple[str, ...]]:
    """The pictures of the telling images, rows of others, and what is in neither. Without maps there are rows alone."""
    find = None if photographs is None else finder(photographs)
    met, images = met_of(result), result.counts.ids.tolist()
    pairs = {
        image: pair for image, pair in pairs_of(maps, result, telling(order, met, images)).items() if pair.truth.size
    }
    known = {one.image: one for one in order}
    place = {image: k for k, image in enumerate(images)}
    ends = np.searchsorted(met.image, np.arange(len(images) + 1))
    names, colours = [str(name) for name in result.categories], class_colours(result)
    items = []
    for image, pair in pairs.items():
        rows = np.arange(*ends[place[image] : place[image] + 2])
        photograph = None
        if find is not None and (found_at := find(str(image))) is not None:
            photograph = pixels_of(str(image), found_at, panel_of(pair))
        own = Met(*(column[rows] for column in met))
        facts = _facts_of(image, known.get(image), score, bins)
        items.append(_item(image, pair, photograph, facts, known.get(image), score, own, names, colours))
    others = [image for image in images if image not in pairs]
    found = [Row(str(image), _facts_of(image, known.get(image), score, bins)) for image in others[:MOST_IMAGES]]
    is_other = np.ones(len(images), bool)
    is_other[[place[image] for image in pairs]] = False
    found += _pairs_of_others(met, np.flatnonzero(is_other[met.image]), images, names)
    return items, found, _left_out(images, len(items), maps is not None)


def class_colours(result: SegmentationResult, /) -> list[Colour]:
    """One for each class of its tables."""
    background = np.flatnonzero(result.cells.labels == result.policy.background).tolist()
    return colours_of(len(result.cells.labels), *background)


def seen_in(items: Iterable[Item], /) -> set[str]:
    """The names of the classes that some picture shows."""
    told = [shape.facts["category"] for item in items for shape in item.shapes]
    return {name for one in told for name in ((one,) if isinstance(one, str) else one)}


def _left_out(images: list[Any], shown: int, has_maps: bool) -> tuple[str, ...]:
    count = len(images)
    if not has_maps:
        return (
            f"No label maps are shown, for the result has counts and no pixels: `maps` of `report` says where the maps "
            f"of these {count:,} images are, or `vesica seg … --report`.",
        )
    if not shown and count:
        named = ", ".join(repr(image) for image in images[:3])
        return (
            f"No label maps are shown: `maps` has none of these images, which are called {named}{', …' * (count > 3)}.",
        )
    if shown == count:
        return ()
    return (
        f"Of {count:,} images {shown:,} are shown: the worst, the best, some between, and for each mistake the one "
        "with most of it.",
    )


def _item(
    image: Any,
    pair: LabelMapPair,
    photograph: np.ndarray | None,
    facts: Facts,
    rank: Ranked | None,
    score: str,
    met: Met,
    names: list[str],
    colours: Sequence[Colour],
) -> Item:
    picture = picture_of(pair, colours, photograph=photograph)
    shapes: list[Shape] = []
    drawn = 0
    for truth, guess, count in sorted(
        zip(*(column.tolist() for column in met[1:]), strict=True), key=lambda one: -one[2]
    ):
        own = _facts(truth, guess, count, names)
        if truth == guess:
            shapes.append(Shape("right", facts=own))
            continue
        drawn += 1
        mask = pair.differs & (pair.truth == truth) & (pair.guess == guess)
        runs = picture.runs_of(mask) if drawn <= DRAWN else None
        shapes.append(Shape("wrong", runs=runs, facts=own))
    told = [str(image), *([pair.note] if pair.note else [])]
    if rank is not None:
        told.append(f"{score} {rank.score:.3f}" + (f", {rank.kind}" if rank.kind else ""))
    told.append(f"{100 * pair.differs.sum() / max(1, pair.counts.sum()):.1f} % of pixels wrong")
    caption = f"{', '.join(told)}; {picture.words}"
    return Item(
        f"map-{image}", str(image), caption, picture.width, picture.height, tuple(shapes), facts, picture.source
    )


def _facts(truth: int, guess: int, count: int, names: list[str]) -> dict[str, str | tuple[str, ...]]:
    both = (names[truth],) if truth == guess else (names[truth], names[guess])
    return {"truth": names[truth], "guess": names[guess], "category": both, "pixels": f"{count:,}"}


def _facts_of(image: Any, rank: Ranked | None, score: str, bins: Mapping[Any, str]) -> dict[str, str]:
    facts = {"image": str(image)}
    if rank is not None and rank.kind:
        facts["images"] = rank.kind
    if image in bins:
        facts[score] = bins[image]
    return facts


def _pairs_of_others(met: Met, rows: np.ndarray, images: list[Any], names: list[str]) -> list[Row]:
    """For each class, and each mistake, the images with most of its pixels; mistakes first."""
    kept = rows[first_of_pairs(met, rows, ROWS)]
    order = np.lexsort((met.image[kept], -met.pixels[kept], met.truth[kept] == met.guess[kept]))[:MOST_ROWS]
    columns = (column[kept[order]].tolist() for column in met)
    return [
        Row(str(images[image]), _facts(truth, guess, pixels, names))
        for image, truth, guess, pixels in zip(*columns, strict=True)
    ]
