"""Parts: what every measure is made of."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from vesica import _check as check
from vesica._answer import Equal, shown
from vesica._array import Array, cast, dtype_name, from_numpy, math_name, real, result_name
from vesica._check import names
from vesica._kernels import Tables, pick_arrays, seek
from vesica._kernels.generic import boxes as generic_boxes
from vesica._kernels.generic import masks as generic_masks
from vesica._kernels.generic import rotated as generic_rotated
from vesica.regions import comparable
from vesica.regions.boxes import Boxes, columns


class Parts(Equal):
    """Shared area and areas of pairs of regions: arrays that broadcast against each other.

    Attributes
    ----------
    inter : the shared area
    area_a, area_b : the two areas
    union : area_a + area_b − inter
    dtype : the floating dtype in which measures come back
    kind : what the regions are: boxes, rotated, …
    rule : the rule by which polygons were drawn to meet masks, if they were

    Boxes have `sides_a`, `sides_b`, `hull_sides` (width and height), `hull` (area of the box around both),
    `offsets2` (twice the way between the centres, along x and y), `centre2`, `diagonal2`, `slope_a` and `slope_b` as
    well, each computed when it is asked for. For integers all but the last five are exact int64.

    Examples
    --------
    >>> p = parts([[0, 0, 4, 4]], [[2, 2, 6, 6], [9, 9, 9, 9]])
    >>> p.inter, p.area_a, p.area_b
    (array([[4, 0]]), array([[16]]), array([[16,  0]]))
    """

    def __init__(
        self,
        inter: Array,
        area_a: Array,
        area_b: Array,
        /,
        *,
        dtype: str,
        kind: str = "regions without a hull",
        rule: str | None = None,
    ) -> None:
        self.inter, self.area_a, self.area_b = inter, area_a, area_b
        self.dtype, self.kind, self.rule = dtype, kind, rule

    def _content(self) -> tuple[Any, ...]:
        return self.inter, self.area_a, self.area_b, self.dtype, self.kind, self.rule

    def __repr__(self) -> str:
        fields = {name: getattr(self, name) for name in ("inter", "area_a", "area_b", "union")}
        return shown("Parts", {**fields, "kind": self.kind, "dtype": self.dtype})

    @classmethod
    @names.explained("", "Parts.from_counts")
    def from_counts(cls, tp: Any, fp: Any, fn: Any, /) -> Parts:
        """The parts of a guess (a) and the truth (b), of which only hits and misses were counted.

        `tp` is in both, `fp` in the guess alone, `fn` in the truth alone: numbers or arrays that broadcast. So iou is
        TP / (TP + FP + FN), dice is F1, and tversky weighs FP by `alpha` and FN by `beta`.

        >>> from vesica import dice, iou, tversky
        >>> counts = Parts.from_counts([3, 0], [1, 0], [3, 0])
        >>> iou(counts).round(4), dice(counts)
        (array([0.4286, 0.    ]), array([0.6, 0. ]))
        >>> tversky(counts, alpha=0, beta=1, empty=1.0)
        array([0.5, 1. ])
        """
        counts = [check.counts(value, name) for value, name in ((tp, "tp"), (fp, "fp"), (fn, "fn"))]
        check.same_library(counts[0], counts[1], "tp", "fp")
        check.same_library(counts[0], counts[2], "tp", "fn")
        names = [dtype_name(count) for count in counts]
        hits, only_a, only_b = (cast(count, functools.reduce(math_name, names)) for count in counts)
        return cls(hits, hits + only_a, hits + only_b, dtype=functools.reduce(result_name, names))

    @property
    def union(self) -> Array:
        return self.area_a + self.area_b - self.inter


class BoxParts(Parts):
    """Parts of boxes, with the geometry of their hull."""

    def __init__(self, a: generic_boxes.Box, b: generic_boxes.Box, inter: Array | None, *, dtype: str) -> None:
        self._a, self._b = a, b
        self.sides_a, self.sides_b = generic_boxes.sides(a), generic_boxes.sides(b)
        area_a, area_b = self.sides_a[0] * self.sides_a[1], self.sides_b[0] * self.sides_b[1]
        shared = generic_boxes.inter(a, b) if inter is None else inter
        super().__init__(shared, area_a, area_b, dtype=dtype, kind="boxes")

    @property
    def hull_sides(self) -> tuple[Array, Array]:
        return generic_boxes.hull_sides(self._a, self._b)

    @property
    def hull(self) -> Array:
        w, h = self.hull_sides
        return w * h

    @property
    def offsets2(self) -> tuple[Array, Array]:
        return generic_boxes.offsets2(self._a, self._b)

    @property
    def centre2(self) -> Array:
        return generic_boxes.centre2(self._a, self._b)

    @property
    def diagonal2(self) -> Array:
        w, h = (real(side) for side in self.hull_sides)
        return w * w + h * h

    @property
    def slope_a(self) -> Array:
        return generic_boxes.slope(*self.sides_a)

    @property
    def slope_b(self) -> Array:
        return generic_boxes.slope(*self.sides_b)


Rows = Sequence[Sequence[float]]


@overload
def parts(a: Boxes | Rows, b: Boxes | Rows, /, *, aligned: bool = False, threads: int | None = None) -> BoxParts: ...
@overload
def parts(a: Any, b: Any, /, *, aligned: bool = False, threads: int | None = None) -> Parts: ...
@names.explained("parts")
def parts(a: Any, b: Any, /, *, aligned: bool = False, threads: int | None = None) -> Parts:
    """Make the parts of every pair of regions, or of aligned rows.

    Parameters
    ----------
    a, b : regions
        N and M regions; a bare (…, N, 4) array is boxes, x1, y1, x2, y2. Leading axes broadcast.
    aligned : bool, default False
        Take a[i] with b[i] instead of every pair.
    threads : int, optional
        At most this many; by default VESICA_NUM_THREADS, or all processors.

    Returns
    -------
    Parts
        `inter` of shape (…, N, M), or (…, N) when aligned.

    Examples
    --------
    >>> p = parts([[0, 0, 4, 4]], [[2, 2, 6, 6]], aligned=True)
    >>> p.inter, p.union, p.hull
    (array([4]), array([28]), array([36]))
    >>> parts([], [[0, 0, 1, 1]]).inter.shape
    (0, 1)
    """
    check.threads(threads)
    tables = comparable(a, b, aligned=aligned, threads=threads)

    return parts_of(tables, aligned, threads)


def parts_of(tables: Tables, aligned: bool, threads: int | None = None) -> Parts:
    """The parts of tables: the shared area by a kernel where there is one, the rest in array-API code."""
    kernel = seek("inter_aligned" if aligned else "inter", tables)
    shared = None if kernel is None else kernel.call(tables, aligned=aligned, threads=threads)
    return _PARTS[tables.kind](tables, aligned, shared)


def twin_parts(tables: Tables, aligned: bool) -> Parts:
    """The same in array-API code alone: the specification of the kernels."""
    return _PARTS[tables.kind](tables, aligned, None)


def _boxes(tables: Tables, aligned: bool, shared: Array | None) -> Parts:
    left, right = _faced(tables, aligned)
    return BoxParts(columns(left), columns(right), shared, dtype=tables.dtype)


def _rotated(tables: Tables, aligned: bool, shared: Array | None) -> Parts:
    left, right = _faced(tables, aligned)
    inter = generic_rotated.inter(left, right) if shared is None else shared
    area_a, area_b = left[..., 2] * left[..., 3], right[..., 2] * right[..., 3]
    return Parts(inter, area_a, area_b, dtype=tables.dtype, kind="rotated")


def _flat(tables: Tables, aligned: bool, shared: Array | None) -> Parts:
    """Regions that have no twin: their shared area is always a kernel's."""
    assert shared is not None
    area_a, area_b = (from_numpy(_area(side), tables.like) for side in (tables.a, tables.b))
    return _counted(tables, shared, area_a, area_b, aligned)


