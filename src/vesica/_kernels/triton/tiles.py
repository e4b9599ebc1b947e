"""Boxes in tiles of 32 that lie together and are of like size, and which tiles may hold pairs that overlap enough.

The order of the boxes decides how many tiles meet, and so the time; never the answer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

from vesica._kernels.triton.launch import cdiv, in_rows, launch

TILE = 32
"""Boxes in a tile: one bit of a word for each."""
CHUNK = 512
"""Tiles that are looked at together."""


class Tiled(NamedTuple):
    """Boxes in tiles; the last tile is filled up with places that hold none."""

    rows: Any
    """(T · 32, 4) floats: x1, y1, x2, y2."""
    place: Any
    """(T · 32,) int64: which row it was; −1 for none."""
    keys: Any
    """(T · 32,) int64: only equal ones are paired; `rows` where there are none."""
    ranks: Any
    """(T · 32,) int64: the ranks that were given, or the places."""
    bounds: Any
    """(6, T or more) float32, rounded outwards: x1, y1, x2, y2 around them; least and most of their larger sides."""
    key_bounds: Any
    """(2, T or more) int64: the smallest and the largest key."""
    has_keys: bool
    tiles: int


class Met(NamedTuple):
    """Pairs of tiles, those of each first tile one after the other."""

    first: Any
    second: Any
    """int32: numbers of tiles."""
    start: Any
    """(T,) int32: where the pairs of each first tile begin."""
    length: Any
    """(T,) int32: how many they are."""
    facts: Any
    """int64: how many pairs there are; more than there was room for? a pair that floats could not decide? The rest is
    for those who go on with them."""
    room: int


@triton.jit
def _spread(x):
    """The 13 low bits, with a gap after each."""
    x = (x | (x << 8)) & 0x00FF00FF
    x = (x | (x << 4)) & 0x0F0F0F0F
    x = (x | (x << 2)) & 0x33333333
    return (x | (x << 1)) & 0x55555555


@triton.jit(do_not_specialize=["n"])
def _code(rows, keys, out, n, HAS_KEYS: tl.constexpr, BLOCK: tl.constexpr):
    """Key, power of two of the larger side, and cell of the middle along a curve that keeps neighbours together."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    at = rows + i * 4
    x1, y1 = tl.load(at, i < n, other=0).to(tl.float32), tl.load(at + 1, i < n, other=0).to(tl.float32)
    x2, y2 = tl.load(at + 2, i < n, other=0).to(tl.float32), tl.load(at + 3, i < n, other=0).to(tl.float32)
    side = tl.maximum(tl.maximum(x2 - x1, y2 - y1), 0.0)
    power = tl.minimum(tl.maximum((side.to(tl.int32, bitcast=True) >> 23) - 127, -12), 19)
    shrink = ((127 - 2 - power) << 23).to(tl.float32, bitcast=True)  # cells are four times the power of two
    x = tl.minimum(tl.maximum((x1 + x2) * (0.5 * shrink), -1e9), 1e9).to(tl.int32) & 0x1FFF
    y = tl.minimum(tl.maximum((y1 + y2) * (0.5 * shrink), -1e9), 1e9).to(tl.int32) & 0x1FFF
    code = ((power + 12) << 26) | _spread(x) | (_spread(y) << 1)
    if HAS_KEYS:
        tl.store(out + i, ((tl.load(keys + i, i < n, other=0) & 0x7FFFFFFF) << 32) | code.to(tl.int64), i < n)
    else:
        tl.store(out + i, code, i < n)


@triton.jit
def _lowered(x):
    return x - tl.abs(x) * 2e-7


