"""Protocols: the conventions that a detection score depends on, as a value."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from vesica._check import detection as check

NEVER_QUITE = 1 - 1e-10
"""COCO lets an iou of 1 reach a threshold of 1 that was rounded up."""

_AREAS = (("all", 0.0, 1e10), ("small", 0.0, 32.0**2), ("medium", 32.0**2, 96.0**2), ("large", 96.0**2, 1e10))
# i · s + 0.5, and the end as it is; 0.8999999999999999 is meant.
_THRESHOLDS = (*(i * ((0.95 - 0.5) / 9) + 0.5 for i in range(9)), 0.95)
# i × 0.01, which is not i / 100.
_RECALLS = tuple(i * 0.01 for i in range(101))
UNLIMITED = 2**31 - 1


@dataclass(frozen=True)
class Protocol:
    """What is compared, and by which rules.

    Attributes
    ----------
    name : "coco", "lvis", "voc", "voc07" or "voc-devkit"
    regions : "box", "mask" or "boundary"
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
    iou: tuple[float, ...] = _THRESHOLDS
    areas: tuple[tuple[str, float, float], ...] = _AREAS
    max_dets: tuple[int, ...] = (1, 10, 100)
    by_class: bool = True
    strict: bool = False
    quirks: str | None = None
    recalls: tuple[float, ...] = _RECALLS

    @property
    def is_voc(self) -> bool:
        return self.name.startswith("voc")

    @property
    def bars(self) -> tuple[float, ...]:
        """The least value that matches at each threshold."""
        given = self.iou if self.is_voc else tuple(min(t, NEVER_QUITE) for t in self.iou)
        return tuple(math.nextafter(t, math.inf) for t in given) if self.strict else given

    @property
    def digest(self) -> str:
        """A number for all of it."""
        import hashlib  # late: most scores need neither
        import json

        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    def difference(self, other: Protocol, /) -> str | None:
        """The first convention in which two protocols differ, in words; None if there is none."""
        mine, theirs = asdict(self), asdict(other)
        for name in mine:
            if mine[name] != theirs[name]:
                return f"{name} is {mine[name]!r} here and {theirs[name]!r} there"
        return None


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
    check.one_of(name, check.PROTOCOLS, "protocol")
    check.one_of(regions, check.REGIONS, "regions")
    check.quirks(quirks, name)
    is_voc = name.startswith("voc")
    limits: tuple[int, ...] = (UNLIMITED,) if name != "coco" else (1, 10, 100)
    return Protocol(
        name="voc" if name == "voc12" else name,
        regions=regions,
        iou=((0.5,) if is_voc else _THRESHOLDS) if iou is None else check.thresholds(iou),
        areas=(_AREAS[:1] if is_voc else _AREAS) if areas is None else check.areas(areas),
        max_dets=limits if max_dets is None else check.limits(max_dets),
        by_class=by_class,
        strict=(is_voc and name != "voc-devkit") if strict is None else strict,
        quirks=quirks,
    )
