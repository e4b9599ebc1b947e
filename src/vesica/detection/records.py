"""Records: what matching leaves behind, enough for every score, and mergeable."""

from __future__ import annotations

import functools
import marshal
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

import numpy as np

from vesica._check import details as check_details
from vesica._check import names
from vesica._check import records as check
from vesica._check.coco_masks import bad_segment
from vesica._kernels.native import match_cells
from vesica._ragged import offsets_of, taken
from vesica.dataset import Categories, Dataset
from vesica.dataset.concat import united_categories
from vesica.dataset.ids import places, rising, together
from vesica.dataset.meeting import LEFT_OUT
from vesica.detection.inputs import Inputs, inputs_of
from vesica.detection.protocol import Protocol, protocol_of
from vesica.detection.rules import PROTOCOLS
from vesica.results import container
from vesica.results.result import Note

if TYPE_CHECKING:
    from vesica.detection.details import Details
    from vesica.detection.tallies import Tally

T = TypeVar("T")

_KIND = container.Kind("records", b"VESICA records\n", version=1)
# Guesses that are looked at in a go, where some of them may be enough.
_AT_ONCE = 1 << 13


@dataclass(frozen=True, eq=False)
class Records:
    """For every guess its score and two sets of lanes: where it found a truth, and where it does not count.

    A cell is one image and one category. Cells are ordered by category, then image; the guesses of a cell are ordered
    best first and follow those of the cell before. A lane is one range of areas and one threshold:
    lane = range · thresholds + threshold, and bit lane % 64 of word lane // 64.

    Attributes
    ----------
    protocol : Protocol
    categories : Categories, rising ids
    images : (I,) ids of all images that were looked at, rising
    starts : (K + 1,) int64: the first cell of each category, and the end
    image : (C,) int32: places in `images`
    guesses : (C,) int32: how many guesses a cell has
    counted : (C, A) int32: how many truths are to be found, in each range of areas
    score : (G,) float64
    matched, ignored : (G, W) uint64
    row : (G,) int32: the row of each guess in its data set; None after a merge or from a file
    notes : what was corrected, left out or assumed
    details : who is near whom, for causes, confusion and tables of objects; None unless they were asked for
    """

    protocol: Protocol
    categories: Categories
    images: np.ndarray
    starts: np.ndarray
    image: np.ndarray
    guesses: np.ndarray
    counted: np.ndarray
    score: np.ndarray
    matched: np.ndarray
    ignored: np.ndarray
    row: np.ndarray | None = None
    notes: tuple[Note, ...] = ()
    details: Details | None = None

    def __len__(self) -> int:
        return len(self.score)

    def __repr__(self) -> str:
        return f"Records({len(self)} guesses, {len(self.images)} images, {self.protocol.name})"

    @property
    def positives(self) -> np.ndarray:
        """(K, A) int64: how many truths are to be found."""
        counts: np.ndarray = np.zeros((len(self.starts) - 1, self.counted.shape[1]), np.int64)
        begin = self.starts[:-1]
        filled = begin < self.starts[1:]  # without cells there is nothing to add up from
        if filled.any():
            counts[filled] = np.add.reduceat(self.counted, begin[filled], axis=0, dtype=np.int64)
        return counts

    @property
    def bounds(self) -> np.ndarray:
        """(K + 1,) int64: the first guess of each category, and the end."""
        total: np.ndarray = np.concatenate([[0], np.cumsum(self.guesses, dtype=np.int64)])
        first: np.ndarray = total[self.starts]
        return first

    @functools.cached_property
    def guess_image(self) -> np.ndarray:
        """(G,) int32: the place of each guess's image."""
        return np.repeat(self.image, self.guesses)

    @functools.cached_property
    def guess_category(self) -> np.ndarray:
        """(G,) int64: the place of each guess's category."""
        return np.repeat(np.arange(len(self.categories)), np.diff(self.bounds))

    def lane(self, threshold: int, area: int, /) -> tuple[np.ndarray, np.ndarray]:
        """Which guesses found a truth, and which do not count, in one lane."""
        word, one = self._bit(threshold, area)
        return (self.matched[:, word] & one) != 0, (self.ignored[:, word] & one) != 0

    def found_in(self, threshold: int, area: int, /, *, enough: float = math.inf) -> int:
        """How many guesses found a truth and count, in one lane. Counting stops once there are `enough`."""
        word, one = self._bit(threshold, area)
        found = 0
        for first in range(0, len(self), _AT_ONCE):
            if found >= enough:
                break
            rows = slice(first, first + _AT_ONCE)
            found += int(np.count_nonzero((self.matched[rows, word] & one) > (self.ignored[rows, word] & one)))
        return found

    def _bit(self, threshold: int, area: int) -> tuple[int, np.uint64]:
        word, bit = divmod(area * len(self.protocol.iou) + threshold, 64)
        return word, np.uint64(1 << bit)

    def of_images(self, keep: np.ndarray, /) -> Records:
        """What they say of some images, by a mask of `images`. Notes are of all, and are left out."""
        place = np.cumsum(keep) - 1
        cells = keep[self.image]
        rows = np.repeat(cells, self.guesses)
        first = np.concatenate([[0], np.cumsum(cells)])
        return replace(
            self,
            images=self.images[keep],
            starts=first[self.starts].astype(np.int64),
            image=place[self.image[cells]].astype(np.int32),
            guesses=self.guesses[cells],
            counted=self.counted[cells],
            score=self.score[rows],
            matched=self.matched[rows],
            ignored=self.ignored[rows],
            row=None if self.row is None else self.row[rows],
            notes=(),
            details=None
            if self.details is None
            else self.details.of(np.flatnonzero(rows), np.where(keep, place, -1).astype(np.int32)),
        )

    def _over(self, table: Categories, place: np.ndarray) -> Records:
        """The same over a table that has all its categories, at these places, which rise."""
        cells = np.zeros(len(table), np.int64)
        cells[place] = np.diff(self.starts)
        own = self.details
        return replace(
            self,
            categories=table,
            starts=np.concatenate([[0], np.cumsum(cells)]),
            details=own and replace(own, truth_category=place[own.truth_category].astype(np.int32)),
        )

    def of_categories(self, first: int, end: int, /) -> Records:
        """What they say of some categories, by their places. Notes and details are of all, and are left out."""
        starts = self.starts[first : end + 1]
        cells, rows = slice(int(starts[0]), int(starts[-1])), slice(*self.bounds[first : end + 1][[0, -1]].tolist())
        table: dict[str, Any] = {
            name: None if one is None else one[first:end] for name, one in vars(self.categories).items()
        }
        return replace(
            self,
            categories=Categories(**table),
            starts=starts - starts[0],
            **{name: getattr(self, name)[cells] for name in ("image", "guesses", "counted")},
            **{name: getattr(self, name)[rows] for name in ("score", "matched", "ignored")},
            row=None if self.row is None else self.row[rows],
            notes=(),
            details=None,
        )

    def to_bytes(self) -> bytes:
        """All of it as bytes that every later version of the same format reads."""
        lanes = _lane_bytes(self.protocol)
        with np.errstate(over="ignore"):
            short = self.score.astype(np.float32)
        # Half the size where nothing is lost.
        score = short if np.array_equal(short.astype(np.float64), self.score, equal_nan=True) else self.score
        columns = {
            "starts": self.starts,
            "image": self.image,
            "guesses": self.guesses,
            "counted": self.counted,
            "score": score,
            "matched": _short(self.matched, lanes),
            "ignored": _short(self.ignored, lanes),
        }
        header = {
            "protocol": asdict(self.protocol),
            "digest": self.protocol.digest,
            "categories": {name: container.listed(column) for name, column in vars(self.categories).items()},
            "images": self.images.tolist(),
            "notes": [asdict(note) for note in self.notes],
        }
        if self.details is not None:
            columns |= self.details.columns()
            header["details"] = self.details.header()
        return container.to_bytes(_KIND, header, columns)

    @classmethod
    def from_bytes(cls, data: bytes, /) -> Records:
        """What `to_bytes` gave. Damage, other formats and other versions are errors."""
        from vesica.detection.details import Details  # late: most records are matched, and have none

        header, blocks = container.from_bytes(_KIND, data)
        with container.readable(_KIND):
            columns, of_details = Details.apart(blocks)
            protocol = protocol_in(header)
            images, categories, notes = tables_in(header)
            told = check.Expected(
                len(images),
                len(categories),
                len(protocol.iou),
                len(protocol.areas),
                len(protocol.recalls),
                len(protocol.max_dets),
                max(protocol.max_dets),
                protocol.quirks is not None,
            )
            check.room(told)
            check.columns(columns, told)
            details = None
            if "details" in header or of_details:
                image = np.repeat(columns["image"], columns["guesses"])
                known = check_details.Expected(len(images), len(categories), image)
                details = Details.of_columns(header["details"], of_details, known)
        words = -(-_lane_count(protocol) // 64)
        for name in ("matched", "ignored"):
            columns[name] = _long(columns[name], words)
        with np.errstate(invalid="ignore"):  # a NaN of other bits than NumPy's own is a NaN
            columns["score"] = columns["score"].astype(np.float64)
        return cls(protocol, categories, images, **columns, notes=notes, details=details)


def is_tally(records: Any, /) -> TypeGuard[Tally]:
    """Does a tally stand for the records? Told without loading tallies, which few results stand on."""
    return not isinstance(records, Records)


@names.explained("evaluate", also=protocol_of)
def records_of(
    truth: Dataset, guess: Dataset, /, *, details: bool = False, threads: int | None = None, **options: Any
) -> Records:
    """Match the guesses of some images with their truths. Options are those of `vesica.evaluate`.

    Any number of whole images may be matched at a time, anywhere: records merge. Those with `details` tell causes,
    confusion and objects too, and take about four times the room.

    >>> import vesica
    >>> boxes = [[0, 0, 4, 4], [2, 2, 6, 6]]
    >>> truth = vesica.Dataset.from_arrays(boxes, image=[1, 2], category=[0, 0])
    >>> guess = vesica.Dataset.from_arrays(boxes, image=[1, 2], category=[0, 0], score=[0.9, 0.8])
    >>> records_of(truth, guess)
    Records(2 guesses, 2 images, coco)
    """
    how = {name: options.pop(name, None) for name in ("categories", "missing")}
    protocol = protocol_of(options.pop("protocol", "coco"), **options)
    return match_inputs(
        inputs_of(truth, guess, protocol, **how, threads=threads), protocol, details=details, threads=threads
    )


def match_inputs(
    inputs: Inputs, protocol: Protocol, /, *, details: bool = False, threads: int | None = None
) -> Records:
    """Match every guess of every cell, in all lanes at once."""
    found = found_of(inputs, protocol, threads=threads)
    words = -(-_lane_count(protocol) // 64)
    row = found.row if inputs.guess_rows is None else inputs.guess_rows[found.row].astype(np.int32)
    records = Records(
        protocol,
        inputs.categories,
        inputs.images,
        found.starts,
        found.image,
        found.guesses,
        found.counted.reshape(-1, len(protocol.areas)),
        found.score,
        found.matched.reshape(-1, words),
        found.ignored.reshape(-1, words),
        row,
        summed([*inputs.notes, *_notes(found)]),
    )
    if not details:
        return records
    from vesica.detection.details import details_of  # late: as above

    return replace(records, details=details_of(inputs, records, threads=threads))


def _notes(found: match_cells.Found) -> list[Note]:
    notes = [
        Note("Q8", found.short_counts, "masks whose counts end early: the rest is background"),
        Note("Q20", found.no_area, "masks without area: no polygon, or one of fewer than three points"),
    ]
    return [note for note in notes if note.count]


def found_of(
    inputs: Inputs, protocol: Protocol, /, *, partners: bool = False, plain: bool = False, threads: int | None
) -> match_cells.Found:
    """What the kernel finds, as it comes."""
    request = match_cells.Request(
        bars=protocol.bars,
        areas=tuple((low, high) for _, low, high in protocol.areas),
        rule=protocol.rules.matching,
        images=len(inputs.images),
        categories=len(inputs.categories),
        limit=max(protocol.max_dets),
        plain=plain or inputs.plain,
        partners=partners,
    )
    if protocol.regions == "box":
        empty = np.empty((0, 4))
        boxes = (empty if side is None else side for side in (inputs.truth_boxes, inputs.guess_boxes))
        return match_cells.match_boxes(
            request, inputs.truths, next(boxes), inputs.guesses, next(boxes), threads=threads
        )
    if protocol.regions == "rotated":
        from vesica.detection.rotated import pairs_of  # late: it needs polygons and joins

        pairs = pairs_of(inputs, min(request.bars), threads)
        return match_cells.match_pairs(request, inputs.truths, inputs.guesses, pairs, threads=threads)
    assert inputs.truth_segments is not None
    assert inputs.guess_segments is not None
    found = match_cells.match_masks(
        request,
        inputs.truths,
        inputs.truth_segments.column(inputs.truth_boxes),
        inputs.guesses,
        inputs.guess_segments.column(inputs.guess_boxes),
        boundary=protocol.regions == "boundary",
        literal=protocol.repeats.literal_masks,
        threads=threads,
    )
    if found.fault is not None:
        raise bad_segment(inputs.fault_of(found.fault), found.fault.side)
    return found


@names.explained("detection.merge", "detection.merge")
def merge(*records: Records, duplicates: str = "error") -> Records:
    """Records of disjoint sets of images as one, the same whatever the order: as if all had been matched at once.

    Categories meet by their ids: some may lack what others have, if they left no guess out for it. An image that two of
    them have is an error. With `duplicates="same"` it counts once, and a note says how many there
    were, if both know the same of it; a sampler that fills up uneven processes makes such images. What other notes
    count, they count as often as it came.
    """
    check.some(records)
    check.one_of(duplicates, ("error", "same"), "duplicates")
    first = records[0]
    for other in records[1:]:
        check.one_protocol(first, other)
    given = _over_one_table(records)
    notes = [note for one in records for note in one.notes]
    if duplicates == "error":
        return _merged(given, summed(notes))
    from vesica.detection.duplicates import counted_once  # late: most records are of different images

    different, once = counted_once(given)
    return _merged(different, summed([*notes, *once]))


def _over_one_table(records: Sequence[Records]) -> Sequence[Records]:
    """The same records over the categories of all of them, as if all had been matched with one table.

    Parts that know different categories may be merged where nothing was left out for want of one.
    """
    first = records[0].categories
    if all(one.categories is first or _say_the_same(one.categories, first) for one in records):
        return records
    tables = [one.categories for one in records]
    check.same_by_id(tables)
    table = united_categories(tables)
    found = []
    for one in records:
        place = places(one.categories.ids, table.ids)
        lacking = np.delete(table.ids, place)
        if len(lacking):
            left_out = sum(note.count for note in one.notes if note.text == LEFT_OUT)
            check.none_left_out(left_out, lacking.tolist())
        found.append(one._over(table, place))
    return found


def _say_the_same(a: Categories, b: Categories) -> bool:
    """No number depends on what categories belong to."""
    pairs = ((a.ids, b.ids), (a.names, b.names), (a.frequency, b.frequency))
    return all(
        one is other or (one is not None and other is not None and np.array_equal(one, other)) for one, other in pairs
    )


def _merged(records: Sequence[Records], notes: tuple[Note, ...]) -> Records:
    from vesica.detection.details import merged  # late: as above

    first = records[0]
    ids, ranks = united([one.images for one in records])
    images = [rank[one.image] for one, rank in zip(records, ranks, strict=True)]
    # (parts, K): cells of each category; the cells of a part follow each other by category
    cells = np.diff(np.stack([one.starts for one in records]))
    category = np.repeat(np.tile(np.arange(cells.shape[1]), len(records)), cells.reshape(-1))
    image, guesses = np.concatenate(images), np.concatenate([one.guesses for one in records])
    order = _order(category * len(ids) + image, len(first.categories) * len(ids))
    offsets = np.concatenate([[0], np.cumsum(guesses, dtype=np.int64)])
    _, places = taken(offsets, order)
    joined = {name: np.concatenate([getattr(one, name) for one in records]) for name in ("score", "matched", "ignored")}
    return Records(
        first.protocol,
        first.categories,
        ids,
        offsets_of(cells.sum(axis=0).tolist()),
        image[order].astype(np.int32),
        guesses[order],
        np.concatenate([one.counted for one in records])[order],
        **{name: np.take(column, places, axis=0) for name, column in joined.items()},
        notes=notes,
        details=merged([one.details for one in records], places, ranks),
    )


def _order(keys: np.ndarray, count: int) -> np.ndarray:
    """The order of different keys below `count`. A slot for each key costs the same however many parts they are of."""
    if count > 8 * len(keys) + (1 << 16):
        return np.argsort(keys)
    slots = np.full(count, -1, np.int64)
    slots[keys] = np.arange(len(keys))
    return slots[slots >= 0]


def united(tables: Sequence[np.ndarray], /) -> tuple[np.ndarray, list[np.ndarray]]:
    """All ids, rising, and the rank of each id of each table."""
    ids, rank = rising(together(tables))
    check.disjoint(ids)
    return ids, np.split(rank, np.cumsum([len(table) for table in tables])[:-1])


def summed(notes: Sequence[Note], /) -> tuple[Note, ...]:
    """Each note once, with the sum of its counts."""
    counts: dict[tuple[str, str], int] = {}
    for note in notes:
        counts[note.rule, note.text] = counts.get((note.rule, note.text), 0) + note.count
    return tuple(Note(rule, count, text) for (rule, text), count in sorted(counts.items()))


def protocol_in(header: dict[str, Any], /) -> Protocol:
    """The protocol in the header of records: as `protocol_of` would make it of its own fields."""
    return _remembered(_protocol_of, [header["protocol"], header["digest"]])


def _protocol_of(told: list[Any]) -> Protocol:
    fields, digest = told
    found = Protocol.from_dict(fields)
    check.digest(digest, found.digest)
    check.known(found.name, PROTOCOLS)
    check.flags(by_class=found.by_class, strict=found.strict)
    check.recalls(found.recalls)
    own = protocol_of(
        found.name,
        regions=found.regions,
        iou=found.iou,
        areas={name: ends for name, *ends in found.areas},
        max_dets=found.max_dets,
        by_class=found.by_class,
        strict=found.strict,
        quirks=found.quirks,
    )
    check.same_protocol(found, replace(own, recalls=found.recalls))
    return found


def tables_in(header: dict[str, Any], /) -> tuple[np.ndarray, Categories, tuple[Note, ...]]:
    """Images, categories and notes in the header of records."""
    images = np.asarray(container.column_of(header["images"]))
    check.ids(images, "images")
    notes = tuple(Note(**note) for note in header["notes"])
    check.notes(notes)
    return images, _remembered(_categories_of, header["categories"]), notes


def _categories_of(columns: dict[str, Any]) -> Categories:
    tables: dict[str, Any] = {name: container.column_of(values) for name, values in columns.items()}
    for column in tables.values():
        if column is not None:
            column.flags.writeable = False  # several records share it
    categories = Categories(**tables)
    check.ids(categories.ids, "categories")
    for name, column in vars(categories).items():
        if name != "ids":
            check.names(container.listed(column), len(categories), name)
    return categories


_REMEMBERED = 1 << 20
"""Bytes of what is kept of a header."""


def _remembered(make: Callable[[Any], T], told: Any) -> T:
    """What `make` makes of plain values. A thousand parts say the same of protocol and categories: one look is enough.

    Values are compared as bytes, where 1 is neither 1.0 nor True.
    """
    content = marshal.dumps(told, 2)
    found: T = make(told) if len(content) > _REMEMBERED else _made(make, content)
    return found


@functools.lru_cache(maxsize=8)
def _made(make: Callable[[Any], Any], content: bytes) -> Any:
    return make(marshal.loads(content))


def _lane_count(protocol: Protocol) -> int:
    return len(protocol.iou) * len(protocol.areas)


def _lane_bytes(protocol: Protocol) -> int:
    return -(-_lane_count(protocol) // 8)


def _short(words: np.ndarray, lanes: int) -> np.ndarray:
    """As many bytes of the words as there are lanes for."""
    little = np.ascontiguousarray(words, "<u8")
    return little.view(np.uint8).reshape(len(words), 8 * words.shape[1])[:, :lanes]


def _long(short: np.ndarray, words: int) -> np.ndarray:
    whole = np.zeros((len(short), words * 8), np.uint8)
    whole[:, : short.shape[1]] = short
    return whole.view("<u8").astype(np.uint64, copy=False)
