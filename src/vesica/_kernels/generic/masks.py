"""Parts of dense masks in array-API code. Pixels are counted some rows at a time: no stack of floats is made."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vesica._array import Array, cast, device, dtype_name, from_numpy, namespace, need_int64, widest_float

_NUMBERS = 1 << 22
# Sums of so many ones are exact in float32, in whatever order a device adds them.
_EXACT = 1 << 24


def is_set(a: Array) -> Array:
    """Which pixels belong."""
    return a if dtype_name(a) == "bool" else a != 0


def decode(counts: np.ndarray, offsets: np.ndarray, size: tuple[int, int], like: Array) -> Array:
    """The masks of canonical counts, which go down the columns, as a stack of booleans where `like` is."""
    number = np.arange(len(counts)) - np.repeat(offsets[:-1], np.diff(offsets))
    columns = np.repeat(number % 2 == 1, counts).reshape(len(offsets) - 1, size[1], size[0])
    return from_numpy(np.ascontiguousarray(columns.transpose(0, 2, 1)), like)


def inter(a: Array, b: Array, *, aligned: bool) -> Array:
    """The pixels that masks share: (N, M), or (N,) when aligned. Stacks are (N, H, W) and (M, H, W)."""
    xp = namespace(a)
    need_int64(a)
    n, m = int(a.shape[0]), int(b.shape[0])
    total = xp.zeros((n,) if aligned else (n, m), dtype=xp.int64, device=device(a))
    for rows in _rows(a, max(n, m)):
        left, right = _flat(a, rows), _flat(b, rows)
        if aligned:
            total = total + xp.sum(cast(left & right, "int64"), axis=1)
        else:
            shared = cast(left, "float32") @ cast(right, "float32").T
            total = total + cast(xp.round(shared), "int64")
    return total


def area(a: Array) -> Array:
    """The pixels of each mask."""
    return inter(a, a, aligned=True)


def boxes(a: Array) -> Array:
    """The box around each mask, [0, 0, 0, 0] for no pixels."""
    xp = namespace(a)
    need_int64(a)
    seen = is_set(a)
    x1, x2 = _span(xp.any(seen, axis=1))
    y1, y2 = _span(xp.any(seen, axis=2))
    return xp.stack([x1, y1, x2, y2], axis=-1)


def inter_boxes(masks: Array, rows: Array, *, aligned: bool) -> Array:
    """The area of masks inside boxes: (N, K), or (N,) when aligned. Cut pixels count in part; the gradient flows.

    Along each axis a box covers a share of every pixel. The area is the mask times both shares, summed.
    """
    xp = namespace(masks)
    height, width = int(masks.shape[1]), int(masks.shape[2])
    across, down = _shares(rows[:, 0], rows[:, 2], width), _shares(rows[:, 1], rows[:, 3], height)
    found = []
    for i in range(int(masks.shape[0])):
        mask = cast(is_set(masks[i, ...]), widest_float(masks))
        if aligned:
            found.append(xp.sum(down[i, :] * (mask @ across[i, :])))
        else:
            found.append(xp.sum(down * (across @ mask.T), axis=1))
    if found:
        return xp.stack(found)
    return xp.zeros((0,) if aligned else (0, int(rows.shape[0])), dtype=rows.dtype, device=device(rows))


def _shares(low: Array, high: Array, count: int) -> Array:
    """How much of each of `count` pixels lies between: (K, count)."""
    xp = namespace(low)
    pixel = cast(xp.arange(count, device=device(low)), widest_float(low))[None, :]
    return xp.clip(xp.minimum(high[:, None], pixel + 1) - xp.maximum(low[:, None], pixel), 0, None)


def _span(seen: Array) -> tuple[Array, Array]:
    """The first and one past the last True of each row; 0 and 0 where there is none."""
    xp = namespace(seen)
    count = int(seen.shape[1])
    if not count:
        nothing = xp.zeros((seen.shape[0],), dtype=xp.int64, device=device(seen))
        return nothing, nothing
    place = xp.arange(count, dtype=xp.int64, device=device(seen))[None, :]
    end = xp.max(xp.where(seen, place + 1, xp.zeros_like(place)), axis=1)
    begin = xp.min(xp.where(seen, place, xp.full_like(place, count)), axis=1)
    return xp.minimum(begin, end), end


def _rows(a: Array, masks: int) -> Iterator[slice]:
    """Rows of the images, some at a time."""
    height, width = int(a.shape[1]), max(1, int(a.shape[2]))
    step = max(1, min(_EXACT, _NUMBERS // max(1, masks)) // width)
    for top in range(0, height, step):
        yield slice(top, min(top + step, height))


def _flat(a: Array, rows: slice) -> Array:
    xp = namespace(a)
    part = is_set(a[:, rows, :])
    return xp.reshape(part, (part.shape[0], part.shape[1] * part.shape[2]))
