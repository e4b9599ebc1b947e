"""Masks of every form as the kernels read them, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import _native
from vesica._array import Array, contiguous, from_numpy, to_numpy
from vesica._kernels import native
from vesica._native import Pixels

# Pixels that are copied at a time when masks are not bytes in order.
_CHUNK = 1 << 25


def pack_masks(stack: np.ndarray, *, threads: int | None) -> Pixels:
    """Dense masks of any integer dtype as bits. What is not bytes in order is copied, some masks at a time."""
    n, height, width = stack.shape
    count = native.thread_count(threads)
    if stack.dtype.itemsize == 1 and stack.flags.c_contiguous:
        return _native.masks_pack(stack.view(np.uint8), count)
    step = max(1, _CHUNK // max(1, height * width))
    parts = []
    for top in range(0, max(n, 1), step):
        chunk = contiguous(stack[top : top + step] != 0).view(np.uint8)
        parts.append(_native.masks_pack(chunk, count))
    return Pixels.concat(parts) if len(parts) > 1 else parts[0]


def areas(stack: Array) -> Array:
    """The number of pixels of each of dense masks, int64."""
    return from_numpy(areas_of_pixels(pack_masks(to_numpy(stack), threads=None)), stack)


def boxes(stack: Array) -> Array:
    """The box around each of dense masks, zeros for no pixels."""
    return from_numpy(boxes_of_pixels(pack_masks(to_numpy(stack), threads=None)), stack)


def areas_of_pixels(pixels: Pixels) -> np.ndarray:
    """(N,) int64: the number of pixels of each mask."""
    return native.plain(pixels.area)[0]


def boxes_of_pixels(pixels: Pixels) -> np.ndarray:
    """(N, 4) int64: x1, y1, x2, y2 of each mask."""
    return native.plain(pixels.table[:, 1:5].copy())[0]


def unpack_masks(pixels: Pixels) -> np.ndarray:
    """Dense masks: (N, height, width) bool."""
    shape = (len(pixels), pixels.height, pixels.width)
    out = native.empty(shape, "uint8")
    _native.masks_unpack(pixels, out, native.default_threads())
    return out.view(np.bool_)


Flat = tuple[np.ndarray, np.ndarray]
"""Counts of many masks one after the other, and where each begins."""
CountFault = tuple[str, int, int]
"""What is wrong, with which mask, and where in it."""
COUNT_FAULTS = tuple(_native.count_fault_names())


def canonical_counts(counts: np.ndarray, offsets: np.ndarray, pixels: int) -> tuple[Flat, CountFault | None]:
    return _checked(*_native.rle_canonical(counts, offsets, pixels))


def pack_strings(texts: list[str | bytes], size: tuple[int, int]) -> Pixels | CountFault:
    """Compressed strings, each bytes or ASCII, as runs; or what is wrong with the first bad one."""
    found = _native.rle_from_strings(texts, *size, native.default_threads())
    return found if isinstance(found, Pixels) else (COUNT_FAULTS[found[0]], *found[1:])


def pack_coco(dicts: list[Any], limit: int) -> Pixels | None:
    """COCO's dicts as most are: sound strings, all of one image size. None for others."""
    return _native.rle_from_coco(dicts, limit, native.default_threads())


def _checked(flat: Flat, fault: int, mask: int, position: int) -> tuple[Flat, CountFault | None]:
    return _plain(*flat), (COUNT_FAULTS[fault], mask, position) if fault else None


def _plain(counts: np.ndarray, offsets: np.ndarray) -> Flat:
    counts, offsets = native.plain(counts, offsets)
    return counts, offsets


def strings_of_counts(counts: np.ndarray, offsets: np.ndarray) -> Flat:
    text, starts = _native.rle_to_strings(counts, offsets)
    return text, starts


def strings_of_columns(pixels: np.ndarray, masks: int) -> list[bytes]:
    """COCO's string of each of the masks, whose bytes lie column by column, one mask after the other."""
    return _native.rle_of_columns(pixels, masks)


def pack_counts(counts: np.ndarray, offsets: np.ndarray, size: tuple[int, int], *, threads: int | None) -> Pixels:
    """Canonical counts as bits or runs."""
    return _native.rle_pack(counts, offsets, *size, native.thread_count(threads))


def counts_of_pixels(pixels: Pixels, *, threads: int | None) -> Flat:
    """The way back."""
    return _plain(*_native.rle_unpack(pixels, native.thread_count(threads)))


def merge_counts(a: Flat, b: Flat, pixels: int, *, either: bool) -> Flat:
    return _plain(*_native.rle_merge(*a, *b, pixels, either))


def crop_counts(counts: np.ndarray, offsets: np.ndarray, height: int, window: tuple[int, int, int, int]) -> Flat:
    return _plain(*_native.rle_crop(counts, offsets, height, window))


def pack_indices(
    table: np.ndarray, size: tuple[int, int, int], *, drop: bool, threads: int | None
) -> Pixels | tuple[int, int]:
    """Rows n, y, x of pixels as bits or runs; or the axis and the column of the first index that lies outside."""
    return _native.sparse_pack(table[0], table[1], table[2], size, drop, native.thread_count(threads))
