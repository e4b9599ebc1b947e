"""Findings about boxes: what their numbers seem to be, where they lie, and what is odd about some of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vesica.dataset import CocoMasks
from vesica.diagnose import leaving
from vesica.diagnose.box_readings import AXES_SWAPPED, BoxReading
from vesica.diagnose.finding import CERTAIN, ERROR, NOTE, UNSURE, WARNING, Finding
from vesica.diagnose.inputs import Side
from vesica.diagnose.verdict import Verdict
from vesica.diagnose.words import counted, first_rows, percent

_FRAMES = {
    "letterbox": "in a square of {} pixels with the picture in its middle",
    "corner": "in a square of {} pixels with the picture at its corner",
    "stretch": "in a square of {} pixels over which the picture was drawn out",
}
_UNITS = {"pixels": "pixels", "shares": "shares of the image", "percent": "percent of the image"}


def of_reading(side: Side, found: Verdict, /) -> Iterator[Finding]:
    """What the four numbers are, if they are not what was declared."""
    if found.hypothesis is None:
        return
    boxes = found.hypothesis.boxes
    choices = {one.boxes for one in found.choices} | {boxes}
    if choices == {side.declared}:
        return
    named = next(one for one in (boxes, *choices) if one != side.declared)
    code = _code(named, side.declared)
    evidence = _evidence(side, found, named)
    if found.confidence == UNSURE:
        listed = " or ".join(_called(one.boxes, side.declared) for one in found.choices)
        text = f"`{side.field}` in {side.name} may be {listed}{_not(side.declared, named)}: {_why(side, found, named)}"
        repairs = tuple(one.words(side.declared) for one in found.choices)
        severity = WARNING if any(one.boxes == side.declared for one in found.choices) else ERROR
        yield Finding(code, severity, text, evidence, confidence=UNSURE, repairs=tuple(filter(None, repairs)))
        return
    text = f"`{side.field}` in {side.name} reads as {_called(named, side.declared)}{_not(side.declared, named)}: "
    repair = found.hypothesis._replace(categories=None, images=None).words(side.declared)
    text += _why(side, found, named)
    yield Finding(code, ERROR, text, evidence, confidence=found.confidence, repairs=(repair,))


def _code(reading: BoxReading, given: BoxReading) -> str:
    if reading.frame is not None:
        return "frame-letterbox"
    if reading.unit != given.unit:
        return "boxes-percent" if "percent" in (reading.unit, given.unit) else "boxes-normalised"
    return "axes-swapped" if reading.layout in AXES_SWAPPED else "boxes-layout"


def _called(reading: BoxReading, given: BoxReading) -> str:
    """A reading in words, as far as it differs from what was given."""
    if reading.frame is not None:
        return _FRAMES[reading.frame.kind].format(reading.frame.side)
    return reading.layout if reading.unit == given.unit else f"{reading.layout} in {_UNITS[reading.unit]}"


def _not(given: BoxReading, reading: BoxReading) -> str:
    """What it is not."""
    if reading.frame is not None:
        return ", not in its image"
    return f", not {given.layout}" if reading.unit == given.unit else f", not in {_UNITS[given.unit]}"


def _why(side: Side, found: Verdict, reading: BoxReading) -> str:
    """The evidence in words."""
    parts = []
    if reading.frame is None and reading.unit == side.declared.unit and found.leaves:
        given, other = found.leaves[side.declared], found.leaves.get(reading)
        if other is not None:
            parts.append(f"{percent(given)} of boxes leave their image as given, {percent(other)} as {reading.layout}")
    elif reading.frame is None and leaving.are_shares(side):
        parts.append("all numbers lie between 0 and 1")
    elif reading.frame is None and leaving.are_pixels(side):
        parts.append("many numbers are far above 1")
    if found.trial is not None and found.given is not None:
        parts.append(
            f"of {found.looked_at:,} guesses {percent(found.given)} lie on a truth as given, "
            f"{percent(found.trial.share)} so"
        )
    return "; ".join(parts) + "."


def _evidence(side: Side, found: Verdict, reading: BoxReading) -> dict[str, object]:
    evidence: dict[str, object] = {"reading": reading.words, "declared": side.declared.words}
    if reading.frame is not None:
        evidence |= {"frame": reading.frame.kind, "side": reading.frame.side}
    if found.leaves:
        evidence |= {"leave_given": found.leaves[side.declared], "leave": found.leaves.get(reading)}
    if found.trial is not None:
        evidence |= {"looked_at": found.looked_at, "hits_given": found.given, "hits": found.trial.share}
        evidence |= {"wins": found.trial.wins, "losses": found.trial.losses}
    return evidence


def of_rows(side: Side, /) -> Iterator[Finding]:
    """Boxes that are no numbers, inside out, outside their image, or empty."""
    data = side.data
    if data.xywh is None or not len(data):
        return
    width, height = data.xywh[:, 2], data.xywh[:, 3]
    strange = ~side.has_box | np.isinf(width * height)
    if data.segments is not None:  # a row may have a mask and no box
        strange &= ~(np.isnan(data.xywh).all(axis=1) & (data.segments.form != CocoMasks.NONE))
    if strange.any():
        text = f"{counted(strange.sum(), 'box')} in {side.name} {_are(strange)} not finite: {first_rows(strange)}."
        yield Finding("not-finite", ERROR, text, {"count": int(strange.sum())}, confidence=CERTAIN)
    negative = side.has_box & ((width < 0) | (height < 0))
    if negative.any():
        text = f"{counted(negative.sum(), 'box')} in {side.name} {_have(negative)} a negative width or height: "
        text += f"{first_rows(negative)}. Their corners may stand in another order."
        repairs = ("boxes=ordered",)
        yield Finding("negative-size", ERROR, text, {"count": int(negative.sum())}, confidence=CERTAIN, repairs=repairs)
    known = np.flatnonzero(side.has_box & side.has_size & ~negative)
    outside = np.zeros(len(data), bool)
    outside[known] = leaving.leaves(side.corners_at(known), side.sizes_at(known))
    if outside.any():
        text = f"{counted(outside.sum(), 'box')} in {side.name} {_leave(outside)} the image by more than a pixel: "
        evidence = {"count": int(outside.sum())}
        yield Finding("outside-image", NOTE, f"{text}{first_rows(outside)}.", evidence, confidence=CERTAIN)
    empty = side.has_box & ((width == 0) | (height == 0))
    if empty.any():
        text = f"{counted(empty.sum(), 'box')} in {side.name} {_have(empty)} no area: {first_rows(empty)}."
        yield Finding("empty-region", NOTE, text, {"count": int(empty.sum())}, confidence=CERTAIN)


def _are(rows: np.ndarray) -> str:
    return "is" if rows.sum() == 1 else "are"


def _have(rows: np.ndarray) -> str:
    return "has" if rows.sum() == 1 else "have"


def _leave(rows: np.ndarray) -> str:
    return "leaves" if rows.sum() == 1 else "leave"
