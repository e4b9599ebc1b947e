"""Every argument check and its wording: argument, rule, what came, way out."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from vesica._array import FLOATS, INTEGERS, Array, as_array, dtype_name, has_visible_values, library, to_numpy
from vesica.errors import SizeValueError

FORMS = ("xyxy", "xywh", "cxcywh", "yxyx", "xyxy_inclusive")
UNITS = ("deg", "rad")
DIRECTIONS = ("cw", "ccw")

# Beyond these, the square of a hull could overflow, and a share would be infinity over infinity.
LIMITS = {"int64": 2**30 - 1, "float32": 2.0**60, "float64": 2.0**508}

_NUMBERS = INTEGERS | FLOATS
_COLUMNS = {
    "xyxy": ("x1", "y1", "x2", "y2"),
    "xywh": ("x", "y", "w", "h"),
    "cxcywh": ("cx", "cy", "w", "h"),
    "yxyx": ("y1", "x1", "y2", "x2"),
    "xyxy_inclusive": ("x1", "y1", "x2", "y2"),
    "rotated": ("cx", "cy", "w", "h", "angle"),
}


def one_of(value: Any, options: Iterable[str], name: str) -> str:
    options = tuple(options)
    if isinstance(value, str) and value in options:
        return value
    listed = ", ".join(f'"{option}"' for option in options)
    near = difflib.get_close_matches(str(value), options, n=1, cutoff=0.5)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    raise ValueError(f"`{name}` must be one of {listed}; got {value!r}.{hint}")


def stated(value: Any, options: Iterable[str], name: str, why: str) -> str:
    """An option without a default."""
    if value is None:
        ways = " or ".join(f'{name}="{option}"' for option in options)
        raise TypeError(f"`{name}` has no default, because {why}: say {ways}.")
    return one_of(value, options, name)


def positive(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"`{name}` must be a whole number above 0; got {value!r}.")
    return int(value)


def threads(value: Any) -> None:
    if value is not None:
        positive(value, "threads")


def finite(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"`{name}` must be a number; got {value!r}.") from None
    if not np.isfinite(number):
        raise ValueError(f"`{name}` must be finite; got {number}.")
    return number


def weight(value: Any, name: str) -> float:
    number = finite(value, name)
    if number < 0:
        raise ValueError(f"`{name}` must not be negative; got {value!r}. A weight of 0 leaves that kind of miss out.")
    return number


def image_size(value: Any, name: str) -> tuple[float, float]:
    try:
        width, height = (float(side) for side in value)
    except (TypeError, ValueError):
        raise ValueError(f"`{name}` must be (width, height); got {value!r}.") from None
    if not (0 < width < np.inf and 0 < height < np.inf):
        raise ValueError(f"`{name}` must be (width, height), both above 0; got {value!r}.")
    return width, height


class Threshold(NamedTuple):
    """t = p / (q · 2^shift), and whether a value must exceed it or only reach it."""

    p: int
    q: int
    shift: int
    strict: bool

    @property
    def value(self) -> float:
        return float(Fraction(self.p, self.q << self.shift))


def threshold(value: Any, name: str, *, strict: bool) -> Threshold:
    """The threshold as the fraction its writer meant: 0.3 is 3/10, not the nearest binary number.

    The shortest decimal that reads back as the given float counts, up to six decimals; beyond that
    the float's own binary fraction.
    """
    number = finite(value, name)
    if not 0 <= number <= 1:
        hint = " Divide a percentage by 100." if 1 < number <= 100 else ""
        raise ValueError(f"`{name}` must lie in (0, 1]; got {value!r}.{hint}")
    if number == 0 and not strict:
        raise ValueError(
            f"`{name}` must lie in (0, 1]; got {value!r}, which every pair reaches. "
            "All pairs that meet: `strict=True`. All pairs: the measure itself gives the matrix."
        )
    if isinstance(value, (Fraction, Decimal)) and Fraction(value).denominator < 2**63:
        return Threshold(*Fraction(value).as_integer_ratio(), 0, strict)
    # A float32 of 0.3 means 3/10 as well, although as a float64 it is 0.30000001192…
    narrow = np.dtype(dtype_name(value)).type(number) if _is_narrow(value) else None
    text = repr(number) if narrow is None else np.format_float_positional(narrow, unique=True, trim="-")
    exponent = Decimal(text).as_tuple().exponent
    if isinstance(exponent, int) and exponent >= -6:
        share = Fraction(text)
        return Threshold(share.numerator, share.denominator, 0, strict)
    share = Fraction(number)
    return Threshold(share.numerator, 1, share.denominator.bit_length() - 1, strict)


def _is_narrow(value: Any) -> bool:
    return hasattr(value, "dtype") and dtype_name(value) in ("float16", "float32")


def rows(value: Any, name: str, form: str) -> Array:
    """A table of numbers with one row a region; leading axes are a batch."""
    width = len(_COLUMNS[form])
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"`{name}` must not be a masked array, whose mask would be lost: fill it or drop the rows.")
    array = as_array(value) if hasattr(value, "ndim") else _listed(value, name)
    dtype = dtype_name(array)
    if dtype in _NUMBERS and array.ndim > 1 and array.shape[-1] == width:
        return array
    if array.ndim == 1 and array.shape[0] == 0 and library(array) == "numpy":
        return np.empty((0, width), array.dtype)  # an empty list has no second axis to show
    if dtype not in _NUMBERS:
        raise TypeError(f"`{name}` must hold integers or floats up to 64 bits; got {dtype}.{_dtype_hint(dtype)}")
    shape = tuple(int(side) for side in array.shape)
    lead = "(N, " if form == "rotated" else "(…, N, "
    raise ValueError(f"`{name}` must have shape {lead}{width}); got {shape}.{_shape_hint(shape, width)}")


def _listed(value: Any, name: str) -> Array:
    """A table from lists, or from whatever else NumPy understands."""
    if hasattr(value, "array") and hasattr(value, "area"):
        raise TypeError(f"`{name}` is a {type(value).__name__} already; use it as it is, or pass its `array`.")
    try:
        return as_array(value)
    except ValueError:
        lengths = [len(row) if hasattr(row, "__len__") else 0 for row in value]
        odd = next((k for k, length in enumerate(lengths) if length != lengths[0]), None)
        if odd is None:
            raise
        raise ValueError(
            f"`{name}` must have rows of one length; got {lengths[0]} numbers in row 0 and {lengths[odd]} in row {odd}."
        ) from None


def _dtype_hint(dtype: str) -> str:
    if dtype == "bool":
        return " Masks go to Masks(a)."
    if dtype == "object":
        return " Such a table comes of integers beyond 64 bits, or of things that are no numbers."
    return ""


def _shape_hint(shape: tuple[int, ...], width: int) -> str:
    if width == 4 and shape == (4,):
        return " One box is a table of one row: [[x1, y1, x2, y2]]."
    if width == 4 and len(shape) == 2 and shape[1] == 5:
        return " Rotated boxes go to RotatedBoxes(a, unit=…, direction=…); a score or class column goes elsewhere."
    if width == 4 and len(shape) == 3 and shape[1:] == (4, 2):
        return " Four corners a row are polygons, not boxes."
    if width == 4 and len(shape) == 3:
        return " A stack of masks goes to Masks(a)."
    if width == 4 and len(shape) == 2 and shape[0] == 4:
        return " The table looks transposed: pass a.T."
    if width == 5 and shape[-1:] == (4,):
        return " Upright boxes go to Boxes(a)."
    return ""


FAULTS = ("none", "nan", "infinite", "inverted_x", "inverted_y", "too_large")


def bad_row(name: str, form: str, given: Array, index: int, fault: str, math: str) -> ValueError:
    """What is wrong with one row, in the words of the form it was given in."""
    shape = given.shape[:-1]
    values = to_numpy(given).reshape(-1, given.shape[-1])[index].tolist()
    place = str(index) if len(shape) == 1 else str(tuple(int(k) for k in np.unravel_index(index, tuple(shape))))
    named = dict(zip(_COLUMNS[form], values, strict=True))
    start = f"`{name}` row {place}"
    strange = next((c for c, v in named.items() if not np.isfinite(v)), None)
    if strange:
        return ValueError(f"{start} must be finite; got {strange} = {named[strange]}. Leave the row out, or repair it.")
    # A fault of the corners alone: finite numbers whose sums and products are not.
    if fault in ("nan", "infinite", "too_large") or (fault.startswith("inverted") and "x1" not in named):
        return ValueError(f"{start} is too large: {_row(named)}. {_too_large(math)}")
    if fault == "negative":
        column = "w" if named["w"] < 0 else "h"
        way = ' Rows of two corners go to Boxes(a, "xyxy").' if form != "rotated" else ""
        return ValueError(f"{start} must not have a negative side; got {column} = {named[column]}.{way}")
    axis = "x" if fault == "inverted_x" else "y"
    side = "left of" if axis == "x" else "above"
    first, second = named[f"{axis}1"], named[f"{axis}2"]
    text = f"{start} is inverted: {axis}2 = {second} lies {side} {axis}1 = {first}"
    if form == "xyxy_inclusive":
        return ValueError(f"{text} by more than the one pixel of an empty box.")
    return ValueError(f'{text}. Rows of x, y, width, height go to Boxes(a, "xywh").')


def _row(named: dict[str, Any]) -> str:
    return ", ".join(f"{column} = {value}" for column, value in named.items())


def _too_large(math: str) -> str:
    if math == "int64":
        return "Integer coordinates must stay within ±(2^30 − 1), or areas overflow: pass them as float64."
    if math == "float32":
        return "float32 coordinates must stay within ±2^60, or areas overflow: pass them as float64."
    return "Coordinates must stay within ±2^508, or areas overflow: choose a larger unit of length."


def whole_pixels(form: str, normalised: Any) -> None:
    if form == "xyxy_inclusive" and normalised is not None:
        raise ValueError(
            '`normalised` does not go with "xyxy_inclusive": the + 1 would be a whole image. '
            "Multiply by the image size first."
        )


def same_library(a: Array, b: Array, first: str = "a", second: str = "b") -> None:
    if type(a) is type(b) is np.ndarray:
        return
    left, right = library(a), library(b)
    both = f"`{first}` and `{second}` must be"
    if left != right:
        raise TypeError(f"{both} arrays of one library; got {left} and {right}. Convert one of them.")
    if left == "torch" and a.device != b.device:
        raise ValueError(f"{both} on one device; got {a.device} and {b.device}. Move one of them.")


def same_rows(a: int, b: int) -> None:
    if a != b:
        raise SizeValueError(
            f"`a` and `b` must have the same number of rows when aligned; got {a} and {b}. "
            "All pairs: leave `aligned` out."
        )


def same_batch(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    try:
        np.broadcast_shapes(a, b)
    except ValueError:
        raise SizeValueError(f"`a` and `b` must have the same leading axes; got {tuple(a)} and {tuple(b)}.") from None


def one_table(shape: tuple[int, ...], name: str, what: str) -> None:
    if len(shape) != 1:
        raise ValueError(
            f"`{name}` must be one table of shape (N, 4) for {what}; got leading axes {tuple(shape[:-1])}. "
            "Flatten the batch and pass its index as `keys`, or call once for each."
        )


def key_column(value: Any, count: int, name: str) -> np.ndarray:
    keys = to_numpy(as_array(value))
    if keys.dtype.kind == "O":
        raise TypeError(f"`{name}` must be numbers or strings, one kind of them; got {keys.ravel()[0]!r} among others.")
    if keys.ndim not in (1, 2) or keys.shape[0] != count:
        raise SizeValueError(f"`{name}` must have one key for each of the {count} rows; got shape {keys.shape}.")
    if keys.dtype.kind == "f" and not np.all(np.isfinite(keys)):
        raise ValueError(f"`{name}` must be finite; got {keys[~np.isfinite(keys)][0]}. Give unknown classes a number.")
    return keys


def pair_of_keys(keys: Any) -> tuple[Any, Any]:
    if isinstance(keys, (tuple, list)) and len(keys) == 2:
        return keys[0], keys[1]
    raise TypeError(f"`keys` must be (keys of a, keys of b) when there are two collections; got {type(keys).__name__}.")


def same_keys(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Both columns of keys as one, in which equal keys are equal."""
    if not a.size or not b.size:
        a, b = (x if x.size else np.empty((0, *y.shape[1:]), y.dtype) for x, y in ((a, b), (b, a)))
    if a.shape[1:] != b.shape[1:]:
        raise SizeValueError(f"`keys` must have the same columns on both sides; got shapes {a.shape} and {b.shape}.")
    a, b = (x.astype(np.int64) if x.dtype == np.uint64 and x.max(initial=0) < 2**63 else x for x in (a, b))
    if not _one_kind(a.dtype, b.dtype):
        raise TypeError(f"`keys` must be of one kind on both sides; got {a.dtype} and {b.dtype}.")
    return np.concatenate([a, b])


