"""Checks of what advice is asked for, and their wording."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vesica._check import brief, one_of

CONCERNS = ("size", "costs")


def is_result(value: Any, kinds: tuple[type, ...]) -> None:
    if not isinstance(value, kinds):
        raise TypeError(
            f"`result` must be a {' or a '.join(kind.__name__ for kind in kinds)}, as vesica.evaluate_segmentation and "
            f"vesica.evaluate_surfaces answer; got {brief(value)}. Boxes have no such advice yet."
        )


def concerns(values: Any) -> set[str]:
    """What matters to whoever asks."""
    listed = [values] if isinstance(values, str) else list(values)
    return {one_of(one, CONCERNS, "concerns") for one in listed}


def codes(values: Any, known: Iterable[str]) -> set[str]:
    """Codes of findings that are to be left out."""
    listed = [values] if isinstance(values, str) else list(values)
    return {one_of(one, known, "silence") for one in listed}
