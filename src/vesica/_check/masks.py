"""Checks of masks in every form: dense, run-length, sparse."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import FLOATS, INTEGERS, Array, as_array, dtype_name, to_numpy
from vesica.errors import SizeValueError

_COUNTS, _SIZE = operator.itemgetter("counts"), operator.itemgetter("size")


def mask_stack(value: Any, name: str, above: Any) -> Array:
    """A stack of masks: booleans or integers; floats where `above` says which of them count."""
    check.not_masked(value, name, "fill it first")
    array = as_array(value) if hasattr(value, "ndim") else _stacked(value, name)
    dtype, shape = dtype_name(array), tuple(int(side) for side in array.shape)
    if dtype in FLOATS and above is None and array.ndim == 3:
        raise TypeError(
            f"`{name}` must be booleans or integers; got {dtype}. Say which values count: Masks(a, above=0.5)."
        )
    if dtype not in check.NUMBERS and dtype != "bool":
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
    if max(sides) > check.LIMITS["int64"]:
        raise SizeValueError(f"`{name}` must be of sides below 2^30, so fewer than 2^60 pixels; got {tuple(sides)}.")


def _whole_sides(value: Any) -> list[int] | None:
    try:
        sides = [operator.index(side) for side in value]
    except TypeError:
        return None
    return None if bool in map(type, value) else sides


def list_of_counts(value: Any) -> None:
    if hasattr(value, "to_rle"):
        kind = type(value).__name__
        raise TypeError(f"`counts` must be lists or strings; got {kind}. Masks of any kind have to_rle().")
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
        hint = " One mask is a list of one: [[…]]." if counts.ndim == 0 and counts.dtype.kind in "iu" else hint
        raise TypeError(f"{name} must be a flat list of whole numbers, or a string; got {check.brief(value)}.{hint}")
    if counts.dtype.kind == "f":
        bad = np.flatnonzero(~(counts == np.floor(counts)) | (np.abs(counts) >= 2.0**60))
        if bad.size:
            raise ValueError(f"{name} must be whole numbers; number {bad[0]} is {counts[bad[0]]}.")
    if counts.dtype == np.uint64 and counts.max() >= 2**63:
        raise ValueError(f"{name} must fit into 64 bits; number {int(counts.argmax())} is {counts.max()}.")
    return np.ascontiguousarray(counts, np.int64)


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
        "cut": f"end inside a number, after character {position - 1}. The string was cut.",
        "too_large": f"must be numbers of images; the one that reaches character {position} has more than 60 bits.",
    }
    return ValueError(f"`counts` of mask {mask} {texts[kind]}")


def offsets(value: Any, total: int) -> np.ndarray:
    starts = _whole_numbers(value, "`offsets`")
    if not len(starts) or starts[0] != 0 or starts[-1] != total or np.any(np.diff(starts) < 0):
        raise ValueError(f"`offsets` must rise from 0 to the {total} counts; got {check.brief(starts.tolist())}.")
    return starts


def coco_list(value: Any) -> list[Any]:
    if type(value) is list:
        return value
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise TypeError(
            f'`segmentations` must be a list of dicts of "size" and "counts"; got {check.brief(value)}. '
            "One mask is a list of one."
        )
    return list(value)


def coco_masks(segmentations: list[Any]) -> tuple[list[Any], tuple[int, int]]:
    """Counts and the one image size of COCO's run lengths."""
    try:
        counts, sizes = list(map(_COUNTS, segmentations)), list(map(_SIZE, segmentations))
    except (TypeError, KeyError, IndexError):
        k = next(k for k, one in enumerate(segmentations) if not _is_coco(one))
        hint = " Lists of points are polygons." if isinstance(segmentations[k], list) else ""
        got = check.brief(segmentations[k])
        raise TypeError(f'Mask {k} must be a dict of "size" and "counts"; got {got}.{hint}') from None
    if not sizes:
        raise SizeValueError("No masks, so no image size is known. In Python: RleMasks([], size=(height, width)).")
    first = mask_size(sizes[0], '"size" of mask 0')
    if set(map(type, sizes)) == {list} and sizes.count([*first]) == len(sizes):
        return counts, first
    for k, size in enumerate(sizes):
        if mask_size(size, f'"size" of mask {k}') != first:
            raise SizeValueError(f"Masks must be of images of one size; mask 0 has {sizes[0]} and mask {k} {size}.")
    return counts, first


def _is_coco(value: Any) -> bool:
    return isinstance(value, Mapping) and "counts" in value and "size" in value


def run_lengths(value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"`other` must be RleMasks; got {type(value).__name__}. Masks of any kind have to_rle().")


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


def pixel(value: Any, name: str) -> tuple[int, int]:
    """(x, y), whole numbers; may be negative."""
    sides = _whole_sides(value)
    if sides is None or len(sides) != 2:
        raise ValueError(f"`{name}` must be (x, y), two whole numbers of pixels; got {value!r}.")
    return sides[0], sides[1]


def inside_image(masks: np.ndarray, offset: tuple[int, int], tile: tuple[int, int], size: tuple[int, int]) -> None:
    """Raise for the first of some masks that reach beyond the image."""
    if masks.size:
        raise ValueError(
            f"Mask {masks[0]} of the tile of {tile[0]}×{tile[1]} (height × width) at x = {offset[0]}, y = {offset[1]} "
            f"reaches beyond the image of {size[0]}×{size[1]}. `crop` the tile first, or exchange x and y."
        )


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
        hint = " A dense stack goes to SparseMasks.from_masks(a)." if len(shape) == 3 else hint
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


def no_values(values: Any) -> None:
    if values is not None:
        raise TypeError("`values` goes with a table of indices: a sparse tensor brings its own.")


def filled_with_nothing(tensor: Any) -> None:
    """Pixels that a sparse tensor does not name are no part of a mask."""
    fill = getattr(tensor, "fill_value", 0)
    if fill != 0:
        raise ValueError(f"A sparse tensor must be 0 where it names nothing; got a fill value of {fill!r}.")


def own_size(own: tuple[int, ...], size: Any) -> None:
    """The size of a sparse tensor, and what was said of it."""
    if size is not None and sparse_size(size) != tuple(own):
        raise SizeValueError(f"`size` must be that of the sparse tensor, {tuple(own)}; got {size!r}. Leave it out.")


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
