"""Checks of what a ledger is made of."""

from __future__ import annotations

import numpy as np


def drawn_in_scenes(codes: np.ndarray, found: np.ndarray, wanted: np.ndarray, count: int) -> None:
    """Is every matched object (slot · count + row) one of those that stand in the scenes, whose codes rise?"""
    missing = _not_there(codes, found, wanted)
    if missing.size:
        slot, row = divmod(int(wanted[missing[0]]), count)
        raise ValueError(
            f"`pairing` matches row {row} in scene {slot // 2}, where side {'ab'[slot % 2]} has no such object. "
            "Give the sides that were paired."
        )


def assigned(codes: np.ndarray, found: np.ndarray, wanted: np.ndarray, count: int) -> None:
    """Was every object (image · count + annotator) drawn by somebody who was asked about its image?"""
    missing = _not_there(codes, found, wanted)
    if missing.size:
        row = int(missing[0])
        image, annotator = divmod(int(wanted[row]), count)
        raise ValueError(
            f"row {row} was drawn by annotator {annotator} in image {image}, who was not asked about it. "
            "Add the assignment, or leave the row out."
        )


def _not_there(codes: np.ndarray, found: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Which of the wanted codes are not at the places where they were looked for."""
    there = found < len(codes)
    there[there] = codes[found[there]] == wanted[there]
    return np.flatnonzero(~there)
