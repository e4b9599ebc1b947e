"""Checks of what advice is asked for, and their wording."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vesica._check import brief, finite, one_of

CONCERNS = ("size", "costs")


def is_result(value: Any, kinds: tuple[type, ...]) -> None:
    if not isinstance(value, kinds):
        raise TypeError(
            f"`result` must be a {' or a '.join(kind.__name__ for kind in kinds)}, as vesica.evaluate_segmentation, "
            f"vesica.evaluate_surfaces and vesica.evaluate_agreement answer; got {brief(value)}. Scores of detectors "
            "have no such advice yet."
        )


def people(value: Any, kinds: tuple[type, ...]) -> None:
    if value is not None and not isinstance(value, kinds):
        raise TypeError(
            f"`people` must be what vesica.evaluate_agreement answers of those who drew the truth; got {brief(value)}."
        )


def half_width(value: Any, is_agreement: bool) -> float | None:
    """How wide an interval may be to either side."""
    if value is None:
        return None
    if not is_agreement:
        raise ValueError("`half_width` is of intervals of agreement: give the result of vesica.evaluate_agreement.")
    width = finite(value, "half_width")
    if not 0 < width < 1:
        raise ValueError(f"`half_width` must lie between 0 and 1, such as 0.01; got {value!r}.")
    return float(width)


def concerns(values: Any) -> set[str]:
    """What matters to whoever asks."""
    listed = [values] if isinstance(values, str) else list(values)
    return {one_of(one, CONCERNS, "concerns") for one in listed}


def codes(values: Any, known: Iterable[str]) -> set[str]:
    """Codes of findings that are to be left out."""
    listed = [values] if isinstance(values, str) else list(values)
    return {one_of(one, known, "silence") for one in listed}
