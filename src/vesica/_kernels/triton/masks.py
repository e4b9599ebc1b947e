"""Measures of dense masks on a CUDA device: they are packed as bits once, and the shared pixels of pairs are counted.

There are two ways to count. Where the boxes of masks meet, their words are combined and the bits counted: real objects
are small, and few of them meet. Where too much meets, all masks are multiplied with all, by the units for matrices:
bits become bytes on the way, and sums of integers are exact. The device itself weighs the two, so that nothing waits.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from vesica._kernels.generic import masks as generic
from vesica._kernels.generic import measure as generic_measure
from vesica._kernels.tables import Formula, Tables
from vesica._kernels.triton.arithmetic import INTERPRETED, bits_in, from_bits
from vesica._kernels.triton.formulas import of_areas
from vesica._kernels.triton.launch import cdiv, launch, on_device_of, told_of
from vesica._kernels.triton.mask_bits import STEP, Packed, can_be_packed, in_words, largest_group, packed, set_bytes

DOWN, ACROSS = 128, 128
"""Masks in a tile of the product."""
WARPS = 4
WAVES = 4
"""Programs for each multiprocessor, among which the pixels of a tile are shared."""
PRODUCT = 7000.0
"""Words of pairs, combined one by one, in the time that the product needs for one step of a tile."""
SIDE = 32
"""Of a tile of boxes that are weighed."""
PARTNERS = 16
"""Of a mask, that one program counts."""
ROWS, WORDS = 64, 4
"""Of an image that are combined at once."""
ENOUGH = 16384
"""Programs that keep a device busy."""
COMPARED = 2048
"""Words of two masks that are compared at once, row with row."""


@triton.jit
def _box(facts, n, i, mask, width, height):
    """x1, y1, x2, y2, in words along x. No pixels: x2 and y2 are 0."""
    left, top = tl.load(facts + n + i, mask, other=0), tl.load(facts + 2 * n + i, mask, other=0)
    right, bottom = tl.load(facts + 3 * n + i, mask, other=0), tl.load(facts + 4 * n + i, mask, other=0)
    return (width - left) // 32, height - top, (right + 31) // 32, bottom


@triton.jit(do_not_specialize=["n", "m", "width", "height"])
def _weigh(facts_a, facts_b, weight, n, m, width, height, SELF: tl.constexpr, BLOCK: tl.constexpr):
    """How many words of pairs there are where the boxes of masks meet."""
    across = tl.cdiv(m, BLOCK)
    i = tl.program_id(0) // across * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(0) % across * BLOCK + tl.arange(0, BLOCK)
    a1, a2, a3, a4 = _box(facts_a, n, i, i < n, width, height)
    b1, b2, b3, b4 = _box(facts_b, m, j, j < m, width, height)
    w = tl.minimum(a3[:, None], b3[None, :]) - tl.maximum(a1[:, None], b1[None, :])
    h = tl.minimum(a4[:, None], b4[None, :]) - tl.maximum(a2[:, None], b2[None, :])
    meets = (w > 0) & (h > 0)
    if SELF:
        meets = meets & (i[:, None] <= j[None, :])
    tl.atomic_add(weight, tl.sum(tl.sum(tl.where(meets, w.to(tl.int64) * h, 0), axis=1), axis=0), sem="relaxed")


@triton.jit(do_not_specialize=["n", "m", "width", "height", "across", "room", "bands", "limit"])
def _count_in_boxes(
    a, b, facts_a, facts_b, weight, out, n, m, width, height, across, room, bands, limit, SELF: tl.constexpr,
    BLOCK: tl.constexpr, ROWS: tl.constexpr, WORDS: tl.constexpr,
):  # fmt: skip
    """A mask and some partners, in a band of the image: the words where their boxes meet."""
    if tl.load(weight) <= limit:
        chunks = tl.cdiv(m, BLOCK)
        band = tl.program_id(0) % bands
        i = (tl.program_id(0) // bands // chunks).to(tl.int64)
        first = tl.program_id(0) // bands % chunks * BLOCK
        a1, a2, a3, a4 = _box(facts_a, n, i, i < n, width, height)
        high = tl.cdiv(height, bands)
        a2, a4 = tl.maximum(a2, band * high), tl.minimum(a4, (band + 1) * high)
        begin = first
        if SELF:
            begin = tl.maximum(first, i.to(tl.int32))
        if (a4 > a2) & (a3 > a1):
            for j in range(begin, tl.minimum(first + BLOCK, m)):
                other = i * 0 + j  # int64
                b1, b2, b3, b4 = _box(facts_b, m, other, other < m, width, height)
                x1, y1, x2, y2 = tl.maximum(a1, b1), tl.maximum(a2, b2), tl.minimum(a3, b3), tl.minimum(a4, b4)
                if (x2 > x1) & (y2 > y1):
                    count = tl.zeros([ROWS, WORDS], tl.int32)
                    # Words that lie beyond one of the boxes have no bits in common.
                    for y in range(y1, y2, ROWS):
                        for x in range(x1 // WORDS * WORDS, x2, WORDS):
                            row, column = y + tl.arange(0, ROWS)[:, None], x + tl.arange(0, WORDS)[None, :]
                            inside = (row < y2) & (column < x2)
                            place = row.to(tl.int64) * across + column
                            left = tl.load(a + i * room + place, inside, other=0)
                            right = tl.load(b + other * room + place, inside, other=0)
                            count += bits_in(left & right)
                    total = tl.sum(tl.sum(count, axis=1), axis=0).to(tl.int64)
                    tl.atomic_add(out + i * m + other, total, sem="relaxed")
                    if SELF:
                        tl.atomic_add(out + other * m + i, total, other > i, sem="relaxed")


@triton.jit
def _lowest_bits(x):
    """The lowest bit of each byte. On the device four bytes are one register."""
    if INTERPRETED:
        return (x & 1).to(tl.int8)
    return tl.inline_asm_elementwise("and.b32 $0, $1, 0x01010101;", "=r,r", [x], dtype=tl.int8, is_pure=True, pack=4)


@triton.jit
def _next_bits(x):
    """Every byte one bit to the right. Its upper bits may be those of the byte above: they are never asked for."""
    if INTERPRETED:
        return x >> 1
    return tl.inline_asm_elementwise("shr.b32 $0, $1, 1;", "=r,r", [x], dtype=tl.uint8, is_pure=True, pack=4)


@triton.jit(do_not_specialize=["n", "m", "steps", "splits", "limit"])
def _multiply(
    a, b, weight, out, n, m, steps, splits, limit, SELF: tl.constexpr, DOWN: tl.constexpr, ACROSS: tl.constexpr,
    BYTES: tl.constexpr,
):  # fmt: skip
    """A tile of masks against masks, for a share of the pixels. A mask has `steps` times `BYTES` bytes."""
    if tl.load(weight) > limit:
        across = tl.cdiv(m, ACROSS)
        tiles = across * tl.cdiv(n, DOWN)
        tile, split = tl.program_id(0) % tiles, tl.program_id(0) // tiles
        top, left = tile // across * DOWN, tile % across * ACROSS
        share = tl.cdiv(steps, splits)
        begin, end = split * share, tl.minimum((split + 1) * share, steps)
        is_wanted = begin < end
        if SELF:
            is_wanted = is_wanted & (top < left + ACROSS)
        if is_wanted:
            i, j = top + tl.arange(0, DOWN), left + tl.arange(0, ACROSS)
            byte = tl.arange(0, BYTES)[None, :]
            # Places beyond the last mask have those of the last one, and are not written.
            at_a = a + tl.minimum(i, n - 1).to(tl.int64)[:, None] * (steps * BYTES) + byte
            at_b = b + tl.minimum(j, m - 1).to(tl.int64)[:, None] * (steps * BYTES) + byte
            count = tl.zeros([DOWN, ACROSS], tl.int32)
            for step in range(begin, end):
                x, y = tl.load(at_a + step * BYTES), tl.load(at_b + step * BYTES)
                for _ in tl.static_range(8):
                    count = tl.dot(_lowest_bits(x), tl.trans(_lowest_bits(y)), count, out_dtype=tl.int32)
                    x, y = _next_bits(x), _next_bits(y)
            i, j = i.to(tl.int64)[:, None], j.to(tl.int64)[None, :]
            inside = (i < n) & (j < m)
            if SELF:
                tl.atomic_add(out + j * m + i, count.to(tl.int64), inside & (i < j), sem="relaxed")
                inside = inside & (i <= j)
            tl.atomic_add(out + i * m + j, count.to(tl.int64), inside, sem="relaxed")


@triton.jit(do_not_specialize=["m", "total", "empty", "alpha", "beta"])
def _finish(
    counts, out, area_a, area_b, m, total, empty, alpha, beta, NAME: tl.constexpr, OF_B: tl.constexpr,
    ALIGNED: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The measure of every pair, in the place of its count."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    i, j = at // m, at % m
    if ALIGNED:
        i, j = at, at
    inter = tl.load(counts + at, at < total, other=0)
    first = tl.load(area_a + i, at < total, other=0).to(tl.int64)
    second = tl.load(area_b + j, at < total, other=0).to(tl.int64)
    nothing, weight_a, weight_b = from_bits(empty, inter), from_bits(alpha, inter), from_bits(beta, inter)
    found = of_areas(NAME, inter, first, second, nothing, weight_a, weight_b, OF_B)
    tl.store(out + at, found, at < total)


@triton.jit(do_not_specialize=["groups", "parts", "blocks"])
def _compare(a, b, out, area_a, area_b, groups, parts, blocks, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    """The pixels of masks, row with row, for a part of the image. A word has four of them, a byte one."""
    words = groups * (GROUP // 4 if GROUP > 1 else 1)
    mask = (tl.program_id(0) // parts).to(tl.int64)
    begin = (tl.program_id(0) % parts).to(tl.int64) * blocks * BLOCK
    both, first, second = tl.zeros([BLOCK], tl.int32), tl.zeros([BLOCK], tl.int32), tl.zeros([BLOCK], tl.int32)
    for block in range(blocks):
        at = begin + block * BLOCK + tl.arange(0, BLOCK)
        x = set_bytes(tl.load(a + mask * words + at, at < words, other=0).to(tl.uint32))
        y = set_bytes(tl.load(b + mask * words + at, at < words, other=0).to(tl.uint32))
        both += bits_in((x & y).to(tl.int32))
        first += bits_in(x.to(tl.int32))
        second += bits_in(y.to(tl.int32))
    tl.atomic_add(out + mask, tl.sum(both, axis=0).to(tl.int64), sem="relaxed")
    tl.atomic_add(area_a + mask, tl.sum(first, axis=0), sem="relaxed")
    tl.atomic_add(area_b + mask, tl.sum(second, axis=0), sem="relaxed")


def measure(tables: Tables, formula: Formula, *, aligned: bool, threads: int | None) -> Any:
    """The measure of every pair, or of aligned masks. Counts stand in the memory of the answer."""
    if not _has_pixels(tables):
        return generic_measure.measure(tables, formula, aligned=aligned, threads=threads)
    counts, area_a, area_b = _counted(tables, aligned)
    out, told = counts.view(torch.float64), told_of(formula)
    with on_device_of(out):
        launch(
            _finish,
            cdiv(out.numel(), 1024),
            (counts, out, area_a, area_b, tables.m, out.numel(), *told.numbers),
            (told.name, told.of_b, aligned, 1024),
        )
    return out


def inter(tables: Tables, *, aligned: bool, threads: int | None) -> Any:
    """The pixels that masks share, int64."""
    if not _has_pixels(tables):
        return generic.inter(tables.a, tables.b, aligned=aligned)
    return _counted(tables, aligned)[0]


def _has_pixels(tables: Tables) -> bool:
    """Is there anything to count, and do counts fit?"""
    return bool(tables.a.numel() and tables.b.numel()) and can_be_packed(tables.a)


def _counted(tables: Tables, aligned: bool) -> tuple[Any, Any, Any]:
    """Shared pixels, int64, and the pixels of each mask, int32."""
    shape = (tables.n,) if aligned else (tables.n, tables.m)
    counts = torch.zeros(shape, dtype=torch.int64, device=tables.a.device)
    with on_device_of(counts):
        if aligned:
            return counts, *_row_with_row(tables.a, tables.b, counts)
        a = packed(tables.a)
        b = a if tables.b is tables.a else packed(tables.b)
        _every_pair(a, b, counts, int(tables.a.shape[1]), int(tables.a.shape[2]))
        return counts, a.facts[0], b.facts[0]


def _row_with_row(a: Any, b: Any, counts: Any) -> tuple[Any, Any]:
    n, pixels = len(counts), a[0].numel()
    area_a, area_b = (torch.zeros(n, dtype=torch.int32, device=counts.device) for _ in range(2))
    a, b, group = *(in_words(side.reshape(n, pixels)) for side in (a, b)), largest_group(pixels)
    blocks = cdiv(a.shape[1], COMPARED)
    each = max(1, min(8, blocks * n // ENOUGH))
    parts = cdiv(blocks, each)
    launch(
        _compare,
        n * parts,
        (a, b, counts, area_a, area_b, pixels // group, parts, each),
        (group, COMPARED),
    )
    return area_a, area_b


def _every_pair(a: Packed, b: Packed, counts: Any, height: int, width: int) -> None:
    n, m = counts.shape
    is_self = a is b
    weight = torch.zeros(1, dtype=torch.int64, device=counts.device)
    launch(
        _weigh,
        cdiv(n, SIDE) * cdiv(m, SIDE),
        (a.facts, b.facts, weight, n, m, width, height),
        (is_self, SIDE),
    )
    down, across = cdiv(n, DOWN), cdiv(m, ACROSS)
    tiles = down * (across + 1) // 2 if is_self else down * across
    steps = a.room // STEP
    limit = int(PRODUCT * tiles * steps)
    chunks = cdiv(m, PARTNERS)
    bands = max(1, min(cdiv(height, ROWS), ENOUGH // (n * chunks)))
    launch(
        _count_in_boxes,
        n * chunks * bands,
        (
            *(a.words, b.words, a.facts, b.facts, weight, counts),
            *(n, m, width, height, a.across, a.room, bands, limit),
        ),
        (is_self, PARTNERS, ROWS, WORDS),
        warps=1,
    )
    splits = max(1, min(steps, WAVES * _multiprocessors(counts) // tiles))
    bytes_a, bytes_b = a.words.view(torch.uint8), b.words.view(torch.uint8)
    launch(
        _multiply,
        down * across * splits,
        (bytes_a, bytes_b, weight, counts, n, m, steps, splits, limit),
        (is_self, DOWN, ACROSS, STEP * 4),
        warps=WARPS,
    )


def _multiprocessors(array: Any) -> int:
    return torch.cuda.get_device_properties(array.device).multi_processor_count if array.is_cuda else 1
