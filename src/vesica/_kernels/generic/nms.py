"""Non-maximum suppression in array-API code, with answers of a fixed shape: for tracers and other devices."""

from __future__ import annotations

from collections.abc import Callable

from vesica._array import Array, cast, device, namespace, repeat


def nms(order: Array, alive: Array, limit: int, suppressed: Callable[[Array], Array]) -> tuple[Array, Array]:
    """Keep at most `limit` rows of each image: (B, limit) rows, −1 where there are no more, and how many.

    `order` (B, N) has the rows of each image, best first; `alive` (B, N) says which places of it take part.
    `suppressed(best)` gives (B, N): which places the one at place `best` (B,) of each image suppresses.
    """
    xp = namespace(order)
    places = xp.arange(order.shape[1], dtype=order.dtype, device=device(order))[None, :]
    slots = xp.arange(limit, dtype=order.dtype, device=device(order))[None, :]

    def keep(k: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        alive, kept = state
        best = xp.argmax(cast(alive, "int8"), axis=1)  # the first that is left
        is_left = xp.any(alive, axis=1)[:, None]
        is_best = places == best[:, None]
        row = xp.sum(xp.where(is_best, order, xp.zeros_like(order)), axis=1, dtype=order.dtype)[:, None]
        kept = xp.where((slots == k) & is_left, row, kept)
        return alive & ~is_best & ~suppressed(best), kept

    none = xp.full((order.shape[0], limit), -1, dtype=order.dtype, device=device(order))
    if order.shape[1]:
        _, none = repeat(limit, keep, (alive, none), order)
    return none, xp.sum(xp.astype(none >= 0, order.dtype), axis=1, dtype=order.dtype)
