"""Two sides: truths and guesses over the same images and categories, in the order in which they are scored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from vesica._check import evaluation as check
from vesica._kernels.native.detect import Guesses, Truths
from vesica.dataset import Categories, Dataset, Segments
from vesica.evaluation.protocol import Protocol


class Note(NamedTuple):
    """Something that was corrected, left out or assumed, and how often."""

    rule: str
    count: int
    text: str


@dataclass(frozen=True, eq=False)
class Sides:
    """What the matching reads. Rows are those of the data sets, unless `rows` says otherwise."""

    images: np.ndarray
    """Ids, rising."""
    categories: Categories
    """Rising ids; one without a name when classes do not matter."""
    truths: Truths
    guesses: Guesses
    truth_boxes: np.ndarray | None
    guess_boxes: np.ndarray | None
    truth_segments: Segments | None
    guess_segments: Segments | None
    truth_rows: np.ndarray | None
    """The row of the data set that each truth is; None: the same."""
    guess_rows: np.ndarray | None
    plain: bool
    """Are there values that are no numbers?"""
    notes: tuple[Note, ...]


def sides_of(truth: Dataset, guess: Dataset, protocol: Protocol, /) -> Sides:
    """Bring both to one order of images and categories: rising ids, as every score is counted."""
    if not protocol.quirks:
        check.values(truth, "truth")
        check.values(guess, "guess")
    check.scores(guess)
    check.same_kind(truth, guess, protocol.regions)
    images, order = rising(truth.images.ids)
    image_of_guess, unknown = _places(guess.images.ids, images)
    check.known_images(guess, unknown)
    classes, class_order = rising(truth.categories.ids)
    class_of_guess, strange = _places(guess.categories.ids, classes)
    left_out = int(strange[guess.category].sum()) if len(guess) else 0
    if not protocol.quirks:
        check.categories_meet(guess, truth, left_out)
    notes = [Note("Q13", left_out, "guesses of categories that the truth does not have are left out")]

    truth_rows = _as_pycocotools_loads(truth, order) if protocol.quirks else None
    if not protocol.quirks:
        check.ids_once(truth)
    guess_rows = None
    if not protocol.by_class:
        truth_rows = _by_class(class_order[truth.category], truth_rows)
        guess_rows = _by_class(class_of_guess[guess.category], None)
    chosen_truth = truth if truth_rows is None else truth.rows(truth_rows)
    chosen_guess = guess if guess_rows is None else guess.rows(guess_rows)

    truths, more = _truths(chosen_truth, order, class_order, protocol)
    guesses = _guesses(chosen_guess, image_of_guess, class_of_guess, protocol)
    categories = _taken(truth.categories, np.argsort(class_order))
    if not protocol.by_class:
        one = Categories(np.array([-1]))
        truths, guesses = (_of_one_class(side) for side in (truths, guesses))
        categories = one
    boxes = (chosen_truth.xywh, chosen_guess.xywh)
    # Only quirks let other numbers in.
    plain = bool(protocol.quirks) and not all(side is None or np.isfinite(side).all() for side in boxes)
    found = tuple(note for note in (*notes, *more) if note.count)
    segments = (chosen_truth.segments, _sized(chosen_guess, truth, image_of_guess, order))
    return Sides(images, categories, truths, guesses, *boxes, *segments, truth_rows, guess_rows, plain, found)


def rising(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ids in rising order, and the rank of each place."""
    order = np.argsort(ids, kind="stable") if ids.dtype != object else _order_of_objects(ids)
    rank = np.empty(len(ids), np.int32)
    rank[order] = np.arange(len(ids), dtype=np.int32)
    return ids[order], rank


def _order_of_objects(ids: Iterable[Any]) -> np.ndarray:
    """Numbers first, then strings: one order for ids of any kind."""
    keyed = [(isinstance(one, str), one) for one in ids]
    return np.array(sorted(range(len(keyed)), key=keyed.__getitem__), np.int64)


