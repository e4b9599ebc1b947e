"""Clusters: k-means of shapes, and regions that hang together by their overlaps."""

from __future__ import annotations

from typing import Any

import numpy as np

import vesica
from vesica import _native, anchors

from . import sound
from .numbers import STRANGE, Rng, chance, corners, isa_level, odd, pick

DTYPES = ("float64", "float32", "float16", "int64", "int32", "uint8")


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    pick(rng, (_means, _components))(rng)


def _means(rng: Rng) -> None:
    shapes = _shapes(rng)
    options = {"k": odd(rng, int(rng.integers(1, 12))), "seed": odd(rng, int(rng.integers(0, 99)))}
    options |= {"rounds": int(rng.integers(1, 30)), "update": pick(rng, ("mean", "median"))}
    names = ("`shapes`", "`k`", "`seed`")
    found = sound.attempt(lambda: anchors.cluster(shapes, threads=int(rng.integers(1, 4)), **options), *names)
    if found is None:
        return
    rows = np.asarray(shapes)
    assert found.sizes.shape == (options["k"], 2) and np.all(found.sizes > 0) and np.all(np.isfinite(found.sizes))
    assert int(found.counts.sum()) == len(rows) and 1 <= found.rounds <= options["rounds"]
    assert 0 < found.mean_iou <= 1 and 0 <= found.recall <= 1
    again = anchors.cluster(shapes, threads=1, **options)
    assert found.sizes.tobytes() == again.sizes.tobytes() and found.mean_iou == again.mean_iou
    if found.sizes.dtype == np.float64:
        nearest = anchors.shape_iou(rows.astype(np.float64), found.sizes).max(axis=1)
        assert abs(nearest.mean() - found.mean_iou) < 1e-9


def _shapes(rng: Rng) -> Any:
    if chance(rng, 0.05):
        return pick(rng, (*STRANGE, [[]], [[1, 2, 3]], [[1, 2], [3]], np.zeros((2, 2), "U3")))
    count, scale = int(pick(rng, (0, 1, 5, 300, 9000))), pick(rng, (1.0, 100.0, 1e-60, 1e60, 1e150))
    shapes = rng.lognormal(0, pick(rng, (0.0, 0.5, 3.0)), (count, 2)) * scale
    if chance(rng, 0.4):
        shapes = np.clip(np.round(shapes), 1, 200).astype(pick(rng, DTYPES))
    if count and chance(rng, 0.1):
        shapes[-1] = pick(rng, (0, 1))
    if count and shapes.dtype.kind == "f" and chance(rng, 0.1):
        shapes[int(rng.integers(count)), 0] = pick(rng, (np.nan, np.inf, -1, 0, 1e300 if shapes.dtype == float else 2))
    return shapes


def _components(rng: Rng) -> None:
    """Groups of a transitive merge are the connected components of the graph of pairs, as SciPy finds them."""
    from scipy.sparse import coo_array  # late: SciPy is large, and few trials need it
    from scipy.sparse.csgraph import connected_components

    boxes = np.concatenate([corners(rng, 60, 60) for _ in range(int(rng.integers(1, 20)))])
    boxes = np.round(np.clip(boxes, -1e6, 1e6))
    scores = rng.random(len(boxes))
    options = {"above": pick(rng, (0.0, 0.05, 0.3, 0.9)), "strict": chance(rng, 0.5) or None}
    options = {name: value for name, value in options.items() if value is not None}
    keys = None if chance(rng, 0.5) else rng.integers(0, 3, len(boxes))
    merged = vesica.nmm(boxes, scores, how="transitive", keys=keys, threads=int(rng.integers(1, 4)), **options)
    linked = np.asarray(vesica.iou(boxes, boxes)) > options["above"]
    if keys is not None:
        linked &= keys[:, None] == keys[None, :]
    count, label = connected_components(coo_array(linked), directed=False)
    assert len(merged) == count
    pairs = {(int(a), int(b)) for a, b in zip(merged.group, label, strict=True)}
    assert len(pairs) == count, "the same rows hang together"
