"""Inputs: truths and guesses in the forms that people have them in, as pairs of images."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from vesica._array import (
    FLOATS,
    Array,
    as_array,
    dtype_name,
    from_numpy,
    has_visible_values,
    is_array,
    namespace,
    to_numpy,
)
from vesica._check import segmentation as check
from vesica.dataset import Categories
from vesica.regions.labels import LabelMap
from vesica.regions.masks import Masks
from vesica.regions.pixels import PixelRegions


class Reading(NamedTuple):
    """How arrays are to be read."""

    categories: Categories | None = None
    from_scores: str | float | None = None
    """Of guesses that are floats: "argmax" over the axis of classes, or the value above which a pixel belongs."""
    is_volumes: bool = False
    """Are the last three axes one volume? Otherwise the last two are one image."""

    @property
    def axes(self) -> int:
        """How many axes an image has."""
        return 3 if self.is_volumes else 2


@dataclass(frozen=True, eq=False)
class Maps:
    """A batch of label maps: (B, H, W), or (B, D, H, W) for volumes; integers or bool."""

    truth: Array
    guess: Array
    nan: Array | None = None
    """How many scores were NaN, where that could not be seen without waiting for a device."""
    classes: int | None = None
    """How many classes there were scores of, where there were."""

    def __len__(self) -> int:
        """How many images there are."""
        return int(self.truth.shape[0])


class ClassMasks(NamedTuple):
    """One image, as a mask for each class, which may overlap."""

    truth: PixelRegions
    guess: PixelRegions
    shape: tuple[int, ...]
    """Of the image: (H, W), or of a volume (D, H, W), whose slices stand one below the other in its masks."""

    def pairs(self) -> Iterator[tuple[Array, Array]]:
        """The two masks of each class in the shape of the image, one class at a time."""
        for k in range(len(self.truth)):
            yield self._mask(self.truth, k), self._mask(self.guess, k)

    def _mask(self, masks: PixelRegions, k: int) -> Array:
        array = masks.array[k, ...] if isinstance(masks, Masks) else masks.to_rle()[k : k + 1].to_masks().array
        return namespace(array).reshape(array, self.shape)


Batch = Maps | list[ClassMasks]


def classes_of(batch: Batch, /) -> int | None:
    """How many classes a batch could tell apart, where it says so: scores and masks have one for each."""
    return batch.classes if isinstance(batch, Maps) else len(batch[0].truth) if batch else None


def categories_of(value: Any, /) -> Categories | None:
    """All labels that are classes: a list of labels, a dict of label → name, a list of names for 0, 1, 2, …, or how
    many there are."""
    if value is None or isinstance(value, Categories):
        return value
    ids, names = check.categories(value)
    column = None
    if names is not None:
        column = np.empty(len(names), object)
        column[:] = names
    return Categories(np.array(ids, np.int64), column)


def batches_of(truth: Any, guess: Any, how: Reading, /) -> Iterator[Batch]:
    """What was given, a batch at a time: one for arrays, and one for each entry of a list or a generator."""
    if not _is_many(truth) and not _is_many(guess):
        yield batch_of(truth, guess, how)
        return
    check.both_are_many(_is_many(truth), _is_many(guess))
    ones, others = iter(truth), iter(guess)
    number = 0
    while True:
        one, other = next(ones, _NOTHING), next(others, _NOTHING)
        check.ends_together(one is _NOTHING, other is _NOTHING, number)
        if one is _NOTHING:
            return
        yield batch_of(one, other, how)
        number += 1


_NOTHING = object()
FEW_PIXELS = 64
"""Of images so small that two of them may well be each other's opposites."""


def _is_many(value: Any) -> bool:
    """A list or generator of images, and not one array or nested list of numbers."""
    if is_array(value) or isinstance(value, (PixelRegions, LabelMap)):
        return False
    check.no_path(value)
    if isinstance(value, (list, tuple)):
        first = next(iter(value), None)
        if isinstance(first, (int, float)):
            return False  # one axis of numbers, which is told as such
        is_numbers = isinstance(first, (list, tuple)) and not any(hasattr(one, "ndim") for one in first)
        return not (is_numbers and _is_even(value))
    return isinstance(value, Iterable)


def _is_even(value: Any) -> bool:
    try:
        return dtype_name(as_array(value)) != "object"
    except ValueError:
        return False


