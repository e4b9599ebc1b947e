"""Verdicts: which reading of a file of guesses the evidence of one file and of two files speaks for."""

from __future__ import annotations

from typing import NamedTuple

from vesica.diagnose import areas, leaving
from vesica.diagnose.box_readings import FRAMES, LAYOUTS, SIDES, BoxReading, Frame
from vesica.diagnose.finding import CERTAIN, LIKELY, UNSURE
from vesica.diagnose.hits import Hypothesis, Trial, Trials
from vesica.diagnose.inputs import Side

GOOD = 0.1
"""A hit share as given from which on boxes are not read wrongly, wherever they lie."""
LARGE, SHOWN = 200, 2
"""Sides of images in which percent and pixels differ; readings that are offered to choose from."""


class Verdict(NamedTuple):
    """What the evidence speaks for.

    Attributes
    ----------
    hypothesis : the reading that fits; None if the file is as it should be, or it cannot be told
    confidence : of that
    choices : where it is unsure, the readings to choose from
    leaves : leave shares by reading, the declared one first; none without sizes
    trial : how the reading did beside another file, if there was one
    given : the hit share as given, None without another file
    looked_at : how many guesses were compared
    most : the greatest hit share under any reading
    """

    hypothesis: Hypothesis | None
    confidence: str
    choices: tuple[Hypothesis, ...]
    leaves: dict[BoxReading, float]
    trial: Trial | None
    given: float | None
    looked_at: int
    most: float


def verdict(side: Side, trials: Trials | None, more: list[Trial], /) -> Verdict:
    """Weigh both kinds of evidence. `more` are trials of other samples, such as those of other images."""
    shares = leaving.shares_of(side)
    sure, open_choices = _of_one_file(side, shares)
    tried = [] if trials is None else [*_tried(side, trials, sure), *more]
    ranked = [] if trials is None else trials.ranked(tried)
    rivals = [] if trials is None else trials.rivals(ranked)
    best = ranked[0] if ranked else None
    found, confidence, choices = _weighed(side, trials, best, rivals, sure, open_choices, shares)
    if found is not None and trials is not None and (best is None or best.hypothesis != found):
        best = None if found.images is not None else trials.of(found)
    return Verdict(
        found,
        confidence,
        choices,
        shares,
        best if found is not None else None,
        None if trials is None else trials.share,
        0 if trials is None else len(trials.sample),
        0.0 if trials is None else max([trials.share, *(one.share for one in tried)]),
    )


def _of_one_file(side: Side, shares: dict[BoxReading, float]) -> tuple[BoxReading | None, tuple[BoxReading, ...]]:
    """The reading that is certain by where boxes lie; or those of which one must be right."""
    count = len(side.looked_at)
    if leaving.are_shares(side):
        layouts = leaving.layouts_of_shares(side)
        fits = tuple(one for one, share in layouts.items() if share <= leaving.HARDLY)
        if len(fits) == 1 and count >= leaving.FEWEST:
            return fits[0], ()
        return None, fits or tuple(sorted(layouts, key=layouts.__getitem__)[:SHOWN])
    if leaving.are_pixels(side):
        pixels = tuple(one._replace(unit="pixels") for one in shares) or (side.declared._replace(unit="pixels"),)
        sizes, numbers = side.sizes_at(side.looked_at), side.numbers[side.looked_at]
        fits = tuple(one for one in pixels if leaving.leave_share(one.corners(numbers, sizes), sizes) <= leaving.HARDLY)
        return (fits[0], ()) if len(fits) == 1 and count >= leaving.FEWEST else (None, fits or pixels[:SHOWN])
    by_area = BoxReading("xyxy") if areas.are_of_corners(side) else None
    return by_area or leaving.certain(shares, count), ()


def _tried(side: Side, trials: Trials, sure: BoxReading | None) -> list[Trial]:
    """All that may be: layouts in every unit, then frames."""
    units = ["pixels", "shares", *(["percent"] if _may_be_percent(side) else [])]
    readings = {side.declared, *(BoxReading(layout, unit) for layout in LAYOUTS for unit in units)}
    found = trials.tried(sorted(readings))
    if sure is None and not any(map(trials.is_supported, found)):
        frames = [side.declared._replace(frame=Frame(kind, size)) for kind in FRAMES for size in SIDES]
        found += trials.tried(frames)
    return found


def _may_be_percent(side: Side) -> bool:
    """Do nearly all numbers lie between 0 and 100, in images that are larger?"""
    rows = side.looked_at
    if not len(rows) or side.declared.unit == "percent":
        return False
    numbers, sizes = side.numbers[rows], side.sizes_at(rows)
    inside = (numbers >= 100 * leaving.LOWEST) & (numbers <= 100 * leaving.HIGHEST)
    return float(inside.mean()) >= 1 - leaving.HARDLY and bool((sizes > LARGE).any(axis=1).all())


def _weighed(
    side: Side,
    trials: Trials | None,
    best: Trial | None,
    rivals: list[Trial],
    sure: BoxReading | None,
    open_choices: tuple[BoxReading, ...],
    shares: dict[BoxReading, float],
) -> tuple[Hypothesis | None, str, tuple[Hypothesis, ...]]:
    if sure is not None:
        if best is None:
            works = trials is not None and trials.share >= GOOD and sure.unit == side.declared.unit
            return (None, "", ()) if works else (Hypothesis(sure), CERTAIN, ())
        by_unit = sure.unit != side.declared.unit and best.hypothesis.boxes.unit == sure.unit
        if best.hypothesis.boxes == sure or by_unit:
            return best.hypothesis, CERTAIN, ()
        if best.hypothesis.boxes != side.declared:
            return best.hypothesis, UNSURE, (Hypothesis(sure), best.hypothesis)
        return best.hypothesis._replace(boxes=sure), UNSURE, (Hypothesis(sure), best.hypothesis)
    if open_choices and (best is None or best.hypothesis.boxes.unit != open_choices[0].unit):
        choices = tuple(map(Hypothesis, open_choices))
        one = len(choices) == 1 and best is None
        return choices[0], LIKELY if one else UNSURE, () if one else choices[:SHOWN]
    if best is None:
        return None, "", ()
    if rivals:
        return best.hypothesis, UNSURE, (best.hypothesis, *(one.hypothesis for one in rivals))[:SHOWN]
    if _is_contradicted(side, best.hypothesis.boxes, shares):
        return best.hypothesis, UNSURE, (Hypothesis(side.declared), best.hypothesis)
    return best.hypothesis, LIKELY, ()


def _is_contradicted(side: Side, reading: BoxReading, shares: dict[BoxReading, float]) -> bool:
    """Do boxes lie in their images as given, and leave them under the reading?"""
    if reading == side.declared or not shares or reading.unit != side.declared.unit or reading.frame is not None:
        return False
    return shares[side.declared] <= leaving.HARDLY and shares.get(reading, 0.0) >= leaving.OFTEN
