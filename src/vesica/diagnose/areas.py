"""Areas: what they tell of boxes, and where they are neither that of the box nor of the mask."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vesica.dataset import CocoMasks
from vesica.diagnose.finding import CERTAIN, WARNING, Finding
from vesica.diagnose.inputs import Side
from vesica.diagnose.words import counted, first_rows

FEWEST, MOSTLY, EXACTLY = 50, 0.95, 1e-3
"""Rows that say something; the share of them of which an identity holds; how near it must come."""
LARGER, SOME, OFF, MANY = 1.01, 0.01, 0.05, 0.05
"""An area so many times that of the box, in such a share of rows; or so far off the mask's, in such a share."""


def findings(side: Side, /) -> Iterator[Finding]:
    """Areas that tell what boxes are; and areas that are neither that of the box nor of the mask."""
    area, xywh = side.data.area, side.data.xywh
    if area is None or xywh is None:
        return
    rows = np.flatnonzero(side.has_box & np.isfinite(area) & (area > 0))
    if len(rows) < FEWEST:
        return
    area, box = area[rows], xywh[rows]
    given = box[:, 2] * box[:, 3]
    if _holds(area, (box[:, 2] + 1) * (box[:, 3] + 1)) and not _holds(area, given):
        text = f'"area" in {side.name} is (width + 1) · (height + 1): boxes end with their last pixel.'
        evidence = {"rows": len(rows)}
        yield Finding("boxes-inclusive", WARNING, text, evidence, confidence=CERTAIN, repairs=("boxes=inclusive",))
        return
    larger = area > LARGER * given
    if larger.mean() >= SOME:
        text = f'"area" in {side.name} is larger than width · height in {counted(larger.sum(), "row")} of {len(rows):,}'
        evidence = {"rows": int(larger.sum()), "of": len(rows)}
        first = first_rows(_at(rows[larger], len(side.data)))
        repairs = ("area=box",) if side.data.segments is None else ("area=mask",)
        yield Finding("area-mismatch", WARNING, f"{text}: {first}.", evidence, confidence=CERTAIN, repairs=repairs)
        return
    yield from _of_masks(side)


def _of_masks(side: Side) -> Iterator[Finding]:
    segments, area = side.data.segments, side.data.area
    if segments is None or area is None:
        return
    rows = np.flatnonzero((segments.form != CocoMasks.NONE) & np.isfinite(area))
    if not len(rows):
        return
    own = segments.sized(side.sizes)[rows].areas()
    rows, own = rows[own > 0], own[own > 0]  # "segmentation": [] says nothing
    off = np.abs(own - area[rows]) > OFF * own
    if len(rows) and off.mean() >= MANY:
        text = f'"area" in {side.name} is not that of the mask in {counted(off.sum(), "row")} of {len(rows):,}'
        evidence = {"rows": int(off.sum()), "of": len(rows)}
        first = first_rows(_at(rows[off], len(side.data)))
        yield Finding(
            "area-mismatch", WARNING, f"{text}: {first}.", evidence, confidence=CERTAIN, repairs=("area=mask",)
        )


def are_of_corners(side: Side, /) -> bool:
    """Is "area" that of corners, where sizes were declared?"""
    area, xywh = side.data.area, side.data.xywh
    if area is None or xywh is None or side.declared.words != "xywh":
        return False
    rows = np.flatnonzero(side.has_box & np.isfinite(area))
    if len(rows) < FEWEST:
        return False
    x, y, w, h = xywh[rows].T
    return _holds(area[rows], (w - x) * (h - y)) and not _holds(area[rows], w * h)


def _holds(area: np.ndarray, other: np.ndarray) -> bool:
    return float((np.abs(area - other) <= EXACTLY * np.abs(area)).mean()) >= MOSTLY


def _at(rows: np.ndarray, count: int) -> np.ndarray:
    mask = np.zeros(count, bool)
    mask[rows] = True
    return mask
