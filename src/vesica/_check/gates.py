"""Checks of gates that compare results, and their wording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vesica.errors import InputError


def same_identity(ours: Any, base: Any, name: str | None, /) -> None:
    """Both are of the same conventions, categories, images and truths."""
    called = "The base" if name is None else name
    if ours is None or base is None:
        raise InputError(
            f"{called} cannot be compared with this result: one of them does not say of which images it is."
        )
    difference = ours.difference(base)
    if difference is not None:
        raise InputError(f"{called} cannot be compared with this result: {difference}.")


def can_be_drawn(draw: Callable[..., Any] | None, gate: str, base: str | None, /) -> Callable[..., Any]:
    """An interval needs what is known of each image."""
    if draw is None:
        what = "this result" if base is None else f"{base}, or this result,"
        raise InputError(
            f"The gate {gate!r} asks for an interval, and {what} holds numbers alone, not what was counted in each "
            "image. Compare with records: `--records base.records` writes them."
        )
    return draw


def is_drawn(values: Any, metric: str, place: str, /) -> Any:
    """A number that replicates have."""
    if values is None:
        raise ValueError(f"The number {metric}{place} has no interval: leave the level (@…%) out.")
    return values
