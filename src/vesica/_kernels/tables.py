"""What kernels read: two collections as tables, and what is asked of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from vesica._array import Array
from vesica._check import Threshold, room_of_pairs
from vesica._native import Pixels


class Rings(NamedTuple):
    """N polygons as the native kernels read them: vertices, and offsets from level to level."""

    points: np.ndarray
    """(V, 2) float64: x, y of each vertex."""
    rings: np.ndarray
    """int64: the first vertex of each ring, and the end."""
    parts: np.ndarray
    """int64: the first ring of each part, and the end."""
    regions: np.ndarray
    """int64: the first part of each region, and the end."""
    boxes: np.ndarray
    """(N, 4) float64: the upright box around each region."""
    area: np.ndarray
    """(N,) float64"""

    def rows(self, rows: slice) -> Rings:
        """Some of the polygons; offsets stay those of all parts."""
        return self._replace(regions=_ends(self.regions, rows), boxes=self.boxes[rows], area=self.area[rows])


class Members(NamedTuple):
    """N finite sets as the native kernels read them."""

    ids: np.ndarray
    """int64: the members of all sets, one set after the other, as numbers below `size` that rise within a set."""
    starts: np.ndarray
    """(N + 1,) int64: where each set begins."""
    size: int
    """How many different members both sides have together."""

    @property
    def area(self) -> np.ndarray:
        return np.diff(self.starts)

    def rows(self, rows: slice) -> Members:
        """Some of the sets; offsets stay those of all members."""
        return self._replace(starts=_ends(self.starts, rows))


def _ends(offsets: np.ndarray, rows: slice) -> np.ndarray:
    """The offsets of some rows, and the end of the last."""
    begin, end, _ = rows.indices(len(offsets) - 1)
    return offsets[begin : end + 1]


class Histogram(NamedTuple):
    """Squared distances, rising, and how many pixels have each."""

    squared: np.ndarray
    pixels: np.ndarray


class SurfacePair(NamedTuple):
    """The pixels of two surfaces, and the distances from each to the other: none where one has no pixels."""

    size_a: int
    size_b: int
    from_a: Histogram
    from_b: Histogram


class BandPair(NamedTuple):
    """The pixels of two masks by their depth, from 1 on: of a, of b, and of both by where they lie deeper."""

    a: np.ndarray
    b: np.ndarray
    both: np.ndarray


class CentrelinePair(NamedTuple):
    """The pixels of two skeletons, and how many of each lie inside the other mask."""

    size_a: int
    inside_b: int
    size_b: int
    inside_a: int


@dataclass(frozen=True, eq=False)
class Counted:
    """Two label maps, counted: the regions of the first, and which of the second each of them meets."""

    i: np.ndarray
    """(P,) int64: the pairs of regions that share a pixel, ordered by i, then j."""
    j: np.ndarray
    count: np.ndarray
    """(P,) int64: how many pixels they share."""
    area: np.ndarray
    """(N,) int64: the pixels of each region of the first map."""

    def rows(self, rows: slice) -> Counted:
        """Some of the regions."""
        top, bottom, _ = rows.indices(len(self.area))
        begin, end = np.searchsorted(self.i, [top, bottom]).tolist()
        return Counted(self.i[begin:end] - top, self.j[begin:end], self.count[begin:end], self.area[top:bottom])

    def matrix(self, m: int) -> np.ndarray:
        """The shared pixels of every pair: (N, m)."""
        table = room_of_pairs(np.zeros, (len(self.area), m), "int64")
        table[self.i, self.j] = self.count
        return table

    def diagonal(self) -> np.ndarray:
        """The shared pixels of region k with region k: (N,)."""
        shared = np.zeros(len(self.area), np.int64)
        same = self.i == self.j
        shared[self.i[same]] = self.count[same]
        return shared


FLAT_KINDS = ("masks", "masks_boxes", "boxes_masks", "polygons", "sets")
"""Kinds of pairs that may come as flat arrays."""
SELF_KINDS = ("boxes", "rotated", "masks", "polygons", "sets")
"""Kinds of pairs that a collection makes with itself."""


_FLAT = (tuple, Pixels)


class Tables(NamedTuple):
    """Two collections as a kernel wants them."""

    kind: str
    """What the kernels call the pair of kinds: boxes, rotated, masks, masks_boxes, boxes_masks, …"""
    a: Any
    """Rows of x1, y1, x2, y2 or of cx, cy, w, h, angle, cos, sin; a stack of masks; pixels; a tuple of flat arrays."""
    b: Any
    dtype: str
    """The floating dtype of the answer."""
    n: int
    m: int
    like: Array
    """An array of the library and on the device that the answer belongs to."""
    rule: str | None = None
    """The rule by which polygons were drawn to meet masks."""

    @property
    def is_flat(self) -> bool:
        """Are these flat arrays on the host, which only native kernels read?"""
        return isinstance(self.a, _FLAT) or isinstance(self.b, _FLAT)

    def rows(self, rows: slice) -> Tables:
        """Some rows of the first with all of the second."""
        some = self.a.rows(rows) if hasattr(self.a, "rows") else self.a[rows, ...]
        return self._replace(a=some, n=rows.stop - rows.start)


class Wanted(NamedTuple):
    """Which pairs a join looks for."""

    threshold: Threshold
    keys: tuple[np.ndarray, np.ndarray] | None
    """A small number for each row of both sides: only equal ones are paired."""
    self_join: bool
    """b is a: pairs with i < j."""


class Ranked(NamedTuple):
    """Proposals in competition, on the host: what ranks them, which compete with each other, and how many stay."""

    threshold: Threshold
    scores: np.ndarray
    """(N,) float64"""
    keys: np.ndarray | None
    """(N,) uint32: only equal ones suppress each other."""
    images: np.ndarray | None
    """(N,) uint32: what `limit` counts by."""
    min_score: float
    limit: int
    """0: no limit."""


class Contest(NamedTuple):
    """Boxes of B images in competition, those of each image from the best score down."""

    rows: Array
    """(B, N, 4): x1, y1, x2, y2, in the dtype of the arithmetic."""
    keys: Array | None
    """(B, N) integers: only equal ones suppress each other."""
    formula: Formula
    threshold: Threshold


class Votes(NamedTuple):
    """Boxes, and what each of them says."""

    rows: np.ndarray
    """(N, 4) float64: x1, y1, x2, y2."""
    order: np.ndarray
    """int64: the rows that take part, the largest weighted score first."""
    weighted: np.ndarray
    """(N,) float64: the weight of its model · its score."""
    keys: np.ndarray | None
    """A small number for each row: only equal ones are fused."""


class Clusters(NamedTuple):
    """Fused boxes, key by key, the oldest first."""

    boxes: np.ndarray
    """(K, 4) float64"""
    first: np.ndarray
    """(K,) int64: the row that opened each."""
    members: np.ndarray
    """(N,) int64: the cluster of each row, or −1: in no cluster."""


class Nearest(NamedTuple):
    """Which of k centres each row belongs to."""

    label: np.ndarray
    """(N,) int32: the nearest centre."""
    iou: np.ndarray
    """(N,) float64: how near it is."""
    total: float
    """The sum of the latter."""
    sums: np.ndarray
    """(k, 2) float64: widths and heights of the members of each, summed."""
    counts: np.ndarray
    """(k,) int64: how many members each has."""


Shortage = tuple[int, int]
"""A row that cannot have a partner, and how many rows, itself among them, share one column fewer than they are."""

NOT_BACKGROUND, POSITIVE, ATTAINS = 1, 2, 4
"""Bits of an anchor's mark: its iou with its best truth reaches `negative`; reaches `positive`; it is the largest that
any anchor has with some truth. The same bits stand in csrc/matching/anchors.hpp."""


class Formula(Protocol):
    """A measure with its options, as kernels see it: compiled ones go by its name, array code calls it."""

    @property
    def name(self) -> str: ...
    @property
    def options(self) -> Mapping[str, Any]:
        """Checked, with their defaults."""

    @property
    def is_fraction(self) -> bool:
        """Is it one division, so that thresholds are decided by cross-multiplication?"""

    @property
    def is_symmetric(self) -> bool:
        """Is it the same either way round?"""

    def turned(self) -> Formula:
        """The formula that gives for (b, a) what this one gives for (a, b)."""

    def parts(self, tables: Tables, aligned: bool, threads: int | None = None) -> Any:
        """What it is made of: of every pair, or of aligned rows."""

    def of_parts(self, parts: Any) -> Array:
        """The value, in the floating dtype of the regions."""

    def fraction(self, parts: Any) -> tuple[Array, Array]:
        """Numerator and denominator, of one that is a fraction."""
