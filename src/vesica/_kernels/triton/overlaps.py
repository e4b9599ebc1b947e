"""Which boxes of tiles that meet overlap enough: a bit for each pair, decided as the compiled kernels of the CPU do."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from vesica._check import Threshold
from vesica._kernels.triton.arithmetic import INTERPRETED
from vesica._kernels.triton.launch import launch
from vesica._kernels.triton.tiles import TILE, Met, Tiled

PROGRAMS, WARPS = 132 * 16, 4
LARGEST = 10**6
"""Of the numbers of a threshold: their products with areas are rounded once, or not at all."""


@triton.jit
def _sum(a, b):
    """a + b rounded, and is that exact?"""
    total = a + b
    back = total - a
    return total, ((a - (total - back)) + (b - back)) == 0


@triton.jit
def _product(a, b):
    product = a * b
    return product, tl.fma(a, b, -product) == 0


@triton.jit
def _area(x1, y1, x2, y2):
    """The area in float64, and is that exact?"""
    w, exact_w = _sum(x2, -x1)
    h, exact_h = _sum(y2, -y1)
    area, exact = _product(tl.maximum(w, 0.0), tl.maximum(h, 0.0))
    return area, exact & exact_w & exact_h


@triton.jit
def decided(a1, a2, a3, a4, b1, b2, b3, b4, over, under, STRICT: tl.constexpr):
    """inter · under against union · over in float64; and which pairs that could not decide."""
    area_a, exact_a = _area(a1, a2, a3, a4)
    area_b, exact_b = _area(b1, b2, b3, b4)
    inter, exact_i = _area(tl.maximum(a1, b1), tl.maximum(a2, b2), tl.minimum(a3, b3), tl.minimum(a4, b4))
    both, exact_s = _sum(area_a, area_b)
    union, exact_u = _sum(both, -inter)
    left, exact_l = _product(inter, under)
    right, exact_r = _product(union, over)
    if STRICT:
        hit = left > right
    else:
        hit = left >= right
    exact = exact_a & exact_b & exact_i & exact_s & exact_u & exact_l & exact_r
    close = ~(tl.abs(left - right) > right * 2.0**-46)
    meets = (inter > 0) & (a3 > a1) & (a4 > a2) & (b3 > b1) & (b4 > b2)
    return hit & meets, close & meets & ~exact


@triton.jit
def _taken(
    i, j, a1, a3, b1, b3, ranks_a, ranks_b, keys_a, keys_b, HAS_KEYS: tl.constexpr, RANKED: tl.constexpr
):  # fmt: skip
    """Which pairs of two tiles are asked for: not the places that hold no box, and only of a lower rank, of one key."""
    taken = (a3 > a1) & (b3 > b1)
    if RANKED:
        taken = taken & (tl.load(ranks_b + j)[None, :] < tl.load(ranks_a + i)[:, None])
    if HAS_KEYS:
        taken = taken & (tl.load(keys_a + i)[:, None] == tl.load(keys_b + j)[None, :])
    return taken


@triton.jit
def quickly(a1, a2, a3, a4, b1, b2, b3, b4, share):
    """Which pairs are surely above the share, in float32; and which are too close to it for that."""
    w, h = tl.minimum(a3, b3) - tl.maximum(a1, b1), tl.minimum(a4, b4) - tl.maximum(a2, b2)
    inter = tl.maximum(w, 0.0) * tl.maximum(h, 0.0)
    union = (a3 - a1) * (a4 - a2) + (b3 - b1) * (b4 - b2) - inter
    gap = inter - union * share
    # A few roundings to float32 cannot do more than this; and what is tiny or huge is not decided here.
    sure = (tl.abs(gap) > union * 2.0**-17) & (union < 1e30) & (union > 1e-30)
    return sure & (gap > 0), ~(inter <= 0) & ~sure


@triton.jit(do_not_specialize=["room", "over", "under"])
def _quick(
    a, b, ranks_a, ranks_b, keys_a, keys_b, first, second, words, doubtful, facts, room, over, under,
    HAS_KEYS: tl.constexpr, RANKED: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """For each pair of tiles a word for each box of the first: which boxes of the second it overlaps enough.

    In float32. Pairs of tiles that this cannot decide are listed.
    """
    pairs = tl.minimum(tl.load(facts), room)
    pair = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, TILE)
    share = over.to(tl.float32) / under.to(tl.float32)
    while pair < pairs:
        i = tl.load(first + pair).to(tl.int64) * TILE + lane
        j = tl.load(second + pair).to(tl.int64) * TILE + lane
        a1, a2 = tl.load(a + i * 4)[:, None], tl.load(a + i * 4 + 1)[:, None]
        a3, a4 = tl.load(a + i * 4 + 2)[:, None], tl.load(a + i * 4 + 3)[:, None]
        b1, b2 = tl.load(b + j * 4)[None, :], tl.load(b + j * 4 + 1)[None, :]
        b3, b4 = tl.load(b + j * 4 + 2)[None, :], tl.load(b + j * 4 + 3)[None, :]
        taken = _taken(i, j, a1, a3, b1, b3, ranks_a, ranks_b, keys_a, keys_b, HAS_KEYS, RANKED)
        hit, close = quickly(a1, a2, a3, a4, b1, b2, b3, b4, share)
        close = taken & close
        word = tl.sum((taken & hit).to(tl.int32) << lane[None, :], axis=1)
        tl.store(words + pair * TILE + lane, word)
        if tl.max(tl.max(close.to(tl.int32), axis=1), axis=0) > 0:
            tl.store(doubtful + tl.atomic_add(facts + 4, 1), pair.to(tl.int32))
        pair += tl.num_programs(0)


@triton.jit(do_not_specialize=["room", "over", "under"])
def _exact(
    a, b, ranks_a, ranks_b, keys_a, keys_b, first, second, words, doubtful, facts, room, over, under,
    STRICT: tl.constexpr, HAS_KEYS: tl.constexpr, RANKED: tl.constexpr, LISTED: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """The same in float64, for the pairs of tiles that are listed, or for all. What that cannot decide is told."""
    if LISTED:
        count = tl.load(facts + 4)
    else:
        count = tl.minimum(tl.load(facts), room)
    at = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, TILE)
    p, q = over.to(tl.float64), under.to(tl.float64)
    while at < count:
        if LISTED:
            pair = tl.load(doubtful + at).to(tl.int64)
        else:
            pair = at
        i = tl.load(first + pair).to(tl.int64) * TILE + lane
        j = tl.load(second + pair).to(tl.int64) * TILE + lane
        a1, a2 = tl.load(a + i * 4).to(tl.float64)[:, None], tl.load(a + i * 4 + 1).to(tl.float64)[:, None]
        a3, a4 = tl.load(a + i * 4 + 2).to(tl.float64)[:, None], tl.load(a + i * 4 + 3).to(tl.float64)[:, None]
        b1, b2 = tl.load(b + j * 4).to(tl.float64)[None, :], tl.load(b + j * 4 + 1).to(tl.float64)[None, :]
        b3, b4 = tl.load(b + j * 4 + 2).to(tl.float64)[None, :], tl.load(b + j * 4 + 3).to(tl.float64)[None, :]
        taken = _taken(i, j, a1, a3, b1, b3, ranks_a, ranks_b, keys_a, keys_b, HAS_KEYS, RANKED)
        hit, unsure = decided(a1, a2, a3, a4, b1, b2, b3, b4, p, q, STRICT)
        tl.store(words + pair * TILE + lane, tl.sum((hit & taken).to(tl.int32) << lane[None, :], axis=1))
        if tl.max(tl.max((unsure & taken).to(tl.int32), axis=1), axis=0) > 0:
            tl.atomic_max(facts + 2, 1)
        at += tl.num_programs(0)


def can_decide(threshold: Threshold) -> bool:
    """Are the numbers of the threshold so small that nearly every pair is decided here?"""
    return max(threshold.p, threshold.q << threshold.shift) <= LARGEST and threshold.p > 0


def words_of(a: Tiled, b: Tiled, met: Met, threshold: Threshold, *, ranked: bool) -> Any:
    """(room, 32) int32: the bits of each pair of tiles; of those alone that are `ranked` lower, or of all."""
    words = torch.empty((met.room, TILE), dtype=torch.int32, device=a.rows.device)
    is_wide = a.rows.dtype == torch.float64
    doubtful = met.first if is_wide else torch.empty_like(met.first)
    arrays = (
        *(a.rows, b.rows, a.ranks, b.ranks, a.keys, b.keys, met.first, met.second, words, doubtful, met.facts),
        *(met.room, threshold.p, threshold.q << threshold.shift),
    )
    programs = 1 if INTERPRETED else min(met.room, PROGRAMS)
    if not is_wide:
        launch(_quick, programs, arrays, (a.has_keys, ranked, TILE), warps=WARPS)
    launch(_exact, programs, arrays, (threshold.strict, a.has_keys, ranked, not is_wide, TILE))
    return words