def _places(ids: np.ndarray, rising: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of each id among the rising ones, −1 if it is not there; and which are not."""
    if not len(rising):
        places = np.full(len(ids), -1, np.int32)
    elif ids.dtype != object and rising.dtype != object:
        at = np.minimum(np.searchsorted(rising, ids), len(rising) - 1)
        places = np.where(rising[at] == ids, at, -1).astype(np.int32)
    else:
        table = {one: place for place, one in enumerate(rising.tolist())}
        places = np.array([table.get(one, -1) for one in ids.tolist()], np.int32)
    return places, places < 0


def _by_class(places: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
    """Rows by category, then as they come: those of one image are looked at in this order when classes do not matter.

    Categories that the truth does not have are not looked at.
    """
    given = np.arange(len(places)) if rows is None else rows
    order = given[np.argsort(places[given], kind="stable")]
    return order[places[order] >= 0]


def _of_one_class(side: Any) -> Any:
    return side._replace(category=np.zeros(len(side.category), np.int32))


def _as_pycocotools_loads(truth: Dataset, rank: np.ndarray) -> np.ndarray | None:
    """With an id twice, each row that has it stands for the last such row, in the order of images (Q2)."""
    if truth.id is None or len(np.unique(truth.id)) == len(truth):
        return None
    last = {one: row for row, one in enumerate(truth.id.tolist())}
    order = np.argsort(rank[truth.image], kind="stable")
    return np.array([last[one] for one in truth.id[order].tolist()], np.int64)


def _truths(
    truth: Dataset, image_rank: np.ndarray, class_rank: np.ndarray, protocol: Protocol
) -> tuple[Truths, list[Note]]:
    notes = []
    crowd, ignore = truth.crowd, truth.ignore
    if protocol.name != "coco":
        crowd = None if protocol.is_voc or protocol.name == "lvis" else crowd
    elif protocol.quirks and protocol.regions != "boundary":
        ignore = crowd
    else:
        told = 0 if ignore is None else int((ignore & ~crowd).sum() if crowd is not None else ignore.sum())
        notes.append(Note("Q4", told, 'truths with an explicit "ignore" neither count nor are wrong to find'))
        ignore = _either(crowd, ignore)
    nobody = None
    if truth.id is not None and truth.id.dtype != object:
        zeros = truth.id == 0
        if zeros.any():
            notes.append(Note("Q1", int(zeros.sum()), "truths with the id 0 are truths like any other"))
            nobody = zeros if protocol.quirks else None
    image, category = image_rank[truth.image], class_rank[truth.category]
    return Truths(image, category, _area(truth, protocol, notes), crowd, ignore, nobody), notes


def _either(a: np.ndarray | None, b: np.ndarray | None) -> np.ndarray | None:
    return a if b is None else b if a is None else a | b


def _area(truth: Dataset, protocol: Protocol, notes: list[Note]) -> np.ndarray:
    """The areas as they were written; where they were not, those of the regions."""
    area = np.full(len(truth), np.nan) if truth.area is None else truth.area
    absent = np.isnan(area)
    if not absent.any():
        return area
    if not protocol.is_voc:
        notes.append(Note("Q19", int(absent.sum()), 'truths without "area" have that of their region'))
    own = _region_area(truth)
    return np.where(absent, own, area)


def _region_area(data: Dataset) -> np.ndarray:
    """Of masks where there are some, else of boxes."""
    from vesica._kernels.native import segments

    area = np.zeros(len(data)) if data.xywh is None else data.xywh[:, 2] * data.xywh[:, 3]
    if data.segments is None:
        return area
    has_mask = data.segments.form != Segments.NONE
    return np.where(has_mask, segments.areas(data.segments), area)


def _guesses(guess: Dataset, places: np.ndarray, class_places: np.ndarray, protocol: Protocol) -> Guesses:
    # The area of a box, wherever there is one: files with both are scored so everywhere.
    area = None
    if guess.xywh is not None and protocol.regions != "box":
        area = guess.xywh[:, 2] * guess.xywh[:, 3]
    assert guess.score is not None
    return Guesses(places[guess.image], class_places[guess.category], area, guess.score)


def _taken(categories: Categories, order: np.ndarray) -> Categories:
    columns = (categories.ids, categories.names, categories.parents, categories.frequency)
    return Categories(*(None if column is None else column[order] for column in columns))  # type: ignore[arg-type]


def _sized(guess: Dataset, truth: Dataset, places: np.ndarray, order: np.ndarray) -> Segments | None:
    """Masks of guesses in images of the size that the truth has."""
    segments = guess.segments
    if segments is None or truth.images.height is None or truth.images.width is None:
        return segments
    by_rank = np.empty((len(order), 2), np.int64)
    by_rank[order] = np.stack([truth.images.height, truth.images.width], axis=1)
    known = (segments.size > 0).all(axis=1, keepdims=True)
    return replace(segments, size=np.where(known, segments.size, by_rank[places[guess.image]]))