def _one_kind(a: np.dtype[Any], b: np.dtype[Any]) -> bool:
    """Would both keep their values in one dtype?"""
    if {a.kind, b.kind} <= set("iu"):
        return np.promote_types(a, b).kind in "iu"  # int64 with uint64 would be float64
    return a.kind == b.kind


_KINDS = {
    "rotated": "rotated boxes",
    "labels": "label maps",
    "masks_boxes": "masks and boxes",
    "boxes_masks": "boxes and masks",
}


def measurable(measure: str, kind: str, known: Iterable[str]) -> None:
    if measure not in known:
        named = _KINDS.get(kind, kind)
        raise TypeError(
            f"{measure} is not defined for {named}: it needs the upright box around both and its sides. "
            f"{', '.join(sorted(known))} need only the shared area."
        )


def flat_table(shape: tuple[int, ...], name: str) -> None:
    if len(shape) != 2:
        raise ValueError(f"`{name}` must have shape (N, 5); got {tuple(shape)}. Rotated boxes have no batch axes.")


def parts_or_pair(measure: str, is_parts: bool, b: Any) -> None:
    """A measure takes Parts alone, or two collections."""
    if is_parts and b is not None:
        raise TypeError(f"{measure} takes Parts alone, or two collections of regions; got Parts and {b!r}.")
    if not is_parts and b is None:
        raise TypeError(f"{measure} takes two collections of regions, or Parts; got one collection.")