def _area(side: Any) -> np.ndarray:
    area = np.ascontiguousarray(side.area)
    return area if area.dtype.kind == "f" else area.view(np.int64)  # not another integer of as many bits


def _labels(tables: Tables, aligned: bool, _: Array | None) -> Parts:
    """Label maps, whose pixels are counted already."""
    inter = tables.a.diagonal() if aligned else tables.a.matrix(tables.m)
    inter, area_a, area_b = (cast(from_numpy(part, tables.like), "int64") for part in (inter, tables.a.area, tables.b))
    return _counted(tables, inter, area_a, area_b, aligned)


def _faced(tables: Tables, aligned: bool) -> tuple[Array, Array]:
    """Rows that broadcast against each other: every pair, or row with row."""
    left, right = tables.a, tables.b
    return (left, right) if aligned else (left[..., :, None, :], right[..., None, :, :])


def _masks(tables: Tables, aligned: bool, shared: Array | None) -> Parts:
    if tables.is_flat:
        return _flat(tables, aligned, shared)
    if shared is None:
        shared, area = generic_masks.inter(tables.a, tables.b, aligned=aligned), generic_masks.area
    else:
        area = pick_arrays("area", "masks", tables.a, tables.b).call
    return _counted(tables, shared, area(tables.a), area(tables.b), aligned)


def _masks_boxes(tables: Tables, aligned: bool, shared: Array | None) -> Parts:
    masks, rows = (tables.a, tables.b) if tables.kind == "masks_boxes" else (tables.b, tables.a)
    if not tables.is_flat:
        shared = generic_masks.inter_boxes(masks, rows, aligned=aligned)
        shared = shared if aligned or tables.kind == "masks_boxes" else shared.T
        counts = generic_masks.area(masks)
    else:
        counts, rows = (from_numpy(np.ascontiguousarray(side), tables.like) for side in (masks.area, rows))
    assert shared is not None
    w, h = generic_boxes.sides(columns(rows))
    areas = (real(counts), w * h)
    return _counted(tables, shared, *(areas if tables.kind == "masks_boxes" else areas[::-1]), aligned)


def _counted(tables: Tables, inter: Array, area_a: Array, area_b: Array, aligned: bool) -> Parts:
    """Areas that broadcast against the shared ones."""
    if not aligned:
        area_a, area_b = area_a[:, None], area_b[None, :]
    return Parts(inter, area_a, area_b, dtype=tables.dtype, kind=tables.kind, rule=tables.rule)


_PARTS: dict[str, Callable[[Tables, bool, Array | None], Parts]] = {
    "boxes": _boxes,
    "rotated": _rotated,
    "masks": _masks,
    "masks_boxes": _masks_boxes,
    "boxes_masks": _masks_boxes,
    "polygons": _flat,
    "labels": _labels,
    "sets": _flat,
}
