"""Summaries: the few numbers that a protocol is known for."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from vesica._check import detection as check
from vesica.detection.curves import Arrays, curve_of
from vesica.detection.protocol import Protocol
from vesica.detection.records import Records


class Line(NamedTuple):
    """One number, and what it is the mean of."""

    name: str
    title: str
    iou: float | None
    """None: all thresholds."""
    area: str
    limit: int
    """The place among the limits of guesses."""
    group: str | None = None
    """Of LVIS: categories of this frequency alone."""
    is_there: bool = True
    """False for AP where pycocotools misses a limit of 100 (Q3)."""

    @property
    def is_precision(self) -> bool:
        return self.name.startswith("AP")


def lines_of(protocol: Protocol, /) -> tuple[Line, ...]:
    """The numbers of COCO or LVIS, those of them that the thresholds and ranges allow."""
    limits = protocol.max_dets
    last = len(limits) - 1
    whole, has_whole = last, True
    if protocol.quirks:  # it asks for the limit of 100 by value, for the others by place
        limits, last = limits[:3], min(2, last)
        has_whole = 100 in protocol.max_dets
        whole = protocol.max_dets.index(100) if has_whole else last
    names = [name for name, _, _ in protocol.areas]
    first = names[0] if "all" not in names else "all"
    letters = [name[0] for name in names if name != first] + ["r", "c", "f"] * (protocol.name == "lvis")
    sizes = [(name, name[0] if letters.count(name[0]) == 1 else name) for name in names if name != first]
    precision, recall = "Average Precision", "Average Recall"
    found = [Line("AP", precision, None, first, whole, is_there=has_whole)]
    found += [Line(f"AP{round(100 * t)}", precision, t, first, last) for t in (0.5, 0.75)]
    found += [Line(f"AP{short}", precision, None, name, last) for name, short in sizes]
    if protocol.name == "lvis":
        groups = (("r", "rare"), ("c", "common"), ("f", "frequent"))
        found += [Line(f"AP{letter}", precision, None, first, last, letter) for letter, _ in groups]
        found += [Line("AR", recall, None, first, last)]
        found += [Line(f"AR{short}", recall, None, name, last) for name, short in sizes]
        return tuple(found)
    found += [Line(f"AR{limit}", recall, None, first, place) for place, limit in enumerate(limits)]
    found += [Line(f"AR{short}", recall, None, name, last) for name, short in sizes]
    return tuple(found)


def value_of(line: Line, arrays: Arrays, records: Records, /, *, categories: np.ndarray | None = None) -> float:
    """The mean of what is there, in the order of thresholds, recalls, categories; −1 if nothing is."""
    if not line.is_there:
        return -1.0
    protocol = records.protocol
    area = [name for name, _, _ in protocol.areas].index(line.area)
    # Precision may have been made for the last limit alone.
    limit = line.limit - len(protocol.max_dets)
    values = arrays.precision[:, :, :, area, limit] if line.is_precision else arrays.recall[:, :, area, limit]
    if line.iou is not None:
        values = values[[t == line.iou for t in protocol.iou]]
    if categories is not None:
        values = values[..., categories]
    if line.group is not None:
        frequency = records.categories.frequency
        has = np.zeros(values.shape[-1], bool) if frequency is None else frequency == line.group
        values = values[..., has]
    there = values[values > -1]
    return float(np.mean(there)) if len(there) else -1.0


def summary_of(records: Records, arrays: Callable[[], Arrays], /) -> dict[str, float]:
    """Names and numbers."""
    if records.protocol.is_voc:
        return _voc(records)
    if records.protocol.quirks:
        check.three_limits(records.protocol.max_dets)
    made = arrays()
    return {line.name: value_of(line, made, records) for line in lines_of(records.protocol)}


def _voc(records: Records) -> dict[str, float]:
    """The mean over categories that have truths, at each threshold."""
    found = {}
    for place, threshold in enumerate(records.protocol.iou):
        values = [value for value in voc_values(records, place) if value == value]
        name = "mAP" if len(records.protocol.iou) == 1 else f"mAP{100 * threshold:.10g}"
        found[name] = float(np.mean(values)) if values else -1.0
    return found


def voc_values(records: Records, threshold: int, /) -> list[float]:
    """The AP of each category, NaN where there is nothing to be found."""
    curves = [curve_of(records, category, threshold, 0) for category in range(len(records.categories))]
    if records.protocol.name == "voc07":
        return [curve.eleven_point_precision for curve in curves]
    return [curve.average_precision for curve in curves]