def unknown_option(measure: str, option: str, known: Iterable[str]) -> TypeError:
    takes = ", ".join(f"`{name}`" for name in ("aligned", "threads", *known))
    return TypeError(f"{measure} has no option `{option}`; it takes {takes}.")


# Masks.


def mask_stack(value: Any, name: str, above: Any) -> Array:
    """A stack of masks: booleans or integers; floats where `above` says which of them count."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"`{name}` must not be a masked array, whose mask would be lost: fill it first.")
    array = as_array(value) if hasattr(value, "ndim") else _stacked(value, name)
    dtype, shape = dtype_name(array), tuple(int(side) for side in array.shape)
    if dtype in FLOATS and above is None and array.ndim == 3:
        raise TypeError(
            f"`{name}` must be booleans or integers; got {dtype}. Say which values count: Masks(a, above=0.5)."
        )
    if dtype not in _NUMBERS and dtype != "bool":
        raise TypeError(f"`{name}` must be booleans or integers; got {dtype}.")
    if above is not None and dtype not in FLOATS:
        raise TypeError(f"`above` goes with floats; `{name}` holds {dtype}, where every value but 0 counts.")
    if array.ndim == 3:
        _image_sides(shape[1:], name)
        return array
    if shape == (0,):
        raise ValueError(
            f"`{name}` must have shape (N, height, width); got (0,). No masks: np.empty((0, height, width), bool)."
        )
    hint = " One mask is a stack of one: mask[None]." if array.ndim == 2 else ""
    if array.ndim == 4 and shape[1] == 1:
        hint = " Take the one channel out: a[:, 0]."
    raise ValueError(f"`{name}` must have shape (N, height, width); got {shape}.{hint}")


def _stacked(value: Any, name: str) -> Array:
    try:
        return as_array(value)
    except ValueError:
        raise SizeValueError(f"`{name}` must be of one image size; got arrays of several shapes.") from None


def mask_size(value: Any, name: str) -> tuple[int, int]:
    """(height, width) of an image."""
    sides = _whole_sides(value)
    if sides is None or len(sides) != 2 or min(sides) < 0:
        raise SizeValueError(f"`{name}` must be (height, width), two whole numbers; got {value!r}.")
    _image_sides(sides, name)
    return sides[0], sides[1]


def _image_sides(sides: Iterable[int], name: str) -> None:
    """Boxes around masks have integer coordinates, and these end here."""
    if max(sides) > LIMITS["int64"]:
        raise SizeValueError(f"`{name}` must be of sides below 2^30, so fewer than 2^60 pixels; got {tuple(sides)}.")


def _whole_sides(value: Any) -> list[int] | None:
    try:
        sides = [operator.index(side) for side in value]
    except TypeError:
        return None
    return None if any(isinstance(side, bool) for side in value) else sides


def same_image(a: tuple[int, int], b: tuple[int, int]) -> None:
    if a != b:
        raise SizeValueError(
            f"`a` and `b` must be masks of images of one size; got {a[0]}×{a[1]} and {b[0]}×{b[1]} (height × width)."
        )


def list_of_counts(value: Any) -> None:
    is_one = isinstance(value, (str, bytes, bytearray, dict)) or getattr(value, "ndim", 1) == 0
    if is_one or not hasattr(value, "__len__"):
        raise TypeError(
            f"`counts` must be a list with the counts of each mask; got {type(value).__name__}. "
            "One mask is a list of one. Dicts of COCO go to RleMasks.from_coco."
        )


def count_list(value: Any, mask: int | None) -> np.ndarray:
    """Run lengths as int64."""
    return _whole_numbers(value, "`counts`" if mask is None else f"`counts` of mask {mask}")


def _whole_numbers(value: Any, name: str) -> np.ndarray:
    try:
        counts = np.asarray(to_numpy(value) if hasattr(value, "dtype") else value)
    except ValueError:
        raise TypeError(f"{name} must be a flat list of whole numbers; got lists of several lengths.") from None
    if counts.size == 0 and counts.ndim == 1:
        return np.empty(0, np.int64)
    if counts.ndim != 1 or counts.dtype.kind not in "iuf":
        hint = " Dicts of COCO go to RleMasks.from_coco." if isinstance(value, dict) else ""
        raise TypeError(f"{name} must be a flat list of whole numbers, or a string; got {_brief(value)}.{hint}")
    if counts.dtype.kind == "f":
        bad = np.flatnonzero(~(counts == np.floor(counts)) | (np.abs(counts) >= 2.0**60))
        if bad.size:
            raise ValueError(f"{name} must be whole numbers; number {bad[0]} is {counts[bad[0]]}.")
    if counts.dtype == np.uint64 and counts.max() >= 2**63:
        raise ValueError(f"{name} must fit into 64 bits; number {int(counts.argmax())} is {counts.max()}.")
    return np.ascontiguousarray(counts, np.int64)


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"{text[:57]}…"


def count_string(value: str | bytes | bytearray) -> bytes:
    """A compressed string as bytes. A character beyond a byte stays out of range, so that its place is told."""
    if isinstance(value, str):
        return value.encode() if value.isascii() else bytes(min(ord(c), 255) for c in value)
    return bytes(value)


def bad_counts(fault: tuple[str, int, int], pixels: int, *, is_text: bool) -> ValueError:
    """What is wrong with the run lengths of one mask. Places in strings are characters."""
    kind, mask, position = fault
    place = f"the number at character {position}" if is_text else f"number {position}"
    texts = {
        "negative": f"must not be negative; {place} is.",
        "too_long": f"must not exceed the {pixels} pixels of the image; {place} goes beyond them.",
        "character": f"must be characters 0 to o; the one at {position} is not. Is this a string of COCO?",
        "cut": "end inside a number. The string was cut.",
        "too_large": f"must be numbers of images; the one that reaches character {position} has more than 60 bits.",
    }
    return ValueError(f"`counts` of mask {mask} {texts[kind]}")


def offsets(value: Any, total: int) -> np.ndarray:
    starts = _whole_numbers(value, "`offsets`")
    if not len(starts) or starts[0] != 0 or starts[-1] != total or np.any(np.diff(starts) < 0):
        raise ValueError(f"`offsets` must rise from 0 to the {total} counts; got {_brief(starts.tolist())}.")
    return starts


def coco_list(value: Any) -> list[Any]:
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise TypeError(
            f'`segmentations` must be a list of dicts of "size" and "counts"; got {_brief(value)}. '
            "One mask is a list of one."
        )
    return list(value)


def coco_masks(segmentations: list[Any]) -> tuple[list[Any], tuple[int, int]]:
    """Counts and the one image size of COCO's run lengths."""
    try:
        counts, sizes = [one["counts"] for one in segmentations], [one["size"] for one in segmentations]
    except (TypeError, KeyError, IndexError):
        k = next(k for k, one in enumerate(segmentations) if not _is_coco(one))
        hint = " Lists of points are polygons." if isinstance(segmentations[k], list) else ""
        got = _brief(segmentations[k])
        raise TypeError(f'Mask {k} must be a dict of "size" and "counts"; got {got}.{hint}') from None
    if not sizes:
        raise SizeValueError("No masks, so no image size is known: RleMasks([], size=(height, width)).")
    first = mask_size(sizes[0], '"size" of mask 0')
    for k, size in enumerate(sizes):
        if (type(size) is not list or size != [*first]) and mask_size(size, f'"size" of mask {k}') != first:
            raise SizeValueError(f"Masks must be of images of one size; mask 0 has {sizes[0]} and mask {k} {size}.")
    return counts, first


