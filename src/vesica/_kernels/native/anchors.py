"""Max-IoU assignment by the compiled kernel."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._array import Array, cast, contiguous, from_numpy, to_numpy
from vesica._check import Threshold
from vesica._kernels import native
from vesica._kernels.tables import Formula, Tables


def assign(
    tables: Tables,
    formula: Formula,  # iou, the only one that is compiled
    offsets: np.ndarray,
    positive: Threshold,
    negative: Threshold,
    *,
    threads: int | None,
) -> tuple[Array, Array, Array]:
    """`tables` has truths first, anchors second. Rows of the best truths, ious with them, marks: each (B, N)."""
    truths, anchors = (contiguous(to_numpy(side)) for side in (tables.a, tables.b))
    shape = (len(offsets) - 1, tables.m)
    best, iou, marks = np.empty(shape, np.int64), np.empty(shape, np.float64), np.empty(shape, np.uint8)
    _native.anchors_assign(positive, negative, anchors, truths, offsets, best, iou, marks, native.thread_count(threads))
    found, value, seen = (from_numpy(column, tables.like) for column in (best, iou, marks))
    return found, cast(value, tables.dtype), seen


def assign_on_host(
    tables: Tables,
    formula: Formula,
    offsets: np.ndarray,
    positive: Threshold,
    negative: Threshold,
    *,
    threads: int | None,
) -> tuple[Array, Array, Array]:
    """The same for rows of another library that may be looked at; only the answer goes back."""
    rows = to_numpy(tables.a)
    host = tables._replace(a=rows, b=to_numpy(tables.b), like=rows)
    best, iou, marks = assign(host, formula, offsets, positive, negative, threads=threads)
    return from_numpy(best, tables.like), from_numpy(iou, tables.like), from_numpy(marks, tables.like)
