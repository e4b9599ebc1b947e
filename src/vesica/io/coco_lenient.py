"""A COCO file as far as it can be read: what a strict reader refuses is counted instead."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica._kernels.native import coco_file as native
from vesica.dataset import Dataset
from vesica.errors import InputError
from vesica.io import coco, coco_errors
from vesica.io.coco_literal import without_repeated
from vesica.io.files import File


class Lenient(NamedTuple):
    """What a file holds, and what is wrong with it.

    Attributes
    ----------
    data : Dataset
    is_results : is it a list of results?
    repeated : in words, the first image or category whose id another one has; None if there is none
    without_score : (N,) bool: results that have no score
    without_region : (N,) bool: rows with neither box nor mask
    unknown_image, unknown_category : (N,) bool: annotations of what their own file does not list
    """

    data: Dataset
    is_results: bool
    repeated: str | None
    without_score: np.ndarray
    without_region: np.ndarray
    unknown_image: np.ndarray
    unknown_category: np.ndarray


def read(file: File, /, *, masks: bool, threads: int | None = None) -> Lenient:
    """Read all that can be read. What is no JSON, or no COCO, is an InputError as everywhere."""
    found = coco.columns_of(file, masks, threads)
    repeated = None
    if isinstance(found, native.Problem):
        error = coco_errors.error(file, found)
        if found.fault != "repeated":
            raise error
        repeated, file = str(error), without_repeated(file)
        found = coco.columns_of(file, masks, threads)
        if isinstance(found, native.Problem):
            raise coco_errors.error(file, found)
    rows = found.annotations
    if not masks and rows.lacks_boxes:
        return read(file, masks=True, threads=threads)
    if not rows.is_there:
        raise InputError(f'{file.name} has no "annotations": truths are an object with that list, results are a list.')
    none = np.zeros(rows.rows, bool)
    return Lenient(
        coco.dataset_of_columns(file, found, masks),
        found.is_results,
        repeated,
        ~rows.has("score") if found.is_results and rows.rows else none,
        ~(rows.has("bbox") | rows.has("segmentation")) if rows.rows else none,
        none if rows.image is None else (rows.image < 0) & rows.has("image_id"),
        none if rows.category is None else (rows.category < 0) & rows.has("category_id"),
    )
