"""Upright boxes: [x1, x2) × [y1, y2) on pixel edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import (
    INTEGERS,
    Array,
    cast,
    dtype_name,
    has_visible_values,
    library,
    math_name,
    namespace,
    quiet,
    result_name,
    take_rows,
    to_numpy,
    widened,
    widest_float,
)
from vesica._check import Form, names
from vesica._kernels import lane, native
from vesica._kernels.generic import boxes as generic
from vesica.regions.collection import Collection


class Boxes(Collection):
    """N upright boxes, in whichever form they came.

    A pixel (x, y) is the square [x, x+1) × [y, y+1), and a box is half-open on pixel edges, so its area is
    (x2 − x1)(y2 − y1), with no + 1. Coordinates may be any real number; nothing is clipped, swapped or wrapped.

    Parameters
    ----------
    array : (…, N, 4) array or nested list
        Of any library that follows the array API. Leading axes are a batch. It is not copied.
    form : {"xyxy", "xywh", "cxcywh", "yxyx", "xyxy_inclusive"}, default "xyxy"
        What the four columns mean. In "xyxy_inclusive" both end pixels belong: the width is x2 − x1 + 1.
    normalised : (width, height), optional
        The columns are fractions of an image of this size.
    check : bool, optional
        Look for NaN, infinity and inverted rows. By default wherever looking is free: on the CPU, outside a trace.
        Unchecked, an inverted box counts as empty and NaN stays NaN.

    Examples
    --------
    >>> boxes = Boxes([[10, 20, 30, 40]], "xywh")
    >>> boxes.xyxy
    array([[10, 20, 40, 60]])
    >>> boxes.area
    array([1200])

    The first bad row is named:

    >>> Boxes([[0, 0, 4, 4], [40, 0, 10, 8]])
    Traceback (most recent call last):
    ...
    ValueError: `boxes` row 1 is inverted: x2 = 10 lies left of x1 = 40. Rows of x, y, width, height go to Boxes(a, "xywh").

    No boxes are boxes too:

    >>> Boxes([]).xyxy.shape
    (0, 4)
    """  # noqa: E501

    __slots__ = ("_corners", "array", "dtype", "form", "normalised")

    _corners: Array
    array: Array
    form: Form
    normalised: tuple[float, float] | None
    dtype: str
    """The floating dtype of measures of these boxes."""

    @names.explained("Boxes", "Boxes")
    def __init__(
        self,
        array: Any,
        /,
        form: Form = "xyxy",
        *,
        normalised: tuple[float, float] | None = None,
        check: bool | None = None,
    ) -> None:
        self._fill(array, form, normalised, check, "boxes")

    @classmethod
    def _unchecked(cls, array: Array, form: Form, normalised: Any, dtype: str, wide: bool = False) -> Boxes:
        """Boxes of rows that are known to be sound, whose measures come back in another dtype than theirs.

        With `wide`, arithmetic is in float64: some of the rows are too small for float32.
        """
        self = cls(array, form, normalised=normalised, check=False)
        object.__setattr__(self, "dtype", dtype)
        if wide and dtype_name(self._corners) == "float32":
            object.__setattr__(self, "_corners", cast(self._corners, "float64"))
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Boxes._unchecked, (self.array, self.form, self.normalised, self.dtype, self._is_wide)

    @property
    def _is_wide(self) -> bool:
        """Is arithmetic wider than the boxes came?"""
        return dtype_name(self._corners) == "float64" and widened(dtype_name(self.array)) == "float32"

    @classmethod
    def _named(cls, array: Any, name: str, *, check: bool | None = None) -> Boxes:
        """Boxes of a bare table, whose errors speak of the argument that the caller wrote."""
        self = cls.__new__(cls)
        self._fill(array, "xyxy", None, check, name)
        return self

    def _fill(self, array: Any, form: str, normalised: Any, look: bool | None, name: str) -> None:
        if form == "xyxy" and normalised is None and look is None and type(array) is np.ndarray:
            dtype = lane.dtype_of_sound_boxes(array)
            if dtype is not None:
                _set_array(self, array)
                _set_form(self, "xyxy")
                _set_normalised(self, None)
                _set_corners(self, array)
                _set_dtype(self, dtype)
                return
        if form not in check.FORMS:
            check.one_of(form, check.FORMS, "form")
        array = check.rows(array, name, form)
        if normalised is not None:
            normalised = check.image_size(normalised, "normalised")
            check.whole_pixels(form, normalised)
        if look is None:
            look = has_visible_values(array)
        given = dtype_name(array)
        if look and given in INTEGERS:
            _look_at_integers(array, form, name)
        corners = _corners(array, given, form, normalised, look)
        if look:
            corners = _looked(array, form, corners, name)
        set_once = object.__setattr__
        set_once(self, "array", array)
        set_once(self, "form", form)
        set_once(self, "normalised", normalised)
        set_once(self, "_corners", corners)
        set_once(self, "dtype", result_name(given))

    def __len__(self) -> int:
        return int(self.array.shape[0])

    def __getitem__(self, index: Any) -> Boxes:
        """Some of the boxes, in the same form; one index gives one box, still as a table."""
        return Boxes._unchecked(take_rows(self.array, index), self.form, self.normalised, self.dtype, self._is_wide)

    def __repr__(self) -> str:
        size = "×".join(str(int(side)) for side in self.shape)
        scale = f", normalised={self.normalised}" if self.normalised else ""
        return f"Boxes({size}, {self.form!r}{scale}, {library(self.array)} {dtype_name(self.array)})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """x1, y1, x2, y2, for NumPy."""
        corners = to_numpy(self.xyxy)
        return np.array(corners, dtype) if copy else np.asarray(corners, dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """(N,), or the batch axes and N."""
        return tuple(self.array.shape[:-1])

    @property
    def xyxy(self) -> Array:
        """x1, y1, x2, y2 in pixels, as `to` gives them."""
        return self.to("xyxy")

    @property
    def area(self) -> Array:
        """The area of each box: float32 for half precision, int64 for integers."""
        w, h = generic.sides(columns(self._corners))
        return self._narrowed(w * h)

    @property
    def math(self) -> Array:
        """x1, y1, x2, y2 in the dtype that all arithmetic uses: float32, float64 or int64.

        Corners of narrow floats that came in another form, such as "cxcywh", and that float32 would round, are float64:
        far from the origin a rounded corner would take a box its size. So are those of boxes whose areas are too small
        for float32.
        """
        return self._corners

    def _narrowed(self, array: Array) -> Array:
        """What was computed from wide corners, as wide as the boxes came; halves as float32."""
        if dtype_name(array) != "float64":
            return array
        given = widened(dtype_name(self.array))
        return cast(array, given) if given == "float32" else array

    def _with_corners(self, corners: Array) -> Boxes:
        """Boxes of other corners; in the form of these where it keeps a size that rounded corners would lose."""
        others = Boxes._unchecked(corners, "xyxy", None, self.dtype)
        if not self._is_wide:
            return others
        rows = self._narrowed(others.to(self.form, normalised=self.normalised))
        return Boxes._unchecked(rows, self.form, self.normalised, self.dtype, True)

    def to(self, form: Form, /, *, normalised: tuple[float, float] | None = None) -> Array:
        """The boxes as an array in another form. The form they came in comes back bit for bit.

        Other forms are float64 or float32 (half precision is widened), and int64 for integers that stay whole.

        >>> boxes = Boxes([[0.25, 0.5, 0.5, 1.0]], "cxcywh", normalised=(640, 480))
        >>> boxes.to("xyxy")
        array([[  0.,   0., 320., 480.]])
        >>> boxes.to("cxcywh", normalised=(640, 480))
        array([[0.25, 0.5 , 0.5 , 1.  ]])
        """
        check.one_of(form, check.FORMS, "form")
        normalised = None if normalised is None else check.image_size(normalised, "normalised")
        check.whole_pixels(form, normalised)
        if form == self.form and normalised == self.normalised:
            return self.array

        xp = namespace(self._corners)
        corners = cast(self._corners, "float64") if self._halves(form, normalised) else self._corners
        x1, y1, x2, y2 = columns(corners)
        if normalised is not None:
            width, height = normalised
            x1, y1, x2, y2 = x1 / width, y1 / height, x2 / width, y2 / height

        if form == "xywh":
            x2, y2 = x2 - x1, y2 - y1
        elif form == "cxcywh":
            x1, y1, x2, y2 = (x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1
        elif form == "yxyx":
            x1, y1, x2, y2 = y1, x1, y2, x2
        elif form == "xyxy_inclusive":
            x2, y2 = x2 - 1, y2 - 1
        return self._narrowed(xp.stack([x1, y1, x2, y2], axis=-1))

    def _halves(self, form: str, normalised: Any) -> bool:
        """Do integers leave the integers in this form?"""
        return dtype_name(self._corners) == "int64" and (form == "cxcywh" or normalised is not None)

    def clip(self, width: float, height: float) -> Boxes:
        """The boxes cut to [0, width] × [0, height]. One outside becomes a box without area on the border.

        >>> Boxes([[-5, 2, 3, 4], [20, 0, 30, 9]]).clip(10, 8).xyxy
        array([[ 0,  2,  3,  4],
               [10,  0, 10,  8]])
        """
        width, height = check.image_size((width, height), "width, height")
        xp = namespace(self._corners)
        corners = self._corners
        if dtype_name(corners) == "int64":
            whole = width == int(width) and height == int(height)
            corners = corners if whole else cast(corners, "float64")
            width, height = (int(width), int(height)) if whole else (width, height)
        x1, y1, x2, y2 = (
            xp.clip(column, 0, limit)
            for column, limit in zip(columns(corners), (width, height, width, height), strict=True)
        )
        return self._with_corners(xp.stack([x1, y1, x2, y2], axis=-1))


lane.know(Boxes)
# object.__setattr__ looks a name up each time; a slot's own setter does not.
_set_array, _set_form, _set_normalised, _set_corners, _set_dtype = (
    vars(Boxes)[name].__set__ for name in ("array", "form", "normalised", "_corners", "dtype")
)


def columns(corners: Array) -> tuple[Array, Array, Array, Array]:
    return corners[..., 0], corners[..., 1], corners[..., 2], corners[..., 3]


def _corners(array: Array, given: str, form: str, normalised: tuple[float, float] | None, look: bool) -> Array:
    """x1, y1, x2, y2 in the dtype of all arithmetic: widened before the first subtraction."""
    name = math_name(given)
    if form == "xyxy" and normalised is None:
        return array if name == given else cast(array, name)

    if name == "int64" and (form == "cxcywh" or normalised is not None):
        name = "float64"  # halves and shares occur
    wide = widest_float(array) if name == "float32" and (form != "yxyx" or normalised is not None) else name
    array = array if wide == given else cast(array, wide)
    xp = namespace(array)
    with quiet(array):  # overflow and NaN are told by `_look`, where values may be looked at
        corners = xp.stack(_as_corners(array, form, normalised), axis=-1)
        if wide != name and has_visible_values(corners):
            narrow = cast(corners, name)
            return narrow if np.array_equal(to_numpy(narrow), to_numpy(corners)) else corners
    if look and name == wide == "float32" and form in ("xywh", "cxcywh"):
        _look_at_sides(array, form, corners, normalised)
    return corners


def _as_corners(array: Array, form: str, normalised: tuple[float, float] | None) -> tuple[Array, Array, Array, Array]:
    a, b, c, d = columns(array)
    if form == "xywh":
        a, b, c, d = a, b, a + c, b + d
    elif form == "cxcywh":
        a, b, c, d = a - c / 2, b - d / 2, a + c / 2, b + d / 2
    elif form == "yxyx":
        a, b, c, d = b, a, d, c
    elif form == "xyxy_inclusive":
        c, d = c + 1, d + 1
    if normalised is not None:
        width, height = normalised
        a, b, c, d = a * width, b * height, c * width, d * height
    return a, b, c, d


def _look_at_integers(array: Array, form: str, name: str) -> None:
    """Raise for integers so large that even adding two of them could wrap."""
    values = to_numpy(array)
    if values.dtype.itemsize < 4 or not values.size:
        return
    limit = check.LIMITS["int64"]
    if int(values.max()) > limit or int(values.min()) < -limit:
        bad = ((values > limit) | (values < -limit)).reshape(-1, 4).any(axis=1)
        raise check.bad_row(name, form, array, int(np.flatnonzero(bad)[0]), "too_large", "int64")


def _look_at_sides(array: Array, form: str, corners: Array, normalised: tuple[float, float] | None) -> None:
    """Raise for a box that loses its size in float32, where the library has nothing wider."""
    given = to_numpy(array)[..., 2:].reshape(-1, 2) * np.asarray(normalised or (1, 1), np.float32)
    rows = to_numpy(corners).reshape(-1, 4)
    with np.errstate(all="ignore"):  # a row that is no box is told elsewhere
        lost = (np.abs(rows[:, 2:] - rows[:, :2] - given) * 100 > given).any(axis=1)
    if lost.any():
        raise check.lost_size(form, array, int(np.flatnonzero(lost)[0]))


def _looked(array: Array, form: str, corners: Array, name: str) -> Array:
    """The corners, as wide as their areas need. Raise for the first row that is no box."""
    math = dtype_name(corners)
    if corners is not array and math_name(dtype_name(array)) == "float32":
        math = "float32"  # whatever the corners are kept in: areas come back as they came
    if form in ("xywh", "cxcywh"):
        sides = to_numpy(array)[..., 2:].reshape(-1, 2)
        negative = np.flatnonzero((sides < 0).any(axis=1))
        if negative.size:
            raise check.bad_row(name, form, array, int(negative[0]), "negative", math)
    fault, row = native.first_fault(to_numpy(corners), check.LIMITS[math])
    if fault == "too_small" and dtype_name(corners) != widest_float(corners):
        corners = cast(corners, "float64")
        fault, row = native.first_fault(to_numpy(corners), check.LIMITS[math])
    if fault != "none":
        raise check.bad_row(name, form, array, row, fault, math)
    return corners
