"""Label maps: an image of integers, each label a region."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from vesica import _check as check
from vesica._answer import Answer
from vesica._array import Array, cast, contiguous, dtype_name, from_numpy, library, to_numpy
from vesica._check import labels as check_labels
from vesica._check import names
from vesica._kernels import Counted, pick_arrays
from vesica.regions.boxes import Boxes
from vesica.regions.collection import Collection
from vesica.regions.masks import Masks
from vesica.regions.pixels import PixelRegions
from vesica.regions.rle import RleMasks
from vesica.regions.runs import counts_of_runs


@dataclass(frozen=True, eq=False, repr=False)
class Contingency(Answer):
    """How often each label of one map meets each label of another.

    Attributes
    ----------
    ids_a, ids_b : the labels of both maps: their `ids` where they were given, else all that occur, rising
    counts : (len(ids_a), len(ids_b)) int64, pixels that have the one label in a and the other in b
    rest_a : (len(ids_a),) int64, pixels of each label of a that have none of `ids_b` in b
    rest_b : (len(ids_b),) int64, pixels of each label of b that have none of `ids_a` in a
    rest : int, pixels that have neither
    """

    ids_a: np.ndarray
    ids_b: np.ndarray
    counts: Array
    rest_a: Array
    rest_b: Array
    rest: int

    def __repr__(self) -> str:
        pixels = sum(int(to_numpy(part).sum()) for part in (self.counts, self.rest_a, self.rest_b)) + self.rest
        return f"<Contingency: {len(self.ids_a)} × {len(self.ids_b)} labels, {pixels} pixels>"


class LabelMap(Collection):
    """The regions of a map of labels: of a class each, or of an object each.

    A comparison counts all pixels once, in whatever way the regions are then measured. Labels may be any 64-bit
    integers, signed or not; how large they are does not matter.

    Parameters
    ----------
    array : (H, W) array or nested list
        Integers of any width, or bool, of any library that follows the array API. It is not copied.
    ids : list of int, optional
        Which labels are regions, in this order; absent ones are empty regions. By default those that are present,
        except `background` and `ignore`, in rising order.
    background : int or None, default 0
        The label that is no region. None: there is none, and 0 is a label like any other.
    ignore : int, optional
        Pixels with this label leave both maps when this one is compared with another.

    Examples
    --------
    >>> truth = LabelMap([[1, 1, 0], [1, 2, 2], [0, 2, 2]])
    >>> guess = LabelMap([[1, 1, 0], [0, 2, 2], [0, 3, 2]])
    >>> truth.ids, truth.area
    (array([1, 2]), array([3, 4]))
    >>> import vesica
    >>> vesica.iou(truth, guess)
    array([[0.66666667, 0.        , 0.        ],
           [0.        , 0.75      , 0.25      ]])

    Class with class needs the same classes on both sides:

    >>> classes = {"ids": [1, 2, 3]}
    >>> vesica.iou(LabelMap(truth.array, **classes), LabelMap(guess.array, **classes), aligned=True)
    array([0.66666667, 0.75      , 0.        ])

    A map without regions:

    >>> LabelMap([[0, 0]]).ids
    array([], dtype=int64)
    """

    __slots__ = ("_found", "_ids", "_is_unsigned", "array", "background", "ignore")

    array: Array
    background: int | None
    ignore: int | None
    _ids: np.ndarray | None
    _is_unsigned: bool
    _found: _Found | None

    @names.explained("LabelMap", "LabelMap")
    def __init__(
        self, array: Any, /, *, ids: Any = None, background: int | None = 0, ignore: int | None = None
    ) -> None:
        set_once = object.__setattr__
        set_once(self, "array", check_labels.label_map(array, "array"))
        unsigned = check_labels.is_beyond_int64(self.array, ids, background, ignore)
        set_once(self, "_is_unsigned", unsigned)
        set_once(self, "background", check_labels.label(background, "background", unsigned))
        set_once(self, "ignore", check_labels.label(ignore, "ignore", unsigned))
        no_regions = {"background": self.background, "ignore": self.ignore}
        set_once(self, "_ids", None if ids is None else check_labels.label_ids(ids, no_regions, unsigned))
        set_once(self, "_found", None)

    @classmethod
    @names.explained("LabelMap.from_masks", "LabelMap.from_masks")
    def from_masks(cls, masks: Any, /, *, ids: Any = None) -> LabelMap:
        """The map of masks of any kind that do not overlap, labelled `ids`, or 1 … N.

        >>> LabelMap.from_masks([[[1, 1, 0]], [[0, 0, 1]]]).array
        array([[1, 1, 2]])
        >>> LabelMap.from_masks([[[1, 1, 0]], [[0, 1, 1]]])
        Traceback (most recent call last):
        ...
        ValueError: `masks` must not overlap, since a pixel has one label; masks 0 and 1 share 1 pixel. Masks(a) compares stacks that overlap.
        """  # noqa: E501
        masks = masks if isinstance(masks, PixelRegions) else Masks(masks)
        ids = check_labels.label_ids(range(1, len(masks) + 1) if ids is None else ids, {"background": 0})
        check_labels.one_id_each(ids, len(masks))
        rle = masks.to_rle()
        mask, begin, end = _runs(rle)
        order = np.argsort(begin, kind="stable")
        if (begin[order][1:] < np.maximum.accumulate(end[order])[:-1]).any():
            raise check_labels.overlapping(*_first_overlap(rle))

        height, width = masks.size
        columns = np.zeros(height * width, np.int64)
        lengths = end - begin
        columns[np.repeat(begin - np.cumsum(lengths) + lengths, lengths) + np.arange(int(lengths.sum()))] = np.repeat(
            ids[mask], lengths
        )
        array = contiguous(columns.reshape(width, height).T)
        return cls(array if masks.like is None else from_numpy(array, masks.like), ids=ids)

    @classmethod
    def _remade(cls, array: Array, ids: np.ndarray | None, background: int | None, ignore: int | None) -> LabelMap:
        return cls(array, ids=ids, background=background, ignore=ignore)

    def __reduce__(self) -> tuple[Any, ...]:
        return LabelMap._remade, (self.array, self._ids, self.background, self.ignore)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        height, width = self.size
        words = f"background={self.background}, ignore={self.ignore}"
        return f"LabelMap({height}×{width}, {words}, {library(self.array)} {dtype_name(self.array)})"

    @property
    def dtype(self) -> str:
        """The floating dtype of measures of these regions."""
        return "float64"

    @property
    def size(self) -> tuple[int, int]:
        """Height and width."""
        height, width = self.array.shape
        return int(height), int(width)

    @property
    def ids(self) -> np.ndarray:
        """The labels that are regions, in order: int64, or uint64 where one of them needs it."""
        if self._ids is not None:
            return self._ids
        labels = self._look().labels
        regions: np.ndarray = labels[self._are_regions(labels)]
        return regions

    def _are_regions(self, labels: np.ndarray) -> np.ndarray:
        """Which labels are regions where no ids were given."""
        answer = np.ones(len(labels), bool)
        for none in (self.background, self.ignore):
            if none is not None:
                answer &= labels != none
        return answer

    @property
    def _is_rising(self) -> bool:
        """Are ids in the order of labels as the kernels see them?"""
        return self._ids is None and not self._is_unsigned

    @property
    def area(self) -> Array:
        """The pixels of each region, int64."""
        found = self._look()
        return from_numpy(_sums(_ranks(self.ids, found.labels), found.counts, len(self)), self.array)

    def contingency(self, other: LabelMap, /, *, threads: int | None = None) -> Contingency:
        """Count how often each label of this map meets each label of another.

        A map with `ids` has these, in this order, whatever occurs, so that tables of many images can be added; what
        else it has is counted beside the table. A map without has all labels that occur, background and all. Pixels
        that either map ignores are left out.

        >>> table = LabelMap([[1, 1, 255]], ignore=255).contingency(LabelMap([[7, 0, 0]]))
        >>> table.ids_a, table.ids_b
        (array([1]), array([0, 7]))
        >>> table.counts
        array([[1, 1]])
        >>> table = LabelMap([[1, 1, 3]], ids=[1, 2]).contingency(LabelMap([[2, 0, 2]], ids=[1, 2]))
        >>> table.counts
        array([[0, 1],
               [0, 0]])
        >>> table.rest_a, table.rest_b, table.rest
        (array([1, 0]), array([0, 1]), 0)
        """
        check.same_kind_of_region(other, LabelMap, "other")
        check.threads(threads)
        if self._is_rising and other._is_rising:
            return _table(self, other, threads)
        met = _count(self, other, threads)
        met = _Met(*_without_ignored(self, other, met, met))
        (ids_a, rows), (ids_b, columns) = self._places(met.a), other._places(met.b)

        # The last row and column are for labels that are not among the ids, whose place is −1.
        counts = np.zeros((len(ids_a) + 1, len(ids_b) + 1), np.int64)
        np.add.at(counts, (rows, columns), met.pixels)

        table, rest_a, rest_b = (
            from_numpy(contiguous(part), self.array) for part in (counts[:-1, :-1], counts[:-1, -1], counts[-1, :-1])
        )
        return Contingency(ids_a, ids_b, table, rest_a, rest_b, int(counts[-1, -1]))

    def _places(self, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The ids, and where each label stands among them: of those that were given, or of all that occur."""
        if self._ids is not None:
            return self._ids, _ranks(self._ids, labels)
        return _distinct(labels)

    def __getitem__(self, index: Any) -> LabelMap:
        """Some of the regions; one index gives one region, still as a map."""
        rows = check.row_numbers(index, len(self))
        return LabelMap(self.array, ids=self.ids[rows], background=self.background, ignore=self.ignore)

    @property
    def boxes(self) -> Boxes:
        """The smallest box around each region, half-open; zeros for no pixels."""
        return Boxes(from_numpy(to_numpy(self.to_rle().boxes.array), self.array))

    def to_rle(self) -> RleMasks:
        """One run-length mask for each of `ids`. Memory grows with outlines, not with labels times pixels.

        >>> LabelMap([[1, 1, 0, 2]]).to_rle().to_counts()
        [[0, 2, 2], [3, 1]]
        """
        columns = to_numpy(self.array).T.ravel()
        starts = np.append(0, 1 + np.flatnonzero(columns[1:] != columns[:-1]))[: columns.size]
        ends = np.append(starts[1:], columns.size)[: columns.size]
        rank = _ranks(self.ids, columns[starts].astype(self.ids.dtype))
        order = np.flatnonzero(rank >= 0)
        order = order[np.argsort(rank[order], kind="stable")]
        runs = rank[order], starts[order], (ends - starts)[order]
        return RleMasks._of(*counts_of_runs(*runs, len(self), self.size[0] * self.size[1]), self.size)

    def to_masks(self) -> Masks:
        """One dense mask for each of `ids`.

        >>> LabelMap([[1, 1, 0, 2]]).to_masks().array.astype(int)
        array([[[1, 1, 0, 0]],
        <BLANKLINE>
               [[0, 0, 0, 1]]])
        """
        array = cast(self.array, "int64")
        return Masks(array[None, :, :] == from_numpy(self.ids.astype(np.int64), array)[:, None, None])

    def _look(self) -> _Found:
        """The labels of the map, counted when they are first needed."""
        if self._found is None:
            met = _count(self, self, None)
            rising = np.argsort(met.a) if self._is_unsigned else slice(None)
            self._note(_Found(met.a[rising], met.pixels[rising]))
        assert self._found is not None
        return self._found

    def _note(self, found: _Found) -> None:
        object.__setattr__(self, "_found", found)


