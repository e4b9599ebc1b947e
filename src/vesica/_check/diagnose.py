"""Checks of what advice is asked for, and their wording."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vesica._check import brief, one_of


def is_result(value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(
            f"`result` must be a {kind.__name__}, as vesica.evaluate_segmentation answers; got {brief(value)}. Boxes "
            "have no such advice yet."
        )


def codes(values: Any, known: Iterable[str]) -> set[str]:
    """Codes of findings that are to be left out."""
    listed = [values] if isinstance(values, str) else list(values)
    return {one_of(one, known, "silence") for one in listed}
