"""Run-length masks: how many pixels are out, in, out, in, … down the columns of the image."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._check import masks as check_masks
from vesica._check import names
from vesica._kernels import Pixels, lane
from vesica._kernels.native import pixels as native_pixels
from vesica._ragged import offsets_of, taken
from vesica.regions.masks import Masks
from vesica.regions.pixels import PixelRegions
from vesica.regions.runs import column_runs, counts_of_runs

_TEXTS = (str, bytes, bytearray)


class RleMasks(PixelRegions):
    """N masks of images of one size, as run lengths: memory grows with outlines, not with pixels.

    Runs go down the columns, and the first counts background (it may be 0), as in COCO. What comes in is made
    canonical: runs of length 0 vanish and their neighbours merge, a short sum is filled with background. A sum beyond
    the image, a negative count or a broken string is an error that names its place.

    Parameters
    ----------
    counts : sequence of N lists of integers, or of N strings or bytes
        Plain counts, or COCO's compressed strings.
    size : (height, width)
        Of the image.

    Examples
    --------
    >>> masks = RleMasks([[7, 1, 3, 3, 3, 1, 7], "0140050K0"], size=(5, 5))
    >>> masks.area
    array([5, 9])
    >>> masks.to_masks().array[0].astype(int)
    array([[0, 0, 0, 0, 0],
           [0, 0, 1, 0, 0],
           [0, 1, 1, 1, 0],
           [0, 0, 1, 0, 0],
           [0, 0, 0, 0, 0]])
    >>> masks.to_coco()[0]
    {'size': [5, 5], 'counts': b'71320N4'}
    >>> import vesica
    >>> vesica.iou(masks, [[1, 1, 4, 4]])
    array([[0.55555556],
           [0.2       ]])

    The first bad one is named:

    >>> RleMasks([[20, 5], [20, 9]], size=(5, 5))
    Traceback (most recent call last):
    ...
    ValueError: `counts` of mask 1 must not exceed the 25 pixels of the image; number 1 goes beyond them.

    No masks are masks too:

    >>> RleMasks([], size=(5, 5)).area
    array([], dtype=int64)
    """

    __slots__ = ("_flat", "_pixels")

    # One of the two at least; the other is made when it is asked for.
    _flat: native_pixels.Flat | None
    _pixels: Pixels | None

    @names.explained("RleMasks", "RleMasks")
    def __init__(self, counts: Sequence[Any], /, *, size: tuple[int, int]) -> None:
        sides = check_masks.mask_size(size, "size")
        check_masks.list_of_counts(counts)
        self._read(counts, sides)

    def _read(self, counts: Sequence[Any], size: tuple[int, int]) -> None:
        """Counts in any form, for an image of a size that is known to be sound."""
        kinds = set(map(type, counts))
        if any(issubclass(kind, _TEXTS) for kind in kinds):
            self._fill(size, None, _from_texts(counts, kinds, size))
        else:
            self._fill(size, _from_lists(counts, size[0] * size[1]), None)

    def _fill(self, size: tuple[int, int], flat: native_pixels.Flat | None, pixels: Pixels | None) -> None:
        _set_size(self, size)
        _set_flat(self, None if flat is None else _locked(*flat))
        _set_pixels(self, pixels)

    @classmethod
    def _of(cls, counts: np.ndarray, offsets: np.ndarray, size: tuple[int, int]) -> RleMasks:
        """Counts that are known to be canonical."""
        self = cls.__new__(cls)
        self._fill(size, (counts, offsets), None)
        return self

    @classmethod
    def _of_pixels(cls, pixels: Pixels, threads: int | None = None) -> RleMasks:
        return cls._of(*native_pixels.counts_of_pixels(pixels, threads=threads), (pixels.height, pixels.width))

    def __reduce__(self) -> tuple[Any, ...]:
        return RleMasks._of, (self.counts, self.offsets, self.size)

    @classmethod
    @names.explained("RleMasks.from_masks", "RleMasks.from_masks")
    def from_masks(cls, masks: Any, /, *, threads: int | None = None) -> RleMasks:
        """Dense masks as run lengths: a (N, height, width) array, or masks of any kind."""
        check.threads(threads)
        masks = masks if isinstance(masks, PixelRegions) else Masks(masks)
        return cls._of_pixels(masks.pixels(threads), threads)

    @classmethod
    @names.explained("RleMasks.from_coco", "RleMasks.from_coco")
    def from_coco(cls, segmentations: Iterable[Mapping[str, Any]], /) -> RleMasks:
        """COCO's run lengths: dicts of "size" and "counts", compressed or not, all of one image size.

        >>> RleMasks.from_coco([{"size": [5, 5], "counts": "71320N4"}]).area
        array([5])
        """
        dicts = check_masks.coco_list(segmentations)
        pixels = native_pixels.pack_coco(dicts, int(check.LIMITS["int64"]))
        self = cls.__new__(cls)
        if pixels is None:
            self._read(*check_masks.coco_masks(dicts))
        else:
            self._fill((pixels.height, pixels.width), None, pixels)
        return self

    @classmethod
    @names.explained("RleMasks.from_arrays", "RleMasks.from_arrays")
    def from_arrays(cls, counts: Any, offsets: Any, /, *, size: tuple[int, int]) -> RleMasks:
        """Flat counts and offsets: mask k has counts[offsets[k] : offsets[k + 1]].

        >>> RleMasks.from_arrays([2, 3, 7, 3], [0, 2, 4], size=(2, 5)).area
        array([3, 3])
        """
        height, width = check_masks.mask_size(size, "size")
        flat = check_masks.count_list(counts, None)
        starts = check_masks.offsets(offsets, len(flat))
        found, fault = native_pixels.canonical_counts(flat, starts, height * width)
        if fault is not None:
            raise check_masks.bad_counts(fault, height * width, is_text=False)
        return cls._of(*found, (height, width))

    def __len__(self) -> int:
        return len(self.offsets) - 1 if self._pixels is None else len(self._pixels)

    def __getitem__(self, index: Any) -> RleMasks:
        """Some of the masks; one index gives one mask, still as a collection."""
        rows = check.row_numbers(index, len(self))
        offsets, places = taken(self.offsets, rows)
        return RleMasks._of(self.counts[places], offsets, self.size)

    def __repr__(self) -> str:
        height, width = self.size
        return f"RleMasks({len(self)}, {height}×{width})"

    @property
    def like(self) -> None:
        return None

    @property
    def counts(self) -> np.ndarray:
        """All counts, int64, canonical, one mask after the other."""
        return self._counted()[0]

    @property
    def offsets(self) -> np.ndarray:
        """(N + 1) int64: mask k has counts[offsets[k] : offsets[k + 1]]."""
        return self._counted()[1]

    def _counted(self) -> native_pixels.Flat:
        if self._flat is None:
            assert self._pixels is not None
            flat = _locked(*native_pixels.counts_of_pixels(self._pixels, threads=None))
            _set_flat(self, flat)
            return flat
        return self._flat

    def pixels(self, threads: int | None = None) -> Pixels:
        if self._pixels is None:
            packed = native_pixels.pack_counts(self.counts, self.offsets, self.size, threads=threads)
            _set_pixels(self, packed)
            return packed
        return self._pixels

    def to_rle(self) -> RleMasks:
        """The masks themselves."""
        return self

    def to_counts(self) -> list[list[int]]:
        """A list of counts for each mask, starting with background."""
        ends = self.offsets.tolist()
        counts = self.counts.tolist()
        return [counts[begin:end] for begin, end in itertools.pairwise(ends)]

    def to_coco(self, *, compressed: bool = True) -> list[dict[str, Any]]:
        """Dicts of "size" and "counts" as COCO has them: bytes, or plain lists with `compressed=False`.

        JSON knows no bytes: `counts.decode()` before writing a file.
        """
        size = list(self.size)
        counts: list[Any] = self.to_strings() if compressed else self.to_counts()
        return [{"size": size.copy(), "counts": one} for one in counts]

    def to_strings(self) -> list[bytes]:
        """COCO's compressed form of each mask."""
        text, offsets = native_pixels.strings_of_counts(self.counts, self.offsets)
        ends = offsets.tolist()
        data = text.tobytes()
        return [data[begin:end] for begin, end in itertools.pairwise(ends)]

    def union(self, other: RleMasks | None = None, /) -> RleMasks:
        """All masks as one; or with `other`, mask k with mask k.

        >>> masks = RleMasks([[0, 4, 21], [2, 6, 17]], size=(5, 5))
        >>> masks.union().to_counts(), masks.intersection().to_counts()
        ([[0, 8, 17]], [[2, 2, 21]])

        The union of no masks is empty; their intersection is not defined.
        """
        return self._merged(other, either=True)

    def intersection(self, other: RleMasks | None = None, /) -> RleMasks:
        """What all masks share; or with `other`, mask k with mask k."""
        if other is None:
            check_masks.some_masks(len(self))
        return self._merged(other, either=False)

    def _merged(self, other: RleMasks | None, *, either: bool) -> RleMasks:
        if other is not None:
            check_masks.run_lengths(other, RleMasks)
            check.same_image(self.size, other.size)
            check.same_rows(len(self), len(other))
            return self._with(other, either)
        found = self if len(self) else RleMasks([[]], size=self.size)
        return found._united(np.zeros(1, np.int64), either=either)

    def _united(self, starts: np.ndarray, *, either: bool = True) -> RleMasks:
        """One mask for each group of masks side by side; `starts` says where they begin. None is empty."""
        found, counts = self, np.diff(starts, append=len(self))
        while len(found) > len(counts):  # each with its neighbour: each run is looked at log N times
            place = np.arange(len(found)) - np.repeat(np.cumsum(counts) - counts, counts)
            second = np.flatnonzero(place % 2)
            alone = np.ones(len(found), bool)
            alone[second] = alone[second - 1] = False
            merged = found[second - 1]._with(found[second], either)._and(found[alone])
            found = merged[np.argsort(np.concatenate([second - 1, np.flatnonzero(alone)]))]
            counts = (counts + 1) // 2
        return found

    def _with(self, other: RleMasks, either: bool) -> RleMasks:
        pixels = self.size[0] * self.size[1]
        merged = native_pixels.merge_counts(
            (self.counts, self.offsets), (other.counts, other.offsets), pixels, either=either
        )
        return RleMasks._of(*merged, self.size)

    def _and(self, other: RleMasks) -> RleMasks:
        """Both collections, one after the other."""
        offsets = np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]])
        return RleMasks._of(np.concatenate([self.counts, other.counts]), offsets, self.size)

    def crop(self, x1: int, y1: int, x2: int, y2: int, /) -> RleMasks:
        """The part of each mask inside [x1, x2) × [y1, y2), as masks of an image of that size.

        >>> RleMasks([[7, 1, 3, 3, 3, 1, 7]], size=(5, 5)).crop(1, 1, 4, 3).to_counts()
        [[1, 3, 1, 1]]
        """
        window = check_masks.window((x1, y1, x2, y2), self.size)
        cropped = native_pixels.crop_counts(self.counts, self.offsets, self.size[0], window)
        return RleMasks._of(*cropped, (window[3] - window[1], window[2] - window[0]))

    def paste(self, offset: tuple[int, int], size: tuple[int, int]) -> RleMasks:
        """The masks of a tile as masks of the whole image: what `crop` cuts out goes back to its place.

        A tile may reach beyond the image, as the last of a row does, but its masks may not.

        Parameters
        ----------
        offset : (x, y)
            Where the upper left pixel of the tile lies in the image; may be negative.
        size : (height, width)
            Of the image.

        Examples
        --------
        >>> whole = RleMasks([[7, 1, 3, 3, 3, 1, 7]], size=(5, 5))
        >>> tile = whole.crop(1, 1, 4, 4)
        >>> tile.to_counts(), tile.paste((1, 1), size=(5, 5)).to_counts()
        ([[1, 1, 1, 3, 1, 1, 1]], [[7, 1, 3, 3, 3, 1, 7]])
        """
        x, y = check_masks.pixel(offset, "offset")
        height, width = check_masks.mask_size(size, "size")
        mask, column, top, bottom = column_runs(self.counts, self.offsets, self.size[0])
        left, top, bottom = column + x, top + y, bottom + y
        outside = (left < 0) | (left >= width) | (top < 0) | (bottom > height)
        check_masks.inside_image(mask[outside], (x, y), self.size, (height, width))

        flat = counts_of_runs(mask, left * height + top, bottom - top, len(self), height * width)
        return RleMasks._of(*flat, (height, width))


