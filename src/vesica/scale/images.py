"""What is known of the images of parts beside their ids: names, sizes, groups. Objects are not read for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica._array import objects
from vesica.dataset.arrow import images_in
from vesica.scale.parts import Part

if TYPE_CHECKING:
    from vesica.dataset import Images
    from vesica.detection.result import DetectionResult


def with_images(result: DetectionResult, parts: Sequence[Part], /) -> DetectionResult:
    """The result, and what the truths of its parts say of their images: as of one run over all of them."""
    known = [_images_of(path) for path in dict.fromkeys(part.get("table") or part["truth"] for part in parts)]
    place = {one: at for at, one in enumerate(one for images in known for one in images.ids.tolist())}
    order = np.array([place.get(one, -1) for one in result.records.images.tolist()], np.int64)  # -1: of no truth

    def column(name: str) -> np.ndarray | None:
        found = [getattr(images, name) for images in known]
        if all(one is None for one in found):
            return None
        filled: list[Any] = []
        for images, one in zip(known, found, strict=True):
            filled += [None] * len(images) if one is None else one.tolist()
        return np.asarray(objects([*filled, None])[order])

    sizes = [np.zeros((len(images), 2), np.int64) if images.width is None else images.sizes for images in known]
    sizes.append(np.zeros((1, 2), np.int64))
    columns = {name: found for name in ("group", "batch") if (found := column(name)) is not None}
    return replace(
        result,
        image_names=column("names"),
        image_sizes=None if all(one.width is None for one in known) else np.concatenate(sizes)[order, ::-1],
        columns={**columns, **result.columns},
    )


def _images_of(path: str) -> Images:
    from vesica.io.parquet import images_of
    from vesica.io.read import read

    if path.lower().endswith((".parquet", ".pq")):
        return images_in(images_of(path))
    found: Any = read(path, masks=False).images
    return found  # type: ignore[no-any-return]
