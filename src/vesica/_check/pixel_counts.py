"""Checks of pixel counts, and their wording."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica.errors import InputError


def some(counts: tuple[Any, ...], /) -> None:
    if not counts:
        raise ValueError("`merge` needs counts; got none.")


def together(a: Any, b: Any, /) -> None:
    """Counts that may be added: of the same categories and the same kind of input."""
    for name, here, there in _kinds(a, b):
        if here != there:
            raise InputError(f"Counts that differ in {name} do not belong together: {here} here and {there} there.")


def _kinds(a: Any, b: Any) -> list[tuple[str, Any, Any]]:
    def of(one: Any) -> list[tuple[str, Any]]:
        table = one.categories
        return [
            ("their categories", None if table is None else table.ids.tolist()),
            ("the names of their categories", None if table is None or table.names is None else table.names.tolist()),
            ("what they were counted of", "masks of each class" if one.is_overlapping else "label maps"),
            ("what an image is", "a volume" if one.is_volumes else "an image"),
            ("their ids", "images without ids" if one.images is None else "images with ids"),
            ("their groups", "images without groups" if one.groups is None else "images with groups"),
        ]

    return [(name, here, there) for (name, here), (_, there) in zip(of(a), of(b), strict=True)]


def disjoint(ids: np.ndarray, /) -> None:
    """No image twice."""
    listed = ids.tolist()
    twice = [one for one, other in zip(listed[1:], listed[:-1], strict=True) if one == other]
    if twice:
        raise InputError(f"Each image counts once; image {twice[0]!r} is there twice.")


def sound(counts: Any, /) -> None:
    """Columns of a file: of one length, in order, and adding up. What is wrong is a ValueError."""
    rows, images = len(counts.count), len(counts.pixels)
    for name in ("image", "truth", "guess", "count", "pixels"):
        column, length = getattr(counts, name), images if name == "pixels" else rows
        kind = "int32" if name == "image" else "int64"
        if column.ndim != 1 or len(column) != length or column.dtype != kind:
            raise ValueError(f"`{name}` must be {length} numbers of {kind}; got {column.shape} of {column.dtype}")
    for name in ("images", "groups"):
        column = getattr(counts, name)
        if column is not None and len(column) != images:
            raise ValueError(f"`{name}` must be {images}; got {len(column)}")
    if not isinstance(counts.is_overlapping, bool) or not isinstance(counts.is_volumes, bool):
        raise ValueError("`is_overlapping` and `is_volumes` must be true or false")
    if counts.images is not None and len(set(counts.images.tolist())) < images:
        raise ValueError("`images` must name each image once")
    if rows and not (counts.image[0] >= 0 and counts.image[-1] < images and (np.diff(counts.image) >= 0).all()):
        raise ValueError(f"`image` must be places below {images} that do not fall")
    if not ((counts.count > 0).all() and (counts.pixels >= 0).all()):
        raise ValueError("`count` must be above 0, and `pixels` not negative")
    table = counts.categories
    if table is not None and (table.ids.dtype != np.int64 or len(set(table.ids.tolist())) < len(table.ids)):
        raise ValueError("`categories` must be labels, each once")
    if table is not None and table.names is not None and len(table.names) != len(table.ids):
        raise ValueError("`categories` must have a name for each label")
    if not counts.is_overlapping:
        totals = np.zeros(images, np.int64)
        np.add.at(totals, counts.image, counts.count)
        if not np.array_equal(totals, counts.pixels):
            raise ValueError("`count` must add up to `pixels`")
