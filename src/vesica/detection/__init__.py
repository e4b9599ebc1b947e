"""Detection scores: records of what was found, and every number that stands on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vesica._lazy import lazy

if TYPE_CHECKING:
    from vesica.detection.causes import Causes
    from vesica.detection.confusion import Confusion
    from vesica.detection.curves import Curve
    from vesica.detection.details import Details
    from vesica.detection.protocol import Protocol
    from vesica.detection.records import Records, merge, records_of
    from vesica.detection.reliability import Reliability
    from vesica.detection.result import Counts, DetectionResult, summarise

__all__ = [
    "Causes",
    "Confusion",
    "Counts",
    "Curve",
    "Details",
    "DetectionResult",
    "Protocol",
    "Records",
    "Reliability",
    "merge",
    "records_of",
    "summarise",
]

# Loaded on first use: the command line reads `rules` and does not wait for NumPy.
_HOMES = {
    "Causes": "causes",
    "Confusion": "confusion",
    "Counts": "result",
    "Curve": "curves",
    "Details": "details",
    "DetectionResult": "result",
    "Protocol": "protocol",
    "Records": "records",
    "Reliability": "reliability",
    "merge": "records",
    "records_of": "records",
    "summarise": "result",
}

__getattr__ = lazy(__name__, _HOMES)
