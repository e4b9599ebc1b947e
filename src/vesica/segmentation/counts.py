"""Counts: how often each label of the truth meets each of the guess, image by image. Every score comes of them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica._array import objects
from vesica._check import pixel_counts as check
from vesica.dataset import Categories
from vesica.dataset.ids import rising, together
from vesica.results import container

NO_CLASS = int(np.iinfo(np.int64).min)
"""The label of pixels that are of no class: beside the masks of a class there is nothing else to say of them."""

_KIND = container.Kind("counts", b"VESICA pixel counts\n", version=1)


@dataclass(frozen=True, eq=False)
class PixelCounts:
    """A sparse table: image, label of the truth, label of the guess, and how many pixels have both.

    Labels are as they came, ignored and unknown ones too, so a policy can be chosen afterwards. Tables add up.

    Attributes
    ----------
    images : (I,) ids, each once; None where images have none and are numbered as they came
    groups : (I,) what each image belongs to (a patient, a scene, a video), or None
    pixels : (I,) int64: how many pixels each image has
    image : (R,) int32: places in `images`, not falling
    truth, guess : (R,) int64: labels; NO_CLASS for none
    count : (R,) int64: pixels, above 0
    categories : Categories, or None: all labels that occur
    is_overlapping : were there masks of each class, which may overlap? Then nothing is known of which class was taken
        for which other.
    is_volumes : are the images volumes?
    """

    images: np.ndarray | None
    groups: np.ndarray | None
    pixels: np.ndarray
    image: np.ndarray
    truth: np.ndarray
    guess: np.ndarray
    count: np.ndarray
    categories: Categories | None = None
    is_overlapping: bool = False
    is_volumes: bool = False

    def __len__(self) -> int:
        """How many images there are."""
        return len(self.pixels)

    def __repr__(self) -> str:
        return f"PixelCounts({len(self)} images, {int(self.pixels.sum()):,} pixels)"

    @functools.cached_property
    def memo(self) -> dict[Any, Any]:
        """What was made of them before, by what decided it: other policies need not count again."""
        return {}

    @functools.cached_property
    def labels(self) -> np.ndarray:
        """All labels that occur on either side, rising."""
        found = np.unique(np.concatenate([np.unique(self.truth), np.unique(self.guess)]))
        return np.asarray(found[found != NO_CLASS])

    @functools.cached_property
    def is_complete(self) -> bool:
        """Has every pixel a label on both sides?"""
        return NO_CLASS not in self.truth and NO_CLASS not in self.guess

    @property
    def ids(self) -> np.ndarray:
        """The ids of the images, or their numbers."""
        return np.arange(len(self)) if self.images is None else self.images

    def to_bytes(self) -> bytes:
        """All of it as bytes that every later version of the same format reads. Images with ids come in their order."""
        own = self if self.images is None else _sorted(self)
        table = own.categories
        header = {
            "images": container.listed(own.images),
            "groups": container.listed(own.groups),
            "categories": table and {name: container.listed(getattr(table, name)) for name in ("ids", "names")},
            "is_overlapping": own.is_overlapping,
            "is_volumes": own.is_volumes,
        }
        names = ("pixels", "image", "truth", "guess", "count")
        return container.to_bytes(_KIND, header, {name: getattr(own, name) for name in names})

    @classmethod
    def from_bytes(cls, data: bytes, /) -> PixelCounts:
        """What `to_bytes` gave. Damage, other formats and other versions are errors."""
        header, columns = container.from_bytes(_KIND, data)
        with container.readable(_KIND):
            told = header["categories"]
            categories = None
            if told is not None:
                ids, names = (container.column_of(told[name]) for name in ("ids", "names"))
                categories = Categories(np.asarray(ids), names)
            images, groups = (container.column_of(header[name]) for name in ("images", "groups"))
            found = cls(
                images,
                groups,
                **columns,
                categories=categories,
                is_overlapping=header["is_overlapping"],
                is_volumes=header["is_volumes"],
            )
            check.sound(found)
        return found


def merge(*counts: PixelCounts) -> PixelCounts:
    """Counts of disjoint sets of images as one, the same whatever the order. Images without ids are all different."""
    check.some(counts)
    first = counts[0]
    for other in counts[1:]:
        check.together(first, other)
    offsets = np.cumsum([0, *(len(one) for one in counts[:-1])])
    has_ids, has_groups = first.images is not None, first.groups is not None
    joined = {name: np.concatenate([getattr(one, name) for one in counts]) for name in _COLUMNS}
    image = np.concatenate([one.image + at for one, at in zip(counts, offsets, strict=True)]).astype(np.int32)
    whole = PixelCounts(
        together([one.ids for one in counts]) if has_ids else None,
        together([_groups(one) for one in counts]) if has_groups else None,
        image=image,
        categories=first.categories,
        is_overlapping=first.is_overlapping,
        is_volumes=first.is_volumes,
        **joined,
    )
    return _sorted(whole) if has_ids else whole


_COLUMNS = ("pixels", "truth", "guess", "count")


def _groups(counts: PixelCounts) -> np.ndarray:
    assert counts.groups is not None
    return counts.groups


def _sorted(counts: PixelCounts) -> PixelCounts:
    """The same with images in the order of their ids."""
    assert counts.images is not None
    ids, rank = rising(counts.images)
    check.disjoint(ids)
    order = np.argsort(rank[counts.image], kind="stable")
    at = np.argsort(rank, kind="stable")
    return PixelCounts(
        ids,
        None if counts.groups is None else counts.groups[at],
        counts.pixels[at],
        rank[counts.image][order].astype(np.int32),
        counts.truth[order],
        counts.guess[order],
        counts.count[order],
        counts.categories,
        counts.is_overlapping,
        counts.is_volumes,
    )


def column_of_ids(values: Sequence[Any] | None, /) -> np.ndarray | None:
    """Ids or groups as a column: int64 if all are whole numbers, else objects."""
    if values is None:
        return None
    if all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in values):
        return np.array(values, np.int64)
    return objects(values)
