"""Checks of two results that are to be compared, and their wording."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any


def one_policy(before: Any, after: Any, /) -> None:
    """Both results are of one policy."""
    if before.digest != after.digest:
        ours, theirs = asdict(before), asdict(after)
        name = next(name for name in ours if ours[name] != theirs[name])
        raise ValueError(
            f"Both results must be of one policy: `{name}` is {ours[name]!r} before and {theirs[name]!r} after. "
            "Compare one of them again."
        )


def some_images(count: int, /) -> None:
    if not count:
        raise ValueError(
            "No image is in both results: they meet by id. Tools give new ids to tasks that are imported again; read "
            "such files with the images of the first."
        )
