"""Images of a segmentation for the gallery: the telling ones, with their label maps where they can be had."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vesica.report.label_maps import LabelMapPair, pairs_of
from vesica.report.map_pictures import picture_of
from vesica.report.views import Item, Row, Shape

if TYPE_CHECKING:
    from vesica.report.views import Facts
    from vesica.segmentation.result import SegmentationResult

MOST = 60
"""Images that have a picture."""
DRAWN = 12
"""Mistakes of an image whose pixels are drawn; of the others it is only told that they are there."""
ROWS = 8
"""Images that are told of each mistake, beside those that have a picture."""
MOST_IMAGES, MOST_ROWS = 2000, 6000
"""Rows of images, and all rows: enough to find one, and small."""
WORST, MIDDLE, BEST = "worst", "in the middle", "best"


class Met(NamedTuple):
    """One row for an image and two classes that met there: places of all of them, and the pixels."""

    image: np.ndarray
    truth: np.ndarray
    guess: np.ndarray
    count: np.ndarray


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
    place = {label: k for k, label in enumerate(labels.tolist())}
    return np.array([place.get(one, -1) for one in side.tolist()], np.int64)


def ranked(rows: list[dict[str, Any]], name: str, /) -> list[Ranked]:
    """Images by their score, the worst first: fifteen of the worst, and five each in the middle and of the best.

    Images without a score are left out.
    """
    known = sorted((row[name], place) for place, row in enumerate(rows) if row[name] is not None)
    few, middle = min(15, -(-len(known) // 2)), max(0, len(known) // 2 - 2)
    kinds = {place: WORST for _, place in known[:few]}
    kinds |= {place: MIDDLE for _, place in known[middle : middle + 5] if place not in kinds}
    kinds |= {place: BEST for _, place in known[-5:] if kinds.get(place) != WORST or len(known) == 1}
    return [Ranked(rows[place]["image"], score, kinds.get(place, "")) for score, place in known]


def telling(order: list[Ranked], met: Met, images: list[Any], /) -> list[Any]:
    """The images that are shown, those first that should stay where not all fit."""
    first = [one.image for kind in (WORST, BEST, MIDDLE) for one in order if one.kind == kind]
    wrong = np.flatnonzero(met.truth != met.guess)
    most: dict[tuple[int, int], tuple[int, int]] = {}
    for row in wrong.tolist():
        key = int(met.truth[row]), int(met.guess[row])
        most[key] = max(most.get(key, (0, 0)), (int(met.count[row]), -int(met.image[row])))
    # For each mistake the image with most of its pixels, the most common mistakes first.
    by_pair = [images[-place] for _, place in sorted(most.values(), reverse=True)]
    return list(dict.fromkeys([*first[:30], *by_pair, *first, *(one.image for one in order)]))[:MOST]


def items_of(
    result: SegmentationResult, order: list[Ranked], maps: Any, bins: dict[Any, str], /
) -> tuple[list[Item], list[Row]]:
    """The pictures of the telling images, and rows of others; without maps there are rows alone."""
    met, images = met_of(result), result.counts.ids.tolist()
    pairs = pairs_of(maps, result, telling(order, met, images))
    known = {one.image: one for one in order}
    place = {image: k for k, image in enumerate(images)}
    by_image = _rows_by_image(met, len(images))
    names = [str(name) for name in result.categories]
    items = [
        _item(image, pair, known.get(image), bins.get(image), by_image[place[image]], met, names)
        for image, pair in pairs.items()
        if pair.truth.size
    ]
    shown = np.isin(np.arange(len(images)), [place[image] for image in pairs])
    return items, _rows(met, np.flatnonzero(~shown[met.image]), images, known, bins, names)


def _rows_by_image(met: Met, images: int) -> list[np.ndarray]:
    ends = np.searchsorted(met.image, np.arange(images + 1))
    return [np.arange(low, high) for low, high in zip(ends[:-1], ends[1:], strict=True)]


def _item(
    image: Any,
    pair: LabelMapPair,
    rank: Ranked | None,
    in_bin: str | None,
    rows: np.ndarray,
    met: Met,
    names: list[str],
) -> Item:
    picture = picture_of(pair, len(names))
    shapes = []
    for number, row in enumerate(rows[np.argsort(-met.count[rows], kind="stable")].tolist()):
        truth, guess = int(met.truth[row]), int(met.guess[row])
        facts = _facts(truth, guess, names)
        if truth == guess:
            shapes.append(Shape("right", facts=facts | {"pixels": f"{met.count[row]:,}"}))
            continue
        drawn = sum(one.runs is not None for one in shapes) < DRAWN
        mask = pair.differs & (pair.truth == truth) & (pair.guess == guess)
        shapes.append(
            Shape(
                "wrong",
                f"{names[truth]} taken for {names[guess]}",
                runs=picture.runs_of(mask) if drawn else None,
                facts=facts | {"pixels": f"{met.count[row]:,}"},
            )
        )
    score = "" if rank is None else f", mIoU {rank.score:.3f}" + (f" ({rank.kind})" if rank.kind else "")
    note = f", {pair.note}" if pair.note else ""
    share = pair.differs.sum() / max(1, pair.counts.sum())
    caption = f"{image}{note}{score}, {share:.1%} of pixels wrong; {picture.words}"
    return Item(
        f"map-{image}",
        str(image),
        caption,
        picture.width,
        picture.height,
        tuple(shapes),
        _of_image(image, rank, in_bin),
        picture.source,
    )


def _facts(truth: int, guess: int, names: list[str]) -> dict[str, str | tuple[str, ...]]:
    both = (names[truth],) if truth == guess else (names[truth], names[guess])
    return {"truth": names[truth], "guess": names[guess], "class": both}


def _of_image(image: Any, rank: Ranked | None, in_bin: str | None) -> Facts:
    facts: dict[str, str] = {"image": str(image)}
    if rank is not None and rank.kind:
        facts["images"] = rank.kind
    if in_bin is not None:
        facts["mIoU"] = in_bin
    return facts


def _rows(
    met: Met, rows: np.ndarray, images: list[Any], known: dict[Any, Ranked], bins: dict[Any, str], names: list[str]
) -> list[Row]:
    """Of images without a picture: their score, and for each mistake those with most of its pixels."""
    shown = np.unique(met.image[rows]).tolist()
    found = [Row(str(images[place]), _of_image(images[place], known.get(images[place]), bins.get(images[place])))
             for place in shown[:MOST_IMAGES]]  # fmt: skip
    wrong = rows[met.truth[rows] != met.guess[rows]]
    order = wrong[np.lexsort((met.image[wrong], -met.count[wrong]))]
    told: dict[tuple[int, int], int] = {}
    for row in order.tolist():
        key = int(met.truth[row]), int(met.guess[row])
        told[key] = told.get(key, 0) + 1
        if told[key] <= ROWS and len(found) < MOST_ROWS:
            facts = {"truth": names[key[0]], "guess": names[key[1]], "pixels": f"{met.count[row]:,}"}
            found.append(Row(str(images[met.image[row]]), facts))
    return found
