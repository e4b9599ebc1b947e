"""Run lengths as dense masks on a CUDA device: counts go there, not pixels.

The bits at which a column changes are marked first, 32 columns in a word. Down the rows, each word turned over by the
next one then has the pixels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl

from vesica._kernels.generic import masks as generic
from vesica._kernels.triton.launch import cdiv, launch, on_device_of
from vesica._kernels.triton.mask_bits import WORD, can_be_packed

RUNS = 128
"""Counts that a program looks at."""
ROWS, WORDS = 16, 4
"""Of an image that a program writes at once."""


@triton.jit
def _turn(marks, y, x, is_wanted, across):
    """Turn one bit over in each row of `marks`."""
    bit = tl.full(x.shape, 1, tl.int32) << (x % 32).to(tl.int32)
    tl.atomic_xor(marks + y * across + x // 32, bit, is_wanted, sem="relaxed")


@triton.jit(do_not_specialize=["count", "height", "width", "across"])
def _mark(counts, ends, masks, first, marks, count, height, width, across, BLOCK: tl.constexpr):
    """Mark where runs begin and end; at the top of a column, whether a run covers it."""
    k = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = k < count
    length, mask = tl.load(counts + k, inside, other=0), tl.load(masks + k, inside, other=0)
    is_run = inside & (length > 0) & ((k - tl.load(first + mask, inside, other=0)) % 2 == 1)
    # Every mask fills its image.
    end = tl.load(ends + k, inside, other=0) - mask * height * width
    begin = end - length
    own = marks + mask * height * across
    _turn(own, begin % height, begin // height, is_run & (begin % height > 0), across)
    _turn(own, end % height, end // height, is_run & (end % height > 0), across)
    column, last = (begin + height - 1) // height, (end + height - 1) // height
    for step in range(tl.max(tl.where(is_run, last - column, 0), axis=0)):
        _turn(own, tl.zeros_like(k), column + step, is_run & (column + step < last), across)


@triton.jit
def _either(x, y):
    return x ^ y


@triton.jit(do_not_specialize=["height", "groups", "across"])
def _fill(marks, out, height, groups, across, GROUP: tl.constexpr, ROWS: tl.constexpr, WORDS: tl.constexpr):
    """The pixels of some words of columns, from the top to the bottom: a byte each, or four at once."""
    chunks = tl.cdiv(across, WORDS)
    mask = (tl.program_id(0) // chunks).to(tl.int64)
    column = tl.program_id(0) % chunks * WORDS + tl.arange(0, WORDS)
    # So the compiler knows what divides the width, and stores several at once.
    each: tl.constexpr = 8 if GROUP > 1 else 32
    wide = groups * (GROUP // 4 if GROUP > 1 else 1)
    x = column[:, None] * each + tl.arange(0, each)[None, :]
    above = tl.zeros([WORDS], tl.int32)
    for top in range(0, height, ROWS):
        y = top + tl.arange(0, ROWS)
        inside = (y < height)[:, None] & (column < across)[None, :]
        turned = tl.load(marks + (mask * height + y)[:, None] * across + column[None, :], inside, other=0)
        word = tl.associative_scan(turned, 0, _either) ^ above[None, :]
        above = above ^ tl.xor_sum(turned, axis=0)
        place = (mask * height + y)[:, None, None] * wide + x[None, :, :]
        is_there = (y < height)[:, None, None] & (x < wide)[None, :, :]
        if GROUP > 1:
            nibble = (word[:, :, None] >> (tl.arange(0, 8) * 4)[None, None, :]) & 15
            # Bit k of it goes to bit 8 k: each of four products has one of them there.
            tl.store(out + place, (nibble * 0x204081) & 0x01010101, is_there)
        else:
            tl.store(out + place, ((word[:, :, None] >> tl.arange(0, 32)[None, None, :]) & 1).to(tl.uint8), is_there)


def decode(counts: np.ndarray, offsets: np.ndarray, size: tuple[int, int], like: Any) -> Any:
    """The masks of canonical counts as a stack of booleans, on the device of `like`."""
    (height, width), n = size, len(offsets) - 1
    out = torch.empty((n, height, width), dtype=torch.bool, device=like.device)
    if not out.numel():
        return out
    if not can_be_packed(out):
        return generic.decode(counts, offsets, size, like)
    across = cdiv(width, WORD)
    group = next(one for one in (16, 4, 1) if width % one == 0)
    with on_device_of(out):
        length, first = (torch.from_numpy(one.copy()).to(out.device) for one in (counts, offsets))
        masks = torch.searchsorted(first[1:], torch.arange(len(counts), device=out.device), right=True)
        marks = torch.zeros((n, height, across), dtype=torch.int32, device=out.device)
        launch(
            _mark,
            cdiv(len(counts), RUNS),
            (length, length.cumsum(0), masks, first, marks, len(counts), height, width, across),
            (RUNS,),
        )
        pixels = out.view(torch.uint8)
        launch(
            _fill,
            n * cdiv(across, WORDS),
            (marks, pixels if group == 1 else pixels.view(torch.int32), height, width // group, across),
            (group, ROWS, WORDS),
        )
    return out