class _Found(NamedTuple):
    """All labels of a map, rising, and how many pixels have each."""

    labels: np.ndarray
    counts: np.ndarray


class _Met(NamedTuple):
    """Labels of a, labels of b, and how many pixels have both."""

    a: np.ndarray
    b: np.ndarray
    pixels: np.ndarray


def count_regions(a: LabelMap, b: LabelMap, threads: int | None) -> tuple[Counted, np.ndarray]:
    """The pixels that regions of two maps share, with the areas of both sides; ignored pixels are in neither."""
    met = _count(a, b, threads)
    i, area_a = _placed(a, met.a, met.pixels)
    j, area_b = _placed(b, met.b, met.pixels)
    pixels = met.pixels
    if a.ignore is not None or b.ignore is not None:
        i, j, pixels = _without_ignored(a, b, met, (i, j, pixels))
        area_a, area_b = _sums(i, pixels, len(a.ids)), _sums(j, pixels, len(b.ids))
    both = (i >= 0) & (j >= 0)
    if not both.all():
        i, j, pixels = i[both], j[both], pixels[both]
    if not (a._is_rising and b._is_rising):
        order = np.lexsort((j, i))
        i, j, pixels = i[order], j[order], pixels[order]
    return Counted(i, j, pixels, area_a), area_b


