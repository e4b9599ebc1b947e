"""Checks of what soft-NMS is told, and of scores that are added and multiplied."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import _check as check


def finite_scores(scores: np.ndarray) -> None:
    strange = np.flatnonzero(~np.isfinite(scores))
    if strange.size:
        row = int(strange[0])
        raise ValueError(f"`scores` must be finite; got {scores[row]} in row {row}. Leave the row out, or score it.")


def sigma(value: Any) -> float:
    number = check.finite(value, "sigma")
    if number <= 0:
        raise ValueError(f"`sigma` must be above 0; got {value!r}. The smaller it is, the more scores decay.")
    return number


def min_score(value: Any) -> None:
    if check.finite(value, "min_score") < 0:
        raise ValueError(f"`min_score` must not be negative; got {value!r}. A negative score would grow as it decays.")
