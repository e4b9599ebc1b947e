"""Greedy non-maximum suppression on a CUDA device: who overlaps whom is found first, then all rows settle at once.

A row is kept once every better row that overlaps it is gone, and goes once one of them is kept. So rows settle in any
order, and always the same way: that of the walk from the best score down.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl

from vesica._array import from_numpy
from vesica._check import Threshold
from vesica._check import selection as check_selection
from vesica._kernels import native
from vesica._kernels.generic import nms as generic
from vesica._kernels.native.lane import threshold_of
from vesica._kernels.tables import Contest, Formula, Ranked, Tables
from vesica._kernels.triton import few
from vesica._kernels.triton.arithmetic import INTERPRETED
from vesica._kernels.triton.launch import cdiv, in_rows, launch, on_device_of
from vesica._kernels.triton.overlaps import can_decide, words_of
from vesica._kernels.triton.tiles import TILE, meeting, tiled

PROGRAMS = 132 * 4
"""Of settling: all of them must be on the device at once, for they wait for each other."""
BLOCK = 256
WAITING = 64
"""Tiles whose rows are looked at together."""


@triton.jit
def _begin(place, alive, state, TILE: tl.constexpr, HAS_ALIVE: tl.constexpr):
    """The state of a tile: a bit for each row that is open, and above them one for each that is kept."""
    tile = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, TILE)
    row = tl.load(place + tile * TILE + lane)
    is_open = row >= 0
    if HAS_ALIVE:
        is_open = is_open & (tl.load(alive + row, is_open, other=0) != 0)
    tl.store(state + tile, tl.sum(is_open.to(tl.int64) << lane.to(tl.int64), axis=0))


@triton.jit(do_not_specialize=["tiles"])
def _settle(
    words, second, start, length, state, tiles, TILE: tl.constexpr, WAITING: tl.constexpr
):  # fmt: skip
    """Every program goes through its tiles until none of their rows is open."""
    lane = tl.arange(0, TILE)
    is_done = 0
    while is_done == 0:
        is_done = 1
        tile = tl.program_id(0)
        while tile < tiles:
            mine = tl.load(state + tile, volatile=True)
            if (mine & 0xFFFFFFFF) != 0:
                begin, count = tl.load(start + tile).to(tl.int64), tl.load(length + tile)
                gone, waits = tl.zeros([TILE], tl.int32), tl.zeros([TILE], tl.int32)
                first = tile * 0
                while first < count:
                    at = first + tl.arange(0, WAITING)
                    other = tl.load(second + begin + at, at < count, other=0)
                    theirs = tl.load(state + other, at < count, other=0, volatile=True)
                    word = tl.load(
                        words + (begin + at)[:, None] * TILE + lane[None, :], (at < count)[:, None], other=0
                    )  # fmt: skip
                    is_kept, is_open = (theirs >> 32).to(tl.int32), theirs.to(tl.int32)
                    gone = gone | tl.max(((word & is_kept[:, None]) != 0).to(tl.int32), axis=0)
                    waits = waits | tl.max(((word & is_open[:, None]) != 0).to(tl.int32), axis=0)
                    first += WAITING
                was_open = ((mine >> lane.to(tl.int64)) & 1) != 0
                stays_open = was_open & (gone == 0) & (waits != 0)
                kept = was_open & (gone == 0) & (waits == 0)
                now = tl.sum(stays_open.to(tl.int64) << lane.to(tl.int64), axis=0)
                more = tl.sum(kept.to(tl.int64) << lane.to(tl.int64), axis=0) << 32
                mine = (mine & -0x100000000) | more | now
                tl.atomic_xchg(state + tile, mine)
                if now != 0:
                    is_done = 0
            tile += tl.num_programs(0)


@triton.jit
def _kept(place, ranks, state, out, TILE: tl.constexpr):
    """Mark the ranks that are kept."""
    tile = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, TILE)
    row = tl.load(place + tile * TILE + lane)
    bit = (tl.load(state + tile) >> (32 + lane.to(tl.int64))) & 1
    rank = tl.load(ranks + tile * TILE + lane)
    tl.store(out + rank, bit.to(tl.int8), row >= 0)


def settled(rows: Any, ranks: Any, alive: Any, keys: Any, threshold: Threshold, room: int) -> tuple[Any, Any]:
    """(N,) int8 by rank: 1 for the rows that stay; and the facts of `Met`.

    `ranks` (N,) int64 are all different, the best is 0; `alive` (N,) says which rows take part, None for all.
    """
    boxes = tiled(rows, keys, ranks)
    met = meeting(boxes, boxes, threshold.value, room)
    words = words_of(boxes, boxes, met, threshold, ranked=True)
    state = torch.empty(boxes.tiles, dtype=torch.int64, device=words.device)
    mask = boxes.place if alive is None else alive.to(torch.int8)
    launch(_begin, boxes.tiles, (boxes.place, mask, state), (TILE, alive is not None), warps=1)
    launch(
        _settle,
        1 if INTERPRETED else min(PROGRAMS, boxes.tiles),
        (words, met.second, met.start, met.length, state, boxes.tiles),
        (TILE, WAITING),
        warps=1,
    )
    out = torch.empty(int(rows.shape[0]), dtype=torch.int8, device=words.device)
    launch(_kept, boxes.tiles, (boxes.place, boxes.ranks, state, out), (TILE,), warps=1)
    return out, met.facts


@triton.jit(do_not_specialize=["n"])
def _invert(order, ranks, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(ranks + tl.load(order + i, i < n, other=0), i, i < n)


@triton.jit(do_not_specialize=["n"])
def _gathered(order, scores, kept, ends, out, facts, n, BLOCK: tl.constexpr):
    """The kept rows one after the other; how many they are; and one more than the row of a score that is NaN."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = (i < n) & (tl.load(kept + i, i < n, other=0) != 0)
    tl.store(out + tl.load(ends + i, there, other=1) - 1, tl.load(order + i, there, other=0), there)
    if tl.program_id(0) == 0:
        best = tl.load(scores)
        tl.store(facts + 3, tl.load(ends + (n - 1)))
        tl.store(facts, tl.where(best == best, 0, tl.load(order) + 1))


