"""Peers that fuse boxes of several models."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from benchmarks.contender import FUSE_AT, MODELS, Call, Contender
from benchmarks.formulas import Table
from benchmarks.peers_nms import unit


def _ensemble(boxes: Table, ranks: Table) -> Call:
    from ensemble_boxes import ensemble_boxes_wbf as module

    # It sums corners in float32, which leads a few boxes near the threshold astray. In float64 it gives our answer, and
    # takes as long.
    wide = types.ModuleType("numpy")
    vars(wide).update(vars(np), float32=np.float64)
    module.np = wide
    rows, scores = np.array_split(unit(boxes), MODELS), np.array_split(uneven(ranks), MODELS)
    labels = [np.zeros(len(part)) for part in scores]
    return lambda: module.weighted_boxes_fusion(rows, scores, labels, iou_thr=FUSE_AT)


def uneven(ranks: Table) -> Table:
    """Scores of which no two have the sum of two others: equal fused scores would be in any order."""
    return np.sqrt(ranks[:, 0])


def _table(answer: tuple[Any, Any, Any]) -> Table:
    boxes, scores, _ = answer
    return np.column_stack([boxes, scores])


# It clamps what lies beyond 1, by a rounding of ours.
FUSION_PEERS = (Contender("ensemble_boxes.weighted_boxes_fusion", "ensemble-boxes", _ensemble, _table, rounding=1e-6),)
