"""Peers for sparse masks against boxes."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np

from benchmarks.cases_masks import Coo
from benchmarks.contender import Call, Contender
from benchmarks.peers_masks import FLOAT32, RUNS, mask_module, to_fortran

FEW = 5
"""Boxes for a call that walks through all pixels for each."""


def _special(threads: int | None) -> Callable[[Coo, np.ndarray], Call]:
    """One box a call, its indices filtered anew for each, in the order n, x, y. Torch may sort sooner on one thread."""

    def prepare(coo: Coo, boxes: np.ndarray) -> Call:
        import torch
        from pytorch_sparse_special.metrics import iou_sparse_masks_bbox
        from pytorch_sparse_special.special.sparse_mask import SparseMasksTensor

        torch.set_num_threads(threads or int(os.environ["OMP_NUM_THREADS"]))
        n, height, width = coo.size
        indices = torch.from_numpy(coo.indices[[0, 2, 1]])
        masks = SparseMasksTensor(indices, torch.ones(indices.shape[1]), (n, width, height))
        few = torch.from_numpy(boxes[:FEW].astype(np.int64))  # with fractions it would turn every index into one
        return lambda: torch.stack([iou_sparse_masks_bbox(masks, box) for box in few], dim=1)

    return prepare


def _filter(coo: Coo, boxes: np.ndarray) -> Call:
    """The same walk in NumPy, without a tensor around it."""
    layer, y, x = coo.indices

    def inside(box: np.ndarray) -> np.ndarray:
        x1, y1, x2, y2 = box
        is_inside = (x >= x1) & (x < x2) & (y >= y1) & (y < y2)
        return np.bincount(layer[is_inside], minlength=coo.size[0])

    def call() -> np.ndarray:
        few = boxes[:FEW]
        return _iou(np.column_stack([inside(box) for box in few]), np.bincount(layer, minlength=coo.size[0]), few)

    return call


def _cropped(coo: Coo, boxes: np.ndarray) -> Call:
    """A summed-area table for each mask, as large as its box; all corners of all boxes read at once."""
    corners = _corners(boxes)

    def call() -> np.ndarray:
        layer, y, x = coo.indices
        starts = np.searchsorted(layer, np.arange(coo.size[0] + 1))
        inter = np.zeros((coo.size[0], len(boxes)), np.int64)
        for row, first, last in zip(inter, starts[:-1], starts[1:], strict=True):
            if first < last:
                row += _inside(y[first:last], x[first:last], corners)
        return _iou(inter, np.diff(starts), boxes)

    return call


def _inside(y: np.ndarray, x: np.ndarray, corners: tuple[np.ndarray, ...]) -> np.ndarray:
    """One index a pixel instead of two: twice as fast in NumPy."""
    left, top = int(x.min()), int(y[0])  # rows are in order
    height, width = int(y[-1]) - top + 2, int(x.max()) - left + 2
    table = np.zeros((height, width), np.int32)
    at = y * width
    at += x
    at -= (top - 1) * width + left - 1
    table.reshape(-1)[at] = 1
    np.cumsum(table, axis=1, out=table)
    np.cumsum(table, axis=0, out=table)
    x1, x2 = (np.clip(edge - left, 0, width - 1) for edge in corners[::2])
    y1, y2 = (np.clip(edge - top, 0, height - 1) for edge in corners[1::2])
    return _between(table, x1, y1, x2, y2)


def _integral(coo: Coo, boxes: np.ndarray) -> Call:
    """The dense masks are given for free, and one table serves them all."""
    import cv2

    cv2.setNumThreads(int(os.environ["OMP_NUM_THREADS"]))
    stack, corners = _stack(coo).view(np.uint8), _corners(boxes)
    room = np.empty((coo.size[1] + 1, coo.size[2] + 1), np.int32)

    def call() -> np.ndarray:
        tables = (cv2.integral(mask, room) for mask in stack)
        found = [(table[-1, -1], _between(table, *corners)) for table in tables]
        areas, inter = zip(*found, strict=True)
        return _iou(np.stack(inter), np.array(areas), boxes)

    return call


def _boxes_as_runs(library: str) -> Callable[[Coo, np.ndarray], Call]:
    """The runs of the masks are given for free; those of the boxes are made."""

    def prepare(coo: Coo, boxes: np.ndarray) -> Call:
        mask = mask_module(library)
        masks = mask.encode(to_fortran(_stack(coo)))
        rows = np.column_stack([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]])
        return lambda: mask.iou(masks, mask.frPyObjects(rows, *coo.size[1:]), [0] * len(rows))

    return prepare


def _stack(coo: Coo) -> np.ndarray:
    stack = np.zeros(coo.size, bool)
    stack[tuple(coo.indices)] = True
    return stack


def _corners(boxes: np.ndarray) -> tuple[np.ndarray, ...]:
    return tuple(boxes.astype(np.int64).T)


def _between(table: np.ndarray, x1: np.ndarray, y1: np.ndarray, x2: np.ndarray, y2: np.ndarray) -> np.ndarray:
    flat, width = table.reshape(-1), table.shape[1]
    y1, y2 = y1 * width, y2 * width
    inside: np.ndarray = flat[y2 + x2] - flat[y1 + x2] - flat[y2 + x1] + flat[y1 + x1]
    return inside


def _iou(inter: np.ndarray, areas: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    return inter / (areas[:, None] + np.prod(boxes[:, 2:] - boxes[:, :2], axis=1) - inter)


SPARSE_PEERS = (
    # It divides whole numbers, which torch answers in float32.
    Contender("pytorch-sparse-special, a box a call", "torch", _special(None), rounding=FLOAT32, columns=FEW),
    Contender("pytorch-sparse-special, one thread", "torch", _special(1), rounding=FLOAT32, columns=FEW),
    Contender("numpy filter, a box at a time", "numpy", _filter, columns=FEW),
    Contender("numpy cropped integral", "numpy", _cropped),
    Contender("cv2.integral of dense masks", "cv2", _integral),
    *(Contender(f"{name} boxes as runs", name, _boxes_as_runs(name)) for name in RUNS),
)
