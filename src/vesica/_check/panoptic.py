"""Checks of panoptic maps and their segments, and their wording."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import INTEGERS, Array, as_array, dtype_name
from vesica.errors import InputError, SizeValueError

_FORM = "a pair (ids, segments): a map of integers, 0 for no segment, and what each id is, {7: category} or COCO's list"


def pair(value: Any, side: str, place: int | str) -> tuple[Array, dict[int, tuple[int, bool]]]:
    """The map and the segments of one image."""
    name = f"{side}[{place!r}]"
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise TypeError(f"`{name}` must be {_FORM}; got {check.brief(value)}.")
    ids = as_array(value[0])
    if dtype_name(ids) not in INTEGERS or ids.ndim not in (2, 3) or _is_colours(ids):
        hint = " Colours of a PNG are numbers, R + 256 G + 65536 B." if _is_colours(ids) else ""
        raise TypeError(f"`{name}` must be {_FORM}; its map has shape {tuple(ids.shape)} of {dtype_name(ids)}.{hint}")
    return ids, segments(value[1], name)


def _is_colours(ids: Array) -> bool:
    return ids.ndim == 3 and ids.shape[-1] in (3, 4)


def segments(value: Any, name: str) -> dict[int, tuple[int, bool]]:
    """Category, and whether it is a crowd, of each id."""
    if isinstance(value, Mapping):
        rows = [{"id": id, "category_id": category} for id, category in value.items()]
    else:
        rows = list(value)
    found: dict[int, tuple[int, bool]] = {}
    for row in rows:
        if not isinstance(row, Mapping) or "id" not in row or "category_id" not in row:
            raise InputError(f"{name}: a segment must have `id` and `category_id`; got {check.brief(row)}.")
        id, category = (whole(row[field], f"{name}: `{field}`") for field in ("id", "category_id"))
        crowd = row.get("iscrowd", 0)
        if crowd not in (0, 1):
            raise InputError(f"{name}: `iscrowd` of segment {id} must be 0 or 1; got {check.brief(crowd)}.")
        if id <= 0:
            raise InputError(f"{name}: the id of a segment must be above 0, which is no segment; got {id}.")
        if id in found:
            raise InputError(f"{name}: the id {id} stands for two segments.")
        found[id] = (category, bool(crowd))
    return found


def whole(value: Any, name: str) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise InputError(f"{name} must be a whole number; got {check.brief(value)}.")
    return int(value)


def same_size(a: Array, b: Array, image: Any) -> None:
    if tuple(a.shape) != tuple(b.shape):
        raise SizeValueError(
            f"Truth and guess of image {image!r} must have one size; got {tuple(a.shape)} and {tuple(b.shape)}."
        )


def all_known(places: np.ndarray, ids: np.ndarray, side: str, image: Any) -> None:
    strange = ids[places < 0]
    if strange.size:
        raise InputError(
            f"The {side} of image {image!r} has pixels of segment {strange[0]}, which is not among its segments. "
            "Pixels of no segment have the id 0."
        )


def all_there(areas: np.ndarray, known: np.ndarray, side: str, image: Any) -> None:
    gone = known[areas == 0]
    if gone.size:
        raise InputError(f"The {side} of image {image!r} lists segment {gone[0]}, which has no pixels in its map.")


def known_categories(found: np.ndarray, known: np.ndarray, side: str, image: Any) -> None:
    strange = np.setdiff1d(found, known)
    if strange.size:
        listed = known[:20].tolist()
        raise InputError(
            f"The {side} of image {image!r} has a segment of category {strange[0]}, which is none: there are {listed}"
            f"{' …' if len(known) > 20 else ''}."
        )


def same_images(truth: list[Any], guess: list[Any]) -> None:
    """Every image of the truth has a guess, and no other has."""
    for words, missing in (
        ("has no guess", sorted(set(truth) - set(guess), key=repr)),
        ("is in the guess alone", sorted(set(guess) - set(truth), key=repr)),
    ):
        if missing:
            more = f", and {len(missing) - 1} others too" if len(missing) > 1 else ""
            raise InputError(f"Image {missing[0]!r} {words}{more}. An image without segments has a map of 0 alone.")


def each_once(images: np.ndarray) -> np.ndarray:
    listed = images.tolist()
    if len(set(listed)) != len(listed):
        twice = next(one for k, one in enumerate(listed) if one in listed[:k])
        raise InputError(f"Image {twice!r} is there twice.")
    return images


def together(a: Any, b: Any) -> None:
    """Results that may be merged: the same categories, the same rules."""
    if not np.array_equal(a.categories.ids, b.categories.ids) or a.categories.names != b.categories.names:
        raise ValueError("Results merge where their categories are the same; these differ.")
    for name in ("quirks", "void"):
        mine, theirs = getattr(a, name), getattr(b, name)
        if mine != theirs:
            raise ValueError(f"Results merge where their `{name}` is the same; got {mine!r} and {theirs!r}.")


def sound(result: Any) -> None:
    """What `to_bytes` writes: columns of one length, places that are there, unions that hold what is shared."""
    columns = [getattr(result, name) for name in ("image", "category", "inter", "union")]
    known = result.categories
    if any(column.dtype != np.int64 or column.ndim != 1 for column in (*columns, known.ids)):
        raise ValueError("a column is not of int64")
    image, category, inter, union = columns
    if len({len(column) for column in columns}) != 1 or len(known.names) != len(known.ids):
        raise ValueError("columns differ in length")
    if known.things is not None and len(known.things) != len(known.ids):
        raise ValueError("columns differ in length")
    if (np.diff(known.ids) <= 0).any():
        raise ValueError("categories do not rise")
    for places, count in ((image, len(result.images)), (category, len(known.ids))):
        if len(places) and not 0 <= places.min() <= places.max() < count:
            raise ValueError("a place is not there")
    matched = union > 0
    if (inter[matched] * 2 <= union[matched]).any() or (inter[matched] > union[matched]).any():
        raise ValueError("a match shares too few or too many pixels")
    if not np.isin(union[~matched], (-1, -2)).all() or inter[~matched].any():
        raise ValueError("a row is neither a match nor a segment without one")
    if not isinstance(result.void, bool) or not isinstance(result.quirks, (str, type(None))):
        raise ValueError("its rules are none that are known")
    each_once(result.images)


def category_id(row: Mapping[str, Any]) -> int:
    if "id" not in row:
        raise InputError(f"A category must have an `id`; got {check.brief(row)}.")
    return whole(row["id"], "The `id` of a category")


def listed_once(found: int, listed: int) -> None:
    if found != listed:
        raise InputError(f"`categories` must name each id once; {listed} entries have {found} ids.")


def known_things(things: set[int], ids: np.ndarray) -> None:
    strange = things - set(ids.tolist())
    if strange:
        raise ValueError(f"`things` must be ids of categories; got {min(strange)}, which is none.")


def json_name(path: Path) -> None:
    if path.suffix.lower() != ".json":
        raise ValueError(
            f"`path` must end with .json; got {str(path)!r}. Beside val.json, the PNG files go into the folder val."
        )


def image_id(value: Any) -> int | str:
    """A number, or a text that can be the name of a PNG file."""
    if isinstance(value, str):
        if value in ("", ".", "..") or {"/", "\\", "\0"} & set(value):
            raise InputError(f"The id of an image becomes the name of its PNG file; {value!r} cannot be one.")
        return value
    return whole(value, "The id of an image")


def fits_colours(ids: np.ndarray, image: Any) -> None:
    """A PNG file has two axes and a pixel at least, and three bytes hold ids from 0 to 2²⁴ − 1."""
    if ids.ndim != 2 or not ids.size:
        raise SizeValueError(f"The map of image {image!r} must be (H, W) with pixels; got shape {tuple(ids.shape)}.")
    low, high = int(ids.min()), int(ids.max())
    if low < 0 or high >= 2**24:
        strange = low if low < 0 else high
        raise InputError(f"The map of image {image!r} must have ids from 0 to {2**24 - 1}, the colours; got {strange}.")


def void(value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"`void` must be True or False; got {value!r}.")
    return bool(value)


def no_folder(folder: Any, side: str) -> None:
    if folder is not None:
        raise TypeError(f"`{side}_folder` goes with a panoptic JSON file; the {side} is given as maps.")


def listed(value: Any, side: str) -> list[Any]:
    if isinstance(value, (Mapping, np.ndarray)) or not isinstance(value, Iterable):
        raise TypeError(f"`{side}` must be a panoptic JSON file, or a list with, for each image, {_FORM}.")
    return list(value)


def one_by_one(value: Any) -> Iterable[Any]:
    if isinstance(value, (str, os.PathLike, np.ndarray)) or not isinstance(value, Iterable):
        raise TypeError(f"`images` must be a list, or a dict by the ids of images, with, for each image, {_FORM}.")
    return value
