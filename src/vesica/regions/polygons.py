"""Polygons: regions with straight edges, of one or more parts, with holes."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import (
    Array,
    as_array,
    contiguous,
    dtype_name,
    from_numpy,
    library,
    needs_gradient,
    result_name,
    to_numpy,
)
from vesica._check import masks as check_masks
from vesica._check import names
from vesica._check import polygons as check_polygons
from vesica._check.polygons import Rule
from vesica._kernels import Rings
from vesica._kernels.native import polygons as native_polygons
from vesica._ragged import offsets_of, taken
from vesica.regions import geojson
from vesica.regions.boxes import Boxes, columns
from vesica.regions.collection import Collection
from vesica.regions.rle import RleMasks
from vesica.regions.rotated import RotatedBoxes


class Polygons(Collection):
    """N polygons on pixel edges. Parts are united, and rings inside a part are filled even-odd.

    Areas and shared areas are analytic, in float64: no polygon is rasterised to be compared with another, with a box or
    with a rotated box. Rings may cross themselves, and parts may overlap: what is covered twice counts once.

    Parameters
    ----------
    regions : list of regions
        A *ring* is an (V, 2) array, a list of pairs [[x, y], …], or a flat list [x, y, x, y, …].
        A *part* is a ring, or a list of rings: an outer ring and its holes.
        A *region* is a ring, a list of parts, such as COCO's `segmentation`, or a geometry: a polygon of shapely, a
        GeoJSON dict, anything with `__geo_interface__`. One geometry alone is one region, and a FeatureCollection as
        many as it has features.
        What is a ring is never a list of something: a list of pairs of numbers is one ring of points, and a list of
        longer flat lists is a list of rings. Several rings of pairs in a bare list are refused: they are holes to
        GeoJSON and parts to others.
    rule : {"coco", "centre", "border"}, optional
        Which pixels belong, when the polygons meet masks. There is no default.

    A ring needs three vertices. A last vertex that repeats the first of four or more is dropped. A polygon without area
    is legal; NaN and infinity are not. Rings may be torch tensors; if all of them are, so are the answers.

    Examples
    --------
    >>> triangle, square = [[0, 0], [4, 0], [0, 4]], [0, 0, 4, 0, 4, 4, 0, 4]
    >>> polygons = Polygons([triangle, square])
    >>> polygons.area
    array([ 8., 16.])
    >>> import vesica
    >>> vesica.iou(polygons, [[0, 0, 4, 4]])
    array([[0.5],
           [1. ]])

    Two parts; and one part with a hole:

    >>> two = [[0, 0, 4, 0, 4, 4, 0, 4], [6, 0, 7, 0, 7, 1, 6, 1]]
    >>> hollow = [[[[0, 0], [4, 0], [4, 4], [0, 4]], [[1, 1], [3, 1], [3, 3], [1, 3]]]]
    >>> Polygons([two, hollow]).area
    array([17., 12.])
    >>> Polygons({"type": "Polygon", "coordinates": hollow[0]}).area
    array([12.])

    >>> Polygons([[0, 0, 4, 0]])
    Traceback (most recent call last):
    ...
    ValueError: `polygons` region 0, part 0 needs three vertices; got 2.
    """

    __slots__ = ("_rings", "dtype", "like", "rule")

    _rings: Rings
    dtype: str
    """The floating dtype of measures of these polygons."""
    like: Array
    """An array of the library and on the device that answers belong to."""
    rule: Rule | None

    @names.explained("Polygons", "Polygons")
    def __init__(self, regions: Any, /, *, rule: Rule | None = None) -> None:
        rule = check_polygons.raster_rule(rule)
        rings, parts, counts = _read(regions)
        points = [to_numpy(ring).reshape(-1, 2) for ring in rings]
        names = {dtype_name(ring) for ring in rings}
        flat = _flat(
            np.concatenate(points).astype(np.float64) if points else np.empty((0, 2)),
            offsets_of(map(len, points)),
            offsets_of(parts),
            offsets_of(counts),
        )
        self._fill(flat, _result(names), _answers_like(rings), rule)

    def _fill(self, flat: Rings, dtype: str, like: Array, rule: Rule | None) -> None:
        set_once = object.__setattr__
        set_once(self, "_rings", flat)
        set_once(self, "dtype", dtype)
        set_once(self, "like", like)
        set_once(self, "rule", rule)

    @classmethod
    def _of(cls, flat: Rings, dtype: str, like: Array, rule: Rule | None) -> Polygons:
        """Polygons of flat arrays that are known to be sound."""
        self = cls.__new__(cls)
        self._fill(flat, dtype, like, rule)
        return self

    @classmethod
    @names.explained("Polygons.from_arrays", "Polygons.from_arrays")
    def from_arrays(cls, points: Any, rings: Any, parts: Any, regions: Any, /, *, rule: Rule | None = None) -> Polygons:
        """Polygons of flat arrays: vertices, and where each ring, part and region begins.

        `points` is (V, 2). `rings` are offsets into the points, `parts` into the rings and `regions` into the parts;
        each starts at 0, rises, and ends with the number of things it points into.

        >>> Polygons.from_arrays([[0, 0], [4, 0], [0, 4]], [0, 3], [0, 1], [0, 1]).area
        array([8.])
        """
        rule = check_polygons.raster_rule(rule)
        given = check_polygons.vertices(points)
        vertices = np.array(to_numpy(given), np.float64)
        rings = check_polygons.ring_offsets(rings, len(vertices), "rings", "vertices")
        parts = check_polygons.ring_offsets(parts, len(rings) - 1, "parts", "rings")
        regions = check_polygons.ring_offsets(regions, len(parts) - 1, "regions", "parts")
        flat = _flat(vertices, rings, parts, regions)
        return cls._of(flat, result_name(dtype_name(given)), _answers_like([given]), rule)

    @classmethod
    @names.explained("Polygons.from_boxes", "Polygons.from_boxes")
    def from_boxes(cls, boxes: Any, /, *, rule: Rule | None = None) -> Polygons:
        """Upright boxes, as polygons of their four corners. A bare table is x1, y1, x2, y2.

        >>> Polygons.from_boxes([[0, 0, 4, 2]]).points.tolist()
        [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [0.0, 2.0]]
        """
        given = boxes if isinstance(boxes, Boxes) else Boxes(boxes)
        check.one_table(given.shape, "boxes", "polygons")
        x1, y1, x2, y2 = columns(to_numpy(given.math).astype(np.float64))
        x2, y2 = np.maximum(x1, x2), np.maximum(y1, y2)  # an inverted box, where rows were not checked, is empty
        corners = np.stack([x1, y1, x2, y1, x2, y2, x1, y2], axis=-1)
        return cls._of_corners(corners, given.dtype, given.array, rule)

    @classmethod
    @names.explained("Polygons.from_rotated", "Polygons.from_rotated")
    def from_rotated(cls, boxes: RotatedBoxes, /, *, rule: Rule | None = None) -> Polygons:
        """Rotated boxes, as polygons of their four corners.

        >>> diamond = RotatedBoxes([[0, 0, 2, 2, 45]], unit="deg", direction="cw")
        >>> Polygons.from_rotated(diamond).area.round(12)
        array([4.])
        """
        return cls._of_corners(to_numpy(boxes.to_corners()), boxes.dtype, boxes.array, rule)

    @classmethod
    def _of_corners(cls, corners: np.ndarray, dtype: str, array: Array, rule: Rule | None) -> Polygons:
        """Four corners a row."""
        points = contiguous(corners, np.float64).reshape(-1, 2)
        ones = np.arange(len(corners) + 1, dtype=np.int64)
        return cls._of(
            _flat(points, 4 * ones, ones, ones), dtype, _answers_like([array]), check_polygons.raster_rule(rule)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Polygons._of, (self._rings, self.dtype, self.like, self.rule)

    def __len__(self) -> int:
        return len(self._rings.regions) - 1

    def __getitem__(self, index: Any) -> Polygons:
        """Some of the regions; one index gives one region, still as a collection."""
        flat = self._rings
        chosen = check.row_numbers(index, len(self))
        regions, some_parts = taken(flat.regions, chosen)
        parts, some_rings = taken(flat.parts, some_parts)
        rings, some_points = taken(flat.rings, some_rings)
        some = Rings(flat.points[some_points], rings, parts, regions, flat.boxes[chosen], flat.area[chosen])
        return Polygons._of(some, self.dtype, self.like, self.rule)

    def _united(self, starts: np.ndarray) -> Polygons:
        """One region for each group of regions side by side, of all their parts; `starts` says where groups begin."""
        points, rings, parts, regions = self._rings[:4]
        regions = np.append(regions[starts], regions[-1])
        return Polygons._of(_flat(points, rings, parts, regions), self.dtype, self.like, self.rule)

    def __repr__(self) -> str:
        rule = f", rule={self.rule!r}" if self.rule else ""
        return f"Polygons({len(self)}, {len(self.points)} vertices{rule}, {library(self.like)} {self.dtype})"

    @property
    def points(self) -> np.ndarray:
        """All vertices, ring after ring: (V, 2) float64."""
        return np.array(self._rings.points)

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """`points, rings, parts, regions`, as `from_arrays` takes them."""
        points, rings, parts, regions = (column.copy() for column in self._rings[:4])
        return points, rings, parts, regions

    @property
    def area(self) -> Array:
        """What each region covers, in float64. For a ring that does not meet itself, the shoelace formula."""
        return from_numpy(self._rings.area.copy(), self.like)

    @property
    def boxes(self) -> Boxes:
        """The smallest upright box around each."""
        return Boxes._unchecked(from_numpy(self._rings.boxes.copy(), self.like), "xyxy", None, self.dtype)

    @property
    def math(self) -> Rings:
        """Flat arrays in float64, as the kernels read them."""
        return self._rings

    def to_rle(self, size: tuple[int, int], /, *, rule: Rule | None = None, threads: int | None = None) -> RleMasks:
        """Draw the polygons into images of one size, by a named rule.

        What lies outside the image is cut off. Time and memory grow with the edges and the columns they cross, never
        with the number of pixels.

        "coco" is the walk of pycocotools, pixel for pixel. "centre" takes a pixel whose centre is inside, or on a top
        or left edge. "border" reads vertices as indices of pixels (halves are rounded up) and adds the outline.

        Parameters
        ----------
        size : (height, width)
        rule : {"coco", "centre", "border"}, optional
            By default the `rule` of these polygons, where they have one.
        threads : int, optional
            At most this many; by default VESICA_NUM_THREADS, or all processors.

        Examples
        --------
        >>> polygons = Polygons([[0.5, 0.5, 3.5, 0.5, 3.5, 3.5, 0.5, 3.5]])
        >>> for rule in ("coco", "centre", "border"):
        ...     print(polygons.to_rle((5, 5), rule=rule).to_counts()[0])
        [6, 3, 2, 3, 2, 3, 6]
        [0, 3, 2, 3, 2, 3, 12]
        [6, 4, 1, 4, 1, 4, 1, 4]
        """
        height, width = check_masks.mask_size(size, "size")
        drawn = check.stated(
            rule or self.rule, check_polygons.RULES, "rule", "they disagree about the pixels on the edge"
        )
        check.threads(threads)
        self._look_far(drawn)

        counts, offsets = native_polygons.counts(self._rings, drawn, height, width, threads)

        return RleMasks._of(counts, offsets, (height, width))

    def _look_far(self, rule: str) -> None:
        """Raise for a vertex whose edges cannot be walked exactly."""
        power = check_polygons.RASTER_POWERS[rule]
        far = np.flatnonzero((np.abs(self._rings.points) >= 2.0**power).any(axis=1))
        if far.size:
            raise check_polygons.too_far(_place(self._rings, int(far[0])), self._rings.points[far[0]], rule, power)


def _read(regions: Any) -> tuple[list[Array], list[int], list[int]]:
    """All rings as arrays, the number of rings of each part, and the number of parts of each region."""
    if geojson.is_geometry(regions):
        regions = geojson.regions_of(regions)
    if isinstance(regions, (numbers.Number, str, bytes, Mapping)) or not hasattr(regions, "__iter__"):
        raise check_polygons.no_regions(regions)
    rings: list[Array] = []
    parts: list[int] = []
    counts: list[int] = []
    for i, region in enumerate(regions):
        found = _parts(region, i)
        counts.append(len(found))
        for p, part in enumerate(found):
            parts.append(len(part))
            for r, ring in enumerate(part):
                check_polygons.ring(ring, (i, p, r if len(part) > 1 else None))
            rings += part
    return rings, parts, counts


def _parts(region: Any, i: int) -> list[list[Array]]:
    """The rings of each part of a region."""
    if geojson.is_geometry(region):
        return geojson.parts_of(region, f"region {i}")
    ring = _ring(region)
    if ring is not None:
        return [[ring]]
    check_polygons.listed(region, f"region {i}", "part")
    rings = [_ring(part) for part in region]
    if len(rings) > 1 and all(ring is not None and ring.ndim == 2 for ring in rings):
        raise check_polygons.several_rings(f"region {i}")
    return [[ring] if ring is not None else _rings_of(region[p], i, p) for p, ring in enumerate(rings)]


def _rings_of(part: Any, i: int, p: int) -> list[Array]:
    check_polygons.listed(part, f"region {i}, part {p}", "ring")
    rings = [_ring(ring) for ring in part]
    for r, ring in enumerate(rings):
        if ring is None:
            raise check_polygons.no_ring(part[r], f"region {i}, part {p}, ring {r}")
    return rings


def _ring(value: Any) -> Array | None:
    """The value as an array of vertices, if that is what it is: flat, or in pairs."""
    if hasattr(value, "ndim"):
        array = as_array(value)
        return array if array.ndim == 1 or (array.ndim == 2 and array.shape[1] == 2) else None
    if not isinstance(value, (list, tuple)):
        return None
    first: Any = value[0] if value else 0.0
    if isinstance(first, numbers.Real):
        return _as_array(value, 1)
    pair = isinstance(first, (list, tuple)) or (hasattr(first, "ndim") and first.ndim == 1)
    if pair and len(first) == 2 and not hasattr(first[0], "__len__"):
        array = _as_array(value, 2)
        return array if array is not None and array.shape[1] == 2 else None
    return None


def _as_array(value: Any, axes: int) -> np.ndarray | None:
    """Nested lists as an array with so many axes, or None where their lengths differ."""
    try:
        array = np.asarray(value)
    except ValueError:
        return None
    return array if array.ndim == axes else None


def _answers_like(arrays: list[Array]) -> Array:
    """An empty array like these: of torch if all of them are, otherwise of NumPy."""
    if any(map(needs_gradient, arrays)):
        raise check.no_gradient("Polygons")
    if arrays and all(library(array) == "torch" for array in arrays):
        return arrays[0].reshape(-1)[:0]
    return np.empty(0)


def _result(names: set[str]) -> str:
    """The floating dtype of measures: the one that all rings have."""
    return result_name(*names) if len(names) == 1 else "float64"


def _flat(points: np.ndarray, rings: np.ndarray, parts: np.ndarray, regions: np.ndarray) -> Rings:
    """Check the vertices, drop those that close a ring, and measure."""
    points, rings = _opened(points, rings)
    bare = Rings(points, rings, parts, regions, np.empty((0, 4)), np.empty(0))
    short = np.flatnonzero(np.diff(rings) < 3)
    if short.size:
        raise check_polygons.short_ring(_place_of_ring(bare, int(short[0])), int(np.diff(rings)[short[0]]))
    limit = check.LIMITS["float64"]
    bad = np.flatnonzero(~(np.abs(points) <= limit).all(axis=1))  # NaN fails it
    if bad.size:
        raise check_polygons.bad_vertex(_place(bare, int(bad[0])), points[bad[0]])
    low, high = _ends(points, points, rings[:-1])
    tiny = np.flatnonzero(check_polygons.is_tiny(high - low))
    if tiny.size:
        raise check_polygons.too_small(_place_of_ring(bare, int(tiny[0])), (high - low)[tiny[0]])
    low, high = _ends(low, high, parts[regions[:-1]])
    boxes = contiguous(np.concatenate([low, high], axis=1))
    area = native_polygons.areas(bare)
    tangled = np.flatnonzero(np.isnan(area))
    if tangled.size:
        raise check_polygons.too_tangled(int(tangled[0]), native_polygons.MOST_CROSSINGS)
    return bare._replace(boxes=boxes, area=area)


def _ends(low: np.ndarray, high: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest of each group, whose first rows are `starts`."""
    if not starts.size:
        return low, high
    return np.minimum.reduceat(low, starts, axis=0), np.maximum.reduceat(high, starts, axis=0)


def _opened(points: np.ndarray, rings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Without the vertices that repeat the first one of their ring at its end. Three vertices are never made two."""
    long = np.flatnonzero(np.diff(rings) > 3)
    last = rings[long + 1] - 1
    closing = (points[rings[long]] == points[last]).all(axis=1)
    if not closing.any():
        return contiguous(points), rings
    dropped = np.zeros(len(rings), np.int64)
    dropped[long[closing] + 1] = 1
    return np.delete(points, last[closing], axis=0), rings - np.cumsum(dropped)


def _place_of_ring(flat: Rings, ring: int) -> tuple[int, int, int | None]:
    """The region, the part of it, and the ring of that part where there are several."""
    part = int(np.searchsorted(flat.parts, ring, side="right")) - 1
    region = int(np.searchsorted(flat.regions, part, side="right")) - 1
    alone = flat.parts[part + 1] - flat.parts[part] == 1
    return region, part - int(flat.regions[region]), None if alone else ring - int(flat.parts[part])


def _place(flat: Rings, vertex: int) -> tuple[int, int, int | None, int]:
    ring = int(np.searchsorted(flat.rings, vertex, side="right")) - 1
    return *_place_of_ring(flat, ring), vertex - int(flat.rings[ring])
