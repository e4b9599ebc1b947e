"""Edges: where boxes begin and end at the border of their image tells from where pixels are counted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vesica.diagnose.finding import CERTAIN, WARNING, Finding
from vesica.diagnose.inputs import Side

EDGES = 10
"""Edges at one place that say something."""


def findings(side: Side, /) -> Iterator[Finding]:
    """Are pixels counted from 1, or from 0 where 1 was declared, or end pixels taken as ends?"""
    some = side.numbers[side.looked_at]
    if side.declared.unit != "pixels" or not some.size or (some != np.round(some)).any():
        return
    rows = np.flatnonzero(side.has_box & side.has_size)
    if not len(rows):
        return
    corners = side.corners_at(rows)
    if (corners != np.round(corners)).any():
        return
    size = side.sizes[rows][:, ::-1]
    low = {place: int((corners[:, :2] == place).sum()) for place in (-1, 0, 1)}
    high = {step: int((corners[:, 2:] == size + step).sum()) for step in (-1, 0, 1)}
    evidence = {"low_at_0": low[0], "low_at_1": low[1], "high_before_end": high[-1], "high_at_end": high[0]}
    if not low[0] and low[1] >= EDGES and max(high[0], high[1]) >= EDGES:
        how = "one-based" if high[0] >= EDGES else "moved-by-one"
        text = (
            f"Pixels in {side.name} seem to be counted from 1: {low[1]} boxes begin at 1 and none at 0, and "
            f"{max(high[0], high[1])} end at {'the last pixel' if high[0] >= EDGES else 'the one behind the last'}."
        )
        yield Finding("pixels-one-based", WARNING, text, evidence, confidence=CERTAIN, repairs=(f"boxes={how}",))
    elif side.first == 1 and low[-1] >= EDGES:
        text = f"Pixels in {side.name} seem to be counted from 0, where 1 was declared: {low[-1]} boxes begin at 0. "
        text += 'Read it with boxes="as_written".'
        evidence |= {"low_at_0": low[-1], "low_at_1": low[0]}
        yield Finding("pixels-zero-based", WARNING, text, evidence, confidence=CERTAIN)
    elif low[0] >= EDGES and high[-1] >= EDGES and not high[0] and not high[1]:
        text = (
            f"Boxes in {side.name} seem to end with their last pixel, which then belongs to them: {high[-1]} end at "
            f"the last pixel of their image, and none behind it."
        )
        repairs = ("boxes=inclusive",)
        yield Finding("boxes-inclusive", WARNING, text, evidence, confidence=CERTAIN, repairs=repairs)
