"""The twelve numbers of a COCO evaluation by the parameters of pycocotools, each with its printed line."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica._check import compat as check
from vesica.detection.protocol import Protocol
from vesica.detection.summary import Line, lines_of

_LINES = lines_of(Protocol(quirks="pycocotools"))


def lines(caps: Any) -> tuple[Line, ...]:
    """The twelve lines, if there are as many caps as they need."""
    check.three_caps(caps)
    return _LINES


def mean(line: Line, answer: Any, params: Any) -> float:
    """The mean of the values that exist, −1 without any. Areas and caps are found by their labels and values."""
    cap = _cap(line, params)
    areas = [place for place, label in enumerate(params.areaRngLbl) if label == line.area]
    caps = [place for place, one in enumerate(params.maxDets) if one == cap]
    values = answer[line.kind][..., areas, caps]
    if line.iou is not None:
        values = values[np.flatnonzero(np.asarray(params.iouThrs) == line.iou)]
    there = values[values > -1]
    return float(np.mean(there)) if len(there) else -1.0


def text(line: Line, value: float, params: Any) -> str:
    """The line as pycocotools prints it."""
    kind = {"precision": "AP", "recall": "AR"}[line.kind]
    thresholds = f"{params.iouThrs[0]:.2f}:{params.iouThrs[-1]:.2f}" if line.iou is None else f"{line.iou:.2f}"
    place = f"IoU={thresholds:<9} | area={line.area:>6} | maxDets={_cap(line, params):>3}"
    return f" {line.title:<18} ({kind}) @[ {place} ] = {value:.3f}"


def _cap(line: Line, params: Any) -> Any:
    return params.maxDets[line.limit] if line.cap is None else line.cap
