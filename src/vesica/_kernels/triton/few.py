"""Suppression among few boxes on a CUDA device: all pairs are looked at, in four launches and without a sort.

Boxes lie in the order of their ranks, in tiles of 32. Only better rows can drop a row, so a tile waits for those before
it alone, and tiles are begun in their order.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from vesica._check import Threshold
from vesica._kernels.triton.arithmetic import INTERPRETED, from_bits
from vesica._kernels.triton.launch import bits, cdiv, in_rows, launch, next_power_of_2, on_device_of
from vesica._kernels.triton.overlaps import decided, quickly

TILE = 32
MOST = 16384
"""Boxes of an image: of more the pairs take longer than sorting the boxes by where they lie."""
MOST_WORDS = 1 << 27
"""Of all pairs of tiles: 512 MB."""
PROGRAMS = 132 * 8
CHUNK, GATHERED = 8, 64
"""Tiles that a program compares one with; and that are written to the answer at once."""
BAD, TICKET, UNSURE, DOUBTFUL, COUNT, FACTS = (tl.constexpr(k) for k in (0, 1, 2, 3, 4, 6))
"""Places of the facts: a score is NaN; how many tiles were begun; a pair that floats cannot decide; how many
pairs of tiles float32 could not decide; how many stay, where an aligned array may begin."""


@triton.jit(do_not_specialize=["n", "least"])
def _rank(
    rows, scores, keys, facts, order, out, alive, out_keys, n, least, HAS_KEYS: tl.constexpr, HAS_LEAST: tl.constexpr,
    TILE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Put each box where its rank is: how many scores are higher, or equal and before it."""
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    here = i < n
    mine = tl.load(scores + i, here, other=0)
    rank = tl.zeros([TILE], tl.int32)
    first = n * 0
    while first < n:
        j = first + tl.arange(0, BLOCK)
        theirs = tl.load(scores + j, j < n, other=0)[None, :]
        ahead = (theirs > mine[:, None]) | ((theirs == mine[:, None]) & (j[None, :] < i[:, None]))
        rank += tl.sum((ahead & (j < n)[None, :]).to(tl.int32), axis=1)
        first += BLOCK
    bad = tl.max(tl.where(here & (mine != mine), n - i, 0), axis=0)
    if bad > 0:
        tl.atomic_max(facts + BAD, bad.to(tl.int64))
    tl.store(order + rank, i.to(tl.int64), here)
    for column in tl.static_range(4):
        tl.store(out + rank * 4 + column, tl.load(rows + i * 4 + column, here, other=0), here)
    if HAS_LEAST:
        tl.store(alive + rank, (mine.to(tl.float64) >= from_bits(least, mine.to(tl.float64))).to(tl.int8), here)
    if HAS_KEYS:
        tl.store(out_keys + rank, tl.load(keys + i, here, other=0), here)


@triton.jit
def _side(rows, first, row, n):
    """Corners of some boxes of an image; of those past its end, of none."""
    at = rows + (first + row) * 4
    x1, y1 = tl.load(at, row < n, other=0), tl.load(at + 1, row < n, other=0)
    return x1, y1, tl.load(at + 2, row < n, other=-1), tl.load(at + 3, row < n, other=-1)


@triton.jit
def _taken(a1, a3, b1, b3, keys, first, row, other, n, HAS_KEYS: tl.constexpr):
    """Which pairs are asked for: with better boxes, of one key."""
    taken = (a3 > a1)[:, None] & (b3 > b1)[None, :] & (other[None, :] < row[:, None])
    if HAS_KEYS:
        mine, theirs = tl.load(keys + first + row, row < n, other=0), tl.load(keys + first + other, other < n, other=0)
        taken = taken & (mine[:, None] == theirs[None, :])
    return taken


