"""Checks of grids of boxes: their making, what a network says on them, and objects on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import Array, as_array, dtype_name, to_numpy
from vesica.errors import SizeValueError

ACTIVATIONS = ("fraction", "v3", "v5")
NO_DEFAULT = "networks differ in what their raw outputs mean"


def grid_strides(value: Any) -> tuple[int, ...]:
    try:
        strides = tuple(check.positive(stride, "strides") for stride in value)
    except TypeError:
        strides = ()
    if not strides:
        raise ValueError(f"`strides` must be whole numbers of pixels, one for each scale; got {value!r}.")
    return strides


def whole_cells(size: Any, strides: Sequence[int]) -> tuple[int, int]:
    """(width, height) in pixels, cut into whole cells by every stride."""
    width, height = check.image_size(size, "size")
    for stride in strides:
        for side, name in ((width, "width"), (height, "height")):
            if side % stride:
                raise ValueError(
                    f"`size` must be a multiple of every stride; got {name} {side:g} and stride {stride}. "
                    f"The next {name} that is one: {stride * int(-(-side // stride))}."
                )
    return int(width), int(height)


def anchors_of_scales(value: Any, scales: int) -> tuple[tuple[tuple[float, float], ...], ...]:
    """One list of (width, height) for each scale."""
    lists = list(value)
    if len(lists) != scales:
        raise SizeValueError(
            f"`anchors` must have one list of (width, height) for each of the {scales} strides; got {len(lists)}."
        )
    return tuple(_sizes(sizes, scale) for scale, sizes in enumerate(lists))


def _sizes(value: Any, scale: int) -> tuple[tuple[float, float], ...]:
    name = f"anchors[{scale}]"
    sizes = to_numpy(as_array(value) if hasattr(value, "ndim") else check.listed(value, name))
    if sizes.ndim != 2 or sizes.shape[1] != 2 or not len(sizes) or sizes.dtype.kind not in "iuf":
        raise ValueError(f"`{name}` must be a list of (width, height) in pixels; got {check.brief(value)}.")
    bad = np.flatnonzero(~(np.isfinite(sizes) & (sizes > 0)).all(axis=1))
    if bad.size:
        row = int(bad[0])
        raise ValueError(f"`{name}` row {row} must have a width and a height above 0; got {sizes[row].tolist()}.")
    return tuple((float(w), float(h)) for w, h in sizes.tolist())


def shared_evenly(count: int, scales: int) -> int:
    """How many anchors each scale gets."""
    if count % scales:
        raise SizeValueError(
            f"`anchors` must go evenly to the {scales} strides; got {count}. "
            "Make as many times as many, or write one list for each stride."
        )
    return count // scales


def one_for_each_scale(value: Any, scales: int) -> list[Array]:
    if hasattr(value, "ndim") and scales == 1:
        value = [value]
    if not isinstance(value, (list, tuple)):
        got = f"one of shape {tuple(value.shape)}" if hasattr(value, "shape") else type(value).__name__
        raise TypeError(f"`outputs` must be a list of arrays, one for each of the {scales} strides; got {got}.")
    if len(value) != scales:
        raise SizeValueError(f"`outputs` must have one array for each of the {scales} strides; got {len(value)}.")
    arrays = [as_array(output) for output in value]
    for scale, array in enumerate(arrays):
        check.same_library(arrays[0], array, "outputs[0]", f"outputs[{scale}]")
    return arrays


def head(array: Array, scale: int, want: tuple[int, int, int], like: Array) -> None:
    """(B, anchors, rows, columns, 4 + 1 + classes), with the batch and the classes of the first."""
    name, shape = f"outputs[{scale}]", tuple(int(side) for side in array.shape)
    if dtype_name(array) not in check.NUMBERS:
        raise TypeError(f"`{name}` must hold integers or floats up to 64 bits; got {dtype_name(array)}.")
    if len(shape) == 5 and shape[1:4] == want and shape[4] >= 5:
        if (shape[0], shape[4]) != (int(like.shape[0]), int(like.shape[4])):
            raise SizeValueError(
                f"`{name}` must have the batch and the classes of `outputs[0]`; got {shape} and {tuple(like.shape)}."
            )
        return
    anchors, rows, columns = want
    hint = ""
    if len(shape) == 5 and rows != columns and shape[1:4] == (anchors, columns, rows):
        hint = " Rows come before columns: exchange axes 2 and 3."
    if len(shape) == 4 and shape[2:] == (rows, columns) and shape[1] % anchors == 0 and shape[1] // anchors >= 5:
        hint = f" Reshape to (B, {anchors}, {shape[1] // anchors}, {rows}, {columns}), then move axis 2 to the end."
    raise SizeValueError(
        f"`{name}` must have shape (B, {anchors}, {rows}, {columns}, 4 + 1 + classes); got {shape}.{hint}"
    )


def table_of_classes(value: Any, classes: Any) -> tuple[Array, int]:
    """(B, 4 + C, N) numbers, and C."""
    array = as_array(value)
    shape = tuple(int(side) for side in array.shape)
    if dtype_name(array) not in check.NUMBERS:
        raise TypeError(f"`output` must hold integers or floats up to 64 bits; got {dtype_name(array)}.")
    if len(shape) != 3 or shape[1] < 5:
        hint = " One image is a batch of one: output[None]." if len(shape) == 2 and shape[0] > 4 else ""
        raise SizeValueError(f"`output` must have shape (B, 4 + classes, N); got {shape}.{hint}")
    if classes is None:
        if shape[1] > shape[2] > 4:
            raise SizeValueError(
                f"`output` must have shape (B, 4 + classes, N); got {shape}, more rows than boxes. If axis 1 is the "
                f"boxes, exchange the last two axes. If there are that many classes: classes={shape[1] - 4}."
            )
        return array, shape[1] - 4
    width = check.positive(classes, "classes")
    if width > shape[1] - 4:
        raise SizeValueError(f"`classes` must be at most the {shape[1] - 4} rows after the fourth; got {width}.")
    return array, width


def chances(best: np.ndarray) -> None:
    """Chances of the likeliest classes, (B, N): shares of 1."""
    bad = np.argwhere(~((best >= 0) & (best <= 1)))
    if bad.size:
        image, box = bad[0].tolist()
        way = "Leave the image out." if np.isnan(best[image, box]) else "Logits become chances by a sigmoid."
        raise ValueError(
            f"`output` must have chances from 0 to 1 behind the first four rows; got {best[image, box]:g} as the "
            f"largest of box {box} of image {image}. {way}"
        )


def sound_boxes(corners: np.ndarray, image: np.ndarray, box: np.ndarray) -> None:
    """Boxes that are likely enough must be boxes."""
    bad = np.flatnonzero(~(np.isfinite(corners) & np.tile(corners[:, 2:] >= corners[:, :2], 2)).all(axis=1))
    if bad.size:
        row = int(bad[0])
        raise ValueError(
            f"`output` must have finite boxes whose sides are not negative; box {box[row]} of image {image[row]} has "
            f"corners {corners[row].tolist()}."
        )


def inside(objects: np.ndarray, size: tuple[int, int]) -> None:
    """Objects cx, cy, w, h whose centres lie in the image, its far edges included."""
    centres, sides = objects[:, :2], objects[:, 2:]
    strange = np.flatnonzero(~(np.isfinite(sides) & (sides >= 0)).all(axis=1))
    if strange.size:
        row = int(strange[0])
        w, h = sides[row].tolist()
        raise ValueError(f"`truths` row {row} must have finite sides that are not negative; got {w:g} × {h:g}.")
    bad = np.flatnonzero(~((centres >= 0) & (centres <= size)).all(axis=1))
    if bad.size:
        row = int(bad[0])
        x, y = centres[row].tolist()
        raise ValueError(
            f"`truths` row {row} must have its centre in the image of {size[0]} × {size[1]}; got ({x:g}, {y:g}). "
            "Clip the boxes, or leave the row out."
        )


def object_labels(value: Any, count: int, classes: int) -> np.ndarray:
    labels = to_numpy(as_array(value))
    if labels.dtype.kind not in "iu" or labels.shape != (count,):
        raise SizeValueError(
            f"`labels` must be one whole number for each of the {count} truths; got {check.brief(value)}."
        )
    bad = np.flatnonzero((labels < 0) | (labels >= classes))
    if bad.size:
        row = int(bad[0])
        raise ValueError(f"`labels` row {row} must lie in 0 … {classes - 1}; got {labels[row]}.")
    return labels


def labels_and_classes(labels: Any, classes: Any) -> None:
    """Both, or neither."""
    if labels is None and classes == 0:
        return
    if labels is None:
        raise TypeError(f"`classes` must come with `labels`; got classes={classes!r} alone.")
    if isinstance(classes, bool) or not isinstance(classes, (int, np.integer)) or classes < 1:
        raise ValueError(f"`classes` must say how many classes `labels` come from; got {classes!r}.")
