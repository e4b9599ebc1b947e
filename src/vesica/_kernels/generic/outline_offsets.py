"""How far the outlines of pairs of masks are apart, in plain arrays: every pixel against every pixel."""

from __future__ import annotations

import numpy as np

from vesica._kernels.generic.surfaces import nearest, places, surface

Runs = tuple[np.ndarray, np.ndarray]
"""Canonical counts, and where those of each mask begin."""


def outline_offsets(
    a: Runs, rows_a: np.ndarray, b: Runs, rows_b: np.ndarray, height: int, *, threads: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """For pairs of rows how far the outline of b lies outside that of a, and the mean distance of both."""
    offset, distance = np.full((2, len(rows_a)), np.nan)
    for k, pair in enumerate(zip(rows_a.tolist(), rows_b.tolist(), strict=True)):
        one, other = (_decoded(side, row, height) for side, row in zip((a, b), pair, strict=True))
        if one.any() and other.any():
            offset[k], distance[k] = _compared(one, other)
    return offset, distance


def outline_histograms(
    a: Runs,
    rows_a: np.ndarray,
    b: Runs,
    rows_b: np.ndarray,
    height: int,
    *,
    step: float,
    bins: int,
    threads: int | None = None,
) -> np.ndarray:
    """(P, bins) uint32: of pairs of rows how many pixels of both outlines are how far from the other one."""
    out = np.zeros((len(rows_a), bins), np.uint32)
    for k, pair in enumerate(zip(rows_a.tolist(), rows_b.tolist(), strict=True)):
        one, other = (_decoded(side, row, height) for side, row in zip((a, b), pair, strict=True))
        if one.any() and other.any():
            at = [places(surface(mask), (1.0, 1.0)) for mask in (one, other)]
            away = np.sqrt(np.concatenate([nearest(at[0], at[1]), nearest(at[1], at[0])]))
            out[k] = np.bincount(np.minimum(np.ceil(away / step), bins - 1).astype(np.int64), minlength=bins)
    return out


def edge_pixels(
    a: Runs,
    rows_a: np.ndarray,
    b: Runs,
    rows_b: np.ndarray,
    height: int,
    *,
    within: float,
    threads: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Of pairs of rows how many pixels one alone has, and how many of these are near an outline."""
    differ, near = np.zeros((2, len(rows_a)), np.int64)
    for k, pair in enumerate(zip(rows_a.tolist(), rows_b.tolist(), strict=True)):
        one, other = (_decoded(side, row, height) for side, row in zip((a, b), pair, strict=True))
        apart = one ^ other
        differ[k] = apart.sum()
        if differ[k]:
            edges = places(surface(one) | surface(other), (1.0, 1.0))
            near[k] = (nearest(places(apart, (1.0, 1.0)), edges) <= within * within).sum()
    return differ, near


def _decoded(masks: Runs, row: int, height: int) -> np.ndarray:
    """(width, height): columns of the image are rows."""
    counts = masks[0][masks[1][row] : masks[1][row + 1]]
    return np.repeat(np.arange(len(counts)) % 2 == 1, counts).reshape(-1, height)


def _compared(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    edges = surface(a), surface(b)
    at = [places(edge, (1.0, 1.0)) for edge in edges]
    from_a, from_b = np.sqrt(nearest(at[0], at[1])), np.sqrt(nearest(at[1], at[0]))
    beyond_a, beyond_b = (
        np.where(mask[edge], -away, away).mean() for mask, edge, away in ((a, edges[1], from_b), (b, edges[0], from_a))
    )
    return float(beyond_a - beyond_b) / 2, float(np.concatenate([from_a, from_b]).mean())
