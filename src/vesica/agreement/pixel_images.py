"""Label maps image by image: their numbers, and what intervals are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from vesica._array import objects
from vesica.results.tables import Table

if TYPE_CHECKING:
    from vesica.agreement.label_maps import PixelAgreementResult

Values = Callable[[np.ndarray], np.ndarray]
"""The number of each row of sums."""


def image_sums(result: PixelAgreementResult, name: str, /) -> tuple[np.ndarray, Values]:
    """Image by image what a number is made of, and how it is made of sums."""
    images, counted = len(result.images), result.pairs_of_images
    if name == "pixel_agreement":
        columns = [
            np.bincount(counted.image, weights=part, minlength=images) for part in (counted.same, counted.pixels)
        ]
        return np.stack(columns, axis=1), lambda sums: _ratio(sums[:, 0], sums[:, 1])
    inter, areas = class_sums(result, without=result.policy.background)
    count = inter.shape[1]

    def mean(sums: np.ndarray) -> np.ndarray:
        """Over the classes that either annotator has."""
        part, whole = sums[:, :count], sums[:, count:]
        values = class_values("iou" if name == "mIoU" else "dice", part, whole)
        there = ~np.isnan(values)
        return _ratio(np.where(there, values, 0).sum(axis=1), there.sum(axis=1))

    return np.concatenate([inter, areas], axis=1), mean


def class_values(name: str, inter: np.ndarray, areas: np.ndarray, /) -> np.ndarray:
    """IoU or Dice of each class; NaN where nobody has it."""
    return _ratio(inter, areas - inter) if name == "iou" else _ratio(2 * inter, areas)


def class_sums(result: PixelAgreementResult, /, *, without: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(I, C) of all classes but one: pixels that two share, and those of both, over all pairs."""
    cells = result.cells
    kept = np.flatnonzero(np.ones(len(cells.label), bool) if without is None else cells.label != without)
    labels, place = np.unique(cells.label[kept], return_inverse=True)
    shape = len(result.images), len(labels)
    code = cells.image[kept] * max(len(labels), 1) + place.reshape(-1)
    sums = (
        np.bincount(code, weights=column[kept], minlength=shape[0] * shape[1]).reshape(shape)
        for column in (cells.inter, cells.area_a + cells.area_b)
    )
    return next(sums), next(sums)


def pixel_images_table(result: PixelAgreementResult, edges: Mapping[int, float], /) -> Table:
    """One row for an image that two annotators labelled or one alone."""
    images = len(result.images)
    found = {name: of(table) for name in result.summary for table, of in [image_sums(result, name)]}
    people = np.array([sum(image in own for own in result.maps.values()) for image in result.images], np.int64)
    order = np.lexsort((np.arange(images), found["mIoU"]))  # NaN comes last
    rank = np.empty(images, np.int64)
    rank[order] = np.arange(1, images + 1)
    return Table(
        {
            "image": objects(result.images),
            "n_annotators": people,
            **found,
            "edge_share": np.array([edges.get(place, np.nan) for place in range(images)], np.float64),
            "rank": rank,
        }
    )


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    return found
