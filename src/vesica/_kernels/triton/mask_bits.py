"""Dense masks as bits on a CUDA device: one pass over their bytes, which also finds areas and the boxes around them."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

from vesica._kernels.generic import masks as generic
from vesica._kernels.triton.arithmetic import bits_in
from vesica._kernels.triton.launch import cdiv, in_rows, launch, next_power_of_2, on_device_of

WORD = 32
"""Pixels in a word: each row of an image begins a new one."""
STEP = 32
"""Words that kernels read at once: each mask has a multiple of them."""
AT_ONCE, FEW, WARPS = 256, 64, 2
"""Words that a program makes at once, fewer where it cannot read 16 pixels at once, and its warps."""
MOST_WORDS = 32
"""Of a row, that are among them."""
MOST_PIXELS = 2**31 - 1
"""Of a mask: counts are int32."""


class Packed(NamedTuple):
    """N masks as bits, and what is known of each."""

    words: Any
    """(N, room) int32: H rows of W words, pixel k of a word in bit k; then zeros. Empty if it was not asked for."""
    facts: Any
    """(5, N) int32: the pixels of each mask; width − x1 and height − y1, or 0 for no pixels; x2; y2."""
    across: int
    """Words in a row."""
    room: int


@triton.jit
def set_bytes(word):
    """1 in each byte that is not 0. Booleans may be any byte."""
    low = (word & 0x7F7F7F7F) + 0x7F7F7F7F
    return ((low | word) >> 7) & 0x01010101


@triton.jit
def _words(masks, mask, y, column, height, width, GROUP: tl.constexpr):
    """Words of 32 pixels, the one at `column` of row y of a mask. With a group of several, `masks` has four at once."""
    if GROUP > 1:
        x = column[:, None] * 8 + tl.arange(0, 8)[None, :]
        inside = (y[:, None] < height) & (x < width)
        four = tl.load(masks + (mask * height + y)[:, None] * width + x, inside, other=0).to(tl.uint32, bitcast=True)
        # Bits 0, 8, 16 and 24 come together in the upper four. No two products of the rest fall on one bit.
        nibble = (set_bytes(four) * 0x10204080) >> 28
        return tl.sum(nibble << (tl.arange(0, 8) * 4).to(tl.uint32)[None, :], axis=1).to(tl.int32, bitcast=True)
    else:
        x = column[:, None] * 32 + tl.arange(0, 32)[None, :]
        inside = (y[:, None] < height) & (x < width)
        one = tl.load(masks + (mask * height + y)[:, None] * width + x, inside, other=0)
        return tl.sum((one != 0).to(tl.int32) << tl.arange(0, 32)[None, :], axis=1)


@triton.jit
def _below_lowest(word):
    """How many bits are below the lowest one that is set."""
    return bits_in((word & -word) - 1)


@triton.jit
def _up_to_highest(word):
    """How many bits there are from the first to the highest one that is set."""
    word = word | ((word >> 1) & 0x7FFFFFFF)
    word = word | ((word >> 2) & 0x3FFFFFFF)
    word = word | ((word >> 4) & 0x0FFFFFFF)
    word = word | ((word >> 8) & 0x00FFFFFF)
    return bits_in(word | ((word >> 16) & 0x0000FFFF))


@triton.jit(do_not_specialize=["n", "groups", "height", "across", "room", "bands"])
def _pack(
    masks, words, facts, n, groups, height, across, room, bands, GROUP: tl.constexpr, ROWS: tl.constexpr,
    WORDS: tl.constexpr, KEPT: tl.constexpr,
):  # fmt: skip
    """Some rows of one mask. Rows below the last one are read as zeros, and fill the room that is left."""
    mask = (tl.program_id(0) // bands).to(tl.int64)
    each = tl.arange(0, ROWS * WORDS)
    y = tl.program_id(0) % bands * ROWS + each // WORDS
    # So the compiler knows what divides the width, and loads several at once.
    read, width = groups * (GROUP // 4 if GROUP > 1 else 1), groups * GROUP
    count, left, right = tl.zeros_like(y), tl.zeros_like(y), tl.zeros_like(y)
    for first in range(0, across, WORDS):
        column = first + each % WORDS
        word = _words(masks, mask, y, column, height, read, GROUP)
        if KEPT:
            place = y.to(tl.int64) * across + column
            tl.store(words + mask * room + place, word, (column < across) & (place < room))
        count += bits_in(word)
        is_set = word != 0
        left = tl.maximum(left, tl.where(is_set, width - column * 32 - _below_lowest(word), 0))
        right = tl.maximum(right, tl.where(is_set, column * 32 + _up_to_highest(word), 0))
    total = tl.sum(count, axis=0)
    if total > 0:
        tl.atomic_add(facts + mask, total, sem="relaxed")
        tl.atomic_max(facts + n + mask, tl.max(left, axis=0), sem="relaxed")
        tl.atomic_max(facts + 2 * n + mask, tl.max(tl.where(count > 0, height - y, 0), axis=0), sem="relaxed")
        tl.atomic_max(facts + 3 * n + mask, tl.max(right, axis=0), sem="relaxed")
        tl.atomic_max(facts + 4 * n + mask, tl.max(tl.where(count > 0, y + 1, 0), axis=0), sem="relaxed")


def largest_group(pixels: int) -> int:
    """How many pixels are read at once where rows have so many."""
    return next(size for size in (16, 4, 1) if pixels % size == 0)


def in_words(masks: Any) -> Any:
    """The masks in C order: four pixels as an int32 where rows have a multiple of four, otherwise as bytes."""
    if masks.dtype not in (torch.bool, torch.uint8, torch.int8):
        masks = masks != 0
    rows = in_rows(masks.view(torch.uint8))
    return rows if largest_group(int(rows.shape[-1])) == 1 else rows.view(torch.int32)


def can_be_packed(masks: Any) -> bool:
    """Do the pixels of a mask fit into the counts? Words are fewer than pixels, but for very narrow images."""
    height, width = masks.shape[1:]
    return int(height) * int(cdiv(int(width), WORD)) * WORD <= MOST_PIXELS - STEP * WORD


def packed(masks: Any, *, keep: bool = True) -> Packed:
    """Masks of at least one pixel as bits; or, without `keep`, what is known of them alone."""
    n, height, width = (int(size) for size in masks.shape)
    rows, group = in_words(masks), largest_group(width)
    across = cdiv(width, WORD)
    wide = min(MOST_WORDS, next_power_of_2(across))
    high = (AT_ONCE if group == 16 else FEW) // wide
    room = cdiv(height * across, STEP) * STEP
    words = torch.empty((n, room) if keep else (0,), dtype=torch.int32, device=rows.device)
    facts = torch.zeros((5, n), dtype=torch.int32, device=rows.device)
    bands = cdiv(cdiv(room, across) if keep else height, high)
    with on_device_of(rows):
        launch(
            _pack,
            n * bands,
            (rows, words, facts, n, width // group, height, across, room, bands),
            (group, high, wide, keep),
            warps=WARPS,
        )
    return Packed(words, facts, across, room)


def area(masks: Any) -> Any:
    """The pixels of each mask."""
    if not masks.numel() or not can_be_packed(masks):
        return generic.area(masks)
    return packed(masks, keep=False).facts[0].to(torch.int64)


def boxes(masks: Any) -> Any:
    """The box around each mask, [0, 0, 0, 0] for no pixels."""
    if not masks.numel() or not can_be_packed(masks):
        return generic.boxes(masks)
    _, height, width = masks.shape
    count, left, top, x2, y2 = packed(masks, keep=False).facts.to(torch.int64)
    is_set = count > 0
    return torch.stack([(width - left) * is_set, (height - top) * is_set, x2, y2], dim=-1)
