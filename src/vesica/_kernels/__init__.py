"""Backends, and the one place that chooses among them and can say why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from vesica._array import Array, is_traced, library, needs_gradient, on_cpu
from vesica._check import Threshold


class Pixels(NamedTuple):
    """N masks as the native kernels read them: each cut to its box, as columns of bits or as runs."""

    table: np.ndarray
    """(N, 8) int64: area, x1, y1, x2, y2, first word or −1, first run, end of the runs."""
    words: np.ndarray
    """uint64: bands of 64 rows, counted from the top of the image; bit k of a word is row 64 · band + k of a column."""
    runs: np.ndarray
    """(R, 2) int64: starts and ends of runs, counted down the columns of the image."""
    height: int
    width: int

    @property
    def area(self) -> np.ndarray:
        return self.table[:, 0]


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

    def __getitem__(self, index: tuple[slice, Any]) -> Counted:
        """Some of the regions, as a table is asked for some of its rows."""
        top, bottom, _ = index[0].indices(len(self.area))
        begin, end = np.searchsorted(self.i, [top, bottom]).tolist()
        return Counted(self.i[begin:end] - top, self.j[begin:end], self.count[begin:end], self.area[top:bottom])

    def matrix(self, m: int) -> np.ndarray:
        """The shared pixels of every pair: (N, m)."""
        table = np.zeros((len(self.area), m), np.int64)
        table[self.i, self.j] = self.count
        return table

    def diagonal(self) -> np.ndarray:
        """The shared pixels of region k with region k: (N,)."""
        shared = np.zeros(len(self.area), np.int64)
        same = self.i == self.j
        shared[self.i[same]] = self.count[same]
        return shared


class Tables(NamedTuple):
    """Two collections as a kernel wants them."""

    kind: str
    """What the kernels call the pair of kinds: boxes, rotated, masks, masks_boxes, boxes_masks, …"""
    a: Any
    """Rows of x1, y1, x2, y2 or of cx, cy, w, h, angle, cos, sin; a stack of masks; or a tuple of flat arrays."""
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
        return isinstance(self.a, tuple) or isinstance(self.b, tuple)


class Wanted(NamedTuple):
    """Which pairs a join looks for."""

    threshold: Threshold
    keys: tuple[np.ndarray, np.ndarray] | None
    """A small number for each row of both sides: only equal ones are paired."""
    self_join: bool
    """b is a: pairs with i < j."""


class Ranked(NamedTuple):
    """Proposals in competition, on the host: what they are ranked by, who competes with whom, and how many may stay."""

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


class Choice(NamedTuple):
    """Which backend serves a call, and the reason."""

    backend: str
    why: str


class Case(NamedTuple):
    """A kind of input, as `vesica info` lists it."""

    arrays: str
    backend: str
    why: str


NUMPY = Choice("native", "compiled kernels read the memory as it is")
TENSORS = Choice("native", "compiled kernels share the memory of CPU tensors")
WATCHED = Choice("generic", "a transformation (compile, vmap, grad, jvp) must see each step")
GRADIENT = Choice("generic", "the gradient is torch's own")
DEVICE = Choice("generic", "there are no kernels for this device yet: its library does the arithmetic")
FLAT = Choice("native", "runs, indices, vertices and ids are flat arrays on the host, whatever they came from")
COUNTED = Choice("generic", "pixels are counted when label maps meet, by the kernel of their arrays; a table is left")
OTHER = Choice("generic", "the arrays keep to their own library")

CASES = (
    Case("lists, NumPy, anything with DLPack on the CPU", *NUMPY),
    Case("torch on the CPU, no gradient needed", *TENSORS),
    Case("run-length and sparse masks, polygons, sets", *FLAT),
    Case("label maps, for formulas on their counts", *COUNTED),
    Case("torch with a gradient", *GRADIENT),
    Case("torch under a transformation", *WATCHED),
    Case("torch on another device", *DEVICE),
    Case("JAX, CuPy, any array-API library", *OTHER),
    Case(
        "boxes of JAX outside a trace, for join",
        "native",
        "the number of pairs is no fixed shape, so they are found on the host",
    ),
    Case(
        "any arrays, for nms and its relatives, match and assign",
        "native",
        "how many stay is no fixed shape, so they are chosen on the host; nms_padded stays where its arrays are",
    ),
)


def pick(tables: Tables) -> Choice:
    """The backend for these tables, which are of one library."""
    if isinstance(tables.a, Counted):
        return COUNTED
    return FLAT if tables.is_flat else pick_arrays(tables.a, tables.b)


def pick_arrays(*arrays: Array) -> Choice:
    """The backend for arrays of one library."""
    name = library(arrays[0])
    if name == "numpy":
        return NUMPY
    if name != "torch":
        return OTHER
    if any(is_traced(array) for array in arrays):
        return WATCHED
    if any(needs_gradient(array) for array in arrays):
        return GRADIENT
    return TENSORS if all(on_cpu(array) for array in arrays) else DEVICE
