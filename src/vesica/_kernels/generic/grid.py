"""Boxes on a grid in array-API code: from the outputs of a network to pixels, with gradients."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from vesica._array import Array, cast, device, dtype_name, library, namespace, real, widened


def decode(head: Array, stride: int, anchors: Sequence[tuple[float, float]], activation: str) -> Array:
    """(B, A, rows, columns, 5 + C) → (B, A · rows · columns, 5 + C): corners in pixels, objectness, classes."""
    head = real(head)
    head = cast(head, widened(dtype_name(head)))
    xp = namespace(head)
    there, dtype = device(head), head.dtype
    batch, count, rows, columns, width = (int(side) for side in head.shape)

    with _quiet(head):
        offsets, sizes, chances = _activated(head, activation)
        column = xp.arange(columns, dtype=dtype, device=there)
        row = xp.reshape(xp.arange(rows, dtype=dtype, device=there), (rows, 1))
        sides = xp.reshape(xp.asarray(anchors, dtype=dtype, device=there), (count, 1, 1, 2))
        x, y = (offsets[..., 0] + column) * stride, (offsets[..., 1] + row) * stride
        w, h = sizes[..., 0] * sides[..., 0], sizes[..., 1] * sides[..., 1]

        corners = xp.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], axis=-1)
    return xp.reshape(xp.concat([corners, chances], axis=-1), (batch, count * rows * columns, width))


def _quiet(head: Array) -> contextlib.AbstractContextManager[Any]:
    """NumPy warns of overflow, and a network may say anything. torch does not, and its compiler knows no such word."""
    return contextlib.nullcontext() if library(head) == "torch" else np.errstate(over="ignore")


def _activated(head: Array, activation: str) -> tuple[Array, Array, Array]:
    """Offsets in cells, sizes in anchors, objectness and classes as chances."""
    xp = namespace(head)
    offsets, sizes, chances = head[..., :2], head[..., 2:4], head[..., 4:]
    if activation == "v3":
        return _sigmoid(offsets), xp.exp(sizes), _sigmoid(chances)
    if activation == "v5":
        twice = 2 * _sigmoid(sizes)
        return 2 * _sigmoid(offsets) - 0.5, twice * twice, _sigmoid(chances)
    return offsets, sizes, chances


def _sigmoid(x: Array) -> Array:
    """1 / (1 + exp(−x)) without overflow: the exponent is never positive, and at 0 the slope is right."""
    xp = namespace(x)
    e = xp.exp(xp.where(x >= 0, -x, x))
    return xp.where(x >= 0, xp.ones_like(x), e) / (1 + e)