@triton.jit(do_not_specialize=["n", "stride"])
def _gather(
    rows, keys, ranks, order, out, place, out_keys, out_ranks, bounds, key_bounds, n, stride, HAS_KEYS: tl.constexpr,
    HAS_RANKS: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    tile = tl.program_id(0).to(tl.int64)
    i = tile * TILE + tl.arange(0, TILE)
    there = i < n
    row = tl.load(order + i, there, other=0).to(tl.int64)
    at = rows + row * 4
    x1, y1 = tl.load(at, there, other=0), tl.load(at + 1, there, other=0)
    x2, y2 = tl.load(at + 2, there, other=-1), tl.load(at + 3, there, other=-1)
    tl.store(out + i * 4, x1)
    tl.store(out + i * 4 + 1, y1)
    tl.store(out + i * 4 + 2, x2)
    tl.store(out + i * 4 + 3, y2)
    tl.store(place + i, tl.where(there, row, -1))
    if HAS_RANKS:
        tl.store(out_ranks + i, tl.load(ranks + row, there, other=0))
    if HAS_KEYS:
        key = tl.load(keys + row, there, other=0).to(tl.int64)
        tl.store(out_keys + i, tl.where(there, key, -1))
        tl.store(key_bounds + tile, tl.min(tl.where(there, key, 0x7FFFFFFFFFFFFFFF), axis=0))
        tl.store(key_bounds + stride + tile, tl.max(tl.where(there, key, -0x7FFFFFFFFFFFFFFF), axis=0))
    # A box without area meets nothing. NaN is in no bound, and what is NaN is in no pair.
    w, h = x2.to(tl.float32) - x1.to(tl.float32), y2.to(tl.float32) - y1.to(tl.float32)
    solid = there & (x2 > x1) & (y2 > y1)
    side = tl.maximum(w, h)
    is_plain = side < 1e37  # what float32 cannot hold may be of any size
    # Rounding to float32 may have moved them: by less than this.
    low_x, low_y = _lowered(x1.to(tl.float32)), _lowered(y1.to(tl.float32))
    top_x, top_y = -_lowered(-x2.to(tl.float32)), -_lowered(-y2.to(tl.float32))
    at = bounds + tile
    tl.store(at, tl.min(tl.where(solid, low_x, float("inf")), axis=0))
    tl.store(at + 1 * stride, tl.min(tl.where(solid, low_y, float("inf")), axis=0))
    tl.store(at + 2 * stride, tl.max(tl.where(solid, top_x, float("-inf")), axis=0))
    tl.store(at + 3 * stride, tl.max(tl.where(solid, top_y, float("-inf")), axis=0))
    tl.store(at + 4 * stride, tl.min(tl.where(solid, tl.where(is_plain, side * 0.999, 0.0), float("inf")), axis=0))
    tl.store(at + 5 * stride, tl.max(tl.where(solid, tl.where(is_plain, side * 1.001, float("inf")), 0.0), axis=0))


@triton.jit
def _may_meet(
    bounds, key_bounds, j, count, stride, x1, y1, x2, y2, least, most, low, high, share, HAS_KEYS: tl.constexpr
):  # fmt: skip
    """Which of the tiles j may hold partners: their boxes touch, and neither side is too small beside the other."""
    at = bounds + j
    meets = (j < count) & (tl.load(at) <= x2) & (tl.load(at + stride) <= y2)
    meets = meets & (tl.load(at + 2 * stride) >= x1) & (tl.load(at + 3 * stride) >= y1)
    meets = meets & (most >= tl.load(at + 4 * stride) * share) & (tl.load(at + 5 * stride) >= least * share)
    if HAS_KEYS:
        meets = meets & (tl.load(key_bounds + j) <= high) & (tl.load(key_bounds + stride + j) >= low)
    return meets


@triton.jit(do_not_specialize=["count", "room", "stride_a", "chunks"])
def _list(
    bounds_a, key_bounds_a, bounds_b, key_bounds_b, first, second, start, length, facts, count, room, stride_a, chunks,
    share, HAS_KEYS: tl.constexpr, CHUNK: tl.constexpr,
):  # fmt: skip
    """Count the tiles that a tile may meet, take room for them, and name them."""
    tile = tl.program_id(0)
    stride = chunks * CHUNK
    at = bounds_a + tile
    x1, y1, x2, y2 = tl.load(at), tl.load(at + stride_a), tl.load(at + 2 * stride_a), tl.load(at + 3 * stride_a)
    least, most = tl.load(at + 4 * stride_a), tl.load(at + 5 * stride_a)
    low, high = (tile * 0).to(tl.int64), (tile * 0).to(tl.int64)
    if HAS_KEYS:
        low, high = tl.load(key_bounds_a + tile), tl.load(key_bounds_a + stride_a + tile)
    total = tile * 0
    chunk = tile * 0
    while chunk < chunks:
        j = chunk * CHUNK + tl.arange(0, CHUNK)
        meets = _may_meet(
            bounds_b, key_bounds_b, j, count, stride, x1, y1, x2, y2, least, most, low, high, share, HAS_KEYS
        )  # fmt: skip
        total += tl.sum(meets.to(tl.int32), axis=0)
        chunk += 1
    base = tl.atomic_add(facts, total.to(tl.int64))
    fits = base + total <= room
    tl.store(start + tile, base.to(tl.int32))
    tl.store(length + tile, tl.where(fits, total, 0))
    if fits & (total > 0):
        place = base
        chunk = tile * 0
        while chunk < chunks:
            j = chunk * CHUNK + tl.arange(0, CHUNK)
            meets = _may_meet(
                bounds_b, key_bounds_b, j, count, stride, x1, y1, x2, y2, least, most, low, high, share, HAS_KEYS
            )  # fmt: skip
            here = tl.sum(meets.to(tl.int32), axis=0)
            if here > 0:
                before = tl.cumsum(meets.to(tl.int32), axis=0) - 1
                tl.store(first + place + before, tile + tl.zeros_like(j), meets)
                tl.store(second + place + before, j, meets)
                place += here
            chunk += 1
    elif total > 0:
        tl.atomic_max(facts + 1, 1)


def tiled(rows: Any, keys: Any = None, ranks: Any = None) -> Tiled:
    """Put the boxes into tiles. `keys` and `ranks` are int64."""
    rows = in_rows(rows)
    n, there, has_keys = int(rows.shape[0]), rows.device, keys is not None
    given = in_rows(keys) if has_keys else rows
    codes = torch.empty(n, dtype=torch.int64 if has_keys else torch.int32, device=there)
    launch(_code, cdiv(n, 256), (rows, given, codes, n), (has_keys, 256))
    order = torch.sort(codes).indices
    count = cdiv(n, TILE)
    out = torch.empty((count * TILE, 4), dtype=rows.dtype, device=there)
    place = torch.empty(count * TILE, dtype=torch.int64, device=there)
    stride = cdiv(count, CHUNK) * CHUNK
    bounds = torch.empty((6, stride), dtype=torch.float32, device=there)
    out_keys = torch.empty(count * TILE, dtype=torch.int64, device=there) if has_keys else place
    key_bounds = torch.empty((2, stride), dtype=torch.int64, device=there) if has_keys else place
    out_ranks = place if ranks is None else torch.empty_like(place)
    launch(
        _gather,
        count,
        (
            rows,
            given,
            place if ranks is None else ranks,
            order,
            out,
            place,
            out_keys,
            out_ranks,
            bounds,
            key_bounds,
            n,
            stride,
        ),
        (has_keys, ranks is not None, TILE),
        warps=1,
    )
    return Tiled(out, place, out_keys, out_ranks, bounds, key_bounds, has_keys, count)


def meeting(a: Tiled, b: Tiled, share: float, room: int) -> Met:
    """Which tiles may hold pairs whose iou reaches `share`: there neither width is below that share of the other."""
    there = a.rows.device
    # Zeros, because where there is no room for all, some are not written but read.
    first, second = (torch.zeros(room, dtype=torch.int32, device=there) for _ in range(2))
    start, length = (torch.empty(a.tiles, dtype=torch.int32, device=there) for _ in range(2))
    facts = torch.zeros(5, dtype=torch.int64, device=there)
    stride_a, stride_b = int(a.bounds.shape[1]), int(b.bounds.shape[1])
    launch(
        _list,
        a.tiles,
        (
            *(a.bounds, a.key_bounds, b.bounds, b.key_bounds, first, second, start, length, facts, b.tiles, room),
            *(stride_a, stride_b // CHUNK, share),
        ),
        (a.has_keys, CHUNK),
    )
    return Met(first, second, start, length, facts, room)