MOST_PAIRS = 1 << 22
"""Pairs of tiles that there may be room for: about 600 MB."""


def _chosen(
    rows: Any, scores: Any, keys: Any, threshold: Threshold, min_score: float, limit: int
) -> tuple[int, Any] | None:
    """The first row whose score is NaN, or −1, and the rows that stay, best first; None: the host must decide.

    The device is waited for once, at the end.
    """
    n = int(rows.shape[0])
    if keys is not None and keys.dtype != torch.int64:
        keys = keys.to(torch.int64)
    if few.fits(1, n):
        return few.chosen(rows, scores, keys, threshold, min_score, limit)
    with on_device_of(rows):
        sorted_scores, order = torch.sort(scores + 0, descending=True, stable=True)  # −0 is 0; NaN comes first
        ranks, found = torch.empty_like(order), torch.empty_like(order)
        launch(_invert, cdiv(n, BLOCK), (order, ranks, n), (BLOCK,))
        alive = None if min_score == float("-inf") else scores >= min_score
        tiles = cdiv(n, TILE)
        room = min(tiles * tiles, max(tiles * 96, 1 << 16), MOST_PAIRS)
        kept, facts = settled(rows, ranks, alive, keys, threshold, room)
        ends = torch.cumsum(kept, 0)  # int64
        launch(_gathered, cdiv(n, BLOCK), (order, sorted_scores, kept, ends, found, facts, n), (BLOCK,))
        bad, is_full, is_unsure, count, _ = facts.tolist()
    if bad:
        return bad - 1, found[:0]
    if is_full or is_unsure:
        return None
    return -1, found[: min(count, limit) if limit else count].clone()


def nms(
    tables: Tables, formula: Formula, ranked: Ranked, *, with_by: bool, threads: int | None
) -> tuple[int, Any, Any | None]:
    """As the one of the host, which serves what is asked for seldom."""
    is_plain = formula.name == "iou" and tables.a.is_floating_point() and can_decide(ranked.threshold)
    if is_plain and tables.n and not with_by and not (ranked.limit and ranked.images is not None):
        scores = from_numpy(ranked.scores, tables.a)
        keys = None if ranked.keys is None else from_numpy(ranked.keys.astype(np.int64), tables.a)
        found = _chosen(tables.a.detach(), scores, keys, ranked.threshold, ranked.min_score, ranked.limit)
        if found is not None:
            return *found, None
    return native.nms(tables, formula, ranked, with_by=with_by, threads=threads)


