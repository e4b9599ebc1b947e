"""Suspicion: is it worth a look? Whatever is asked here costs next to nothing, so that every score can ask it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vesica.diagnose import boxes, leaving
from vesica.diagnose.sides import Side

if TYPE_CHECKING:
    from vesica.detection.result import DetectionResult

READ_WRONGLY = frozenset(
    (
        *("boxes-layout", "axes-swapped", "boxes-normalised", "boxes-percent", "frame-letterbox", "negative-size"),
        *("categories-shifted", "categories-unknown", "images-shifted", "images-unknown"),
    )
)
"""Codes of findings for which a score is refused: numbers and ids that do not mean what they were read as."""
LITTLE = 0.5
"""Of truths, those that a detector has found at IoU 0.5, if nothing is wrong with its file as a rule."""


def is_low(result: DetectionResult, /) -> bool:
    """Were few truths found, at the lowest threshold? So a weak model does, and every file that is read wrongly."""
    records = result.records
    area = records.protocol.whole or 0
    matched, ignored = records.lane(0, area)
    positives = int(records.positives[:, area].sum())
    return bool(positives) and int((matched & ~ignored).sum()) < LITTLE * positives


def looks_odd(side: Side, /) -> bool:
    """Do many boxes leave their image, or end where none should? Told without another file, if sizes are known."""
    rows = side.looked_at
    if not len(rows) or not (side.sizes[rows] > 0).all(axis=1).any():
        return False
    corners = side.declared.corners(side.numbers[rows], side.sizes[rows])
    return leaving.leave_share(corners, side.sizes[rows]) >= leaving.OFTEN or any(boxes.of_edges(side))
