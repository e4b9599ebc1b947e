"""Tables of known labels on a CUDA device: one pass over the pixels of a whole batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl

from vesica._array import from_numpy
from vesica._kernels.generic import contingency as generic
from vesica._kernels.triton.launch import cdiv, in_rows, launch, next_power_of_2, on_device_of

FEW, MANY = (8192, 1, 8), (4096, 2, 8)
"""Pixels that are counted at once, how many such blocks a program goes through, and its warps: for few pixels, and for
so many that every multiprocessor has work for longer."""
MANY_PIXELS = 1 << 22
MOST_CELLS = 4096
"""Of a table: larger ones do not fit beside each other on a multiprocessor."""
WIDEST = 1 << 16
"""From the lowest known label to the highest: farther apart they would need a long list of places."""
MOST_KEPT = 32
_KEPT: dict[tuple[bytes, Any], tuple[Any, Any]] = {}
"""What is the same for every batch, by the labels and the device."""


@triton.jit
def _places(values, list_of_places, low, span, UNKNOWN: tl.constexpr, IS_RANGE: tl.constexpr):
    """Where each label stands among the known ones: counted from the lowest if they are a range, or looked up."""
    if IS_RANGE:
        # What is below the lowest is huge without its sign. What overflows is no known label either.
        if values.dtype == tl.int64:
            return tl.minimum((values - low).to(tl.uint64), UNKNOWN).to(tl.int32)
        else:
            return tl.minimum((values.to(tl.int32) - low).to(tl.uint32), UNKNOWN).to(tl.int32)
    else:
        at = values.to(tl.int64) - low
        return tl.load(list_of_places + at, (at >= 0) & (at < span), other=UNKNOWN)


@triton.jit
def _strange(values, places, ends, UNKNOWN: tl.constexpr, HIGHEST: tl.constexpr):
    wide = values.to(tl.int64)
    tl.atomic_min(ends, tl.min(tl.where(places == UNKNOWN, wide, HIGHEST), axis=0))
    tl.atomic_max(ends + 1, tl.max(tl.where(places == UNKNOWN, wide, -HIGHEST), axis=0))


@triton.jit(do_not_specialize=["groups", "programs", "low", "span"])
def _count(
    truth, guess, list_of_places, tables, ends, groups, programs, low, span, GROUP: tl.constexpr, SIZE: tl.constexpr,
    BINS: tl.constexpr, BLOCK: tl.constexpr, BLOCKS: tl.constexpr, HIGHEST: tl.constexpr, IS_RANGE: tl.constexpr,
):  # fmt: skip
    """Some blocks of one image. Where a label was not known, they are gone through again for the extremes."""
    UNKNOWN: tl.constexpr = SIZE - 1
    pixels = groups * GROUP  # so the compiler knows what divides it, and loads several at once
    image = (tl.program_id(0) // programs).to(tl.int64)
    begin = (tl.program_id(0) % programs).to(tl.int64) * (BLOCK * BLOCKS)
    truth, guess = truth + image * pixels, guess + image * pixels
    counts = tl.zeros([BINS], tl.int32)
    for k in range(BLOCKS):
        at = begin + k * BLOCK + tl.arange(0, BLOCK)
        first, second = tl.load(truth + at, at < pixels, other=0), tl.load(guess + at, at < pixels, other=0)
        rows = _places(first, list_of_places, low, span, UNKNOWN, IS_RANGE)
        columns = _places(second, list_of_places, low, span, UNKNOWN, IS_RANGE)
        counts += tl.histogram(rows * SIZE + columns, BINS, mask=at < pixels)
    cell = tl.arange(0, BINS)
    is_met = (cell < SIZE * SIZE) & (counts > 0)
    tl.atomic_add(tables + image * (SIZE * SIZE) + cell, counts.to(tl.int64), is_met, sem="relaxed")
    is_strange = is_met & ((cell // SIZE == UNKNOWN) | (cell % SIZE == UNKNOWN))
    if tl.max(is_strange.to(tl.int32), axis=0) > 0:
        for k in range(BLOCKS):
            at = begin + k * BLOCK + tl.arange(0, BLOCK)
            first, second = tl.load(truth + at, at < pixels, other=0), tl.load(guess + at, at < pixels, other=0)
            rows = _places(first, list_of_places, low, span, UNKNOWN, IS_RANGE)
            columns = _places(second, list_of_places, low, span, UNKNOWN, IS_RANGE)
            _strange(first, tl.where(at < pixels, rows, 0), ends, UNKNOWN, HIGHEST)
            _strange(second, tl.where(at < pixels, columns, 0), ends + 2, UNKNOWN, HIGHEST)


def contingency(truth: Any, guess: Any, labels: np.ndarray, known: Any) -> tuple[Any, Any]:
    """The same as the generic one, which serves tables and labels that are too large for this one."""
    size, images = len(labels) + 1, int(truth.shape[0])
    span = int(labels[-1]) - int(labels[0]) + 1 if len(labels) else 0
    if not truth.numel() or not span or size * size > MOST_CELLS or span > WIDEST:
        return generic.contingency(truth, guess, labels, known)
    truth, guess = _readable(truth), _readable(guess)
    tables = torch.zeros((images, size, size), dtype=torch.int64, device=truth.device)
    places, no_ends = _kept_on(truth.device, labels)
    ends = no_ends.clone()
    pixels = truth.numel() // images
    block, blocks, warps = MANY if truth.numel() > MANY_PIXELS else FEW
    programs, group = cdiv(pixels, block * blocks), 16 if pixels % 16 == 0 else 1
    with on_device_of(truth):
        launch(
            _count,
            images * programs,
            (truth, guess, places, tables, ends, pixels // group, programs, int(labels[0]), span),
            (
                *(group, size, max(16, next_power_of_2(size * size)), block, blocks, generic.HIGHEST),
                span == len(labels),
            ),
            warps=warps,
        )
    return tables, ends


def _readable(maps: Any) -> Any:
    """Booleans as bytes, and integers that Triton does not know as int64."""
    if maps.dtype == torch.bool:
        maps = maps.view(torch.uint8)
    return in_rows(maps if maps.dtype in _KNOWN else maps.to(torch.int64))


_KNOWN = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def _kept_on(device: Any, labels: np.ndarray) -> tuple[Any, Any]:
    """The place of each label from the lowest to the highest, and extremes of no labels: both stay on the device."""
    key = (labels.tobytes(), device)
    if key not in _KEPT:
        if len(_KEPT) >= MOST_KEPT:
            _KEPT.clear()
        places = np.full(int(labels[-1]) - int(labels[0]) + 1, len(labels), np.int32)
        places[labels - labels[0]] = np.arange(len(labels))
        no_ends = np.array([1, -1, 1, -1]) * generic.HIGHEST
        like = torch.empty(0, device=device)
        _KEPT[key] = from_numpy(places, like), from_numpy(no_ends, like)
    return _KEPT[key]
