"""Checks of what a ledger is made of."""

from __future__ import annotations

import numpy as np


def drawn_in_scenes(missing: np.ndarray, count: int) -> None:
    """Raise for matched objects (slot · count + row) that stand in no scene."""
    if missing.size:
        slot, row = divmod(int(missing[0]), count)
        raise ValueError(
            f"`pairing` matches row {row} in scene {slot // 2}, where side {'ab'[slot % 2]} has no such object. "
            "Give the sides that were paired."
        )


def assigned(missing: np.ndarray, image: np.ndarray, annotator: np.ndarray) -> None:
    """Raise for rows drawn by somebody who was not asked."""
    if missing.size:
        row = int(missing[0])
        raise ValueError(
            f"row {row} was drawn by annotator {annotator[row]} in image {image[row]}, who was not asked about it. "
            "Add the assignment, or leave the row out."
        )
