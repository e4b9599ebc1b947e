"""What a data set holds: counts and sizes, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vesica.dataset import Dataset

_SHARES = {"min": 0.0, "p5": 5.0, "median": 50.0, "p95": 95.0, "max": 100.0}
_SHOWN_SIZES = 5


def stats_of(
    data: Dataset, /, *, areas: Sequence[tuple[str, float]] = (), threads: int | None = None
) -> dict[str, Any]:
    """Counts of images, objects and categories; sizes of images and of objects; how many there are in an image.

    Parameters
    ----------
    data : Dataset
    areas : names of sizes and the area that each ends below, rising: (("small", 1024.0), …, ("large", inf))
    threads : at most this many

    Examples
    --------
    >>> truth = Dataset.from_arrays([[0, 0, 10, 20], [0, 0, 40, 40]], image=[1, 1], images=[1, 2], category=["cat"] * 2)
    >>> found = stats_of(truth, areas=(("small", 1024.0), ("large", float("inf"))))
    >>> found["images"], found["images_empty"], found["objects"], found["sizes"]
    (2, 1, 2, {'small': 1, 'large': 1})
    >>> found["per_image"]["max"], found["aspect_ratio"]["min"]
    (2, 0.5)

    Nothing at all:

    >>> stats_of(Dataset.from_arrays([], image=[]))["per_image"]
    """
    per_image = np.bincount(data.image, minlength=len(data.images))
    area = _areas(data, threads)
    has_masks = np.zeros(len(data), bool) if data.segments is None else data.segments.form != data.segments.NONE
    found = {
        "kind": "truths" if data.score is None else "guesses",
        "images": len(data.images),
        "images_empty": int((per_image == 0).sum()),
        "objects": len(data),
        "objects_with_mask": int(has_masks.sum()),
        "objects_rotated": 0 if data.corners is None else len(data),
        "crowd": 0 if data.crowd is None else int(data.crowd.sum()),
        "ignored": 0 if data.ignore is None else int(data.ignore.sum()),
        "categories": len(data.categories),
        "categories_empty": int((np.bincount(data.category, minlength=len(data.categories)) == 0).sum()),
        "annotators": _annotators(data),
        "per_image": spread_of(per_image),
        "sizes": _sizes(area, areas),
        "area": spread_of(area),
        **_sides(data),
        "score": None if data.score is None else spread_of(data.score),
        "image_sizes": _image_sizes(data),
        "classes": _classes(data),
    }
    return found


def spread_of(values: np.ndarray, /) -> dict[str, float | int] | None:
    """Least, median, mean and largest, and where the outer twentieths begin; None of nothing. NaN is left out."""
    values = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    if not len(values):
        return None
    found = dict(zip(_SHARES, np.percentile(values, list(_SHARES.values())).tolist(), strict=True))
    ends = {name: values.dtype.type(found[name]).item() for name in ("min", "max")}
    return {**found, **ends, "mean": float(values.mean())}


def _areas(data: Dataset, threads: int | None) -> np.ndarray:
    """As they were written; where they were not, of the mask, or else of the box. NaN for a row without either."""
    area = np.full(len(data), np.nan) if data.area is None else data.area.copy()
    absent = np.isnan(area)
    if absent.any() and data.xywh is not None:
        area[absent] = (data.xywh[:, 2] * data.xywh[:, 3])[absent]
    if absent.any() and data.segments is not None:
        # A polygon of an image without a size cannot be drawn; then its box stands for it.
        is_known = (data.segments.size > 0).all(axis=1)
        drawn = np.flatnonzero(absent & (data.segments.form != data.segments.NONE) & is_known)
        area[drawn] = data.segments[drawn].areas(threads=threads)
    return area


def _sizes(area: np.ndarray, names: Sequence[tuple[str, float]]) -> dict[str, int]:
    """How many objects are below each bound, and not below the one before."""
    place = np.searchsorted([end for _, end in names], area[~np.isnan(area)], side="right")
    counts = np.bincount(place, minlength=len(names) + 1)
    return {name: int(count) for (name, _), count in zip(names, counts, strict=False)}


def _sides(data: Dataset) -> dict[str, Any]:
    """Widths, heights and aspect ratios (width / height) of boxes; those without a height have no ratio."""
    if data.xywh is None:
        return {"width": None, "height": None, "aspect_ratio": None}
    width, height = data.xywh[:, 2], data.xywh[:, 3]
    solid = (width > 0) & (height > 0)
    return {
        "width": spread_of(width),
        "height": spread_of(height),
        "aspect_ratio": spread_of(width[solid] / height[solid]),
    }


def _image_sizes(data: Dataset) -> dict[str, Any]:
    """Of images whose size is known: the spread of both sides, and the most frequent sizes."""
    sizes = data.images.sizes
    known = sizes[(sizes > 0).all(axis=1)]
    kinds, counts = np.unique(known, axis=0, return_counts=True) if len(known) else (known, np.empty(0, np.int64))
    order = np.lexsort((*kinds.T[::-1], -counts))[:_SHOWN_SIZES] if len(known) else np.empty(0, np.int64)
    most = [{"width": int(kinds[k, 1]), "height": int(kinds[k, 0]), "images": int(counts[k])} for k in order.tolist()]
    return {
        "missing": len(sizes) - len(known),
        "different": len(kinds),
        "width": spread_of(known[:, 1]),
        "height": spread_of(known[:, 0]),
        "most_frequent": most,
    }


def _annotators(data: Dataset) -> dict[str, int] | None:
    if data.annotator is None:
        return None
    counts = np.bincount(data.annotator, minlength=len(data.annotators)).tolist()
    return {str(name): count for name, count in zip(data.annotators.tolist(), counts, strict=True)}


def _classes(data: Dataset) -> list[dict[str, Any]]:
    """A row for each category: its objects, and the images that have it."""
    count = len(data.categories)
    objects = np.bincount(data.category, minlength=count)
    pairs = np.unique(data.category * np.int64(max(1, len(data.images))) + data.image)
    images = np.bincount(pairs // max(1, len(data.images)), minlength=count)
    ids = data.categories.ids.tolist()
    names = ids if data.categories.names is None else data.categories.names.tolist()
    whole = max(1, len(data))
    return [
        {
            "category": str(id if name is None else name),
            "id": id,
            "objects": int(own),
            "share": own / whole,
            "images": int(seen),
        }
        for id, name, own, seen in zip(ids, names, objects.tolist(), images.tolist(), strict=True)
    ]
