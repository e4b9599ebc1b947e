"""Polygons: their areas, and the runs of pixels they are drawn as."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._kernels import native
from vesica._kernels.tables import Rings

RULES = tuple(_native.raster_rule_names())
MOST_CROSSINGS: int = _native.most_crossings
"""What crosses more often than this is not measured."""


def areas(flat: Rings) -> np.ndarray:
    """The area of each region: parts united, each filled even-odd. NaN where edges cross too often."""
    out = np.empty(flat.regions.size - 1, np.float64)
    _native.polygons_area(flat, out, native.default_threads())
    return out


def counts(flat: Rings, rule: str, height: int, width: int, threads: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Run lengths of the regions in an image, one region after the other, and where each begins."""
    asked = (RULES.index(rule), height, width, native.thread_count(threads))
    counts, offsets = native.plain(*_native.polygons_counts(flat, *asked))
    return counts, offsets