def _is_coco(value: Any) -> bool:
    return isinstance(value, Mapping) and "counts" in value and "size" in value


def run_lengths(value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"`other` must be RleMasks; got {type(value).__name__}. Masks of any kind have to_rle().")


def row_numbers(index: Any, count: int) -> np.ndarray:
    """The rows that an index of any kind takes, one after the other."""
    rows = np.atleast_1d(np.arange(count)[to_numpy(index) if hasattr(index, "dtype") else index])
    if rows.ndim != 1:
        raise IndexError(f"Masks have one axis to take rows of; got an index that makes {rows.ndim} of it.")
    return rows


def dense_room(count: int, size: tuple[int, int]) -> None:
    needed = count * size[0] * size[1]
    if needed >= 2**47:
        raise MemoryError(
            f"{count} dense masks of {size[0]}×{size[1]} pixels are {needed} bytes, more than any machine has: "
            "stay with run lengths, or crop them first."
        )


def some_masks(count: int) -> None:
    if not count:
        raise ValueError("The intersection of no masks is not defined: it would be all pixels.")


def window(value: tuple[Any, ...], size: tuple[int, int]) -> tuple[int, int, int, int]:
    """A window of whole pixels inside the image."""
    sides = _whole_sides(value)
    height, width = size
    if sides is None or not (0 <= sides[0] <= sides[2] <= width and 0 <= sides[1] <= sides[3] <= height):
        raise ValueError(
            f"The window must be whole numbers x1, y1, x2, y2 inside the image of {height}×{width} (height × width); "
            f"got {value!r}."
        )
    return sides[0], sides[1], sides[2], sides[3]


