"""Checks of label maps that a report shows, and their wording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def maps(value: Any, scored: Callable[..., Any]) -> Any:
    """A dict, a function, or what was scored: (truth, guess), perhaps with how it was read."""
    if isinstance(value, Mapping) or callable(value):
        return value
    if isinstance(value, (list, tuple)) and 2 <= len(value) <= 4 and (len(value) == 2 or hasattr(value, "truth")):
        for side, name in zip(value, ("truth", "guess"), strict=False):
            if "float" in str(getattr(side, "dtype", "")):
                raise TypeError(
                    f"`maps` must hold labels; its {name} is {side.dtype}. Of scores, give the labels that were made "
                    "of them: scores.argmax(axis=1), or scores > 0.5."
                )
        return scored(*value)
    raise TypeError(
        "`maps` must be (truth, guess) as they were scored, a dict of image → (truth, guess), or a function of an "
        f"image that answers them; got {type(value).__name__}."
    )


def pair(value: Any, image: Any) -> tuple[Any, Any]:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise TypeError(f"`maps` must give (truth, guess) of an image; of {image!r} it gives {type(value).__name__}.")
    return value[0], value[1]


def numbered(images: np.ndarray | None) -> None:
    """Arrays can only be told apart by their order."""
    if images is not None:
        raise ValueError(
            "`maps` must say which image each array is of, for the images of the result have ids: a dict of image → "
            "(truth, guess)."
        )


def same_pixels(scored: dict[Any, int], given: dict[Any, int], image: Any) -> None:
    if scored != given:
        raise ValueError(
            f"`maps` must be the label maps that were scored; those of image {image!r} are others: "
            f"{_words(scored, given)}. Give the same files or arrays, read in the same way."
        )


def _words(scored: dict[Any, int], given: dict[Any, int]) -> str:
    key = next(key for key in sorted({*scored, *given}) if scored.get(key) != given.get(key))
    return (
        f"{given.get(key, 0):,} pixels are {key[0]} in the truth and {key[1]} in the guess, "
        f"and {scored.get(key, 0):,} were scored"
    )