lane.know_run_lengths(RleMasks)
# object.__setattr__ looks a name up each time; a slot's own setter does not.
_set_size, _set_flat, _set_pixels = (getattr(RleMasks, name).__set__ for name in ("size", "_flat", "_pixels"))


def _from_lists(counts: Sequence[Any], pixels: int) -> native_pixels.Flat:
    return _canonical([check_masks.count_list(one, k) for k, one in enumerate(counts)], pixels)


def _canonical(lists: list[np.ndarray], pixels: int, first: int = 0) -> native_pixels.Flat:
    """Canonical counts of some masks, the first of which the caller knows by this number."""
    given = np.concatenate(lists) if lists else np.empty(0, np.int64)
    flat, fault = native_pixels.canonical_counts(given, offsets_of(map(len, lists)), pixels)
    if fault is not None:
        kind, mask, place = fault
        raise check_masks.bad_counts((kind, first + mask, place), pixels, is_text=False)
    return flat


def _from_texts(counts: Sequence[Any], kinds: set[type], size: tuple[int, int]) -> Pixels:
    """Strings of these kinds; lists among them become strings first."""
    pixels = size[0] * size[1]
    is_plain = kinds == {bytes} or (kinds == {str} and "".join(counts).isascii())
    texts = list(counts) if is_plain else [_as_bytes(one, k, pixels) for k, one in enumerate(counts)]
    found = native_pixels.pack_strings(texts, size)
    if not isinstance(found, Pixels):
        raise check_masks.bad_counts(found, pixels, is_text=True)
    return found


def _as_bytes(counts: Any, mask: int, pixels: int) -> bytes:
    if isinstance(counts, _TEXTS):
        return check_masks.count_string(counts)
    flat = _canonical([check_masks.count_list(counts, mask)], pixels, mask)
    return native_pixels.strings_of_counts(*flat)[0].tobytes()


def _locked(counts: np.ndarray, offsets: np.ndarray) -> native_pixels.Flat:
    for array in (counts, offsets):
        array.setflags(write=False)  # kernels trust them
    return counts, offsets