def sparse_size(value: Any) -> tuple[int, int, int]:
    """(N, height, width) of a sparse stack."""
    sides = None if value is None else _whole_sides(value)
    if sides is None or len(sides) != 3:
        hint = " One mask is a stack of one: (1, height, width)." if sides is not None and len(sides) == 2 else ""
        raise SizeValueError(f"`size` must be (N, height, width), three whole numbers; got {value!r}.{hint}")
    if min(sides) < 0:
        raise SizeValueError(f"`size` must not be negative; got {tuple(sides)}.")
    if sides[0] >= 2**32:
        raise SizeValueError(f"`size` must be of fewer than 2^32 masks; got {tuple(sides)}.")
    _image_sides(sides[1:], "size")
    return sides[0], sides[1], sides[2]


def index_table(value: Any) -> np.ndarray:
    """Rows n, y, x as int64."""
    array = _one_array(value, "indices")
    shape = tuple(int(side) for side in array.shape)
    if len(shape) != 2 or shape[0] != 3:
        hint = " It looks transposed: pass indices.T." if len(shape) == 2 and shape[1] == 3 else ""
        raise SizeValueError(f"`indices` must have three rows, n, y, x: shape (3, P); got {shape}.{hint}")
    dtype = dtype_name(array)
    if dtype not in INTEGERS and (shape[1] or dtype not in FLOATS):
        raise TypeError(f"`indices` must be integers; got {dtype}.")
    table = to_numpy(array)
    if table.dtype == np.uint64 and table.size and table.max() >= 2**63:
        raise SizeValueError(f"`indices` must lie in the image; got {table.max()}.")
    return np.ascontiguousarray(table, np.int64)


