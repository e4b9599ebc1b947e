"""What label maps hold: pixels of each label, and in how many images it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from vesica.dataset.stats import spread_of


def label_stats_of(maps: Iterable[np.ndarray], /, *, names: Sequence[Any] | None = None) -> dict[str, Any]:
    """Counts of images, pixels and labels. Each map is looked at once, and need not stay.

    Parameters
    ----------
    maps : (H, W) or (D, H, W) integers each
    names : of the labels 0, 1, …

    Examples
    --------
    >>> found = label_stats_of([np.array([[0, 0, 1]]), np.array([[1, 1, 255]])], names=["road", "sky"])
    >>> [(row["category"], row["pixels"], row["images"]) for row in found["classes"]]
    [('road', 2, 1), ('sky', 3, 2), ('255', 1, 1)]
    """
    pixels: Counter[int] = Counter()
    images: Counter[int] = Counter()
    sizes: list[tuple[int, ...]] = []
    for labels in maps:
        found, counts = np.unique(labels, return_counts=True)
        sizes.append(labels.shape)
        for label, count in zip(found.tolist(), counts.tolist(), strict=True):
            pixels[label] += count
            images[label] += 1
    whole = sum(pixels.values())
    known = {} if names is None else dict(enumerate(names))
    return {
        "kind": "label maps",
        "images": len(sizes),
        "pixels": whole,
        "categories": len(pixels),
        "image_sizes": _image_sizes(sizes),
        "classes": [
            {
                "category": str(known.get(label, label)),
                "pixels": pixels[label],
                "share": pixels[label] / max(1, whole),
                "images": images[label],
            }
            for label in sorted(pixels)
        ],
    }


def _image_sizes(sizes: list[tuple[int, ...]]) -> dict[str, Any]:
    """The last two axes are height and width."""
    kinds = Counter((size[-1], size[-2]) for size in sizes if len(size) > 1)
    most = sorted(kinds.items(), key=lambda one: (-one[1], one[0]))[:5]
    sides = np.array([[size[-1], size[-2]] for size in sizes if len(size) > 1], np.int64).reshape(-1, 2)
    return {
        "missing": 0,
        "different": len(kinds),
        "width": spread_of(sides[:, 0]),
        "height": spread_of(sides[:, 1]),
        "most_frequent": [{"width": w, "height": h, "images": count} for (w, h), count in most],
    }
