"""Detection scores: records of what was found, and every number that stands on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vesica._lazy import lazy

if TYPE_CHECKING:
    from vesica.detection.curves import Curve
    from vesica.detection.protocol import Protocol
    from vesica.detection.records import Records, merge, records_of
    from vesica.detection.result import Counts, DetectionResult, summarise

__all__ = ["Counts", "Curve", "DetectionResult", "Protocol", "Records", "merge", "records_of", "summarise"]

# Loaded on first use: the command line reads `rules` and does not wait for NumPy.
_HOMES = {
    "Counts": "result",
    "Curve": "curves",
    "DetectionResult": "result",
    "Protocol": "protocol",
    "Records": "records",
    "merge": "records",
    "records_of": "records",
    "summarise": "result",
}

__getattr__ = lazy(__name__, _HOMES)
