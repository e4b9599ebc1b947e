"""What may be said of a report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from vesica._check import brief, number, one_of

__all__ = ["EMBED", "html_name", "megabytes", "one_of", "results"]

EMBED = ("embed", "link", "none")


def results(values: Sequence[Any], /) -> None:
    """At least one, and all of them results."""
    if not values:
        raise ValueError("`results` must be one result or more; got none. Write write(path, result).")
    for value in values:
        if not (hasattr(value, "summary") and hasattr(value, "headline") and hasattr(value, "to_dict")):
            raise TypeError(
                f"`results` must be what evaluate, evaluate_segmentation, evaluate_agreement or compare answer; got "
                f"{type(value).__name__} {brief(value)}."
            )


def megabytes(value: Any, name: str, /) -> int:
    """As bytes."""
    size = number(value, name)
    if not 0.5 <= size <= 1000:
        raise ValueError(f"`{name}` must be from 0.5 to 1000, in MB; got {value!r}.")
    return int(size * 1_000_000)


def html_name(path: Any, /) -> None:
    """The name says what the file is: one that ends as another kind would not open."""
    if not os.fspath(path):
        raise ValueError("A report is one HTML file: it must be a name; got nothing.")
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in ("", ".html", ".htm"):
        raise ValueError(f"A report is one HTML file: its name must end in .html; got {brief(os.fspath(path))}.")


def not_a_picture(name: str, value: Any, /) -> TypeError:
    """What `images` answered for a name is none."""
    return TypeError(
        f"`images` must answer the path of a file, a Pillow image, an array of (H, W) or (H, W, 3) bytes, or None; "
        f"got {type(value).__name__} for {name!r}."
    )


def not_a_folder(path: str, /) -> ValueError:
    """There is no such folder of photographs."""
    return ValueError(f"`images` must be a folder that exists, a dict or a function; got {path!r}.")