def _one_array(value: Any, name: str) -> Array:
    try:
        return as_array(value)
    except ValueError:
        raise SizeValueError(f"`{name}` must have rows of one length; got rows of several.") from None


def index_values(value: Any, count: int) -> np.ndarray:
    values = to_numpy(_one_array(value, "values"))
    if values.shape != (count,):
        raise SizeValueError(
            f"`values` must be one for each of the {count} columns of `indices`; got shape {values.shape}."
        )
    return values


def bad_index(table: np.ndarray, axis: int, column: int, size: tuple[int, int, int]) -> SizeValueError:
    place, side = ("n", "y", "x")[axis], ("number of masks", "height", "width")[axis]
    return SizeValueError(
        f"`indices` column {column} must lie in the image: {place} = {table[axis, column]}, "
        f"and the {side} is {size[axis]}. Rows are n, y, x."
    )


def one_shape(shapes: list[tuple[int, ...]]) -> None:
    odd = next((k for k, shape in enumerate(shapes) if shape != shapes[0] or len(shape) != 2), None)
    if odd is not None:
        raise SizeValueError(
            f"Matrices must be of one shape (height, width); got {shapes[0]} and, at {odd}, {shapes[odd]}."
        )


def on_the_host(kind: str) -> TypeError:
    return TypeError(
        f"{kind} live on the host, and the dense masks do not: move these with .cpu(), "
        "or make both dense with to_masks()."
    )


def no_gradient(kind: str) -> TypeError:
    way = "" if kind == "Polygons" else " Dense masks let it through: to_masks()."
    return TypeError(f"No gradient flows through {kind}: pass the boxes without one (.detach()).{way}")


def not_comparable(a: str, b: str, way: str) -> TypeError:
    return TypeError(f"{a} and {b} have no exact overlap as they are. {way}")


# Polygons.

RULES = ("coco", "centre", "border")
# Vertices must stay below these powers of two, or a walk along the edges would lose bits.
RASTER_POWERS = {"coco": 40, "centre": 40, "border": 30}


def raster_rule(value: Any) -> str | None:
    return None if value is None else one_of(value, RULES, "rule")


def drawing_rule(rule: str | None, kind: str) -> str:
    if rule is None:
        ways = " or ".join(f'rule="{name}"' for name in RULES)
        raise not_comparable(
            "Polygons", kind, f"Say by which rule to draw the polygons, for they differ: Polygons(…, {ways})."
        )
    return rule


def no_regions(value: Any) -> TypeError:
    return TypeError(f"`polygons` must be a list of regions; got {type(value).__name__}.")


def listed(value: Any, place: str, what: str) -> None:
    """A list of parts or rings, with something in it."""
    if not isinstance(value, (list, tuple)) and not hasattr(value, "ndim"):
        raise no_ring(value, place)
    if not len(value):
        raise ValueError(f"`polygons` {place} must have a {what}; got an empty list. Leave it out.")


