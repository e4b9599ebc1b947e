"""Protocols: the conventions that a detection score depends on, as a value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from vesica._check import detection as check
from vesica.detection.rules import (
    AREAS,
    HIGHEST_BAR,
    OF_MASKS,
    OF_TOOLS,
    PROTOCOLS,
    QUIRKS,
    RECALLS,
    REGIONS,
    THRESHOLDS,
    WIDEST,
    Quirks,
    Rules,
)
from vesica.results.policy import Policy


@dataclass(frozen=True)
class Protocol(Policy):
    """What is compared, and by which rules.

    Attributes
    ----------
    name : one of `rules.PROTOCOLS`
    regions : "box", "mask", "boundary" or "rotated"
    iou : the thresholds
    areas : ranges of areas, (name, lowest, highest), both ends included
    max_dets : how many guesses of an image and a class count; rising
    by_class : do only regions of one class meet?
    strict : must a value lie above the threshold, and not only reach it?
    quirks : None, or the tool whose faults are repeated
    recalls : where precision is read
    """

    name: str = "coco"
    regions: str = "box"
    iou: tuple[float, ...] = THRESHOLDS
    areas: tuple[tuple[str, float, float], ...] = AREAS
    max_dets: tuple[int, ...] = (1, 10, 100)
    by_class: bool = True
    strict: bool = False
    quirks: str | None = None
    recalls: tuple[float, ...] = RECALLS

    @property
    def rules(self) -> Rules:
        """What the name stands for."""
        return PROTOCOLS[self.name]

    @property
    def repeats(self) -> Quirks:
        """The faults that are repeated."""
        return QUIRKS[self.quirks]

    @property
    def whole(self) -> int | None:
        """The place of the range that covers all areas: by its ends, or else by its name; None if there is none."""
        ends = (k for k, (_, low, high) in enumerate(self.areas) if low <= 0 and high >= WIDEST)
        names = (k for k, (name, _, _) in enumerate(self.areas) if name == "all")
        return next(ends, next(names, None))

    @property
    def compares_masks(self) -> bool:
        """Are masks compared?"""
        return self.regions in OF_MASKS

    @property
    def literal(self) -> str | None:
        """The regions, if files are to be read as the tool reads them whose faults are repeated."""
        return self.regions if self.repeats.needs_fields else None

    @property
    def bars(self) -> tuple[float, ...]:
        """The least value that matches at each threshold."""
        given = tuple(min(t, HIGHEST_BAR) for t in self.iou) if self.rules.lowers_one else self.iou
        return tuple(math.nextafter(t, math.inf) for t in given) if self.strict else given


def protocol_of(
    name: str,
    *,
    regions: str = "box",
    iou: Any = None,
    areas: Any = None,
    max_dets: Any = None,
    by_class: bool = True,
    strict: bool | None = None,
    quirks: str | None = None,
) -> Protocol:
    """The protocol of that name, with what was asked for instead of its defaults."""
    rules = PROTOCOLS[check.one_of(name, PROTOCOLS, "protocol")]
    check.one_of(regions, REGIONS, "regions")
    if quirks is not None:
        check.one_of(quirks, [tool for tool in QUIRKS if tool is not None], "quirks")
        check.has_quirks(quirks, rules.tools, name)
        check.known_to_tool(quirks, regions, OF_TOOLS)
    return Protocol(
        name=rules.name,
        regions=regions,
        iou=rules.iou if iou is None else check.thresholds(iou),
        areas=rules.areas if areas is None else check.areas(areas),
        max_dets=rules.max_dets if max_dets is None else check.limits(max_dets),
        by_class=by_class,
        strict=rules.strict if strict is None else strict,
        quirks=quirks,
    )
