"""The join on a CUDA device: tiles of boxes that lie together meet, and pairs that reach the threshold are written."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl

from vesica._array import from_numpy
from vesica._kernels import native
from vesica._kernels.tables import Formula, Tables, Wanted
from vesica._kernels.triton.arithmetic import bits_in
from vesica._kernels.triton.launch import cdiv, launch, on_device_of
from vesica._kernels.triton.measure import measure
from vesica._kernels.triton.overlaps import can_decide, words_of
from vesica._kernels.triton.tiles import TILE, meeting, tiled

MOST_PAIRS = 1 << 23
"""Pairs of tiles that there may be room for: about 1.2 GB."""
BLOCK = 64
"""Pairs of tiles that are counted together."""


@triton.jit(do_not_specialize=["room"])
def _count(words, counts, facts, room, BLOCK: tl.constexpr, TILE: tl.constexpr):
    pair = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    here = pair < tl.minimum(tl.load(facts), room)
    word = tl.load(words + pair[:, None] * TILE + tl.arange(0, TILE)[None, :], here[:, None], other=0)
    tl.store(counts + pair, tl.sum(bits_in(word), axis=1), pair < room)


@triton.jit(do_not_specialize=["m"])
def _fill(words, ends, counts, first, second, place_a, place_b, out, m, TURNED: tl.constexpr, TILE: tl.constexpr):
    """Write i · m + j for every bit of a pair of tiles."""
    pair = tl.program_id(0).to(tl.int64)
    count = tl.load(counts + pair)
    if count > 0:
        lane = tl.arange(0, TILE)
        i = tl.load(place_a + tl.load(first + pair).to(tl.int64) * TILE + lane)
        j = tl.load(place_b + tl.load(second + pair).to(tl.int64) * TILE + lane)
        word = tl.load(words + pair * TILE + lane)
        each = bits_in(word)
        begin = tl.load(ends + pair) - count + tl.cumsum(each, axis=0) - each
        hit = (word[:, None] >> lane[None, :]) & 1
        at = begin[:, None] + tl.cumsum(hit, axis=1) - hit
        if TURNED:
            code = j[None, :] * m + i[:, None]
        else:
            code = i[:, None] * m + j[None, :]
        tl.store(out + at, code, hit != 0)


def join(tables: Tables, formula: Formula, wanted: Wanted, *, threads: int | None) -> tuple[Any, Any, Any]:
    """As the one of the host, which serves other formulas, and what has no room here or is too close to decide.

    The device is waited for once, for how many pairs there are.
    """
    found = None
    if formula.name == "iou" and can_decide(wanted.threshold) and tables.a.is_floating_point() and tables.n * tables.m:
        with on_device_of(tables.a):
            found = _pairs(tables, wanted)
    if found is None:
        return native.join_on_host(tables, formula, wanted, threads=threads)
    i, j = found
    rows = tables._replace(a=tables.a[i], b=tables.b[j], n=len(i), m=len(j))
    return i, j, measure(rows, formula, aligned=True, threads=threads)


def _pairs(tables: Tables, wanted: Wanted) -> tuple[Any, Any] | None:
    keys = [None, None]
    if wanted.keys is not None:
        keys = [from_numpy(side.astype(np.int64), tables.a) for side in wanted.keys]
    a = tiled(tables.a, keys[0])
    b = a if wanted.self_join else tiled(tables.b, keys[1])
    room = min(a.tiles * b.tiles, max((a.tiles + b.tiles) * 32, 1 << 16), MOST_PAIRS)
    met = meeting(a, b, wanted.threshold.value, room)
    # Each pair of a collection with itself once: its lower row is on the side of the tiles that come second.
    words = words_of(a, b, met, wanted.threshold, ranked=wanted.self_join)
    counts = torch.empty(room, dtype=torch.int32, device=words.device)
    launch(_count, cdiv(room, BLOCK), (words, counts, met.facts, room), (BLOCK, TILE))
    ends = torch.cumsum(counts, 0)  # int64
    met.facts[3] = ends[-1]
    pairs, is_full, is_unsure, total, _ = met.facts.tolist()
    if is_full or is_unsure:
        return None
    codes = torch.empty(total, dtype=torch.int64, device=words.device)
    if total:
        launch(
            _fill,
            pairs,
            (words, ends, counts, met.first, met.second, a.place, b.place, codes, tables.m),
            (wanted.self_join, TILE),
            warps=1,
        )
        codes = torch.sort(codes).values
    return torch.div(codes, tables.m, rounding_mode="floor"), codes % tables.m
