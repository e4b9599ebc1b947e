"""Checks of data sets, and their wording."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import as_array, objects, to_numpy
from vesica.errors import SizeValueError

_KINDS = {
    "image": "i",
    "category": "i",
    "xywh": "f",
    "corners": "f",
    "score": "f",
    "area": "f",
    "crowd": "b",
    "ignore": "b",
    "annotator": "i",
    "round": "i",
}
_WIDE = {"xywh": (4,), "corners": (4, 2)}
_WORDS = {"i": "integers", "f": "floats", "b": "booleans"}


def columns(data: Any, /) -> None:
    """Columns of one length that point into their tables."""
    count = len(data.image)
    for name, kind in _KINDS.items():
        column = getattr(data, name)
        if column is None:
            continue
        shape = (count, *_WIDE.get(name, ()))
        if not isinstance(column, np.ndarray) or column.shape != shape or column.dtype.kind != kind:
            got = f"{column.dtype} of shape {column.shape}" if isinstance(column, np.ndarray) else type(column).__name__
            raise ValueError(f"`{name}` must be a NumPy array of {_WORDS[kind]} of shape {shape}; got {got}.")
    for name in ("segments", "id", "attributes"):
        column = getattr(data, name)
        if column is not None and len(column) != count:
            raise ValueError(f"`{name}` must have a row for each of the {count} objects; got {len(column)}.")
    for name, table in (("image", data.images), ("category", data.categories)):
        column = getattr(data, name)
        if count and not 0 <= int(column.min()) <= int(column.max()) < len(table):
            row = int(np.argmax((column < 0) | (column >= len(table))))
            raise ValueError(f"`{name}` of row {row} must be a place in a table of {len(table)}; got {column[row]}.")
    if data.annotator is not None or data.assignments is not None:
        from vesica._check import assignments  # late: most data sets have one author

        assignments.sound(data)


def some_boxes(xywh: np.ndarray | None, /) -> np.ndarray:
    """The boxes, if there are any to speak of."""
    if xywh is None:
        raise ValueError("This data set has no boxes; its regions are masks.")
    return xywh


def ids(value: Any, name: str) -> np.ndarray:
    """Ids as int64, or as objects where some are strings or beyond int64. Whole floats, as of pandas, are integers."""
    array = _listed(value, name)
    if array.ndim != 1:
        raise ValueError(f"`{name}` must be one id for each row: shape (N,); got {array.shape}.")
    if array.dtype.kind == "U":
        return array.astype(object)
    if array.dtype.kind == "O":
        return _objects(array, name)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"`{name}` must be integers or strings; got {array.dtype}.")
    return _whole(array, name)


def _listed(value: Any, name: str) -> np.ndarray:
    """A list by its elements: NumPy would make strings of integers beside strings, and floats of 5 beside 2^63."""
    if isinstance(value, (list, tuple)) and any(isinstance(one, str) for one in value):
        return objects(value)
    try:
        array = to_numpy(as_array(value))
    except ValueError:
        raise ValueError(f"`{name}` must be a flat list of ids; got {check.brief(value)}.") from None
    is_rounded = array.dtype.kind == "f" and isinstance(value, (list, tuple)) and all(type(one) is int for one in value)
    return objects(value) if is_rounded and len(value) else array


def _whole(array: np.ndarray, name: str) -> np.ndarray:
    if array.dtype.kind == "f":
        bad = ~((array == np.floor(array)) & (np.abs(array) < 2.0**63))
        if bad.any():
            row = int(np.argmax(bad))
            raise ValueError(f"`{name}` must be integers or strings; got {array[row]} in row {row}.")
    elif array.dtype == np.uint64 and array.size and int(array.max()) >= 2**63:
        return array.astype(object)
    return array.astype(np.int64, copy=False)


def _objects(array: np.ndarray, name: str) -> np.ndarray:
    plain = [_id(one, row, name) for row, one in enumerate(array.tolist())]
    is_plain = all(not isinstance(one, str) and -(2**63) <= one < 2**63 for one in plain)
    return np.array(plain, np.int64) if is_plain else objects(plain)


def _id(value: Any, row: int, name: str) -> int | str:
    if isinstance(value, str):
        return str(value)
    is_whole = isinstance(value, (int, np.integer)) or (isinstance(value, (float, np.floating)) and value == value // 1)
    if isinstance(value, (bool, np.bool_)) or not is_whole:
        raise TypeError(f"`{name}` must be integers or strings; got {check.brief(value)} in row {row}.")
    return int(value)


def different(array: np.ndarray, name: str) -> np.ndarray:
    """The ids of a table, all different."""
    plain = array.tolist()
    if len(set(plain)) != len(plain):
        seen: set[Any] = set()
        twice = next(one for one in plain if one in seen or seen.add(one))  # type: ignore[func-returns-value]
        raise ValueError(f"`{name}` must name each only once; {twice!r} comes twice.")
    return array


def known(places: np.ndarray, ids: np.ndarray, name: str, table: str, of: str = "") -> None:
    """Every id has a place in its table."""
    if places.size and places.min() < 0:
        row = int(np.argmin(places))
        got = ids.tolist()[row]
        whose = f" of `{of}`" if of else ""
        raise ValueError(
            f"`{name}` of row {row}{whose} must be one of `{table}`; got {got!r}. 7 and '7' are different ids."
        )


def one_for_each(value: Any, count: int, name: str) -> None:
    if len(value) != count:
        raise SizeValueError(f"`{name}` must have one for each of the {count} rows; got {len(value)}.")


def numbers(value: Any, count: int, name: str, *, missing: bool = False, look: bool = True) -> np.ndarray:
    """A column of float64; NaN only in columns where it stands for a value that is missing."""
    array = to_numpy(as_array(value))
    if array.size == 0 and count == 0:
        return np.empty(0)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"`{name}` must be numbers; got {array.dtype}.")
    if array.ndim != 1:
        raise SizeValueError(f"`{name}` must have one number for each of the {count} rows; got shape {array.shape}.")
    one_for_each(array, count, name)
    column = array.astype(np.float64, copy=False)
    bad = first_bad(column, name, missing=missing) if look else None
    if bad:
        raise ValueError(f"{bad[1]} in row {bad[0]}.")
    return column


def first_bad(column: np.ndarray, name: str, *, missing: bool) -> tuple[int, str] | None:
    """The first row that is not finite, and why. With `missing` NaN may stand there, and negative values may not."""
    bad = np.isinf(column) | (column < 0) if missing else ~np.isfinite(column)
    if not bad.any():
        return None
    row = int(np.argmax(bad))
    rule = "not be negative" if column[row] < 0 and missing else "be finite"
    return row, f"`{name}` must {rule}; got {column[row]}"


def first_bad_corners(corners: np.ndarray) -> tuple[int, str] | None:
    """The first row of four corners that are no points, and why."""
    bad = ~(np.abs(corners) < check.LIMITS["float64"]).all(axis=(1, 2))
    if not bad.any():
        return None
    row = int(np.argmax(bad))
    return row, f"the corners must be finite, and not so large that their area overflows; got {corners[row].tolist()}"


def sound_corners(corners: np.ndarray) -> None:
    bad = first_bad_corners(corners)
    if bad:
        raise ValueError(f"`boxes` row {bad[0]}: {bad[1]}.")


def first_bad_box(xywh: np.ndarray) -> tuple[int, str] | None:
    """The first row of x, y, width, height that is no box, and why."""
    limit = check.LIMITS["float64"]
    bad = ~(np.isfinite(xywh) & (np.abs(xywh) < limit)).all(axis=1) | (xywh[:, 2:] < 0).any(axis=1)
    if not bad.any():
        return None
    row = int(np.argmax(bad))
    box = dict(zip("xywh", xywh[row].tolist(), strict=True))
    strange = next((side for side in box if not np.isfinite(box[side])), None)
    if strange:
        return row, f"the box must be finite; got {strange} = {box[strange]}"
    if max(map(abs, box.values())) >= limit:
        return row, f"the box is too large: its area overflows; got {_listed_box(box)}"
    side = "w" if box["w"] < 0 else "h"
    what = {"w": ("width", "right edge lies left of the left"), "h": ("height", "lower edge lies above the upper")}
    return row, f"the box must not have a negative {what[side][0]}; got {box[side]}: the {what[side][1]} one"


def _listed_box(box: dict[str, float]) -> str:
    return ", ".join(f"{side} = {value}" for side, value in box.items())


def flags(value: Any, count: int, name: str) -> np.ndarray | None:
    """A column of booleans, also written 0 and 1; None where no row is set."""
    array = to_numpy(as_array(value))
    if array.size == 0 and count == 0:
        return None
    if array.dtype.kind not in "biuf" or array.ndim != 1:
        raise TypeError(f"`{name}` must be booleans, one for each row; got {array.dtype} of shape {array.shape}.")
    one_for_each(array, count, name)
    if array.dtype.kind != "b" and not np.isin(array, (0, 1)).all():
        odd = array[~np.isin(array, (0, 1))][0]
        raise ValueError(f"`{name}` must be booleans, or 0 and 1; got {odd}.")
    return array.astype(bool) if array.any() else None


def box_table(boxes: Any) -> None:
    if len(boxes.shape) != 1:
        raise SizeValueError(f"`boxes` must be one table of shape (N, 4); got {(*boxes.shape, 4)}. Flatten the batch.")


def some_regions(boxes: Any, masks: Any) -> None:
    if boxes is None and masks is None:
        raise TypeError("A data set needs regions: give `boxes`, `masks`, or both.")


def no_outlines(value: Any) -> None:
    """Regions that have no column here, and what to make of them."""
    kind = type(value).__name__
    ways = {
        "Polygons": "draw them: polygons.to_rle(size); or pass COCO's lists: [[x, y, x, y, …], …] for each object.",
        "LabelMap": "take its labels apart: labels.to_rle().",
        "Sets": "sets have no place in an image.",
    }
    if kind in ways:
        raise TypeError(
            f"A data set holds boxes, upright or rotated, and masks; got {kind}. The way there: {ways[kind]}"
        )


def segmentation(value: Any, row: int) -> TypeError:
    return TypeError(
        f'`masks` row {row} must be a dict of "size" and "counts", a list of polygons [x, y, x, y, …], or None; '
        f"got {check.brief(value)}."
    )


def image_sizes(value: Any, name: str = "sizes") -> np.ndarray:
    """(I, 2) heights and widths, or (2,) of all images."""
    array = to_numpy(as_array(value))
    if array.dtype.kind == "f" and np.array_equal(array, np.floor(array)):
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu" or array.shape[-1:] != (2,) or array.ndim > 2:
        raise ValueError(f"`{name}` must be (height, width), or such a pair for each image; got {check.brief(value)}.")
    if array.size and not 0 <= int(array.min()) <= int(array.max()) <= check.LIMITS["int64"]:
        raise ValueError(f"`{name}` must be heights and widths from 0 to 2^30; got {check.brief(array.tolist())}.")
    return array.astype(np.int64)


def whose_sizes(count: int, images: int, given: bool) -> None:
    if not given:
        raise TypeError("`sizes` of several images need `images`, which says whose they are; or a dict of id: (h, w).")
    if count != images:
        raise SizeValueError(f"`sizes` must be one for each of the {images} images; got {count}.")


def known_size(sizes: np.ndarray, ids: np.ndarray) -> None:
    """Shares of an image need its size."""
    lost = (sizes <= 0).any(axis=1)
    if lost.any():
        image = ids.tolist()[int(np.argmax(lost))]
        raise ValueError(f"`normalised` boxes need `sizes`: nobody said how large image {image!r} is.")


def same_size(masks: np.ndarray, images: np.ndarray, rows: np.ndarray, image_of: np.ndarray, ids: np.ndarray) -> None:
    """Masks are of the size of their image."""
    odd = rows[(masks[rows] != images[image_of[rows]]).any(axis=1)]
    if odd.size:
        row, place = int(odd[0]), int(image_of[odd[0]])
        (high, wide), (height, width), id = masks[row].tolist(), images[place].tolist(), ids.tolist()[place]
        raise SizeValueError(
            f"`masks` row {row} is of {high}×{wide} pixels (height × width), but image {id!r} of {height}×{width}."
        )


def shares(form: str) -> None:
    check.whole_pixels(form, "normalised")


def one_category(count: int) -> None:
    if count != 1:
        raise TypeError(f"`category` must be given where there are {count} `categories`.")


def list_of_images(value: Any, what: str) -> list[Any]:
    """One thing for each image."""
    if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__iter__") or hasattr(value, "dtype"):
        raise TypeError(f"There must be a list with one {what} for each image; got {type(value).__name__}.")
    return list(value)


def fields_of_image(found: dict[str, Any], place: int, what: str) -> None:
    if found.get("boxes") is None and found.get("masks") is None:
        raise TypeError(f'{what} {place} has neither "boxes" nor "masks"; it has {check.brief(sorted(found))}.')


def one_name_each(given: dict[str, Any], aliases: dict[str, str], place: int) -> None:
    """No field under two names."""
    for alias, name in aliases.items():
        others = [one for one in given if one != alias and aliases.get(one, one) == name]
        if alias in given and others:
            raise TypeError(
                f'Image {place} has "{alias}" and "{others[0]}", which both mean its {name}: leave one out.'
            )


def no_other_names(found: dict[str, Any], names: dict[str, tuple[str, ...]], place: int) -> None:
    """No field under a name that is not read."""
    for name, others in names.items():
        other = next((one for one in others if one in found), None)
        if name not in found and other is not None:
            raise TypeError(f'Image {place} has "{other}" and no "{name}": write {{"{name}": one["{other}"], …}}.')


def sizes_of_shares(sizes: Any, normalised: bool) -> Any:
    """Shares of images need their sizes."""
    if normalised and sizes is None:
        raise TypeError(
            "`normalised` boxes need `sizes`: the key of (height, width) in each dict, such as "
            'sizes="orig_size", or one pair for each image.'
        )
    return sizes


def key_of_sizes(found: list[dict[str, Any]], key: str) -> None:
    for place, one in enumerate(found):
        if key not in one:
            raise TypeError(f'`sizes` must be a key of each image; image {place} has no "{key}", but {sorted(one)}.')


def in_all_images(name: str, there: list[bool], counts: list[int]) -> bool:
    """Is the field there? In all images that have objects, or in none."""
    relevant = [k for k, count in enumerate(counts) if count]
    if not relevant:
        return any(there)
    given = [there[k] for k in relevant]
    if any(given) and not all(given):
        place = next(k for k in relevant if not there[k])
        raise ValueError(f"`{name}` must be given for all images or for none; image {place} has objects without.")
    return all(given)


def one_kind_of_boxes(are_turned: list[bool]) -> None:
    if len(set(are_turned)) > 1:
        raise ValueError(
            "`boxes` must be upright in all images or rotated in all. Upright ones among rotated: "
            "RotatedBoxes.from_boxes(boxes)."
        )


def float_masks(array: Any, above: Any, place: int) -> None:
    kind = str(array.dtype)
    if above is None and "float" in kind:
        raise TypeError(f"`masks` of image {place} are {kind}: say which values belong, such as above=0.5.")


def not_in_all(name: str, place: int | None = None, /) -> ValueError:
    """`place` is that of the first part that has objects without."""
    which = "" if place is None else f" Part {place} has objects without: dataclasses.replace(part, {name}=…)."
    return ValueError(f"`{name}` must be given for all images or for none.{which}")


def ids_of_all(ids: list[Any], /) -> list[Any]:
    """The "image_id" of each image, if all have one."""
    if any(one is None for one in ids):
        raise ValueError(f'"image_id" must be given for all images or for none; image {ids.index(None)} has none.')
    return ids


_OF_CATEGORIES = {"names": "is called", "frequency": "has the frequency"}


def same_category(known: dict[Any, Any], others: dict[Any, Any], column: str, /) -> None:
    """A category is the same, whoever tells of it."""
    for id in known.keys() & others.keys():
        if known[id] != others[id]:
            raise ValueError(
                f"Category {id!r} {_OF_CATEGORIES[column]} {known[id]!r} in one part and {others[id]!r} in another. "
                "Number categories alike before parts are put together."
            )
