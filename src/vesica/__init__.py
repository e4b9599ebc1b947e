"""Overlap between regions, measured exactly and fast.

>>> import vesica
>>> vesica.iou([[0, 0, 4, 4]], [[2, 2, 6, 6]])
array([[0.14285714]])
"""

from __future__ import annotations

import importlib
import os
import time
from _thread import get_ident
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from vesica import agreement as agreement
    from vesica import comparison as comparison
    from vesica import detection as detection
    from vesica import glossary as glossary
    from vesica import losses as losses
    from vesica import plot as plot
    from vesica import report as report
    from vesica import segmentation as segmentation
    from vesica.agreement.policy import AgreementPolicy
    from vesica.comparison.compare import compare
    from vesica.dataset import Dataset
    from vesica.detection.evaluator import Evaluator
    from vesica.diagnose.advice import advise
    from vesica.diagnose.diagnosis import check
    from vesica.errors import InputError, MissingExtra, SizeValueError, VesicaError
    from vesica.io.read import read
    from vesica.io.review_queue import write_queue
    from vesica.io.write import write
    from vesica.matching import anchors as anchors
    from vesica.matching import grid as grid
    from vesica.matching.assign import assign
    from vesica.matching.match import match
    from vesica.matching.matches import Matches
    from vesica.overlaps.best import Best, best
    from vesica.overlaps.join import Pairs, join
    from vesica.overlaps.measures import ciou, coverage, dice, diou, distance, eiou, giou, iou, overlap, tversky
    from vesica.overlaps.parts import Parts, parts
    from vesica.regions import Boxes, LabelMap, Masks, Polygons, RleMasks, RotatedBoxes, Sets, SparseMasks
    from vesica.scoring import (
        evaluate,
        evaluate_agreement,
        evaluate_panoptic,
        evaluate_segmentation,
        evaluate_surfaces,
        write_panoptic,
    )
    from vesica.segmentation.evaluator import SegmentationEvaluator
    from vesica.segmentation.policy import SegmentationPolicy
    from vesica.segmentation.surfaces import surface_distances
    from vesica.selection.fusion import Fused, fuse
    from vesica.selection.nmm import Merged, nmm
    from vesica.selection.nms import nms
    from vesica.selection.nms_batched import nms_padded, nms_ragged
    from vesica.selection.soft import Kept, soft_nms

__all__ = [
    "AgreementPolicy",
    "Best",
    "Boxes",
    "Dataset",
    "Evaluator",
    "Fused",
    "InputError",
    "Kept",
    "LabelMap",
    "Masks",
    "Matches",
    "Merged",
    "MissingExtra",
    "Pairs",
    "Parts",
    "Polygons",
    "RleMasks",
    "RotatedBoxes",
    "SegmentationEvaluator",
    "SegmentationPolicy",
    "Sets",
    "SizeValueError",
    "SparseMasks",
    "VesicaError",
    "advise",
    "assign",
    "best",
    "check",
    "ciou",
    "compare",
    "coverage",
    "dice",
    "diou",
    "distance",
    "eiou",
    "evaluate",
    "evaluate_agreement",
    "evaluate_panoptic",
    "evaluate_segmentation",
    "evaluate_surfaces",
    "fuse",
    "giou",
    "iou",
    "join",
    "match",
    "nmm",
    "nms",
    "nms_padded",
    "nms_ragged",
    "overlap",
    "parts",
    "read",
    "soft_nms",
    "surface_distances",
    "tversky",
    "write",
    "write_panoptic",
    "write_queue",
]

# Where each name lives. Loaded on first use, so that `vesica --help` does not wait for NumPy.
_HOMES = {
    "vesica.agreement.policy": ("AgreementPolicy",),
    "vesica.overlaps.best": ("Best", "best"),
    "vesica.comparison.compare": ("compare",),
    "vesica.dataset": ("Dataset",),
    "vesica.detection.evaluator": ("Evaluator",),
    "vesica.diagnose.advice": ("advise",),
    "vesica.diagnose.diagnosis": ("check",),
    "vesica.errors": ("InputError", "MissingExtra", "SizeValueError", "VesicaError"),
    "vesica.io.read": ("read",),
    "vesica.io.review_queue": ("write_queue",),
    "vesica.io.write": ("write",),
    "vesica.matching.assign": ("assign",),
    "vesica.matching.match": ("match",),
    "vesica.matching.matches": ("Matches",),
    "vesica.overlaps.join": ("Pairs", "join"),
    "vesica.overlaps.measures": (
        "ciou",
        "coverage",
        "dice",
        "diou",
        "distance",
        "eiou",
        "giou",
        "iou",
        "overlap",
        "tversky",
    ),
    "vesica.overlaps.parts": ("Parts", "parts"),
    "vesica.regions": ("Boxes", "LabelMap", "Masks", "Polygons", "RleMasks", "RotatedBoxes", "Sets", "SparseMasks"),
    "vesica.scoring": (
        "evaluate",
        "evaluate_agreement",
        "evaluate_panoptic",
        "evaluate_segmentation",
        "evaluate_surfaces",
        "write_panoptic",
    ),
    "vesica.segmentation.evaluator": ("SegmentationEvaluator",),
    "vesica.segmentation.policy": ("SegmentationPolicy",),
    "vesica.selection.nms_batched": ("nms_padded", "nms_ragged"),
    "vesica.selection.fusion": ("Fused", "fuse"),
    "vesica.selection.nmm": ("Merged", "nmm"),
    "vesica.selection.nms": ("nms",),
    "vesica.selection.soft": ("Kept", "soft_nms"),
    "vesica.segmentation.surfaces": ("surface_distances",),
}

# Modules that are names of their own: `vesica.losses.giou(…)`.
_MODULES = {
    "agreement": "vesica.agreement",
    "anchors": "vesica.matching.anchors",
    "comparison": "vesica.comparison",
    "detection": "vesica.detection",
    "glossary": "vesica.glossary",
    "grid": "vesica.matching.grid",
    "losses": "vesica.losses",
    "plot": "vesica.plot",
    "report": "vesica.report",
    "scale": "vesica.scale",
    "segmentation": "vesica.segmentation",
    "testing": "vesica.testing",
}


# Threads that are loading a name. A child that is forked meanwhile would wait for a thread that it does not have, so a
# fork waits until they are done: seconds at most, in steps of milliseconds.
_LOADING: list[int] = []
_STEPS = 5000


def _wait_for_others() -> None:
    for _ in range(_STEPS):
        if all(thread == get_ident() for thread in _LOADING):
            return
        time.sleep(0.001)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait_for_others, after_in_child=_LOADING.clear)


def _find(name: str) -> Any:
    """What a name stands for, loaded when it is first asked for."""
    _LOADING.append(get_ident())
    try:
        return _load(name)
    finally:
        if get_ident() in _LOADING:  # not in a child that was forked by what was loaded
            _LOADING.remove(get_ident())


def _load(name: str) -> Any:
    if name in _MODULES:
        globals()[name] = importlib.import_module(_MODULES[name])
        return globals()[name]
    for home, own in _HOMES.items():
        if name in own:
            value = getattr(importlib.import_module(home), name)
            globals()[name] = value
            return value
    if name.startswith("_"):
        raise AttributeError(f"module 'vesica' has no attribute {name!r}")
    from vesica._check import names

    raise names.no_attribute(name)


if not TYPE_CHECKING:  # to a type checker, a name that is not here is a mistake
    __getattr__ = _find


def __dir__() -> list[str]:
    """The public names and modules, and what every module has."""
    return sorted({*__all__, *_MODULES, *(name for name in globals() if name.startswith("__"))})
