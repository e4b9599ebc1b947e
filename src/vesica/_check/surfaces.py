"""Checks of masks whose surfaces are compared."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import INTEGERS, Array, as_array, cast, dtype_name, to_numpy
from vesica._check.labels import label_ids
from vesica.errors import SizeValueError

PERCENTILE_OF = ("directed", "pooled")
_ADVICE = "Several images: evaluate_surfaces takes them."


def surface_map(value: Any, name: str) -> Array:
    """A mask or a label map of a picture (H, W) or a volume (D, H, W)."""
    check.not_masked(value, name, "fill it first")
    array = as_array(value)
    if dtype_name(array) not in INTEGERS | {"bool"}:
        raise TypeError(
            f"`{name}` must be a mask of bool or a map of integer labels; got {dtype_name(array)}. "
            "Probabilities: compare them with a threshold first."
        )
    if array.ndim not in (2, 3):
        raise ValueError(
            f"`{name}` must be a picture (H, W) or a volume (D, H, W); got shape {tuple(array.shape)}. {_ADVICE}"
        )
    return array


def same_shape(a: Array, b: Array, first: str = "truth", second: str = "guess") -> None:
    if tuple(a.shape) != tuple(b.shape):
        raise SizeValueError(
            f"`{first}` and `{second}` must have one size; got {tuple(a.shape)} and {tuple(b.shape)}. "
            "A map that was made at another scale is resized first, by its nearest pixels."
        )


def boolean_mask(value: Any, name: str) -> Array:
    """A mask of a picture or a volume: bool, or integers of 0 and 1."""
    array = surface_map(value, name)
    if dtype_name(array) == "bool":
        return array
    odd = np.setdiff1d(to_numpy(array), [0, 1])
    if odd.size:
        raise ValueError(
            f"`{name}` must be a mask of bool, or of 0 and 1; it has the label {odd[0]}. Pass mask == label."
        )
    return cast(array, "bool")


def spacing(value: Any, axes: int) -> tuple[float, ...]:
    """The distance between neighbours along each axis; one number for all."""
    if value is None:
        return (1.0,) * axes
    rule = f"`spacing` must be a distance, or one for each of the {axes} axes in the order of the shape"
    numbers = (value,) * axes if np.ndim(value) == 0 else tuple(np.asarray(value).ravel().tolist())
    if len(numbers) != axes:
        raise ValueError(f"{rule}; got {value!r}.")
    for one in numbers:
        if isinstance(one, (bool, str)) or not isinstance(one, (int, float, np.number)):
            raise TypeError(f"{rule}; got {value!r}.")
        if not (math.isfinite(one) and 1e-100 < one < 1e100):
            raise ValueError(f"{rule}, positive and finite; got {value!r}.")
    return tuple(float(one) for one in numbers)


def labels(value: Any) -> np.ndarray:
    """Distinct integers."""
    return label_ids(value, {})


def tau(value: Any) -> float:
    if isinstance(value, (bool, str)) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"`tau` must be a distance, in the unit of the spacing; got {value!r}.")
    if not value >= 0:
        raise ValueError(f"`tau` must be a distance from 0 on, in the unit of the spacing; got {value!r}.")
    return float(value)


def band_width(value: Any, shape: tuple[int, ...]) -> int:
    """The width of inner bands in pixels: as it is, or as a share of the image's diagonal, "2%"."""
    rule = '`width` must be a number of pixels from 1 on, or a share of the image\'s diagonal such as "2%"'
    if isinstance(value, str):
        try:
            share = float(value.strip().removesuffix("%")) / 100 if value.strip().endswith("%") else math.nan
        except ValueError:
            share = math.nan
        if not 0 < share < 1:
            raise ValueError(f"{rule}; got {value!r}.")
        return max(1, round(share * math.sqrt(sum(float(side) ** 2 for side in shape))))
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{rule}; got {value!r}.")
    if value < 1:
        raise ValueError(f"{rule}; got {value!r}.")
    return int(value)


def band_widths(value: Any) -> tuple[int | str, ...]:
    """One width or several."""
    listed = [value] if isinstance(value, str) or np.ndim(value) == 0 else list(value)
    for one in listed:
        band_width(one, (1, 1))
    return tuple(one if isinstance(one, str) else int(one) for one in listed)


def same_pixels(own: Any, other: Any) -> None:
    """Of what a policy says of pixels, nothing may change once they are compared."""
    for name in ("ignore", "spacing"):
        if getattr(own, name) != getattr(other, name):
            raise ValueError(
                f"`{name}` decides which distances there are, and they are counted already: "
                f"{getattr(own, name)!r} here, {getattr(other, name)!r} there. Call evaluate_surfaces again."
            )


def masks_of_labels(count: int, labels: np.ndarray | None, ignore: tuple[int, ...]) -> None:
    """A mask for each class, and no label that stands for pixels that do not count."""
    if labels is not None and len(labels) != count:
        raise ValueError(f"`categories` must have one for each of the {count} masks of an image; got {len(labels)}.")
    if ignore:
        raise ValueError(
            f"`ignore` is a label of label maps; got {list(ignore)}, and masks of each class have no labels. Take the "
            "pixels out of both masks: truth & ~void, guess & ~void."
        )


def no_preset(policy: Any) -> Any:
    if policy.like is not None:
        raise ValueError(
            f"`like` has no conventions of distances; got {policy.like!r}. percentile_of and distance_worst of a "
            "SegmentationPolicy say them."
        )
    return policy


def percentile_of(value: Any) -> None:
    check.one_of(value, PERCENTILE_OF, "percentile_of")


def percentile(value: Any) -> float:
    if isinstance(value, (bool, str)) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"`percentile` must be a number from 0 to 100; got {value!r}.")
    if not 0 <= value <= 100:
        raise ValueError(f"`percentile` must be a number from 0 to 100; got {value!r}.")
    return float(value)