def no_ring(value: Any, place: str) -> TypeError:
    came = f"{value!r}" if isinstance(value, (int, float, str)) else f"a {type(value).__name__} of another shape"
    hint = " One polygon is a list of one region: wrap it in another list." if place.count(" ") == 1 else ""
    return TypeError(
        f"`polygons` {place} must be vertices, [[x, y], …] or [x, y, …], or a list of them; got {came}.{hint}"
    )


def ring(array: Array, place: tuple[int | None, ...]) -> None:
    """A ring of numbers, each x with its y."""
    if dtype_name(array) not in _NUMBERS:
        raise TypeError(f"{_vertex_place(place)} must hold numbers; got {dtype_name(array)}.")
    if array.ndim == 1 and array.shape[0] % 2:
        raise ValueError(
            f"{_vertex_place(place)} must have an even number of coordinates, x, y, x, y, …; got {array.shape[0]}."
        )


def short_ring(place: tuple[int | None, ...], count: int) -> ValueError:
    hint = " One polygon is a list of one region: wrap it in another list." if count == 1 else ""
    return ValueError(f"{_vertex_place(place)} needs three vertices; got {count}.{hint}")


def bad_vertex(place: tuple[int | None, ...], vertex: np.ndarray) -> ValueError:
    start, pair = _vertex_place(place), tuple(vertex.tolist())
    if np.isfinite(vertex).all():
        return ValueError(f"{start} is too large: {pair}. {_too_large('float64')}")
    return ValueError(f"{start} must be finite; got {pair}. Leave the vertex out, or repair it.")


def too_far(place: tuple[int | None, ...], vertex: np.ndarray, rule: str, power: int) -> ValueError:
    return ValueError(
        f'{_vertex_place(place)} is too far away for the rule "{rule}": {tuple(vertex.tolist())}. '
        f"Its coordinates must stay within ±2^{power}: clip the polygon to the image first."
    )


def _vertex_place(place: tuple[int | None, ...]) -> str:
    named = zip(("region", "part", "ring", "vertex"), place, strict=False)
    return "`polygons` " + ", ".join(f"{word} {number}" for word, number in named if number is not None)


def vertices(value: Any) -> Array:
    array = as_array(value)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"`points` must have shape (V, 2); got {tuple(array.shape)}.")
    if dtype_name(array) not in _NUMBERS:
        raise TypeError(f"`points` must hold numbers; got {dtype_name(array)}.")
    return array


def ring_offsets(value: Any, count: int, name: str, what: str) -> np.ndarray:
    """Where each thing begins among `count` others, and the end."""
    array = to_numpy(as_array(value))
    if array.ndim != 1 or array.dtype.kind not in "iu" or not array.size:
        raise TypeError(f"`{name}` must be a column of integers: where each begins, and the end.")
    if array[0] != 0 or array[-1] != count or (np.diff(array.astype(np.int64)) < 1).any():
        raise ValueError(
            f"`{name}` must start at 0, rise, and end at {count}, the number of {what}; got {array.tolist()}."
        )
    return np.array(array, np.int64)


# Label maps and sets.

_INT64 = np.iinfo(np.int64)


def label_map(value: Any, name: str) -> Array:
    """(H, W) integers of any width, or bool."""
    array = as_array(value)
    if dtype_name(array) not in INTEGERS | {"bool"}:
        raise TypeError(
            f"`{name}` must be integers, one label for each pixel; got {dtype_name(array)}. "
            "Scores of classes: take their argmax. Whole numbers that a file stored as floats: round and cast them."
        )
    if array.ndim != 2:
        hint = " A stack of masks goes to Masks(a), or to LabelMap.from_masks(a)." if array.ndim == 3 else ""
        raise ValueError(f"`{name}` must have shape (H, W); got {tuple(array.shape)}.{hint}")
    if dtype_name(array) == "uint64":
        largest = int(to_numpy(array).max(initial=0))
        if largest > _INT64.max:
            raise ValueError(f"`{name}` must hold labels below 2^63; got {largest}. Number them anew.")
    return array


def label(value: Any, name: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"`{name}` must be a label, an integer, or None; got {value!r}.")
    if not _INT64.min <= value <= _INT64.max:
        raise ValueError(f"`{name}` must fit 64 bits; got {value}.")
    return int(value)


