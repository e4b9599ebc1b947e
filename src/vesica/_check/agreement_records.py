"""Checks of records of agreement, and their wording."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica.errors import InputError


def some(records: tuple[Any, ...], /) -> None:
    if not records:
        raise ValueError("`merge` needs records; got none.")


def together(a: Any, b: Any, /) -> None:
    """Records that may be merged: of one policy and one kind of region."""
    difference = a.policy.difference(b.policy)
    if difference:
        raise InputError(f"Records of different policies do not belong together: {difference}.")
    if a.kind != b.kind:
        raise InputError(f"Records of different regions do not belong together: {a.kind} here and {b.kind} there.")


def disjoint(ids: np.ndarray, /) -> None:
    """No image in two records."""
    listed = ids.tolist()
    twice = [one for one, other in zip(listed[1:], listed[:-1], strict=True) if one == other]
    if twice:
        raise InputError(f"Records must be of different images; image {twice[0]!r} is in two of them.")


def same_category(known: dict[Any, Any], told: dict[Any, Any], name: str, /) -> None:
    """A category has one name, whoever tells it; what is new is added to what is known."""
    for id, one in told.items():
        if known.setdefault(id, one) != one:
            raise InputError(
                f"Records of different categories do not belong together: {name} of {id!r} is {known[id]!r} here and "
                f"{one!r} there."
            )


def digest(found: str, own: str, /) -> None:
    if found != own:
        raise InputError("These records are damaged: the policy does not fit its checksum.")


_WHOLE = ("image", "annotator", "round", "category", "cluster", "cluster_alternative", "attributes")
_FLOATS = ("area", "mean_iou", "cluster_margin")
_FLAGS = ("is_exact", "crowd", "has_mask")


def sound(found: Any, /) -> None:
    """Columns of a file: of one length each, in order, and inside their tables. What is wrong is a ValueError."""
    count, images, people = len(found.image), len(found.images), len(found.annotators)
    kinds = len(found.categories)
    asked = len(found.asked_image)
    for name in (*_WHOLE, *_FLOATS, *_FLAGS, "box", "id"):
        shape = (count, 4) if name == "box" else (count,)
        kind = "i" if name in _WHOLE else "b" if name in _FLAGS else "iO" if name == "id" else "f"
        _column(name, getattr(found, name), shape, kind)
    for name in ("asked_image", "asked_annotator", "asked_round"):
        _column(name, getattr(found, name), (asked,), "i")
    limits = {"image": images, "annotator": people, "category": kinds, "cluster": count}
    for name, limit in (*limits.items(), ("asked_image", images), ("asked_annotator", people)):
        _places(name, getattr(found, name), 0, limit)
    _places("cluster_alternative", found.cluster_alternative, -1, count)
    for name in ("group", "batch"):
        own = getattr(found, name)
        if own is not None and len(own) != images:
            raise ValueError(f"`{name}` must be {images}; got {len(own)}")
    if found.asked_date is not None and len(found.asked_date) != asked:
        raise ValueError(f"`asked_date` must be {asked}; got {len(found.asked_date)}")
    _rising("image", found.image, found.annotator, found.round)
    _rising("asked_image", found.asked_image, found.asked_round, found.asked_annotator)
    scenes = found.scenes
    for name in ("left", "right"):
        side, rows = getattr(found, name), len(getattr(scenes, name).row)
        for column in ("partner", "alternative", "type"):
            _column(f"{name}_{column}", getattr(side, column), (rows,), "i")
        for column in ("iou", "margin", "amount"):
            _column(f"{name}_{column}", getattr(side, column), (rows,), "f")
        for column in ("partner", "alternative"):
            _places(f"{name}_{column}", getattr(side, column), -1, count)
    lines = found.lines
    for column in ("scene", "type", "category"):
        _column(f"lines_{column}", getattr(lines, column), (len(lines.amount),), "i")
    _column("lines_amount", lines.amount, (len(lines.amount),), "f")
    _places("lines_scene", lines.scene, 0, len(scenes))
    _places("lines_category", lines.category, 0, kinds)
    _places("lines_type", lines.type, 0, 7)
    _places("left_type", found.left.type, -1, 7)
    _places("right_type", found.right.type, -1, 7)


def _column(name: str, column: np.ndarray, shape: tuple[int, ...], kinds: str) -> None:
    if column.shape != shape or column.dtype.kind not in kinds:
        raise ValueError(f"`{name}` must be of shape {shape}; got {column.dtype} of shape {column.shape}")


def _places(name: str, column: np.ndarray, low: int, high: int) -> None:
    if column.size and not low <= int(column.min()) <= int(column.max()) < high:
        raise ValueError(f"`{name}` must be places from {low} below {high}")


def _rising(name: str, *columns: np.ndarray) -> None:
    order = np.lexsort(columns[::-1])
    if not np.array_equal(order, np.arange(len(order))):
        raise ValueError(f"`{name}` must not fall")
