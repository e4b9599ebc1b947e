"""Inputs: truths and guesses over the same images and categories, in the order in which they are scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica._check import detection as check
from vesica._kernels import native
from vesica._kernels.native.coco_masks import Fault
from vesica._kernels.native.match_cells import Guesses, Truths
from vesica.dataset import Categories, CocoMasks, Dataset
from vesica.dataset.boxless import boxed, boxless
from vesica.dataset.meeting import Meeting, meet
from vesica.detection.protocol import Protocol
from vesica.results.result import Note


@dataclass(frozen=True, eq=False)
class Inputs:
    """What the matching reads. Rows are those of the data sets, unless `rows` says otherwise."""

    images: np.ndarray
    """Ids, rising."""
    categories: Categories
    """Rising ids; one without a name when classes do not matter."""
    truths: Truths
    guesses: Guesses
    truth_boxes: np.ndarray | None
    guess_boxes: np.ndarray | None
    truth_segments: CocoMasks | None
    guess_segments: CocoMasks | None
    truth_rows: np.ndarray | None
    """The row of the data set that each truth is; None: the same."""
    guess_rows: np.ndarray | None
    plain: bool
    """Are there NaN, infinities, or values so large that an iou may be NaN?"""
    notes: tuple[Note, ...]
    meeting: Meeting | None = None
    """How images and categories of both sides met."""
    truth_corners: np.ndarray | None = None
    guess_corners: np.ndarray | None = None
    truth_ids: np.ndarray | None = None

    def fault_of(self, fault: Fault, /) -> Fault:
        """The fault with rows as the data sets have them."""
        own, other = self.truth_rows, self.guess_rows
        if fault.side == "guess":
            own, other = other, own
        row = fault.row if own is None else int(own[fault.row])
        return fault._replace(
            row=row, other=fault.other if other is None or fault.sizes is None else int(other[fault.other])
        )


def inputs_of(
    truth: Dataset,
    guess: Dataset,
    protocol: Protocol,
    /,
    *,
    categories: Any = None,
    missing: str | None = None,
    threads: int | None = None,
) -> Inputs:
    """Bring both to one order of images and categories: rising ids, as every score is counted.

    `categories` says how they meet: see `vesica.evaluate`. `missing="box"` lets truths without a mask be compared as
    their boxes, as guesses are.
    """
    check.missing(missing)
    are_tame = is_tame(truth.xywh, threads) and is_tame(guess.xywh, threads)
    _check_both(truth, guess, protocol, are_tame)
    meeting = meet(truth, guess, categories=categories, by_class=protocol.by_class, by_id=protocol.repeats.by_id)
    without = [boxless(side) if protocol.regions == "box" else None for side in (truth, guess)]
    filled = _filled(truth, guess, protocol, without, missing)
    if any(rows is not None for rows in without):
        sizes = _sizes(truth, meeting)
        truth = boxed(truth, without[0], sizes[meeting.truth_image[truth.image]])
        guess = boxed(guess, without[1], sizes[meeting.guess_image[guess.image]])
        are_tame = is_tame(truth.xywh, threads) and is_tame(guess.xywh, threads)
    truth_rows, guess_rows, lenient = None, None, None
    rules, repeats = protocol.rules, protocol.repeats
    if repeats.last_of_equal_ids:
        truth_rows = _last_of_equal_ids(truth, meeting.truth_image)
    elif rules.taking_part is not None:
        truth_rows, guess_rows, lenient = rules.taking_part(truth, guess, meeting, rules.most_per_image, region_area)
    if not protocol.by_class:
        truth_rows = _by_class(meeting.truth_category[truth.category], truth_rows)
        guess_rows = _by_class(meeting.guess_category[guess.category], guess_rows)
    # A mark of guesses goes with their rows.
    lenient = lenient if lenient is None or guess_rows is None else lenient[guess_rows]
    chosen = truth if truth_rows is None else truth.rows(truth_rows)
    offered = guess if guess_rows is None else guess.rows(guess_rows)

    truths, notes = _truths(chosen, meeting, protocol)
    guesses = _guesses(offered, meeting, protocol)._replace(lenient=lenient)
    if without[1] is not None:  # their boxes are compared, and their pixels counted
        by_mask = _counted_by_mask(without[1], protocol)
        guesses = guesses._replace(area=_areas_of(offered, by_mask if guess_rows is None else by_mask[guess_rows]))
    kinds = _taken(truth.categories, np.argsort(meeting.truth_category))
    if not protocol.by_class:
        truths, guesses = (of_one_class(side) for side in (truths, guesses))
        kinds = Categories(np.array([-1]))
    boxes = (chosen.xywh, offered.xywh)
    # The iou of two masks is never NaN.
    plain = protocol.regions == "box" and rules.compares_nan and not are_tame
    segments: tuple[CocoMasks | None, CocoMasks | None] = (None, None)
    if protocol.compares_masks:
        sizes = _sizes(truth, meeting)
        segments = (_sized(chosen, _rows(sizes, truths.image)), _sized(offered, _rows(sizes, guesses.image)))
    remarks = (Note(*one[:3]) for one in meeting.remarks)
    found = tuple(note for note in (*remarks, *filled, *notes) if note.count)
    rows, corners = (truth_rows, guess_rows), (chosen.corners, offered.corners)
    sides = (truths, guesses, *boxes, *segments, *rows)
    return Inputs(meeting.images, kinds, *sides, plain, found, meeting, *corners, chosen.id)


def _check_both(truth: Dataset, guess: Dataset, protocol: Protocol, are_tame: bool) -> None:
    """Raise where the sides cannot be compared."""
    repeats = protocol.repeats
    if not repeats.any_number:
        for data, side in ((truth, "truth"), (guess, "guess")):
            if not (are_tame and _is_finite(data)):
                check.values(data, side, protocol.regions)
    if not repeats.last_of_equal_ids:
        check.ids_once(truth)
    check.scores(guess)
    check.some_regions(truth, guess)
    if protocol.regions == "rotated":
        check.corners(truth, guess)


def _counted_by_mask(rows: np.ndarray, protocol: Protocol) -> np.ndarray:
    """Whose area is that of the mask: rows without a box; for a tool that asks the first row, all of them or none."""
    return np.full(len(rows), rows[0]) if protocol.repeats.needs_fields else rows


def _areas_of(data: Dataset, by_mask: np.ndarray) -> np.ndarray:
    assert data.segments is not None
    assert data.xywh is not None
    return np.where(by_mask, data.segments.areas(), data.xywh[:, 2] * data.xywh[:, 3])


def _filled(
    truth: Dataset, guess: Dataset, protocol: Protocol, without: list[np.ndarray | None], missing: str | None
) -> list[Note]:
    """Notes of what was taken for regions that rows lack; an error for truths without masks."""
    if protocol.regions == "box":
        # Of a side that has no boxes at all nothing is missing.
        count = sum(0 if rows is None or rows.all() else int(rows.sum()) for rows in without)
        return [Note("Q24", count, 'rows without "bbox" have the box of their mask')]
    if not protocol.compares_masks:
        return []
    counts = [_maskless(side) for side in (truth, guess)]
    if missing is None:
        check.masks_of_truths(counts[0], len(truth))
    return [
        Note("Q25", counts[0], "truths without a mask are compared as their boxes"),
        Note("Q26", counts[1], "guesses without a mask are compared as their boxes"),
    ]


def _maskless(data: Dataset) -> int:
    """How many rows have no mask. An empty one is a mask."""
    return len(data) if data.segments is None else int(np.count_nonzero(data.segments.form == CocoMasks.NONE))


_WILD = 1e150
"""Boxes with a larger coordinate may have an infinite area, and an iou of NaN."""


def _is_finite(data: Dataset) -> bool:
    """Are all scores and areas finite? A quick look: NaN for an area that is missing fails it too."""
    return all(column is None or bool(np.isfinite(column).all()) for column in (data.score, data.area))


def is_tame(boxes: np.ndarray | None, threads: int | None = 1) -> bool:
    """Is no iou of these boxes NaN, and no side negative?"""
    return boxes is None or native.are_sides_sound(boxes, _WILD, threads)


def _by_class(places: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
    """Rows by category, then as they come: those of one image are looked at in this order when classes do not matter.

    Categories that the truth does not have are not looked at.
    """
    given = np.arange(len(places)) if rows is None else rows
    order = given[np.argsort(places[given], kind="stable")]
    return order[places[order] >= 0]


def of_one_class(side: Any, /) -> Any:
    """Truths or guesses, as if all were of the first category; those that are left out stay so."""
    return side._replace(category=np.minimum(side.category, 0).astype(np.int32, copy=False))


def _last_of_equal_ids(truth: Dataset, rank: np.ndarray) -> np.ndarray | None:
    """With an id twice, each row that has it stands for the last such row, in the order of images (Q2)."""
    if truth.id is None or len(np.unique(truth.id)) == len(truth):
        return None
    last = {one: row for row, one in enumerate(truth.id.tolist())}
    order = np.argsort(rank[truth.image], kind="stable")
    return np.array([last[one] for one in truth.id[order].tolist()], np.int64)


def _truths(truth: Dataset, meeting: Meeting, protocol: Protocol) -> tuple[Truths, list[Note]]:
    notes: list[Note] = []
    crowd, ignore = truth.crowd, truth.ignore
    if not protocol.rules.has_crowds:
        crowd = None
    elif protocol.repeats.ignore_is_crowd and protocol.regions != "boundary":
        ignore = crowd
    else:
        told = 0 if ignore is None else int(np.count_nonzero(ignore if crowd is None else ignore & ~crowd))
        notes.append(Note("Q4", told, 'truths with an explicit "ignore" neither count nor are wrong to find'))
        ignore = _either(crowd, ignore)
    zeros = None if truth.id is None or truth.id.dtype == object else truth.id == 0
    id_zero = zeros if protocol.repeats.unmatched_id_0 and zeros is not None and zeros.any() else None
    if zeros is not None and not protocol.repeats.unmatched_id_0:
        notes.append(Note("Q1", int(np.count_nonzero(zeros)), "truths with the id 0 are truths like any other"))
    image, category = _at(meeting.truth_image, truth.image), _at(meeting.truth_category, truth.category)
    return Truths(image, category, _area(truth, protocol, notes), crowd, ignore, id_zero), notes


def _either(a: np.ndarray | None, b: np.ndarray | None) -> np.ndarray | None:
    return a if b is None else b if a is None else a | b


def _area(truth: Dataset, protocol: Protocol, notes: list[Note]) -> np.ndarray:
    """The areas as they were written; where they were not, those of the regions."""
    area = np.full(len(truth), np.nan) if truth.area is None else truth.area
    absent = np.isnan(area)
    if not absent.any():
        return area
    if protocol.rules.has_areas:
        notes.append(Note("Q19", int(absent.sum()), 'truths without "area" have that of their region'))
    return np.where(absent, region_area(truth, protocol.regions), area)


def region_area(data: Dataset, regions: str, /) -> np.ndarray:
    """The area of each box; of each mask or rotated box where these are compared and there is one."""
    if regions == "rotated" and data.corners is not None:
        from vesica.detection.rotated import area_of

        return area_of(data.corners)
    area = np.full(len(data), np.nan) if data.xywh is None else data.xywh[:, 2] * data.xywh[:, 3]
    if data.segments is None or (regions == "box" and data.xywh is not None):
        return area
    return np.where(data.segments.form == CocoMasks.NONE, area, data.segments.areas())


def _guesses(guess: Dataset, meeting: Meeting, protocol: Protocol) -> Guesses:
    # The area of a box, wherever there is one: files with both are scored so everywhere.
    area = region_area(guess, protocol.regions) if protocol.regions == "rotated" else None
    if guess.xywh is not None and protocol.compares_masks:
        area = np.multiply(guess.xywh[:, 2], guess.xywh[:, 3], out=native.table((len(guess),)))
        if np.isnan(area).any():
            area = np.where(np.isnan(area), region_area(guess, protocol.regions), area)
    assert guess.score is not None
    image, category = _at(meeting.guess_image, guess.image), _at(meeting.guess_category, guess.category)
    return Guesses(image, category, area, guess.score)


def _at(places: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """places[rows]. Most files have their ids in rising order, and all of them: then rows are places already."""
    return rows if rows.dtype == places.dtype and (places == np.arange(len(places))).all() else places[rows]


def _taken(categories: Categories, order: np.ndarray) -> Categories:
    columns = (categories.ids, categories.names, categories.parents, categories.frequency)
    return Categories(*(None if column is None else column[order] for column in columns))  # type: ignore[arg-type]


def _sizes(truth: Dataset, meeting: Meeting) -> np.ndarray:
    """Height and width of each image in rising order, 0 where unknown."""
    sizes = np.zeros((len(truth.images), 2), np.int64)
    if truth.images.height is not None and truth.images.width is not None:
        sizes[meeting.truth_image] = np.stack([truth.images.height, truth.images.width], axis=1)
    return sizes


def _rows(sizes: np.ndarray, image: np.ndarray) -> np.ndarray:
    """sizes[image]; `take` needs a tenth of the time, and wraps −1 as an index does."""
    return sizes.take(image, 0, out=native.table((len(image), 2), np.int64), mode="wrap")


def _sized(data: Dataset, sizes: np.ndarray) -> CocoMasks:
    """The masks, with the image sizes of the truth where they have none of their own; boxes for rows without masks."""
    return CocoMasks.none(sizes) if data.segments is None else data.segments.sized(sizes)
