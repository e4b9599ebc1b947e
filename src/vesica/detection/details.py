"""Details: who is near whom, whatever the class. Enough to tell why a score is what it is."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica._check import details as check
from vesica._check.coco_masks import bad_segment
from vesica._kernels.native import match_cells
from vesica._ragged import taken
from vesica.dataset import Categories
from vesica.dataset.ids import together
from vesica.detection.inputs import Inputs, of_one_class
from vesica.detection.protocol import Protocol
from vesica.results import container

if TYPE_CHECKING:
    from vesica.detection.records import Records

CROWD, IGNORED, ID_ZERO = 1, 2, 4
"""Bits of `truth_flags`."""


@dataclass(frozen=True, eq=False)
class Details:
    """Every guess and truth of records, and the pairs of one image that overlap, also those of different classes.

    Attributes
    ----------
    floor : the least overlap that is kept
    number : (G,) int32: which guess of its image it is, in the order in which they came
    box : (G, 4) float64: x, y, width, height; NaN for a guess without a box
    area : (G,) float64
    lenient : (G,) uint8: where it finds nothing it does not count
    near : (G,) int32: how many pairs each guess has; they follow those of the guess before
    truth : (P,) int32: the truth of each pair, rising within a guess
    overlap : (P,) float64: the iou of each pair; of a crowd, the share of the guess that it covers
    truth_image, truth_category : (M,) int32: places in the tables of the records; images rise
    truth_id : (M,) int64 or objects: ids; of truths without ids, which one of its image it is
    truth_box : (M, 4) float64
    truth_area : (M,) float64
    truth_flags : (M,) uint8: bits for a crowd, for one that neither counts nor is wrong to find, and for the id 0
    """

    floor: float
    number: np.ndarray
    box: np.ndarray
    area: np.ndarray
    lenient: np.ndarray
    near: np.ndarray
    truth: np.ndarray
    overlap: np.ndarray
    truth_image: np.ndarray
    truth_category: np.ndarray
    truth_id: np.ndarray
    truth_box: np.ndarray
    truth_area: np.ndarray
    truth_flags: np.ndarray

    @functools.cached_property
    def starts(self) -> np.ndarray:
        """(G + 1,) int64: the first pair of each guess, and the end."""
        first: np.ndarray = np.concatenate([[0], np.cumsum(self.near, dtype=np.int64)])
        return first

    @functools.cached_property
    def guess(self) -> np.ndarray:
        """(P,) int64: the guess of each pair."""
        return np.repeat(np.arange(len(self.near)), self.near)

    def columns(self) -> dict[str, np.ndarray]:
        """All but ids that are texts, by the names under which a file has them."""
        names = _OF_GUESSES + _OF_PAIRS + _OF_TRUTHS
        columns = {f"{_PREFIX}{name}": getattr(self, name) for name in names}
        if self.truth_id.dtype != object:
            columns[f"{_PREFIX}truth_id"] = self.truth_id
        return columns

    def header(self) -> dict[str, Any]:
        """The rest."""
        ids = container.listed(self.truth_id) if self.truth_id.dtype == object else None
        return {"floor": self.floor, "truth_id": ids}

    @classmethod
    def of_columns(cls, header: dict[str, Any], columns: dict[str, np.ndarray], told: check.Expected, /) -> Details:
        """What a file has, looked through: the kernels trust it."""
        found = {name.removeprefix(_PREFIX): column for name, column in columns.items()}
        if header["truth_id"] is not None:
            found["truth_id"] = np.asarray(container.column_of(header["truth_id"]))
        check.columns(found, told, header["floor"])
        return cls(header["floor"], **found)

    @staticmethod
    def apart(columns: dict[str, np.ndarray], /) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Columns of a file: those of the records, and those of their details."""
        own = {name: column for name, column in columns.items() if name.startswith(_PREFIX)}
        return {name: column for name, column in columns.items() if name not in own}, own

    def of(self, guesses: np.ndarray, images: np.ndarray, /) -> Details:
        """Those of some guesses, in that order, and of the truths of some images: new places of all, −1 for none."""
        place = images[self.truth_image]
        kept = np.flatnonzero(place >= 0)
        kept = kept[np.argsort(place[kept], kind="stable")]
        rank = np.empty(len(place), np.int32)
        rank[kept] = np.arange(len(kept), dtype=np.int32)
        _, pairs = taken(self.starts, guesses)
        columns = {name: getattr(self, name)[guesses] for name in _OF_GUESSES}
        columns |= {name: getattr(self, name)[kept] for name in (*_OF_TRUTHS, "truth_id")}
        columns |= {"truth": rank[self.truth[pairs]], "overlap": self.overlap[pairs]}
        return Details(self.floor, **{**columns, "truth_image": place[kept].astype(np.int32)})


