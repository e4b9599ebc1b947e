"""Every argument check and its wording: argument, rule, what came, way out.

Checks of one noun have a file of their own; here is what serves several, and boxes.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, Union, get_args

import numpy as np

from vesica._array import FLOATS, INTEGERS, Array, as_array, dtype_name, has_visible_values, library, to_numpy
from vesica.errors import SizeValueError

if TYPE_CHECKING:
    from decimal import Decimal
    from fractions import Fraction

T = TypeVar("T")

Share = Union[float, "Fraction", "Decimal"]  # who has none of the last two need not load their modules
"""A threshold. A float means its shortest decimal; the others are exact."""

Form = Literal["xyxy", "xywh", "cxcywh", "yxyx", "xyxy_inclusive"]
Unit = Literal["deg", "rad"]
Direction = Literal["cw", "ccw"]
FORMS: tuple[str, ...] = get_args(Form)
UNITS: tuple[str, ...] = get_args(Unit)
DIRECTIONS: tuple[str, ...] = get_args(Direction)

# Beyond these, the square of a hull could overflow, and a share would be infinity over infinity.
LIMITS = {"int64": 2**30 - 1, "float32": 2.0**60, "float64": 2.0**508}

# The area of a float64 box is a normal number where no side is below this.
LEAST_SIDE = 2.0**-511

NUMBERS = INTEGERS | FLOATS
_COLUMNS = {
    "xyxy": ("x1", "y1", "x2", "y2"),
    "xywh": ("x", "y", "w", "h"),
    "cxcywh": ("cx", "cy", "w", "h"),
    "yxyx": ("y1", "x1", "y2", "x2"),
    "xyxy_inclusive": ("x1", "y1", "x2", "y2"),
    "rotated": ("cx", "cy", "w", "h", "angle"),
}


# What others call a value or a number, without case and marks; what it is here, where that is among the options.
_VALUES = {
    "clockwise": "cw",
    "counterclockwise": "ccw",
    "anticlockwise": "ccw",
    "ltrb": "xyxy",
    "tlbr": "xyxy",
    "pascalvoc": "xyxy",
    "voc": "xyxy",
    "ltwh": "xywh",
    "tlwh": "xywh",
    "coco": "xywh",
    "yolo": "cxcywh",
    "xcycwh": "cxcywh",
    "bbox": "box",
    "segm": "mask",
    "obb": "rotated",
    "map": "ap",
    "map5095": "ap",
    "ap5095": "ap",
    "map50": "ap50",
    "map05": "ap50",
    "map75": "ap75",
    "mapsmall": "aps",
    "mapmedium": "apm",
    "maplarge": "apl",
    "mar1": "ar1",
    "mar10": "ar10",
    "mar100": "ar100",
    "meaniou": "miou",
    "meandice": "mdice",
}


def one_of(value: Any, options: Iterable[str], name: str) -> str:
    options = tuple(options)
    if isinstance(value, str) and value in options:
        return value
    listed = ", ".join(f'"{option}"' for option in options)
    import difflib  # late: most callers make no mistake

    word = str(value).lower()
    same = [option for option in options if option.lower() in (word, _VALUES.get(re.sub(r"[\W_]", "", word)))]
    near = same or difflib.get_close_matches(str(value), options, n=1, cutoff=0.5)
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
        raise ValueError(f"`{name}` must be a whole number above 0; got {shown(value)}.")
    if value > _MOST:
        raise ValueError(f"`{name}` must be at most {_MOST}; got {shown(value)}.")
    return int(value)


def shown(value: Any) -> str:
    """A value in a message: of a long one its beginning. Python writes no integer of more than 4300 digits."""
    if isinstance(value, int) and abs(value) >= 10**40:
        return f"an integer of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


_MOST, _SHOWN = 2**63 - 1, 200


def threads(value: Any) -> None:
    if value is not None:
        positive(value, "threads")


def finite(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"`{name}` must be a number; got {value!r}.") from None
    if not math.isfinite(number):
        raise ValueError(f"`{name}` must be finite; got {number}.")
    return number


def number(value: Any, name: str) -> float:
    """A finite number, or NaN."""
    return math.nan if isinstance(value, (float, np.floating)) and math.isnan(value) else finite(value, name)


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
    """t = p / (q · 2^shift), p and q below 2^63, and whether a value must exceed it or only reach it."""

    p: int
    q: int
    shift: int
    strict: bool

    @property
    def value(self) -> float:
        return self.p / (self.q << self.shift)


def threshold(value: Any, name: str, *, strict: bool) -> Threshold:
    """The threshold as the fraction its writer meant: 0.3 is 3/10, not the nearest binary number.

    A float is the shortest decimal that reads back as it; below 10⁻¹⁰, where that may have more than 27 places, the
    float's own binary fraction. Fraction and Decimal are what they are.
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
    if not isinstance(value, (int, float)) and not hasattr(value, "dtype") and hasattr(value, "as_integer_ratio"):
        return Threshold(*_exact_share(value, name), strict)
    # A float32 of 0.3 means 3/10 as well, although as a float64 it is 0.30000001192…
    narrow = np.dtype(dtype_name(value)).type(number) if _is_narrow(value) else None
    text = repr(number) if narrow is None else np.format_float_positional(narrow, unique=True, trim="-")
    digits, places = _decimal(text)
    if places <= _MOST_PLACES:
        divisor = math.gcd(digits, 10**places)
        return Threshold(*_halved(digits // divisor, 10**places // divisor), strict)
    p, q = number.as_integer_ratio()
    return Threshold(p, 1, q.bit_length() - 1, strict)


_MOST_PLACES = 27  # 5^27 is below 2^63
_MOST_SHIFT = 1074  # of the smallest float


def _halved(p: int, q: int) -> tuple[int, int, int]:
    """p / q as p / (q' · 2^shift), where q is too long as it is."""
    twos = 0 if q <= _MOST else (q & -q).bit_length() - 1
    return p, q >> twos, twos


def _exact_share(value: Any, name: str) -> tuple[int, int, int]:
    """The p, q and shift of a Fraction or a Decimal."""
    p, q = value.as_integer_ratio()
    if p > q:
        raise ValueError(f"`{name}` must lie in (0, 1]; got {shown(value)}.")
    p, q, shift = _halved(p, q)
    if max(p, q) > _MOST or shift > _MOST_SHIFT:
        raise ValueError(
            f"`{name}` must be a fraction of numbers below 2^63; got {shown(value)}. "
            "One near to it: Fraction(…).limit_denominator(10**18)."
        )
    return p, q, shift


def _decimal(text: str) -> tuple[int, int]:
    """A number below 10 as digits and how many of them are decimals. By hand, because compilers of models follow it."""
    mantissa, _, power = text.partition("e")
    whole, _, part = mantissa.partition(".")
    part = part.rstrip("0")
    return int(whole + part), len(part) - int(power or "0")


def _is_narrow(value: Any) -> bool:
    return hasattr(value, "dtype") and dtype_name(value) in ("float16", "float32")


def not_masked(value: Any, name: str, way: str) -> None:
    masked = sys.modules.get("numpy.ma")  # who has a masked array has loaded it, and nobody else needs it
    if masked is not None and isinstance(value, getattr(masked, "MaskedArray", ())):
        raise TypeError(f"`{name}` must not be a masked array, whose mask would be lost: {way}.")


def rows(value: Any, name: str, form: str) -> Array:
    """A table of numbers with one row a region; leading axes are a batch."""
    width = len(_COLUMNS[form])
    not_masked(value, name, "fill it or drop the rows")
    array = as_array(value) if hasattr(value, "ndim") else listed(value, name)
    dtype = dtype_name(array)
    if dtype in NUMBERS and array.ndim > 1 and array.shape[-1] == width:
        return array
    if array.ndim == 1 and array.shape[0] == 0 and library(array) == "numpy":
        return np.empty((0, width), array.dtype)  # an empty list has no second axis to show
    if dtype not in NUMBERS:
        raise TypeError(f"`{name}` must hold integers or floats up to 64 bits; got {dtype}.{_dtype_hint(dtype)}")
    shape = tuple(int(side) for side in array.shape)
    lead = "(N, " if form == "rotated" else "(…, N, "
    raise ValueError(f"`{name}` must have shape {lead}{width}); got {shape}.{_shape_hint(shape, width)}")


def listed(value: Any, name: str) -> Array:
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
        return (
            " Such a table comes of integers beyond 64 bits, or of things that are no numbers. "
            "Sets go to Sets(a), dicts of COCO into a list."
        )
    if dtype.startswith("str"):
        return " In Python: Sets of names go to Sets(a), strings of COCO to RleMasks(a, size=…)."
    return ""


def _shape_hint(shape: tuple[int, ...], width: int) -> str:
    if shape[1:] == (4, 2) or (width == 5 and shape[1:] == (8,)):
        return " Four corners a row go to RotatedBoxes.from_corners(a), or to Polygons."
    if width == 4 and shape == (4,):
        return " One box is a table of one row: [[x1, y1, x2, y2]]."
    if width == 4 and len(shape) == 2 and shape[1] == 5:
        return " Rotated boxes go to RotatedBoxes(a, unit=…, direction=…); a score or class column goes elsewhere."
    if width == 4 and len(shape) == 3:
        return " A stack of masks goes to Masks(a)."
    if width == 4 and len(shape) == 2 and shape[0] == 4:
        return " The table looks transposed: pass a.T."
    if width == 4 and len(shape) == 2 and shape[1] > 5:
        return " A map of labels goes to LabelMap(a), rows of x, y, x, y, … to Polygons(a)."
    if width == 5 and shape[-1:] == (4,):
        return " Upright boxes go to Boxes(a)."
    return ""


def boxes_or_masks(array: Array, name: str) -> None:
    """Raise for integers that could be boxes of a batch or pixels of images four wide."""
    if dtype_name(array) in INTEGERS and array.shape[-1] == 4:
        shape = tuple(int(side) for side in array.shape)
        masks = "a stack of masks goes to Masks(a)" if array.ndim == 3 else "images are no regions"
        raise TypeError(
            f"`{name}` of shape {shape} and whole numbers could be boxes of a batch or images that are 4 wide. Say "
            f"which: boxes go to Boxes(a), {masks}."
        )


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
        return ValueError(f"{start} is too large: {_row(named)}. {too_large(math)}")
    if fault == "too_small":
        return ValueError(f"{start} is too small: {_row(named)}. {too_small(math)}")
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


def too_large(math: str) -> str:
    if math == "int64":
        return "Integer coordinates must stay within ±(2^30 − 1), or areas overflow: pass them as float64."
    if math == "float32":
        return "float32 coordinates must stay within ±2^60, or areas overflow: pass them as float64."
    return "Coordinates must stay within ±2^508, or areas overflow: choose a larger unit of length."


def is_tiny(w: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Which areas of rotated boxes, or halves of their sides, have fewer digits than other float64, or none?"""
    least = np.finfo(np.float64).tiny
    with np.errstate(all="ignore"):  # other faults are told elsewhere
        tiny: np.ndarray = (w > 0) & (h > 0) & ((w * h < least) | (np.minimum(w, h) < 2 * least))
    return tiny


def too_small(math: str) -> str:
    if math == "float32":
        return f"Its area is below 2^-126, where float32 loses digits; as 64-bit floats it would count. {_JAX_WIDE}"
    return "Its area is below 2^-1022, where floats lose their digits: choose a smaller unit of length."


_JAX_WIDE = 'JAX has them switched off: call jax.config.update("jax_enable_x64", True).'


def lost_size(form: str, given: Array, index: int) -> TypeError:
    values = to_numpy(given).reshape(-1, 4)[index].tolist()
    named = _row(dict(zip(_COLUMNS[form], values, strict=True)))
    return TypeError(
        f"`boxes` row {index} is too small for float32 corners so far from the origin: {named}. They need 64-bit "
        'floats, which JAX has switched off: call jax.config.update("jax_enable_x64", True), or move the origin.'
    )


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


def image_offsets(value: Any, count: int, name: str) -> np.ndarray:
    """Where the rows of each image begin, and the end: (B + 1,) int64."""
    offsets = to_numpy(as_array(value) if hasattr(value, "ndim") else listed(value, "offsets"))
    if offsets.ndim != 1 or not offsets.size or offsets.dtype.kind not in "iu":
        raise TypeError(
            f"`offsets` must be whole numbers, one more than there are images; got {brief(value)}. "
            f"Image k has rows offsets[k] up to offsets[k + 1] of `{name}`."
        )
    offsets = offsets.astype(np.int64)
    if offsets[0] != 0 or offsets[-1] != count or np.any(np.diff(offsets) < 0):
        raise SizeValueError(
            f"`offsets` must rise from 0 to the {count} rows of `{name}`; got {brief(offsets.tolist())}."
        )
    return offsets


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


def room_of_pairs(make: Callable[[tuple[int, ...], str], T], shape: tuple[int, ...], dtype: str) -> T:
    """make(shape, dtype): room for a number of each pair. Where there is none, the error names what needs less."""
    try:
        return make(shape, dtype)
    except MemoryError as error:
        size = math.prod(shape) * np.dtype(dtype).itemsize / 1e9
        raise MemoryError(
            f"A table of {' × '.join(map(str, shape))} pairs is {size:,.1f} GB, more than there is room for. "
            "In Python: vesica.join(a, b, at_least=…) finds the pairs that reach a value, vesica.best(a, b, k=…) the "
            "best ones of each row, without the table."
        ) from error


def flat_table(shape: tuple[int, ...], name: str) -> None:
    if len(shape) != 2:
        raise ValueError(f"`{name}` must have shape (N, 5); got {tuple(shape)}. Rotated boxes have no batch axes.")


def parts_or_pair(measure: str, is_parts: bool, b: Any) -> None:
    """A measure takes Parts alone, or two collections."""
    if is_parts and b is not None:
        raise TypeError(f"{measure} takes Parts alone, or two collections of regions; got Parts and {b!r}.")
    if not is_parts and b is None:
        raise TypeError(f"{measure} takes two collections of regions, or Parts; got one collection.")


def not_comparable(a: str, b: str, way: str) -> TypeError:
    return TypeError(f"{a} and {b} have no exact overlap as they are. {way}")


def no_gradient(kind: str) -> TypeError:
    if kind == "Polygons":
        return TypeError("No gradient flows through Polygons: pass boxes and vertices without one (.detach()).")
    return TypeError(
        f"No gradient flows through {kind}: pass the boxes without one (.detach()). "
        "Dense masks let it through: to_masks()."
    )


def same_image(a: tuple[int, int], b: tuple[int, int]) -> None:
    if a != b:
        raise SizeValueError(
            f"`a` and `b` must be of images of one size; got {a[0]}×{a[1]} and {b[0]}×{b[1]} (height × width)."
        )


def brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"{text[:57]}…"


def row_numbers(index: Any, count: int) -> np.ndarray:
    """The rows that an index of any kind takes, one after the other."""
    rows = np.atleast_1d(np.arange(count)[to_numpy(index) if hasattr(index, "dtype") else index])
    if rows.ndim != 1:
        raise IndexError(f"There is one axis to take rows of; got an index that makes {rows.ndim} of it.")
    return rows


def counts(value: Any, name: str) -> Array:
    """Numbers that are not negative, as an array."""
    array = as_array(value)
    if dtype_name(array) not in NUMBERS:
        raise TypeError(f"`{name}` must be numbers; got {dtype_name(array)}.")
    if has_visible_values(array):
        values = to_numpy(array)
        if values.size and not values.min() >= 0:
            raise ValueError(f"`{name}` must not be negative; got {values.min()}. It counts what was found.")
    return array


def same_kind_of_region(value: Any, kind: type, name: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"`{name}` must be a {kind.__name__}; got {type(value).__name__}.")
