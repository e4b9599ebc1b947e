"""Painted label maps: the objects of two data sets, drawn into one label map for each image and side.

Where objects of several classes lie on one pixel, one of them has it: of guesses the one with the highest score, of
truths the smallest; of equal ones the first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from vesica._array import objects
from vesica._check import painted as check
from vesica.dataset import Categories, CocoMasks, Dataset
from vesica.dataset.meeting import Meeting, Remark, meet

NAME = "background"
"""What pixels are called that no object has."""
_BACKGROUND, _VOID = 0, 255
"""Their label, and that of pixels that do not count, unless these are categories."""


@dataclass(frozen=True, eq=False)
class Painting:
    """Two data sets that met, image by image.

    Attributes
    ----------
    images : ids of the truth, rising
    categories : those of the truth by their labels, and the background
    background : its label
    void : the label of pixels that do not count: those of crowds, and of truths to be ignored
    remarks : what met otherwise than by equal ids, and what was left out
    """

    images: np.ndarray
    categories: Categories
    background: int
    void: int
    remarks: tuple[Remark, ...]
    _sides: tuple[_Side, _Side]
    _sizes: np.ndarray

    def __len__(self) -> int:
        return len(self.images)

    def pairs(self, only: Collection[Any] | None = None, /) -> Iterator[tuple[Any, np.ndarray, np.ndarray, int]]:
        """Of each image its id, both label maps, and how many pixels objects of several classes claimed; or of some."""
        for place, image in enumerate(self.images.tolist()):
            if only is not None and image not in only:
                continue
            check.known_size(image, self._sizes[place])
            height, width = (int(side) for side in self._sizes[place])
            found = [side.map_of(place, (height, width), self.background) for side in self._sides]
            yield image, found[0][0], found[1][0], found[0][1] + found[1][1]


def paint(truth: Dataset, guess: Dataset, /, *, crowd: str = "ignore") -> Painting:
    """Bring two data sets together, ready to be drawn.

    Parameters
    ----------
    truth, guess : Dataset
        Whose objects have masks. Images and categories meet as `vesica.evaluate` lets them.
    crowd : "ignore" or "count"
        Pixels of a crowd that no other truth has do not count; or the crowd is an object like any other.
    """
    check.crowd(crowd)
    check.all_have_masks(truth, guess)
    meeting = meet(truth, guess)
    ids = meeting.categories
    labels = ids if ids.dtype != object else np.arange(1, len(ids) + 1)
    background, void = _free_label(_BACKGROUND, labels, above=False), _free_label(_VOID, labels, above=True)
    narrow = labels.size == 0 or (labels.min() >= 0 and labels.max() <= 255 and background >= 0 and void <= 255)
    dtype = np.dtype(np.uint8 if narrow else np.int64)

    sizes = _sizes(truth, guess, meeting.truth_image, meeting.guess_image)
    ours = labels[meeting.truth_category[truth.category]].astype(dtype)
    left_out = np.zeros(len(truth), bool)
    for column in (truth.ignore, truth.crowd if crowd == "ignore" else None):
        left_out |= False if column is None else column
    ours[left_out] = void
    known = meeting.guess_category[guess.category]
    theirs = labels[np.maximum(known, 0)].astype(dtype) if len(labels) else np.zeros(len(guess), dtype)
    sides = (
        _side(truth, meeting.truth_image, ours, sizes, np.ones(len(truth), bool), left_out),
        _side(guess, meeting.guess_image, theirs, sizes, known >= 0, np.zeros(len(guess), bool)),
    )
    categories = Categories(np.append(labels, background), objects([*_names(truth, meeting), NAME]))
    return Painting(meeting.images, categories, background, void, meeting.remarks, sides, sizes)


class _Side(NamedTuple):
    """The objects of one side in the order in which they are drawn, image after image."""

    segments: CocoMasks | None
    rows: np.ndarray
    labels: np.ndarray
    starts: np.ndarray
    """Where the rows of each image begin, and the end."""

    def map_of(self, image: int, size: tuple[int, int], background: int) -> tuple[np.ndarray, int]:
        """The label map of one image, and the pixels that an object had and one of another class took from it."""
        flat = np.full(size[0] * size[1], background, self.labels.dtype)
        part = slice(int(self.starts[image]), int(self.starts[image + 1]))
        taken = 0
        if part.stop > part.start:
            assert self.segments is not None
            masks = self.segments.to_rle(self.rows[part])
            check.same_size(masks.size, size)
            pixels, owner = _pixels(masks.counts, masks.offsets)
            labels = self.labels[part][owner]
            flat[pixels] = labels  # of pixels that come twice, the last one stays
            taken = int((flat[pixels] != labels).sum())
        return flat.reshape(size[1], size[0]).T, taken


def _pixels(counts: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of run lengths the places of all pixels, column after column, mask after mask; and whose each of them is."""
    mask = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    ends = np.cumsum(counts, dtype=np.int64)
    before = np.append(0, ends)[offsets[:-1]]
    is_object = (np.arange(len(counts)) - offsets[mask]) % 2 == 1
    length = counts[is_object].astype(np.int64)
    begin = ends[is_object] - length - before[mask[is_object]]
    step = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
    return np.repeat(begin, length) + step, np.repeat(mask[is_object], length)


def _side(
    data: Dataset, image_places: np.ndarray, labels: np.ndarray, sizes: np.ndarray, take: np.ndarray, under: np.ndarray
) -> _Side:
    """The rows that are drawn, those `under` others first; the last is on top."""
    image = image_places[data.image]
    segments = None if data.segments is None else data.segments.sized(sizes[image])
    rising = data.score
    if rising is None:
        rising = np.zeros(len(data)) if segments is None else -segments.areas()
    order = np.lexsort((-np.arange(len(data)), rising, ~under, image))
    order = order[take[order]]
    starts = np.searchsorted(image[order], np.arange(len(sizes) + 1))
    return _Side(segments, order, labels[order], starts)


def _sizes(truth: Dataset, guess: Dataset, truth_image: np.ndarray, guess_image: np.ndarray) -> np.ndarray:
    """Height and width of each image: as the truth says, else its masks, else the guess; 0 where none of them does."""
    sizes = np.zeros((len(truth.images), 2), np.int64)
    for data, place in ((truth, truth_image), (guess, guess_image)):
        told = [(place, data.images.sizes)]
        if data.segments is not None:
            told.append((place[data.image], data.segments.size))
        for where, found in told:
            fits = (where >= 0) & (found > 0).all(axis=1)
            where, found = where[fits], found[fits]
            is_open = sizes[where].min(axis=1) == 0 if len(where) else np.zeros(0, bool)
            sizes[where[is_open]] = found[is_open]
    return sizes


def _free_label(usual: int, labels: np.ndarray, *, above: bool) -> int:
    """A label that no category has: the usual one, or the next beyond them all."""
    if usual not in labels:
        return usual
    return int(labels.max()) + 1 if above else int(labels.min()) - 1


def _names(truth: Dataset, meeting: Meeting) -> list[str]:
    """What the categories are called, in the rising order of their ids."""
    order = np.argsort(meeting.truth_category)
    ids = truth.categories.ids[order].tolist()
    names = ids if truth.categories.names is None else truth.categories.names[order].tolist()
    return [str(id if name is None else name) for id, name in zip(ids, names, strict=True)]
