"""Peers for masks: the four that know runs, and what one does with pixels in NumPy."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.cases_masks import Images, Rle
from benchmarks.contender import Call, Contender

RUNS = {
    "pycocotools": "pycocotools.mask",
    "hotcoco": "hotcoco.mask",
    "ultrafast": "ultrafast_pycocotools.mask",
    "faster_coco_eval": "faster_coco_eval.core.mask",
}
"""One interface, four libraries: pycocotools wrote it, the others keep it."""

PIXEL_BLOCK = 1 << 16
"""Pixels of all masks that are multiplied at once: as floats they stay out of main memory."""
WORD_BLOCK = 512
"""Words of all masks that are counted at once."""


def flat(matrices: list[np.ndarray]) -> np.ndarray:
    """One matrix a photograph, as one row of numbers."""
    return np.concatenate([np.ravel(matrix) for matrix in matrices])


def runs(rles: list[Rle]) -> list[tuple[tuple[int, ...], bytes]]:
    return [(tuple(rle["size"]), rle["counts"]) for rle in rles]


def mask_module(library: str) -> ModuleType:
    name = RUNS[library]
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        # A module inside the package's binary can be had as an attribute alone.
        package, _, inner = name.rpartition(".")
        module: ModuleType = getattr(importlib.import_module(package), inner)
        return module


def _iou(library: str) -> Callable[[Images, Images], Call]:
    def prepare(a: Images, b: Images) -> Call:
        mask = mask_module(library)
        pairs = [(left, right, [0] * len(right)) for left, right in zip(a, b, strict=True)]
        return lambda: [mask.iou(*pair) for pair in pairs]

    return prepare


def to_fortran(stack: np.ndarray) -> np.ndarray:
    """(H, W, N), columns together, as the libraries of runs want it. One copy, the faster of NumPy's two ways."""
    return np.ascontiguousarray(stack.transpose(0, 2, 1)).transpose(2, 1, 0).view(np.uint8)


def _encoder(library: str) -> Callable[[np.ndarray], list[Rle]]:
    """From (N, H, W) bool, for each in the way that is its fastest.

    hotcoco reads any order, sooner than NumPy brings it into another; ultrafast is best fed one mask at a time,
    while it is in the cache.
    """
    mask = mask_module(library)
    if library == "hotcoco":
        return lambda stack: mask.encode(stack.transpose(1, 2, 0).view(np.uint8))
    if library == "ultrafast":
        return lambda stack: [mask.encode(np.asfortranarray(one)) for one in stack.view(np.uint8)]
    return lambda stack: mask.encode(to_fortran(stack))


def _encode(library: str) -> Callable[[np.ndarray, np.ndarray], Call]:
    def prepare(a: np.ndarray, _: np.ndarray) -> Call:
        encode = _encoder(library)
        return lambda: encode(a)

    return prepare


def _encode_and_iou(library: str) -> Callable[[np.ndarray, np.ndarray], Call]:
    def prepare(a: np.ndarray, b: np.ndarray) -> Call:
        encode, mask = _encoder(library), mask_module(library)
        return lambda: mask.iou(encode(a), encode(b), [0] * len(b))

    return prepare


def _decode(library: str) -> Callable[[Images, Images], Call]:
    def prepare(a: Images, _: Images) -> Call:
        mask = mask_module(library)
        return lambda: mask.decode(a[0])

    return prepare


def _our_order(stack: np.ndarray) -> np.ndarray:
    return stack.transpose(2, 0, 1).view(bool)


def _ratio(inter: np.ndarray, area_a: np.ndarray, area_b: np.ndarray) -> np.ndarray:
    return inter / (area_a[:, None] + area_b - inter)


def _matmul(a: np.ndarray, b: np.ndarray) -> Call:
    """Block by block: four times as fast as all pixels at once, whose floats would fill gigabytes."""
    rows_a, rows_b = a.reshape(len(a), -1), b.reshape(len(b), -1)

    def call() -> np.ndarray:
        inter = np.zeros((len(a), len(b)), np.float32)  # exact up to 2**24 pixels
        for start in range(0, rows_a.shape[1], PIXEL_BLOCK):
            block_a, block_b = (rows[:, start : start + PIXEL_BLOCK].astype(np.float32) for rows in (rows_a, rows_b))
            inter += block_a @ block_b.T
        return _ratio(inter.astype(np.float64), np.count_nonzero(rows_a, axis=1), np.count_nonzero(rows_b, axis=1))

    return call


def _popcount(a: np.ndarray, b: np.ndarray) -> Call:
    """Eight pixels a byte, eight bytes a word; photographs here have whole words."""

    def call() -> np.ndarray:
        words_a, words_b = (np.packbits(t.reshape(len(t), -1), axis=1).view(np.uint64) for t in (a, b))
        inter = np.zeros((len(a), len(b)), np.int64)
        for start in range(0, words_a.shape[1], WORD_BLOCK):
            block = np.ascontiguousarray(words_b[:, start : start + WORD_BLOCK])
            for row, counts in zip(words_a[:, start : start + WORD_BLOCK], inter, strict=True):
                counts += _set_bits(row & block)
        return _ratio(inter, _set_bits(words_a), _set_bits(words_b))

    return call


def _set_bits(words: np.ndarray) -> np.ndarray:
    counts: np.ndarray = np.bitwise_count(words).sum(axis=1, dtype=np.int64)
    return counts


def _supervision(a: np.ndarray, b: np.ndarray) -> Call:
    from supervision import mask_iou_batch

    return lambda: mask_iou_batch(a, b)


def _supervision_compact(a: np.ndarray, b: np.ndarray) -> Call:
    """Cut to their boxes first; the boxes must be found as well."""
    from supervision import mask_iou_batch, mask_to_xyxy
    from supervision.detection.compact_mask import CompactMask

    def compact(stack: np.ndarray) -> Any:
        return CompactMask.from_dense(stack, mask_to_xyxy(stack), image_shape=stack.shape[1:])

    return lambda: mask_iou_batch(compact(a), compact(b))


FLOAT32 = 1e-7
MASK_PEERS = (
    *(Contender(f"{name}.iou", name, _iou(name), flat) for name in RUNS),
    *(Contender(f"{name}.encode", name, _encode(name), runs) for name in RUNS),
    *(Contender(f"{name}.decode", name, _decode(name), _our_order) for name in RUNS),
    *(Contender(f"{name}.encode and iou", name, _encode_and_iou(name)) for name in RUNS),
    Contender("numpy float32 matmul", "numpy", _matmul),
    Contender("numpy packbits and popcount", "numpy", _popcount),
    Contender("supervision.mask_iou_batch", "supervision", _supervision, rounding=FLOAT32),
    Contender("supervision.CompactMask", "supervision", _supervision_compact, rounding=FLOAT32),
)
