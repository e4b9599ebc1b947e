"""The twelve numbers of a COCO evaluation, each with its printed line."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vesica._check import compat as check


class Row(NamedTuple):
    """One number: mean precision or mean recall, over some of the thresholds, areas and caps."""

    is_precision: bool
    threshold: float | None
    area: str
    cap: int


def rows(caps: Any) -> list[Row]:
    """The first asks for 100 guesses by value, the others for a place in the list of caps."""
    check.three_caps(caps)
    low, middle, high = caps[:3]
    sizes = ("small", "medium", "large")
    return [
        Row(True, None, "all", 100),
        Row(True, 0.5, "all", high),
        Row(True, 0.75, "all", high),
        *(Row(True, None, size, high) for size in sizes),
        *(Row(False, None, "all", cap) for cap in (low, middle, high)),
        *(Row(False, None, size, high) for size in sizes),
    ]


def mean(row: Row, answer: Any, params: Any) -> float:
    """The mean of the values that exist, −1 without any."""
    values = answer["precision" if row.is_precision else "recall"]
    if row.threshold is not None:
        values = values[np.flatnonzero(np.asarray(params.iouThrs) == row.threshold)]
    areas = [place for place, label in enumerate(params.areaRngLbl) if label == row.area]
    caps = [place for place, cap in enumerate(params.maxDets) if cap == row.cap]
    values = values[..., areas, caps]
    values = values[values > -1]
    return float(np.mean(values)) if values.size else -1.0


def line(row: Row, value: float, params: Any) -> str:
    title, kind = ("Average Precision", "AP") if row.is_precision else ("Average Recall", "AR")
    if row.threshold is None:
        thresholds = f"{params.iouThrs[0]:.2f}:{params.iouThrs[-1]:.2f}"
    else:
        thresholds = f"{row.threshold:.2f}"
    place = f"IoU={thresholds:<9} | area={row.area:>6} | maxDets={row.cap:>3}"
    return f" {title:<18} ({kind}) @[ {place} ] = {value:.3f}"
