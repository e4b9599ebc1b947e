"""Counting: the pixels of one pair of images, by label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from vesica._array import Array, dtype_name, has_visible_values, to_numpy
from vesica._check import same_library
from vesica._check import segmentation as check
from vesica._kernels import pick_arrays
from vesica.overlaps.parts import parts
from vesica.segmentation.counts import NO_CLASS
from vesica.segmentation.inputs import Batch, ClassMasks, Maps


@dataclass(frozen=True, eq=False)
class Rows:
    """One image: labels of the truth, labels of the guess, how many pixels have both; and how many there are."""

    truth: np.ndarray
    guess: np.ndarray
    count: np.ndarray
    pixels: int


def rows_of(batch: Batch, labels: np.ndarray | None, threads: int | None, /) -> Iterator[Rows]:
    """The counts of each image of a batch. `labels` are those of masks, one for each."""
    if isinstance(batch, Maps):
        for k in range(len(batch)):
            yield _of_maps(batch.truth[k, ...], batch.guess[k, ...], threads)
        return
    for masks in batch:
        yield _of_masks(masks, labels, threads)


def _of_maps(truth: Array, guess: Array, threads: int | None) -> Rows:
    if has_visible_values(truth) and has_visible_values(guess):  # of whichever libraries
        truth, guess = to_numpy(truth), to_numpy(guess)
    else:
        same_library(truth, guess, "truth", "guess")
    shape = (1, -1) if truth.ndim != 2 else tuple(truth.shape)
    ours, theirs, count = pick_arrays("count", "labels", truth, guess).call(
        truth.reshape(shape), guess.reshape(shape), threads=threads
    )
    for side, column in ((truth, ours), (guess, theirs)):
        if dtype_name(side) == "uint64":
            check.fits_int64(column)
    return Rows(ours, theirs, count, int(np.prod([int(side) for side in truth.shape])))


def _of_masks(masks: ClassMasks, labels: np.ndarray | None, threads: int | None) -> Rows:
    """A class is where both have it, where the truth alone has it, and where the guess alone has it."""
    p = parts(masks.truth, masks.guess, aligned=True)
    both, truth, guess = (to_numpy(part).astype(np.int64) for part in (p.inter, p.area_a, p.area_b))
    own = np.arange(len(both)) if labels is None else labels
    none = np.full(len(own), NO_CLASS)
    columns = np.concatenate([own, own, none]), np.concatenate([own, none, own])
    count = np.concatenate([both, truth - both, guess - both])
    there = count > 0
    height, width = masks.truth.size
    return Rows(columns[0][there], columns[1][there], count[there], height * width)
