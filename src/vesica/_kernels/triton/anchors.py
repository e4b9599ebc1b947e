"""Max-IoU assignment on a CUDA device: of all images at once, and no matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl

from vesica._array import cast, from_numpy
from vesica._check import Threshold
from vesica._kernels.generic import anchors as generic
from vesica._kernels.tables import Formula, Tables
from vesica._kernels.triton.arithmetic import from_bits
from vesica._kernels.triton.formulas import value
from vesica._kernels.triton.launch import bits, cdiv, in_rows, launch, on_device_of
from vesica._kernels.triton.measure import corners

BLOCK = 256
"""Anchors that are looked at together."""
ENOUGH = 4096
"""Programs that keep a device busy."""


@triton.jit
def _iou(a1, a2, a3, a4, b1, b2, b3, b4, nothing):
    """In float64; of NaN 0: it is no partner."""
    found = value("iou", a1, a2, a3, a4, 0.0, b1, b2, b3, b4, 0.0, nothing, nothing, nothing, False)
    return tl.where(found == found, found, 0.0)


@triton.jit(do_not_specialize=["m", "shares", "zero"])
def _peaks(truths, anchors, out, m, shares, zero, BLOCK: tl.constexpr):
    """The largest iou that any anchor has with a truth, as bits: of numbers that are not negative they rise with them.

    A program looks at a share of the blocks of anchors.
    """
    truth = tl.program_id(0) // shares
    a1, a2, a3, a4 = corners(truths, truth, truth >= 0)
    nothing = from_bits(zero, a1)
    top = tl.zeros([BLOCK], tl.float64)
    first = tl.program_id(0) % shares * BLOCK
    while first < m:
        j = first + tl.arange(0, BLOCK)
        b1, b2, b3, b4 = corners(anchors, j, j < m)
        found = _iou(a1, a2, a3, a4, b1, b2, b3, b4, nothing)
        top = tl.maximum(top, tl.where(j < m, found, 0.0))
        first += BLOCK * shares
    tl.atomic_max(out + truth, tl.max(top, axis=0).to(tl.int64, bitcast=True))


@triton.jit(do_not_specialize=["m", "blocks", "zero"])
def _best(truths, anchors, starts, peaks, best, attains, m, blocks, zero, BLOCK: tl.constexpr):
    """The first of the best truths of each anchor, −1 where none shares area with it; is it as good as any for one?"""
    image = (tl.program_id(0) // blocks).to(tl.int64)
    j = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    b1, b2, b3, b4 = corners(anchors, j, j < m)
    nothing = from_bits(zero, b1)
    top, where = tl.zeros([BLOCK], tl.float64), tl.full([BLOCK], -1, tl.int64)
    is_peak = tl.zeros([BLOCK], tl.int32)
    truth, end = tl.load(starts + image), tl.load(starts + image + 1)
    while truth < end:
        a1, a2, a3, a4 = corners(truths, truth, truth < end)
        found = _iou(a1, a2, a3, a4, b1, b2, b3, b4, nothing)
        is_peak = is_peak | ((found == tl.load(peaks + truth)) & (found > 0)).to(tl.int32)
        where = tl.where(found > top, truth, where)
        top = tl.maximum(top, found)
        truth += 1
    tl.store(best + image * m + j, where, j < m)
    tl.store(attains + image * m + j, is_peak.to(tl.int8), j < m)


def assign(
    tables: Tables,
    formula: Formula,
    offsets: np.ndarray,
    positive: Threshold,
    negative: Threshold,
    *,
    threads: int | None,
) -> tuple[Any, Any, Any]:
    """As the generic one: rows of the best truths, values with them, marks, each (B, N). No device is waited for."""
    images = len(offsets) - 1
    if not tables.n * tables.m * images:
        return generic.assign(tables, formula, offsets, positive, negative, threads=threads)
    truths, anchors = (
        in_rows(side.double() if side.is_floating_point() else side) for side in (tables.a, tables.b)
    )  # fmt: skip
    there, zero, m = truths.device, bits(0.0), tables.m
    with on_device_of(truths):
        starts = from_numpy(np.ascontiguousarray(offsets, np.int64), truths)
        peaks = torch.zeros(tables.n, dtype=torch.int64, device=there)
        best = torch.empty((images, m), dtype=torch.int64, device=there)
        attains = torch.empty((images, m), dtype=torch.int8, device=there)
        shares = max(1, min(cdiv(m, BLOCK), ENOUGH // tables.n))
        launch(_peaks, tables.n * shares, (truths, anchors, peaks, m, shares, zero), (BLOCK,))
        blocks = cdiv(m, BLOCK)
        launch(
            _best,
            images * blocks,
            (truths, anchors, starts, peaks.view(torch.float64), best, attains, m, blocks, zero),
            (BLOCK,),
        )
    every = anchors.expand(images, m, 4).reshape(-1, 4)
    pairs = tables._replace(a=truths, b=every, m=images * m, dtype="float64")
    found = generic.marked(pairs, formula, best.reshape(-1), attains.reshape(-1) != 0, positive, negative)
    rows, values, marks = (column.reshape(images, m) for column in found)
    return rows, cast(values, tables.dtype), marks
