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
    from vesica.detection.score_counts import Bounds, ScoreCounts, counts_by_score, merge_counts, tie_bounds

__all__ = [
    "Bounds",
    "Causes",
    "Confusion",
    "Counts",
    "Curve",
    "Details",
    "DetectionResult",
    "Protocol",
    "Records",
    "Reliability",
    "ScoreCounts",
    "counts_by_score",
    "merge",
    "merge_counts",
    "records_of",
    "summarise",
    "tie_bounds",
]

# Loaded on first use: the command line reads `rules` and does not wait for NumPy.
_HOMES = {
    "Bounds": "score_counts",
    "Causes": "causes",
    "Confusion": "confusion",
    "Counts": "result",
    "Curve": "curves",
    "Details": "details",
    "DetectionResult": "result",
    "Protocol": "protocol",
    "Records": "records",
    "Reliability": "reliability",
    "ScoreCounts": "score_counts",
    "counts_by_score": "score_counts",
    "merge": "records",
    "merge_counts": "score_counts",
    "records_of": "records",
    "summarise": "result",
    "tie_bounds": "score_counts",
}

__getattr__ = lazy(__name__, _HOMES, call="vesica.evaluate(truth, guess)")
