"""Checks of what pictures take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica._array import dtype_name, is_array, to_numpy
from vesica._check import one_of, positive
from vesica._check.detection import threshold_of

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


def share_of(by: Any, /) -> str | None:
    """What counts are shares of; None: of nothing."""
    return None if by is None else one_of(by, ("row", "column"), "by")


def plain_text(name: str, /) -> str:
    """A label that a legend shows: matplotlib leaves out those that begin with an underscore."""
    return f" {name}" if name.startswith("_") else name


def detection_result(result: Any, /) -> None:
    one_kind(result, {"DetectionResult": None})


_WAYS = {
    "DetectionResult": "vesica.evaluate(truth, guess)",
    "SegmentationResult": "vesica.evaluate_segmentation(truth, guess)",
    "SurfaceResult": "vesica.evaluate_surfaces(truth, guess)",
    "AgreementResult": "vesica.evaluate_agreement(a, b)",
}
"""How each result is made."""


def one_kind(value: Any, kinds: Mapping[str, Any], /) -> Any:
    """What a picture makes of a value, by the name of its type."""
    name = type(value).__name__
    if name not in kinds:
        known = [kind for kind in kinds if kind in _WAYS]
        ways = " or ".join(_WAYS[kind] for kind in known)
        raise TypeError(f"This picture is of a {' or '.join(known)}; got {name}. Write {ways} first.")
    return kinds[name]


def thresholds_of(iou: Any, known: tuple[float, ...], most: int, /) -> list[float]:
    """Those that are named, of the ones that were scored; by default as many as can be told apart."""
    if iou is None:
        step = -(-len(known) // most)
        return list(known[::step])
    asked = [iou] if np.ndim(iou) == 0 else list(iou)
    if not asked:
        raise ValueError("`iou` must have at least one threshold; got none.")
    return [known[threshold_of(one, known)] for one in asked]


def table_of_sizes(table: Any, /) -> Any:
    """What `by_size` answers."""
    return _with_columns(table, ("side_from", "side_below", "truths", "AP", "AR"), "result.by_size()")


def table_of_images(table: Any, /) -> Any:
    """What `per_image` answers."""
    return _with_columns(table, ("image", "f1"), "result.per_image()")


def _with_columns(table: Any, names: tuple[str, ...], way: str) -> Any:
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise ValueError(f"This picture is of the table of {way}; the one given has no column {missing[0]!r}.")
    return table


def one_metric(name: str, known: Any, /) -> str:
    """The name of a number that every row has."""
    return one_of(name, tuple(known), "metric")


def at_most(value: Any, name: str, /) -> int:
    return positive(value, name)


def rows_of_classes(result: Any, /) -> list[dict[str, Any]]:
    """The table of classes of a result."""
    if not hasattr(result, "per_class"):
        raise TypeError(
            f"This picture is of a result with classes; got {type(result).__name__}. "
            "Write vesica.evaluate(truth, guess) or vesica.evaluate_segmentation(truth, guess) first."
        )
    return list(result.per_class())