def lane(formula: Formula) -> Callable[[Any, Any, Any], Any]:
    """The entry for a table of floats and its scores: it takes boxes, scores, and (above, strict), after which keys,
    the least score and a limit may be said."""

    def entry(boxes: Any, scores: Any, told: tuple[Any, ...]) -> Any:
        above, strict, keys, min_score, limit = told if len(told) == 5 else (*told, None, None, None)
        threshold = threshold_of(above, strict)
        if (
            threshold is None
            or not can_decide(threshold)
            or boxes.dtype not in _FLOATS
            or boxes.device != scores.device
        ):
            return None
        if boxes.ndim != 2 or boxes.shape[1] != 4 or not boxes.shape[0] or tuple(scores.shape) != (boxes.shape[0],):
            return None
        if not scores.is_floating_point():
            return None
        if not (_is_column(keys, scores) and _is_least(min_score) and _is_count(limit)):
            return None
        least = check_selection.min_score(min_score, scores)
        found = _chosen(boxes, scores, keys, threshold, least, limit or 0)
        return None if found is None or found[0] >= 0 else found[1]

    return entry


_FLOATS = (torch.float32, torch.float64)


def _is_column(keys: Any, scores: Any) -> bool:
    """None, or one integer for each row, where the scores are?"""
    if keys is None:
        return True
    if type(keys) is not torch.Tensor or keys.device != scores.device or keys.shape != scores.shape:
        return False
    return keys.dtype in (torch.int64, torch.int32, torch.int16, torch.uint8, torch.int8)


def _is_least(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and value == value)


def _is_count(value: Any) -> bool:
    return value is None or (type(value) is int and value > 0)


def can_settle(contest: Contest) -> bool:
    """Is it one for the kernels: iou of floats, and room for all tiles that might meet?"""
    if contest.formula.name != "iou" or not contest.rows.is_floating_point() or not can_decide(contest.threshold):
        return False
    if few.fits(int(contest.rows.shape[0]), int(contest.rows.shape[1])):
        return True
    return 0 < _room(contest) <= MOST_PAIRS


def _room(contest: Contest) -> int:
    images, n = int(contest.rows.shape[0]), int(contest.rows.shape[1])
    tiles = (n + TILE - 1) // TILE + 1  # a tile may lie across two images
    return images * tiles * tiles if n else 0


def nms_padded(contest: Contest, order: Any, alive: Any, limit: int) -> tuple[Any, Any]:
    """As the generic one, for any number of images at once. No device is waited for."""
    if not can_settle(contest):
        return generic.nms_padded(contest, order, alive, limit)
    images, n, _ = contest.rows.shape
    if few.fits(images, n):
        return few.padded(contest.rows, order, alive, contest.keys, contest.threshold, limit)
    rows, room = in_rows(contest.rows).reshape(-1, 4), _room(contest)
    with on_device_of(rows):
        number = torch.arange(images * n, device=rows.device)
        keys = number // n
        if contest.keys is not None:
            keys = keys * (images * n) + _dense(contest.keys.reshape(-1))
        kept, _ = settled(rows, number, alive.reshape(-1), keys, contest.threshold, room)
        kept = kept.reshape(images, n)
        place = torch.cumsum(kept, 1)
        slot = torch.where((kept != 0) & (place <= limit), place - 1, limit)
        index = torch.full((images, limit + 1), -1, dtype=torch.int64, device=rows.device)
        index.scatter_(1, slot, order)
        return index[:, :limit].contiguous(), place[:, -1].clamp(max=limit)


def _dense(keys: Any) -> Any:
    """A number for each key, equal for equal ones, below how many there are."""
    values, at = torch.sort(keys)
    numbers = torch.zeros_like(at)
    numbers[1:] = torch.cumsum(values[1:] != values[:-1], 0)
    return torch.empty_like(at).scatter_(0, at, numbers)
