"""Checks of the stand-ins for other tools, and their wording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica import _check as check
from vesica.errors import InputError, NotOffered, SizeValueError

IOU_TYPES = ("segm", "bbox")


def iou_type(value: Any) -> str:
    if value == "keypoints":
        raise no_keypoints()
    return check.one_of(value, IOU_TYPES, "iouType")


def no_keypoints() -> NotOffered:
    return NotOffered(
        'Keypoints are not scored here: iouType is "segm" or "bbox". pycocotools serves them if it is installed: '
        "pip install pycocotools."
    )


def not_loaded(names: list[str]) -> None:
    if names:
        raise RuntimeError(
            f"{names[0]} is already loaded, and whoever imported it keeps it. "
            "Call vesica.compat.install() first, before pycocotools and whatever imports it."
        )


def no_download() -> NotOffered:
    return NotOffered("Nothing is fetched from the network here: fetch images by their `coco_url` with a tool for it.")


def run_lengths(value: Any, name: str, *, plain: bool = False) -> list[Mapping[str, Any]]:
    """A list of dicts of "size" and "counts", which are strings; or lists of numbers, where they are plain."""
    if not isinstance(value, list):
        raise TypeError(f'`{name}` must be a list of dicts of "size" and "counts"; got {check.brief(value)}.')
    for k, one in enumerate(value):
        if not isinstance(one, Mapping) or "size" not in one or "counts" not in one:
            hint = " Lists of points are polygons: frPyObjects draws them." if isinstance(one, list) else ""
            got = check.brief(one)
            raise TypeError(f'`{name}` mask {k} must be a dict of "size" and "counts"; got {got}.{hint}')
        if not plain and not isinstance(one["counts"], (str, bytes)):
            got = check.brief(one["counts"])
            raise TypeError(f"`{name}` mask {k} must have a string for counts; got {got}. frPyObjects encodes lists.")
    return value


def bit_masks(value: Any) -> np.ndarray:
    array = np.asarray(value)
    if array.ndim not in (2, 3):
        raise ValueError(f"`bimask` must have shape (height, width) or (height, width, N); got {array.shape}.")
    return array


def some_masks(count: int) -> None:
    if not count:
        raise SizeValueError("`rleObjs` has no masks, so no image size is known.")


def boxes(value: Any, name: str) -> np.ndarray:
    """A table of x, y, width, height as float64."""
    try:
        table = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.ndim != 2 or table.shape[1] != 4:
        raise TypeError(
            f"`{name}` must be boxes of shape (N, 4), each x, y, width, height, or a list of dicts of "
            f'"size" and "counts"; got {check.brief(value)}.'
        )
    return table


def crowds(value: Any, count: int) -> np.ndarray:
    """Which truths are crowds."""
    flags = np.asarray(value)
    if flags.shape != (count,):
        raise SizeValueError(f"`pyiscrowd` must say 0 or 1 of each of the {count} truths; got {check.brief(value)}.")
    if flags.dtype.kind in "if" and ((flags < 0) | (flags > 255)).any():
        raise OverflowError(f"`pyiscrowd` must say 0 or 1 of each truth, as bytes; got {check.brief(value)}.")
    return flags.astype(bool)


def one_kind(same: bool) -> None:
    if not same:
        raise TypeError("`dt` and `gt` must both be boxes or both be masks; got one of each.")


def polygon(value: Any, place: int) -> np.ndarray:
    """A flat list of x, y, x, y, …"""
    try:
        flat = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        flat = np.empty((0, 0))
    if flat.ndim != 1:
        got = check.brief(value)
        raise TypeError(f"`pyobj` polygon {place} must be a flat list of numbers x, y, x, y, …; got {got}.")
    return flat


def no_regions(value: Any) -> TypeError:
    return TypeError(
        "`pyobj` must be a list of polygons (flat lists of six numbers or more), an array of boxes of shape (N, 4), or "
        f'dicts of "size" and a list of "counts"; got {check.brief(value)}.'
    )


def four_numbers() -> TypeError:
    return TypeError(
        "`pyobj` begins with a list of four numbers, which may be a box or a line. Boxes come as an array of shape "
        "(N, 4); a polygon has three corners or more."
    )


def plain_counts(value: Any) -> None:
    if isinstance(value["counts"], (str, bytes)):
        raise TypeError("`pyobj` holds counts that are a string, so they are encoded already: use them as they are.")


def annotation_file(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise AssertionError(f'{name} must be an object of "images", "annotations" …; got a {type(value).__name__}.')
    return value


def results(value: Any, images: Any) -> list[dict[str, Any]]:
    """Results of a model, in images that are known. The kinds of error are the ones that callers catch."""
    if not isinstance(value, list):
        raise AssertionError(f"Results must be a list of dicts, an (N, 7) array or a path; got {type(value).__name__}.")
    known = set(images)
    unknown = next((k for k, row in enumerate(value) if row["image_id"] not in known), None)
    if unknown is not None:
        raise AssertionError(
            f"Results do not correspond to the images: result {unknown} is of image {value[unknown]['image_id']!r}, "
            f"which is none of the {len(known)}."
        )
    if not value:
        raise IndexError("Results are empty, so it is not known whether they are boxes or masks.")
    return value


def kind_of_result(row: Mapping[str, Any]) -> InputError:
    keys = ", ".join(map(repr, row))
    return InputError(f"Result 0 has no 'bbox', 'segmentation', 'keypoints' or 'caption'; its keys are {keys}.")


def result_table(value: np.ndarray) -> np.ndarray:
    if value.ndim != 2 or value.shape[1] != 7:
        raise AssertionError(f"Results must be rows of image, x, y, w, h, score, category; got shape {value.shape}.")
    return value


def evaluated(params: Any) -> None:
    if not params:
        raise RuntimeError("There is nothing to accumulate: call evaluate() first.")


def accumulated(answer: Any) -> None:
    if not answer:
        raise RuntimeError("There is nothing to summarise: call accumulate() first.")


def three_caps(caps: Any) -> None:
    if len(caps) < 3:
        raise IndexError(
            f"`params.maxDets` must have three values for summarize(); got {list(caps)}. All numbers are in `eval`."
        )


def threshold_count(matched: int, asked: int) -> None:
    if matched > asked:
        raise ValueError(
            f"`params.iouThrs` has {asked} values, and {matched} were evaluated: call evaluate() again after a change."
        )
