"""Checks of data sets that are drawn as label maps, and their wording."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from vesica._check import one_of
from vesica.errors import InputError

CROWD = ("ignore", "count")


def crowd(value: Any) -> None:
    one_of(value, CROWD, "crowd")


def all_have_masks(truth: Any, guess: Any) -> None:
    """Every object can be drawn."""
    for name, data in (("truth", truth), ("guess", guess)):
        if not len(data):
            continue
        without = len(data) if data.segments is None else int((data.segments.form == type(data.segments).NONE).sum())
        if without:
            raise InputError(
                f"{without} of {len(data)} objects of the {name} have no mask, and cannot be drawn into a label map. "
                "Boxes are scored by `evaluate` (vesica eval)."
            )


def known_size(image: Any, size: np.ndarray) -> None:
    if not (size > 0).all():
        raise InputError(f"Image {image!r} has no height and width in either file, so no label map can be drawn of it.")


def same_size(masks: tuple[int, int], image: tuple[int, int]) -> None:
    if tuple(masks) != tuple(image):
        raise InputError(f"Masks must have the size of their image, {image}; one has {tuple(masks)}.")


def are_objects(truth: Any, guess: Any) -> bool:
    """Are both sides files or data sets of objects?"""
    found = [is_objects(side) for side in (truth, guess)]
    if any(found) and not all(found):
        raise TypeError(
            "`truth` and `guess` must both be label maps, or both be objects (COCO files, data sets); got one of each. "
            "Objects alone are scored by evaluate(…)."
        )
    return all(found)


def is_objects(side: Any) -> bool:
    """Is it a COCO file, or a data set?"""
    if isinstance(side, (str, os.PathLike)):
        return os.fspath(side).lower().endswith((".json", ".json.gz"))
    return hasattr(side, "segments") and hasattr(side, "images") and hasattr(side, "categories")


def of_objects(crowd: Any) -> None:
    if crowd is not None:
        raise TypeError("`crowd` is for objects, of COCO files and data sets: label maps have no crowds. Drop it.")


def own_categories(categories: Any, background: Any, relabel: Any) -> None:
    """What objects say by themselves."""
    said = {"categories": categories, "background": background, "relabel": relabel}
    for name, value in said.items():
        if value is not None:
            raise TypeError(f"`{name}` is for label maps: objects have categories, all else is background. Drop it.")
