"""Rotated boxes: centre, sides, and an angle whose unit and direction are always said."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import (
    Array,
    cast,
    contiguous,
    dtype_name,
    has_visible_values,
    library,
    namespace,
    result_name,
    take_rows,
    to_numpy,
    widest_float,
)
from vesica._check import Direction, Unit, names
from vesica._check import rotated as check_rotated
from vesica._check.rotated import Fit
from vesica._kernels.native import rotated as native
from vesica.regions.boxes import Boxes, columns
from vesica.regions.collection import Collection
from vesica.regions.smallest_rectangle import apart, smallest


class RotatedBoxes(Collection):
    """N rotated boxes: rows of cx, cy, w, h, angle. At angle 0, w lies along x and h along y.

    Arithmetic is in float64, whatever the dtype of the rows; measures come back in the given floating dtype.

    Parameters
    ----------
    array : (N, 5) array or nested list
        Of any library that follows the array API.
    unit : {"deg", "rad"}
        No default: half of all wrong rotated overlaps are a mistaken unit or direction.
    direction : {"cw", "ccw"}
        "cw" turns +x towards +y: clockwise on the screen, where y points down. detectron2 and torchvision mean
        degrees, "ccw".
    check : bool, optional
        As for `Boxes`.

    Examples
    --------
    >>> square = RotatedBoxes([[0, 0, 1, 1, 0]], unit="deg", direction="cw")
    >>> diamond = RotatedBoxes([[0, 0, 1, 1, 45]], unit="deg", direction="cw")
    >>> import vesica
    >>> round(float(vesica.iou(square, diamond)[0, 0]), 10)
    0.7071067812

    Quarter turns of degrees are exact:

    >>> RotatedBoxes([[5, 5, 4, 2, 90]], unit="deg", direction="ccw").boxes.xyxy
    array([[4., 3., 6., 7.]])

    >>> RotatedBoxes([[0, 0, 1, 1, 0]])
    Traceback (most recent call last):
    ...
    TypeError: `unit` has no default, because both are in use: say unit="deg" or unit="rad".
    """

    __slots__ = ("_rows", "array", "direction", "dtype", "unit")

    _rows: Array
    array: Array
    unit: Unit
    direction: Direction
    dtype: str
    """The floating dtype of measures of these boxes."""

    @names.explained("RotatedBoxes", "RotatedBoxes")
    def __init__(
        self,
        array: Any,
        /,
        *,
        unit: Unit | None = None,
        direction: Direction | None = None,
        check: bool | None = None,
    ) -> None:
        self._fill(array, unit, direction, check)

    def _fill(self, array: Any, unit: Any, direction: Any, look: bool | None) -> None:
        unit = check.stated(unit, check.UNITS, "unit", "both are in use")
        direction = check.stated(direction, check.DIRECTIONS, "direction", "both are in use")
        array = check.rows(array, "boxes", "rotated")
        check.flat_table(array.shape, "boxes")
        set_once = object.__setattr__
        set_once(self, "array", array)
        set_once(self, "unit", unit)
        set_once(self, "direction", direction)
        set_once(self, "dtype", result_name(dtype_name(array)))
        if look or (look is None and has_visible_values(array)):
            _look(array)
        set_once(self, "_rows", _rows(array, unit, direction))

    @classmethod
    @names.explained("RotatedBoxes.from_boxes", "RotatedBoxes.from_boxes")
    def from_boxes(cls, boxes: Boxes, /) -> RotatedBoxes:
        """Upright boxes, as rotated boxes with angle 0."""
        check.one_table(boxes.shape, "boxes", "rotated boxes")
        xp = namespace(boxes.array)
        x1, y1, x2, y2 = columns(cast(boxes.math, widest_float(boxes.math)))
        w, h = xp.clip(x2 - x1, 0, None), xp.clip(y2 - y1, 0, None)
        rows = xp.stack([(x1 + x2) / 2, (y1 + y2) / 2, w, h, 0 * x1], axis=-1)
        return cls._unchecked(rows, "deg", "cw", boxes.dtype)  # halves of float32 need more bits than float32 has

    @classmethod
    @names.explained("RotatedBoxes.from_corners", "RotatedBoxes.from_corners")
    def from_corners(
        cls, corners: Any, /, *, fit: Fit = "rectangle", unit: Unit = "deg", direction: Direction = "cw"
    ) -> RotatedBoxes:
        """Rotated boxes from their four corners, in any order.

        The rectangle is the smallest around the points. w points right, or right and down: its angle is at least 0
        and below 90° clockwise, whichever corner came first.

        Parameters
        ----------
        corners : (N, 4, 2) or (N, 8) array or nested list
            x, y of four points a box.
        fit : {"rectangle", "smallest"}, default "rectangle"
            "rectangle": points that lie more than 1 % of the diagonal beside the corners are an error that names the
            box. "smallest": any four points, and the smallest rectangle around them.
        unit, direction : default "deg", "cw"
            In which the angles of `array` are written.

        Examples
        --------
        >>> RotatedBoxes.from_corners([[[4, 7], [6, 3], [4, 3], [6, 7]]]).array
        array([[5., 5., 2., 4., 0.]])
        >>> RotatedBoxes.from_corners([[0, 0, 2, 2, 1, 3, -1, 1]]).array.round(4)
        array([[ 0.5   ,  1.5   ,  2.8284,  1.4142, 45.    ]])

        A parallelogram is no rectangle, but there is one around it:

        >>> RotatedBoxes.from_corners([[0, 0, 10, 0, 13, 4, 3, 4]], fit="smallest").array
        array([[ 6.5,  2. , 13. ,  4. ,  0. ]])
        """
        check.one_of(fit, check_rotated.FITS, "fit")
        check.one_of(unit, check.UNITS, "unit")
        check.one_of(direction, check.DIRECTIONS, "direction")
        given = check_rotated.corners(corners)
        is_seen = has_visible_values(given)
        if is_seen:
            check_rotated.points(given)

        points = cast(given, widest_float(given))
        xp = namespace(points)
        found = smallest(points)
        turn = xp.atan2(found.sin, found.cos) * (180 / math.pi if unit == "deg" else 1)
        angle = turn if direction == "cw" else 0 - turn
        rows = xp.stack([found.cx, found.cy, found.w, found.h, angle], axis=-1)
        boxes = cls._unchecked(rows, unit, direction, result_name(dtype_name(given)))

        if is_seen:
            check_rotated.not_tiny(to_numpy(found.w), to_numpy(found.h))
        if is_seen and fit == "rectangle":
            beside = apart(to_numpy(points), to_numpy(boxes.to_corners()))
            check_rotated.rectangles(beside, np.hypot(to_numpy(found.w), to_numpy(found.h)))
        return boxes

    @classmethod
    def _unchecked(cls, array: Array, unit: Unit, direction: Direction, dtype: str) -> RotatedBoxes:
        """Rows that are known to be sound, whose measures come back in another dtype than theirs."""
        self = cls(array, unit=unit, direction=direction, check=False)
        object.__setattr__(self, "dtype", dtype)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return RotatedBoxes._unchecked, (self.array, self.unit, self.direction, self.dtype)

    def __len__(self) -> int:
        return int(self.array.shape[0])

    def __getitem__(self, index: Any) -> RotatedBoxes:
        """Some of the boxes; one index gives one box, still as a table."""
        return RotatedBoxes._unchecked(take_rows(self.array, index), self.unit, self.direction, self.dtype)

    def __repr__(self) -> str:
        kind = f"{library(self.array)} {dtype_name(self.array)}"
        return f"RotatedBoxes({len(self)}, unit={self.unit!r}, direction={self.direction!r}, {kind})"

    @property
    def area(self) -> Array:
        """w · h of each box, in float64."""
        return self._rows[:, 2] * self._rows[:, 3]

    def to_corners(self) -> Array:
        """The four corners of each box, (N, 4, 2), in order around it; in float64."""
        xp = namespace(self._rows)
        cx, cy, w, h, _, cos, sin = (self._rows[:, k] for k in range(7))
        along_x, along_y = cos * w / 2, sin * w / 2
        across_x, across_y = -sin * h / 2, cos * h / 2
        corner = [
            xp.stack([cx + i * along_x + j * across_x, cy + i * along_y + j * across_y], axis=-1)
            for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        return xp.stack(corner, axis=1)

    @property
    def boxes(self) -> Boxes:
        """The smallest upright box around each."""
        xp = namespace(self._rows)
        corners = self.to_corners()
        return Boxes(xp.concat([xp.min(corners, axis=1), xp.max(corners, axis=1)], axis=-1), check=False)

    def math(self, unit: str) -> Array:
        """Rows of cx, cy, w, h, angle, cos, sin in float64: clockwise, the angle in the given unit."""
        if unit == self.unit:
            return self._rows
        xp = namespace(self._rows)
        scale = math.pi / 180 if unit == "rad" else 180 / math.pi
        angle = self._rows[:, 4:5] * scale
        return xp.concat([self._rows[:, :4], angle, self._rows[:, 5:]], axis=-1)


def _rows(array: Array, unit: str, direction: str) -> Array:
    if isinstance(array, np.ndarray):
        return native.turned(contiguous(array, np.float64), unit, direction)
    return _rows_of_any(array, unit, direction)


def _rows_of_any(array: Array, unit: str, direction: str) -> Array:
    """The same in array code: what the native steps must give, bit for bit."""
    xp = namespace(array)
    rows = cast(array, widest_float(array))
    angle = rows[:, 4] if direction == "cw" else -rows[:, 4]
    cos, sin = _turn(angle, unit)
    return xp.concat([rows[:, :4], angle[:, None], cos[:, None], sin[:, None]], axis=-1)


def _turn(angle: Array, unit: str) -> tuple[Array, Array]:
    """Cosine and sine. Degrees are reduced to ±45 first, exactly, so that quarter turns leave no residue."""
    xp = namespace(angle)
    if unit == "rad":
        return xp.cos(angle), xp.sin(angle)
    quarters = xp.round(angle / 90)
    rest = (angle - 90 * quarters) * (math.pi / 180)
    cos, sin = xp.cos(rest), xp.sin(rest)
    # Cosine and sine of the quarter turns: 1, 0, −1, 0 and 0, 1, 0, −1. Products with them are exact.
    quarter = quarters - 4 * xp.floor(quarters / 4)
    odd = quarter - 2 * xp.floor(quarter / 2)
    c, s = (1 - odd) * (1 - quarter), odd * (2 - quarter)
    return cos * c - sin * s, sin * c + cos * s


def _look(array: Array) -> None:
    """Raise for the first row that is no rotated box."""
    rows = to_numpy(array)
    floats = contiguous(rows, np.float64)
    if native.are_sound(floats):
        return
    limit = check.LIMITS["float64"]
    tests = {
        "nan": np.isnan(floats).any(axis=1),
        "infinite": np.isinf(floats).any(axis=1),
        "negative": (floats[:, 2:4] < 0).any(axis=1),
        "too_large": (np.abs(floats[:, :4]) > limit).any(axis=1) & np.isfinite(floats).all(axis=1),
        "too_small": check.is_tiny(floats[:, 2], floats[:, 3]),
    }
    first = {fault: int(np.flatnonzero(bad)[0]) for fault, bad in tests.items() if bad.any()}
    if first:
        fault = min(first, key=lambda name: first[name])
        raise check.bad_row("boxes", "rotated", array, first[fault], fault, "float64")