def label_ids(value: Any, no_regions: dict[str, int | None]) -> np.ndarray:
    """Distinct labels, none of which was declared to be no region."""
    ids = to_numpy(as_array(list(value) if isinstance(value, range) else value))
    if ids.ndim != 1 or (ids.size and ids.dtype.kind not in "iu"):
        raise TypeError(f"`ids` must be a list of integers; got shape {ids.shape} of {ids.dtype}.")
    if ids.size and int(ids.max()) > _INT64.max:
        raise ValueError(f"`ids` must fit 64 bits; got {ids.max()}.")
    ids = ids.astype(np.int64)
    found, times = np.unique(ids, return_counts=True)
    if found.size != ids.size:
        raise ValueError(f"`ids` must name each label once; got {found[times > 1][0]} more than once.")
    for name, label in no_regions.items():
        if label is not None and label in ids:
            raise ValueError(f"`ids` must not name the {name}, which is no region; got {label}. Pass {name}=None.")
    return ids


def same_ids(a: np.ndarray, b: np.ndarray) -> None:
    if not np.array_equal(a, b):
        raise SizeValueError(
            f"`a` and `b` must have the same labels in the same order when aligned; got {_some(a)} and {_some(b)}. "
            "Pass the same `ids=` to both maps: labels that are absent are empty regions."
        )


def _some(ids: np.ndarray) -> str:
    return str(ids.tolist() if ids.size <= 8 else [*ids[:7].tolist(), "…"]).replace("'", "")


def same_kind_of_region(value: Any, kind: type, name: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"`{name}` must be a {kind.__name__}; got {type(value).__name__}.")


def overlapping(i: int, j: int, pixels: int) -> ValueError:
    shared = "1 pixel" if pixels == 1 else f"{pixels} pixels"
    return ValueError(
        f"`masks` must not overlap, since a pixel has one label; masks {i} and {j} share {shared}. "
        "Masks(a) compares stacks that overlap."
    )


def one_id_each(ids: np.ndarray, count: int) -> None:
    if ids.size != count:
        raise SizeValueError(f"`ids` must have one label for each of the {count} masks; got {ids.size}.")


def counts(value: Any, name: str) -> Array:
    """Numbers that are not negative, as an array."""
    array = as_array(value)
    if dtype_name(array) not in _NUMBERS:
        raise TypeError(f"`{name}` must be numbers; got {dtype_name(array)}.")
    if has_visible_values(array):
        values = to_numpy(array)
        if values.size and not values.min() >= 0:
            raise ValueError(f"`{name}` must not be negative; got {values.min()}. It counts what was found.")
    return array


def list_of_sets(value: Any) -> list[Any]:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"`sets` must be a list of sets; got {value!r}.")
    try:
        return list(value)
    except TypeError:
        raise TypeError(f"`sets` must be a list of sets; got {type(value).__name__}.") from None


def set_members(value: Any, index: int) -> list[Any] | np.ndarray:
    """The members of one set: an integer array, or a list of hashable things."""
    where = f"`sets` number {index}"
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{where} is {value!r}: its letters would be the members. One member: {{{value!r}}}.")
    if hasattr(value, "dtype") and hasattr(value, "ndim"):
        array = to_numpy(as_array(value))
        if array.ndim != 1 or array.dtype.kind not in "iuUSO":
            raise TypeError(f"{where} must be integers or names in one row; got shape {array.shape} of {array.dtype}.")
        if array.dtype.kind == "u" and int(array.max(initial=0)) > _INT64.max:
            raise ValueError(f"{where} must hold integers that fit 64 bits; got {array.max()}.")
        return array.astype(np.int64) if array.dtype.kind in "iu" else list(array.tolist())
    try:
        members = list(set(value))
    except TypeError:
        way = " One set alone goes into a list: Sets([{1, 2}])." if not isinstance(value, Iterable) else ""
        raise TypeError(f"{where} must be a set of integers or hashable names; got {value!r}.{way}") from None
    for member in members:
        if isinstance(member, (bool, float, np.bool_, np.floating)):
            raise TypeError(f"{where} must hold integers or names; got {member!r}. Round, or write it as a string.")
    return members


def one_kind_of_member(names: bool | None, is_names: bool, index: int) -> bool:
    """Are members names? The same for all sets."""
    if names is not None and names != is_names:
        have, others = ("names", "integers") if is_names else ("integers", "names")
        raise TypeError(f"`sets` must hold integers or names, not both; number {index} has {have}, others {others}.")
    return is_names


def mixed_set(index: int) -> TypeError:
    return TypeError(f"`sets` number {index} must hold integers or names, not both. Write the integers as strings.")


def member_too_large(index: int, member: int) -> ValueError:
    return ValueError(f"`sets` number {index} must hold integers that fit 64 bits; got {member}. Use names: strings.")


def same_kind_of_member(a: bool | None, b: bool | None) -> None:
    if a is not None and b is not None and a != b:
        left, right = ("names", "integers") if a else ("integers", "names")
        raise TypeError(f"`a` and `b` must both hold integers or both hold names; got {left} and {right}.")