@triton.jit(do_not_specialize=["n", "tiles", "chunks", "over", "under"])
def _quick(
    rows, keys, words, doubtful, facts, n, tiles, chunks, over, under, HAS_KEYS: tl.constexpr, CHUNK: tl.constexpr,
    TILE: tl.constexpr,
):  # fmt: skip
    """For each box a word for each tile up to its own: the better boxes there that it overlaps too much, in float32.

    A program goes through some tiles. Pairs of tiles that float32 cannot decide are listed.
    """
    program = tl.program_id(0)
    image, i, j = (program // (tiles * chunks)).to(tl.int64), program // chunks % tiles, program % chunks * CHUNK
    if j <= i:
        share = over.to(tl.float32) / under.to(tl.float32)
        lane = tl.arange(0, TILE)
        row = i * TILE + lane
        a1, a2, a3, a4 = _side(rows, image * n, row, n)
        begin = image * (tiles * (tiles + 1) // 2) + i * (i + 1) // 2
        end = tl.minimum(j + CHUNK, i + 1)
        while j < end:
            other = j * TILE + lane
            b1, b2, b3, b4 = _side(rows, image * n, other, n)
            hit, close = quickly(
                a1[:, None], a2[:, None], a3[:, None], a4[:, None], b1[None, :], b2[None, :], b3[None, :], b4[None, :],
                share,
            )  # fmt: skip
            taken = _taken(a1, a3, b1, b3, keys, image * n, row, other, n, HAS_KEYS)
            word = tl.sum((taken & hit).to(tl.int32) << lane[None, :], axis=1)
            tl.store(words + (begin + j) * TILE + lane, word)
            if tl.max(tl.max((taken & close).to(tl.int32), axis=1), axis=0) > 0:
                place = tl.atomic_add(facts + DOUBTFUL, 1)
                tl.store(doubtful + place, (image * tiles + i) * tiles + j)
            j += 1


@triton.jit(do_not_specialize=["n", "tiles", "images", "over", "under"])
def _exact(
    rows, keys, words, doubtful, facts, n, tiles, images, over, under, STRICT: tl.constexpr, HAS_KEYS: tl.constexpr,
    LISTED: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """The same in float64, for the pairs of tiles that are listed, or for all. What that cannot decide is told."""
    lane = tl.arange(0, TILE)
    p, q = over.to(tl.float64), under.to(tl.float64)
    at = tl.program_id(0).to(tl.int64)
    if LISTED:
        count = tl.load(facts + DOUBTFUL)
    else:
        count = images.to(tl.int64) * tiles * tiles
    while at < count:
        if LISTED:
            pair = tl.load(doubtful + at)
        else:
            pair = at
        image, i, j = pair // tiles // tiles, pair // tiles % tiles, pair % tiles
        if j <= i:
            row, other = i * TILE + lane, j * TILE + lane
            a1, a2, a3, a4 = _side(rows, image * n, row, n)
            b1, b2, b3, b4 = _side(rows, image * n, other, n)
            taken = _taken(a1, a3, b1, b3, keys, image * n, row, other, n, HAS_KEYS)
            hit, unsure = decided(
                a1.to(tl.float64)[:, None], a2.to(tl.float64)[:, None], a3.to(tl.float64)[:, None],
                a4.to(tl.float64)[:, None], b1.to(tl.float64)[None, :], b2.to(tl.float64)[None, :],
                b3.to(tl.float64)[None, :], b4.to(tl.float64)[None, :], p, q, STRICT,
            )  # fmt: skip
            place = image * (tiles * (tiles + 1) // 2) + i * (i + 1) // 2 + j
            tl.store(words + place * TILE + lane, tl.sum((taken & hit).to(tl.int32) << lane[None, :], axis=1))
            if tl.max(tl.max((taken & unsure).to(tl.int32), axis=1), axis=0) > 0:
                tl.atomic_max(facts + UNSURE, 1)
        at += tl.num_programs(0)


@triton.jit(do_not_specialize=["n", "tiles", "images", "limit"])
def _settle(
    words, alive, order, out, counts, facts, n, tiles, images, limit, HAS_ALIVE: tl.constexpr, FILLS: tl.constexpr,
    PARTNERS: tl.constexpr, GATHERED: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """A tile waits for those before it until all its rows are settled. The last tile of an image writes the answer.

    The state of a tile: a bit for each row that is settled, and above them one for each that is kept.
    """
    ticket = tl.atomic_add(facts + TICKET, 1)
    image, tile = ticket % images, ticket // images
    done, state = facts + FACTS + image, facts + FACTS + images + image * tiles
    lane, at = tl.arange(0, TILE), tl.arange(0, PARTNERS)
    row = tile * TILE + lane
    is_open = row < n
    if HAS_ALIVE:
        is_open = is_open & (tl.load(alive + image * n + row, row < n, other=0) != 0)
    begin = image * (tiles * (tiles + 1) // 2) + tile * (tile + 1) // 2
    mine = (at <= tile)[:, None]
    word = tl.load(words + (begin + at)[:, None] * TILE + lane[None, :], mine, other=0)
    shift = lane.to(tl.int64)
    kept = tl.zeros([TILE], tl.int32)
    said = tl.sum((~is_open).to(tl.int64) << shift, axis=0)
    tl.atomic_xchg(state + tile, said)
    left = tl.max(is_open.to(tl.int32), axis=0)
    while left > 0:
        theirs = tl.load(state + at, at <= tile, other=-1, volatile=True)
        is_kept, waits = (theirs >> 32).to(tl.int32), ~(theirs.to(tl.int32))
        # 2: a kept one overlaps it; 1: one that is not settled yet; 0: none.
        found = tl.where((word & is_kept[:, None]) != 0, 2, tl.where((word & waits[:, None]) != 0, 1, 0))
        verdict = tl.max(found, axis=0)
        kept = kept | (is_open & (verdict == 0)).to(tl.int32)
        is_open = is_open & (verdict == 1)
        now = tl.sum((~is_open).to(tl.int64) << shift, axis=0) | (tl.sum(kept.to(tl.int64) << shift, axis=0) << 32)
        if now != said:
            tl.atomic_xchg(state + tile, now)
        said = now
        left = tl.max(is_open.to(tl.int32), axis=0)
    if tl.atomic_add(done, 1) == tiles - 1:
        total, first = (ticket * 0).to(tl.int32), tiles * 0
        while first < tiles:
            some = first + tl.arange(0, GATHERED)
            states = tl.load(state + some, some < tiles, other=0, volatile=True)
            each = ((states[:, None] >> (32 + shift[None, :])) & 1).to(tl.int32)
            count = tl.sum(each, axis=1)
            place = total + (tl.cumsum(count, axis=0) - count)[:, None] + tl.cumsum(each, axis=1) - 1
            stays = (each != 0) & (place < limit)
            rows = some[:, None] * TILE + lane[None, :]
            tl.store(out + image * limit + place, tl.load(order + image * n + rows, stays, other=0), stays)
            total += tl.sum(count, axis=0)
            first += GATHERED
        total = tl.minimum(total, limit)
        tl.store(counts + image, total.to(tl.int64))
        if FILLS:
            slot = total
            while slot < limit:
                free = slot + tl.arange(0, 256)
                tl.store(out + image * limit + free, -1, free < limit)
                slot += 256


def fits(images: int, n: int) -> bool:
    """Are they few?"""
    tiles = -(-n // TILE)
    return 0 < n <= MOST and 0 < images * tiles * (tiles + 1) * TILE // 2 <= MOST_WORDS


def chosen(
    rows: Any, scores: Any, keys: Any, threshold: Threshold, min_score: float, limit: int
) -> tuple[int, Any] | None:
    """The first row whose score is NaN, or −1, and the rows that stay, best first; None: the host must decide.

    The device is waited for once, at the end. `limit` 0 is none.
    """
    n = int(rows.shape[0])
    tiles = cdiv(n, TILE)
    rows, scores = in_rows(rows), in_rows(scores)
    with on_device_of(rows):
        facts = _facts(1, tiles, rows)
        order = torch.empty(n, dtype=torch.int64, device=rows.device)
        out, ranked = torch.empty_like(order), torch.empty_like(rows)
        has_least = min_score != float("-inf")
        alive = torch.empty(n, dtype=torch.int8, device=rows.device) if has_least else order
        has_keys = keys is not None
        given, ranked_keys = (in_rows(keys), torch.empty_like(keys)) if has_keys else (order, order)
        launch(
            _rank,
            tiles,
            (rows, scores, given, facts, order, ranked, alive, ranked_keys, n, bits(min_score)),
            (has_keys, has_least, TILE, 1024),
        )
        _settled(ranked, ranked_keys, alive, order, out, facts, facts[COUNT.value :], 1, n, limit or n, threshold,
                 has_keys, has_least, False)  # fmt: skip
        bad, _, is_unsure, _, count, _ = facts[: FACTS.value].tolist()
    if bad:
        return n - bad, out[:0]
    return None if is_unsure else (-1, out[:count])


def padded(rows: Any, order: Any, alive: Any, keys: Any, threshold: Threshold, limit: int) -> tuple[Any, Any]:
    """(B, limit) rows and (B,) counts of B images, whose boxes come best first. Nothing is waited for."""
    images, n, _ = rows.shape
    rows, order, alive = in_rows(rows), in_rows(order), in_rows(alive.view(torch.uint8))
    with on_device_of(rows):
        facts = _facts(images, cdiv(n, TILE), rows)
        index = torch.empty((images, limit), dtype=torch.int64, device=rows.device)
        counts = torch.empty(images, dtype=torch.int64, device=rows.device)
        given = order if keys is None else in_rows(keys)
        _settled(rows, given, alive, order, index, facts, counts, images, n, limit, threshold, keys is not None, True,
                 True)  # fmt: skip
    return index, counts


def _facts(images: int, tiles: int, like: Any) -> Any:
    """The facts; of each image how many tiles are done; and of each tile its state."""
    return torch.zeros(FACTS.value + images * (1 + tiles), dtype=torch.int64, device=like.device)


def _settled(
    rows: Any, keys: Any, alive: Any, order: Any, out: Any, facts: Any, counts: Any, images: int, n: int, limit: int,
    threshold: Threshold, has_keys: bool, has_alive: bool, fills: bool,
) -> None:  # fmt: skip
    tiles = cdiv(n, TILE)
    pairs = images * tiles * (tiles + 1) // 2
    words = torch.empty(pairs * TILE, dtype=torch.int32, device=rows.device)
    numbers = threshold.p, threshold.q << threshold.shift
    is_wide = rows.dtype == torch.float64
    doubtful = facts if is_wide else torch.empty(pairs, dtype=torch.int64, device=rows.device)
    given, chunks = (rows, keys, words, doubtful, facts, n, tiles), cdiv(tiles, CHUNK)
    if not is_wide:
        launch(_quick, images * tiles * chunks, (*given, chunks, *numbers), (has_keys, CHUNK, TILE))
    launch(
        _exact,
        1 if INTERPRETED else min(pairs, PROGRAMS),
        (*given, images, *numbers),
        (threshold.strict, has_keys, not is_wide, TILE),
    )
    partners = max(16, next_power_of_2(tiles))
    launch(
        _settle,
        images * tiles,
        (words, alive, order, out, counts, facts, n, tiles, images, limit),
        (has_alive, fills, partners, GATHERED, TILE),
        warps=max(1, min(8, partners // 32)),
    )
