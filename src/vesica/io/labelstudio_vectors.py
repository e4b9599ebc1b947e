"""Vectors of Label Studio: lines and curves from point to point, which enclose a region where they are closed.

A point that `isBezier` has a handle for the curve that comes in, `controlPoint1`, and one for that which goes out,
`controlPoint2`. Where one end of a curve alone has its handle, that of the other lies at three tenths of the way.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from vesica.io import json_fields as check

PIECES = 16
"""Straight pieces that a curve becomes."""
_THIRD = 0.3


def ring_of(vertices: Any, place: str, /) -> np.ndarray | None:
    """(P, 2) percent: the corners of a closed vector, curves in small pieces; None of one that branches."""
    points = [check.fields(one, f"{place}, point {k}") for k, one in enumerate(check.listed(vertices, place))]
    if _branches(points):
        return None
    at = [_point(one, f"{place}, point {k}") for k, one in enumerate(points)]
    pieces = [
        _piece(points[k - 1], at[k - 1], points[k], at[k], f"{place}, point {k}")
        for k in [*range(1, len(points)), 0][: len(points)]
    ]
    return np.concatenate([np.empty((0, 2)), *pieces])


def _branches(points: list[dict[str, Any]]) -> bool:
    """Does a point follow another one than that before it?"""
    pairs = itertools.pairwise(points)
    return any(later.get("prevPointId") not in (None, before.get("id")) for before, later in pairs)


def _piece(before: dict[str, Any], start: np.ndarray, after: dict[str, Any], end: np.ndarray, place: str) -> np.ndarray:
    """The corners behind `start`, with `end`."""
    out = _handle(before, "controlPoint2", place)
    into = _handle(after, "controlPoint1", place)
    if out is None and into is None:
        return end[None]
    out = start + _THIRD * (end - start) if out is None else out
    into = end - _THIRD * (end - start) if into is None else into
    t = np.arange(1, PIECES + 1)[:, None] / PIECES
    curve = (1 - t) ** 3 * start + 3 * (1 - t) ** 2 * t * out + 3 * (1 - t) * t**2 * into + t**3 * end
    return np.asarray(curve)


def _handle(point: dict[str, Any], key: str, place: str) -> np.ndarray | None:
    if not point.get("isBezier") or not isinstance(point.get(key), dict):
        return None
    return _point(point[key], f"{place}: `{key}`")


def _point(value: dict[str, Any], place: str) -> np.ndarray:
    return np.array([check.number(value.get(axis), f"{place}: `{axis}`") for axis in ("x", "y")])
