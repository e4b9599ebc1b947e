"""Scores of many files at once, on threads, processes or a cluster of Ray: the same bytes as of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vesica._lazy import lazy

if TYPE_CHECKING:
    from vesica.scale.agreement import evaluate_agreement
    from vesica.scale.detection import bounds, compare, evaluate
    from vesica.scale.objects import write_objects
    from vesica.scale.segmentation import evaluate_segmentation

__all__ = ["bounds", "compare", "evaluate", "evaluate_agreement", "evaluate_segmentation", "write_objects"]

_HOMES = {
    "bounds": "detection",
    "compare": "detection",
    "evaluate": "detection",
    "evaluate_agreement": "agreement",
    "evaluate_segmentation": "segmentation",
    "write_objects": "objects",
}

__getattr__ = lazy(__name__, _HOMES, call="vesica.scale.evaluate(paths)")