_PREFIX = "details/"
_OF_GUESSES = ("number", "box", "area", "lenient", "near")
_OF_PAIRS = ("truth", "overlap")
_OF_TRUTHS = ("truth_image", "truth_category", "truth_box", "truth_area", "truth_flags")


def details_of(inputs: Inputs, records: Records, /, *, threads: int | None = None) -> Details:
    """Details of records that were just matched, for the same inputs."""
    protocol = records.protocol
    check.numbers(inputs.plain)
    # What overlaps less lies on the background, and need not be kept.
    floor = max(min(check.BACKGROUND, *protocol.bars), np.nextafter(0.0, 1.0))
    near = near_of(inputs, protocol, floor, threads)
    rows = rows_of_guesses(inputs, records)
    starts, pairs = taken(near.starts, rows)

    truths, order = inputs.truths, rows_of_truths(inputs)
    rank = np.full(len(truths.image), -1, np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    numbers = _numbers(truths.image, inputs.truth_rows)[order]
    box = _boxes(inputs.guess_boxes, inputs.guess_segments, rows)
    area = box[:, 2] * box[:, 3] if inputs.guesses.area is None else inputs.guesses.area[rows]
    if inputs.guesses.area is None and protocol.compares_masks:
        assert inputs.guess_segments is not None
        area = inputs.guess_segments[rows].areas(threads=threads)
    return Details(
        floor,
        number=_numbers(inputs.guesses.image, inputs.guess_rows)[rows],
        box=box,
        area=area,
        lenient=_bits(inputs.guesses.lenient, 1, len(inputs.guesses.score))[rows],
        near=np.diff(starts).astype(np.int32),
        truth=rank[near.truth[pairs]],
        overlap=near.value[pairs],
        truth_image=truths.image[order].astype(np.int32),
        truth_category=truths.category[order].astype(np.int32),
        truth_id=numbers.astype(np.int64) if inputs.truth_ids is None else inputs.truth_ids[order],
        truth_box=_boxes(inputs.truth_boxes, inputs.truth_segments, order),
        truth_area=truths.area[order],
        truth_flags=np.bitwise_or.reduce(
            [
                _bits(column, bit, len(truths.image))[order]
                for column, bit in ((truths.crowd, CROWD), (truths.ignore, IGNORED), (truths.id_zero, ID_ZERO))
            ]
        ),
    )


def near_of(inputs: Inputs, protocol: Protocol, floor: float, threads: int | None, /) -> match_cells.Near:
    """Pairs of one image, by rows of the inputs."""
    truths, guesses = of_one_class(inputs.truths), of_one_class(inputs.guesses)
    if protocol.regions == "rotated":
        from dataclasses import replace

        from vesica.detection.rotated import pairs_of  # late: it needs polygons and joins

        blind = replace(inputs, truths=truths, guesses=guesses, categories=Categories(np.array([-1])))
        guess, truth, value = pairs_of(blind, floor, threads)
        kept = np.flatnonzero(value >= floor)
        kept = kept[np.lexsort((truth[kept], guess[kept]))]
        starts = np.searchsorted(guess[kept], np.arange(len(guesses.score) + 1)).astype(np.int64)
        return match_cells.Near(starts, truth[kept], value[kept])
    places = match_cells.Places(len(inputs.images), 1, floor)
    if protocol.regions == "box":
        boxes = [np.empty((0, 4)) if side is None else side for side in (inputs.truth_boxes, inputs.guess_boxes)]
        return match_cells.near_boxes(places, truths, boxes[0], guesses, boxes[1], threads=threads)
    assert inputs.truth_segments is not None
    assert inputs.guess_segments is not None
    near = match_cells.near_masks(
        places,
        truths,
        inputs.truth_segments.column(inputs.truth_boxes),
        guesses,
        inputs.guess_segments.column(inputs.guess_boxes),
        boundary=protocol.regions == "boundary",
        literal=protocol.repeats.literal_masks,
        threads=threads,
    )
    if near.fault is not None:
        raise bad_segment(inputs.fault_of(near.fault), near.fault.side)
    return near


def merged(parts: Sequence[Details | None], guesses: np.ndarray, images: Sequence[np.ndarray], /) -> Details | None:
    """Details of merged records: their guesses in that order, images by their new places. None if a part has none."""
    given = [one for one in parts if one is not None]
    if len(given) < len(parts):
        return None
    check.same_floor([one.floor for one in given])
    before = np.concatenate([[0], np.cumsum([len(one.truth_image) for one in given])])
    columns = {
        name: np.concatenate([getattr(one, name) for one in given]) for name in (*_OF_GUESSES, *_OF_TRUTHS, "overlap")
    }
    columns["truth"] = np.concatenate([one.truth + np.int32(at) for one, at in zip(given, before[:-1], strict=True)])
    columns["truth_id"] = together([one.truth_id for one in given])
    # Places of images differ from part to part, so they are told apart before they are put in order.
    places = np.concatenate([rank[one.truth_image] for one, rank in zip(given, images, strict=True)])
    joined = Details(given[0].floor, **{**columns, "truth_image": places.astype(np.int32)})
    count = 1 + (int(places.max()) if len(places) else -1)
    return joined.of(guesses, np.arange(count, dtype=np.int32))


def rows_of_truths(inputs: Inputs, /) -> np.ndarray:
    """The row of each truth of details among those that were matched."""
    truths = inputs.truths
    order = np.flatnonzero((truths.image >= 0) & (truths.category >= 0))
    rows: np.ndarray = order[np.argsort(truths.image[order], kind="stable")]
    return rows


def rows_of_guesses(inputs: Inputs, records: Records, /) -> np.ndarray:
    """The row of each guess of the records among those that were matched."""
    assert records.row is not None
    if inputs.guess_rows is None:
        return records.row
    place = np.zeros(int(inputs.guess_rows.max(initial=-1)) + 1, np.int64)
    place[inputs.guess_rows] = np.arange(len(inputs.guess_rows))
    rows: np.ndarray = place[records.row]
    return rows


def _numbers(image: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
    """Which row of its image each one is, in the order of the data set."""
    if rows is None and (np.diff(image) >= 0).all():  # as most files have them
        return _within(image)
    order = np.argsort(image, kind="stable") if rows is None else np.lexsort((rows, image))
    numbers = np.empty(len(image), np.int32)
    numbers[order] = _within(image[order])
    return numbers


def _within(image: np.ndarray) -> np.ndarray:
    """How many rows of its image come before each row, where those of an image stand together."""
    first = np.flatnonzero(np.diff(image, prepend=-2))
    lengths = np.diff(first, append=len(image))
    return np.arange(len(image), dtype=np.int32) - np.repeat(first.astype(np.int32), lengths)


def _boxes(boxes: np.ndarray | None, segments: Any, rows: np.ndarray) -> np.ndarray:
    """The boxes of some rows; of masks without boxes those around them."""
    if boxes is not None:
        return np.ascontiguousarray(boxes[rows], np.float64)
    return np.full((len(rows), 4), np.nan) if segments is None else np.asarray(segments[rows].boxes())


def _bits(column: np.ndarray | None, bit: int, count: int) -> np.ndarray:
    return np.zeros(count, np.uint8) if column is None else column.astype(np.uint8) * np.uint8(bit)
