"""Checks of what pictures take."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica._array import dtype_name, is_array, to_numpy
from vesica._check import finite, positive
from vesica._check import one_of as one_of
from vesica._check.detection import category_of as category_of
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
    of_the_plane(regions, name)
    if len(regions) != 1:
        raise ValueError(f"`{name}` must be one region; got {len(regions)}. Take one: {name}[0:1].")
    return regions


def of_the_plane(regions: Any, name: str, /) -> Any:
    """Regions, which sets of other things are not."""
    if type(regions).__name__ == "Sets":
        raise TypeError(f"`{name}` must be regions of the plane; got Sets, which have no picture.")
    return regions


def one_each(values: Any, count: int, name: str, nouns: str, /) -> np.ndarray:
    """(N,) float64: one number for each."""
    array = np.asarray(to_numpy(values) if is_array(values) else values)
    if array.dtype.kind not in "iuf" and array.size:
        raise TypeError(f"`{name}` must be numbers; got {array.dtype}.")
    if array.shape != (count,):
        raise ValueError(f"`{name}` must have one number for each of the {count} {nouns}; got shape {array.shape}.")
    return array.astype(np.float64)


def two_labels(labels: Any, truths: int, guesses: int, /) -> tuple[list[Any], list[Any]] | None:
    """What each truth and each guess is called; None for nothing."""
    if labels is None:
        return None
    if not isinstance(labels, (tuple, list)) or len(labels) != 2 or any(isinstance(side, str) for side in labels):
        raise TypeError(f"`labels` must be (of the truths, of the guesses); got {type(labels).__name__}.")
    first, second = (side.tolist() if hasattr(side, "tolist") else list(side) for side in labels)
    if (len(first), len(second)) != (truths, guesses):
        raise ValueError(
            f"`labels` must have one for each of {truths} truths and {guesses} guesses; got {len(first)} and "
            f"{len(second)}."
        )
    return first, second


def some_rows(array: np.ndarray, name: str, /) -> None:
    if not len(array):
        raise ValueError(f"`{name}` must have at least one row; got none.")


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


ENDINGS = ("png", "svg", "pdf")


def ending_of(path: str, /) -> str:
    """What the name of a file ends in."""
    ending = os.path.splitext(path)[1].lower().removeprefix(".")
    if ending not in ENDINGS:
        raise ValueError(f"A picture is written as .png, .svg or .pdf; got {path!r}.")
    return ending


def dpi(value: Any, /) -> float:
    """Pixels an inch: enough to see something, and not more than there is memory for."""
    number = finite(value, "dpi")
    if not 10 <= number <= 1200:
        raise ValueError(f"`dpi` must lie between 10 and 1200; got {value}.")
    return number


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
    "PanopticResult": "vesica.evaluate_panoptic(truth, guess)",
    "AgreementResult": "vesica.evaluate_agreement(a, b)",
    "PixelAgreementResult": "vesica.evaluate_agreement(a, b)",
    "Comparison": "vesica.compare(truth, a, b)",
}
"""How each result is made."""


_WORDS = {
    "DetectionResult": "detections",
    "SegmentationResult": "segmentations",
    "SurfaceResult": "outlines",
    "PanopticResult": "panoptic segments",
    "AgreementResult": "objects of annotators",
    "PixelAgreementResult": "label maps of annotators",
    "Comparison": "a comparison of models",
}
"""What each is of."""


def one_kind(value: Any, kinds: Mapping[str, Any], /) -> Any:
    """What a picture makes of a value, by the name of its type."""
    name = type(value).__name__
    if name not in kinds:
        known = [kind for kind in kinds if kind in _WAYS]
        ways = " or ".join(dict.fromkeys(_WAYS[kind] for kind in known))
        words = " or ".join(_WORDS[kind] for kind in known)
        raise TypeError(f"This picture is of {words}; got {_WORDS.get(name, name)}. In Python: Write {ways} first.")
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


def dataset(data: Any, /) -> Any:
    if type(data).__name__ != "Dataset":
        raise TypeError(f"This picture is of a Dataset; got {type(data).__name__}. Write vesica.read(path) first.")
    return data


def sliced(is_sliced: bool, /) -> None:
    if not is_sliced:
        raise ValueError(
            "This picture is of slices of images, and the result has none: say `slices=…`. In Python: "
            "vesica.evaluate(truth, guess, slices=…)."
        )


def one_metric(name: str, known: Any, /) -> str:
    """The name of a number that every row has."""
    return one_of(name, tuple(known), "metric")


def metrics(names: Any, known: list[str], /) -> list[str]:
    """One number that every row has, or up to three; by default the first."""
    if names is None or not known:
        return known[:1] or [names if isinstance(names, str) else "score"]
    given = [names] if isinstance(names, str) else list(names)
    if not 1 <= len(given) <= 3:
        raise ValueError(f"`metric` must be one number or up to three; got {len(given)}.")
    return [one_metric(name, known) for name in given]


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