def batch_of(truth: Any, guess: Any, how: Reading, /) -> Batch:
    """A batch of arrays, or one image of collections, checked and brought into one form."""
    truth, guess = (side.array if isinstance(side, LabelMap) else side for side in (truth, guess))
    if isinstance(truth, PixelRegions) or isinstance(guess, PixelRegions):
        return [_collections(truth, guess, how)]
    ours, theirs = check.array(truth, "truth"), check.array(guess, "guess")
    check.integers(ours, theirs, how.from_scores)
    check.no_colours(ours, "truth", how.axes)
    nan = None
    if dtype_name(theirs) in FLOATS:
        nan = check.no_nan(theirs)
        if how.from_scores == "argmax":
            labels = _argmax(ours, theirs, how)
            return replace(_maps(ours, labels, how, nan), classes=int(theirs.shape[theirs.ndim - how.axes - 1]))
        assert isinstance(how.from_scores, float)
        theirs = theirs > how.from_scores
        if theirs.ndim == ours.ndim + 1 and theirs.shape[-how.axes - 1] == 1:
            theirs = theirs[_at(theirs.ndim - how.axes - 1, 0)]  # one class: a map of 0 and 1
    check.no_colours(theirs, "guess", how.axes)
    if max(ours.ndim, theirs.ndim) == how.axes + 2:
        return _masks(ours, theirs, how)
    return _maps(ours, theirs, how, nan)


def _maps(truth: Array, guess: Array, how: Reading, nan: Array | None) -> Maps:
    check.same_shape(tuple(truth.shape), tuple(guess.shape), how.axes)
    if truth.ndim == how.axes:
        truth, guess = truth[None, ...], guess[None, ...]
    return Maps(truth, guess, nan)


def check_one_hot(batch: Maps, ones: int | None = None, /) -> None:
    """Refuse a stack of maps of 0 and 1 that are the classes of one image.

    `ones` are all pixels of the truth that are 1, where they were counted: unless there are as many as an image has,
    the stack need not be looked at.
    """
    truth, guess = batch.truth, batch.guess
    pixels = math.prod(int(side) for side in truth.shape[1:])
    if (
        len(batch) < 2
        or ones not in (None, pixels)
        or pixels < FEW_PIXELS
        or not all(map(has_visible_values, (truth, guess)))
    ):
        return
    ours, theirs = (np.asarray(to_numpy(side)) for side in (truth, guess))
    are_masks = all(side.min() >= 0 and side.max() <= 1 for side in (ours, theirs))
    if are_masks and (ours.sum(axis=0) == 1).all():
        check.no_one_hot(tuple(int(side) for side in truth.shape))


def _argmax(truth: Array, scores: Array, how: Reading) -> Array:
    """The label of the highest score, the first of equal ones."""
    axis = scores.ndim - how.axes - 1
    check.one_axis_more(tuple(truth.shape), tuple(scores.shape), axis, how.axes)
    check.as_many_scores(int(scores.shape[axis]), how.categories)
    best = _best(scores, axis) if isinstance(scores, np.ndarray) else namespace(scores).argmax(scores, axis=axis)
    if how.categories is None or np.array_equal(how.categories.ids, np.arange(len(how.categories))):
        return best
    return from_numpy(how.categories.ids, best)[best]


def _best(scores: np.ndarray, axis: int) -> np.ndarray:
    """The same as NumPy's argmax, which would copy all scores first."""
    planes = np.moveaxis(scores, axis, 0)
    best = planes[0].copy()
    labels = np.zeros(best.shape, np.min_scalar_type(len(planes)))
    for k in range(1, len(planes)):
        higher = planes[k] > best
        np.copyto(best, planes[k], where=higher)
        labels[higher] = k
    return labels


def _masks(truth: Array, guess: Array, how: Reading) -> list[ClassMasks]:
    """A mask for each class: (B, C, H, W). A side that is a label map has a mask for each of the categories."""
    check.masks_have_classes(truth.ndim, guess.ndim, how.axes, how.categories)
    truth, guess = (side if side.ndim == how.axes + 2 else _one_hot(side, how) for side in (truth, guess))
    check.same_shape(tuple(truth.shape), tuple(guess.shape), how.axes)
    check.as_many_masks(int(truth.shape[1]), int(guess.shape[1]), how.categories)
    shape = tuple(int(side) for side in truth.shape[2:])
    return [ClassMasks(_stack(truth[k, ...]), _stack(guess[k, ...]), shape) for k in range(int(truth.shape[0]))]


def _one_hot(labels: Array, how: Reading) -> Array:
    assert how.categories is not None
    xp = namespace(labels)
    return xp.stack([labels == int(one) for one in how.categories.ids], axis=1)


def _stack(masks: Array) -> Masks:
    """(C, H, W), or (C, D, H, W) with the slices one below the other."""
    shape = tuple(int(side) for side in masks.shape)
    return Masks(namespace(masks).reshape(masks, (shape[0], -1, shape[-1])))


def _collections(truth: Any, guess: Any, how: Reading) -> ClassMasks:
    check.both_are_masks(isinstance(truth, PixelRegions), isinstance(guess, PixelRegions))
    check.same_shape(truth.size, guess.size, 2)
    check.as_many_masks(len(truth), len(guess), how.categories)
    return ClassMasks(truth, guess, truth.size)


def _at(axis: int, index: int) -> tuple[Any, ...]:
    return (*(slice(None) for _ in range(axis)), index, ...)
