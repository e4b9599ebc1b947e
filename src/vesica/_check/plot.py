"""Checks of what pictures take."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica._array import dtype_name, is_array, to_numpy

THEMES = ("light", "dark")


def in_a_stack(value: Any, /) -> Any:
    """One box may come as four numbers, one mask as a picture of booleans: a stack of one."""
    if isinstance(value, (list, tuple)) and len(value) == 4 and all(isinstance(one, (int, float)) for one in value):
        return [list(value)]
    if is_array(value) and value.ndim == 1 and value.shape[0] == 4:
        return value[None]
    if is_array(value) and value.ndim == 2 and dtype_name(value) == "bool":
        return value[None]
    return value


def one_region(regions: Any, name: str, /) -> Any:
    """The regions, of which there must be one, that is an area of the plane."""
    if type(regions).__name__ == "Sets":
        raise TypeError(f"`{name}` must be a region of the plane; got Sets, which have no picture.")
    if len(regions) != 1:
        raise ValueError(f"`{name}` must be one region; got {len(regions)}. Take one: {name}[0:1].")
    return regions


def photograph(image: Any, /) -> np.ndarray | None:
    """(H, W), (H, W, 3) or (H, W, 4); None for none."""
    if image is None:
        return None
    array = np.asarray(to_numpy(image) if is_array(image) else image)
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (3, 4)) or not array.size:
        way = " Write image.permute(1, 2, 0)." if array.ndim == 3 and array.shape[0] in (1, 3, 4) else ""
        raise ValueError(f"`image` must have shape (H, W), (H, W, 3) or (H, W, 4); got {array.shape}.{way}")
    if array.dtype.kind not in "uifb":
        raise TypeError(f"`image` must hold numbers; got {array.dtype}.")
    return array


def theme(name: str, /) -> str:
    if name not in THEMES:
        raise ValueError(f"`theme` must be 'light' or 'dark'; got {name!r}.")
    return name


def two_names(names: Any, /) -> None:
    if isinstance(names, str) or len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise ValueError(f"`names` must be two texts, of the first region and of the second; got {names!r}.")


def plain_text(name: str, /) -> str:
    """A label that a legend shows: matplotlib leaves out those that begin with an underscore."""
    return f" {name}" if name.startswith("_") else name
