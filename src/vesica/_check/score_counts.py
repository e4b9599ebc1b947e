"""Score counts: how many bins, and what counts must be."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vesica import _check as check
from vesica.errors import InputError

_MOST = 1 << 24
_MOST_GUESSES = 1 << 53
"""Of one count: sums of a thousand such are still integers of 64 bits."""


def bins(value: Any, /) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 1 <= value <= _MOST:
        raise ValueError(f"`bins` must be a whole number from 1 to {_MOST:,}; got {check.brief(value)}.")
    return int(value)


def recall_points(kind: str, name: str, /) -> None:
    if kind != "recalls":
        raise ValueError(
            f"Bounds are of AP at given recalls, as COCO and LVIS have it; the protocol {name!r} takes {kind}. "
            "Keep its records: they give the exact value."
        )


def some(counts: Sequence[Any], /) -> None:
    if not counts:
        raise ValueError("There are no counts to merge.")


def alike(first: Any, other: Any, /) -> None:
    """The first thing in which counts differ that must be the same."""
    if first.bins != other.bins:
        raise InputError(f"Counts in {first.bins} and in {other.bins} bins cannot be merged.")
    if first.protocol != other.protocol:
        raise InputError(f"Counts of different protocols cannot be merged: {first.protocol} and {other.protocol}.")
    for name in ("ids", "names"):
        one, two = (getattr(side.categories, name) for side in (first, other))
        if (one is None) != (two is None) or (one is not None and one.tolist() != two.tolist()):
            raise InputError("Counts of different tables of categories cannot be merged.")


def disjoint(ids: np.ndarray, /) -> None:
    listed = ids.tolist()
    twice = next((one for one, other in itertools.pairwise(listed) if one == other), None)
    if twice is not None:
        raise InputError(f"Two counts have image {twice!r}. An image must be in one of them.")


def columns(found: Mapping[str, np.ndarray], protocol: Any, categories: int, width: int, /) -> None:
    """Shapes, order and ranges of counts that came as bytes."""
    thresholds, areas, limits = len(protocol.iou), len(protocol.areas), len(protocol.max_dets)
    rows = len(found["bin"])
    shapes = {
        "category": (rows,),
        "bin": (rows,),
        "right": (rows, thresholds * areas),
        "wrong": (rows, thresholds * areas),
        "guesses": (categories,),
        "positives": (categories, areas),
        "found": (thresholds, categories, areas, limits),
    }
    if set(found) != set(shapes):
        raise ValueError(f"the columns must be {sorted(shapes)}; got {sorted(found)}")
    for name, shape in shapes.items():
        column = found[name]
        if column.shape != shape or column.dtype.kind != "i" or (column < 0).any():
            raise ValueError(f"`{name}` must be whole numbers of shape {shape}, none below 0")
        if column.max(initial=0) > _MOST_GUESSES:
            raise ValueError(f"`{name}` must be at most {_MOST_GUESSES:,}")
    category, bin = found["category"].astype(np.int64), found["bin"].astype(np.int64)
    if (category >= categories).any() or (bin >= width).any():
        raise ValueError("a category or a bin is beyond the last")
    if (np.diff(category * width + (width - 1 - bin)) <= 0).any():
        raise ValueError("the rows must rise by category and fall by bin")
    if (found["found"] > found["positives"][:, :, None]).any():
        raise ValueError("more truths are found than there are")