def _placed(side: LabelMap, column: np.ndarray, pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The region of each pair, −1 for none, and the pixels of each region. What the count has told is noted."""
    labels, at = _distinct(column)
    counts = _sums(at, pixels, len(labels))
    if side._found is None:
        side._note(_Found(labels, counts))
    if side._ids is not None:
        places = _ranks(side._ids, labels)[at]
        return places, _sums(places, pixels, len(side._ids))
    are_regions = side._are_regions(labels)
    return np.where(are_regions, are_regions.cumsum() - 1, -1)[at], counts[are_regions]


def _table(a: LabelMap, b: LabelMap, threads: int | None) -> Contingency:
    """The table of maps without ids: of all labels that occur, so there is nothing beside it."""
    try:
        ids_a, ids_b, counts = _kernel("table", a, b)(a.array, b.array, ignored=(a.ignore, b.ignore), threads=threads)
    except MemoryError as error:
        met = _count(a, b, threads)
        raise check_labels.too_many_labels(*(len(np.unique(labels)) for labels in met[:2])) from error
    none_of_a, none_of_b = (from_numpy(np.zeros(len(ids), np.int64), a.array) for ids in (ids_a, ids_b))
    return Contingency(ids_a, ids_b, counts, none_of_a, none_of_b, 0)


def _kernel(verb: str, a: LabelMap, b: LabelMap) -> Callable[..., Any]:
    """The kernel for two maps, which must be of one library and of one size."""
    check.same_library(a.array, b.array)
    check.same_image(a.size, b.size)
    return pick_arrays(verb, "labels", a.array, b.array).call


def _count(a: LabelMap, b: LabelMap, threads: int | None) -> _Met:
    met = _Met(*_kernel("count", a, b)(a.array, b.array, threads=threads))
    # Kernels see the same 64 bits as int64.
    return met._replace(
        a=met.a.view(np.uint64) if a._is_unsigned else met.a, b=met.b.view(np.uint64) if b._is_unsigned else met.b
    )


def _without_ignored(a: LabelMap, b: LabelMap, met: _Met, columns: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """The columns without the pairs that have an ignored label: dropping a pair drops all of its pixels."""
    for ignore, side in ((a.ignore, 0), (b.ignore, 1)):
        if ignore is not None:
            keep = met[side] != ignore
            met, columns = _Met(*(column[keep] for column in met)), tuple(column[keep] for column in columns)
    return columns


def _distinct(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different labels, rising, and where each label stands among them. Soon done where they are few, as a rule."""
    rising = np.sort(labels)
    is_first = np.ones(len(rising), bool)
    np.not_equal(rising[1:], rising[:-1], out=is_first[1:])
    ids = rising[is_first]
    return ids, ids.searchsorted(labels)


def _ranks(ids: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Where each label stands among the ids; −1 for one that does not."""
    if not ids.size:
        return np.full(labels.shape, -1)
    order = np.argsort(ids)
    at = order[np.minimum(np.searchsorted(ids, labels, sorter=order), ids.size - 1)]
    return np.where(ids[at] == labels, at, -1)


def _sums(rows: np.ndarray, counts: np.ndarray, size: int) -> np.ndarray:
    """The sum of the counts of each row; −1 is no row."""
    sums = np.zeros(size + 1, np.int64)  # the last one is for −1
    np.add.at(sums, rows, counts)
    return sums[:size]


def _runs(rle: RleMasks) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All runs of all masks: the mask, the first position, one past the last."""
    table, runs = rle.pixels().table, rle.pixels().runs
    mask = np.repeat(np.arange(len(table)), table[:, 7] - table[:, 6])
    return mask, runs[:, 0], runs[:, 1]


def _first_overlap(rle: RleMasks) -> tuple[int, int, int]:
    """The first two masks that share a pixel, and how many."""
    for i in range(len(rle)):
        rest = rle[i + 1 :]
        shared = rle[[i] * len(rest)].intersection(rest).area
        if shared.any():
            j = int(np.flatnonzero(shared)[0])
            return i, i + 1 + j, int(shared[j])
    raise AssertionError("runs overlap, but no two masks do")
