"""Non-maximum suppression in array-API code: with answers of a fixed shape, for tracers and other devices; and along
the pairs of a join, for formulas that are not compiled."""

from __future__ import annotations

import numpy as np

from vesica._array import Array, cast, device, dtype_name, from_numpy, namespace, real, repeat, widest_float
from vesica._kernels.generic.join import reaches
from vesica._kernels.pairs import pairs
from vesica._kernels.tables import Contest, Formula, Ranked, Tables


def nms_padded(contest: Contest, order: Array, alive: Array, limit: int) -> tuple[Array, Array]:
    """Keep at most `limit` rows of each image: (B, limit) rows, −1 where there are no more, and how many.

    `order` (B, N) has the rows of each image, best first; `alive` (B, N) says which places of it take part.
    """
    xp = namespace(order)
    contest = contest._replace(rows=cast(real(contest.rows), widest_float(contest.rows)))
    places = xp.arange(order.shape[1], dtype=order.dtype, device=device(order))[None, :]
    slots = xp.arange(limit, dtype=order.dtype, device=device(order))[None, :]

    def keep(k: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        alive, kept = state
        best = xp.argmax(cast(alive, "int8"), axis=1)  # the first that is left
        is_left = xp.any(alive, axis=1)[:, None]
        is_best = places == best[:, None]
        row = xp.sum(xp.where(is_best, order, xp.zeros_like(order)), axis=1, dtype=order.dtype)[:, None]
        kept = xp.where((slots == k) & is_left, row, kept)
        return alive & ~is_best & ~_suppressed(contest, best), kept

    none = xp.full((order.shape[0], limit), -1, dtype=order.dtype, device=device(order))
    if order.shape[1]:
        _, none = repeat(limit, keep, (alive, none), order)
    return none, xp.sum(xp.astype(none >= 0, order.dtype), axis=1, dtype=order.dtype)


def _suppressed(contest: Contest, best: Array) -> Array:
    """(B, N): which places the one at place `best` (B,) of each image suppresses."""
    rows, keys = contest.rows, contest.keys
    tables = Tables("boxes", in_order(rows, best[:, None]), rows, dtype_name(rows), 1, int(rows.shape[1]), rows)
    hit = reaches(contest.formula, contest.formula.parts(tables, False), contest.threshold)[:, 0, :]
    return hit if keys is None else hit & (keys == in_order(keys, best[:, None]))


def in_order(table: Array, order: Array) -> Array:
    """Rows of each image, as `order` (B, K) names them."""
    xp = namespace(table)
    if table.ndim == 3:
        order = xp.broadcast_to(order[:, :, None], (*order.shape, table.shape[2]))
    return xp.take_along_axis(table, order, axis=1)


def nms(
    tables: Tables, formula: Formula, ranked: Ranked, *, with_by: bool, threads: int | None
) -> tuple[int, Array, Array | None]:
    """The first row whose score is NaN, or −1; the kept rows, best first; what suppressed each row, if asked for.

    Memory is O(N + pairs that reach the threshold).
    """
    bad = np.flatnonzero(np.isnan(ranked.scores))
    if bad.size:
        return int(bad[0]), from_numpy(np.empty(0, np.int64), tables.like), None
    i, j, _ = pairs(tables, formula, ranked, once=False, threads=threads)
    starts = np.searchsorted(i, np.arange(tables.n + 1))
    images = np.zeros(tables.n, np.int64) if ranked.images is None else ranked.images
    room = np.full(int(images.max(initial=0)) + 1, ranked.limit or tables.n)

    order = np.argsort(-ranked.scores, kind="stable")
    by = np.full(tables.n, -1)
    is_open = np.ones(tables.n, bool)  # neither kept nor suppressed
    kept = []
    for row in order[ranked.scores[order] >= ranked.min_score].tolist():
        if not is_open[row] or not room[images[row]]:
            continue
        kept.append(row)
        room[images[row]] -= 1
        is_open[row] = False
        partners = j[starts[row] : starts[row + 1]]
        partners = partners[is_open[partners] & (ranked.scores[partners] >= ranked.min_score)]
        by[partners], is_open[partners] = row, False
    found = from_numpy(np.array(kept, np.int64), tables.like)
    return -1, found, from_numpy(by, tables.like) if with_by else None
