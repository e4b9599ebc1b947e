"""Peers that choose boxes: class-agnostic NMS at an iou of one half."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contender import JOIN_AT, Call, Contender
from benchmarks.formulas import Table


def _powerboxes(function: str) -> Callable[[Table, Table], Call]:
    def prepare(boxes: Table, ranks: Table) -> Call:
        import powerboxes

        call, scores = getattr(powerboxes, function), np.ascontiguousarray(ranks[:, 0])
        return lambda: call(boxes, scores, JOIN_AT, 0.0)

    return prepare


def _lsnms(boxes: Table, ranks: Table) -> Call:
    from lsnms import nms

    # It knows float64 alone; the conversion is not counted against it.
    wide, scores = boxes.astype(np.float64), np.ascontiguousarray(ranks[:, 0])
    return lambda: nms(wide, scores, iou_threshold=JOIN_AT)


def _torchvision(boxes: Table, ranks: Table) -> Call:
    import torch
    from torchvision.ops import nms

    left, scores = torch.from_numpy(boxes), torch.from_numpy(ranks[:, 0].astype(np.float32))
    return lambda: nms(left, scores, JOIN_AT)


def _supervision(boxes: Table, ranks: Table) -> Call:
    from supervision.detection.utils.iou_and_nms import box_non_max_suppression

    rows = np.column_stack([boxes, ranks[:, 0]])
    return lambda: box_non_max_suppression(rows, iou_threshold=JOIN_AT)


def _ensemble(boxes: Table, ranks: Table) -> Call:
    from ensemble_boxes import nms

    scaled, scores, labels = unit(boxes), ranks[:, 0], np.zeros(len(ranks))
    return lambda: (nms([scaled], [scores], [labels], iou_thr=JOIN_AT)[1], scores)


def _found_again(answer: tuple[Table, Table]) -> Table:
    """It answers with boxes and scores; no two scores are equal."""
    kept, scores = answer
    return np.sort(np.argsort(scores)[np.searchsorted(np.sort(scores), kept)])


def unit(boxes: Table) -> Table:
    """Boxes in [0, 1], which some peers ask for; shapes and shares stay."""
    low = boxes.min()
    return (boxes.astype(np.float64) - low) / (boxes.max() - low)


def rows(kept: Any) -> Table:
    """Kept rows in rising order; a mask says the same."""
    kept = np.asarray(kept)
    return np.flatnonzero(kept) if kept.dtype == bool else np.sort(kept)


NMS_PEERS = (
    Contender("powerboxes.nms", "powerboxes", _powerboxes("nms"), rows),
    Contender("powerboxes.rtree_nms", "powerboxes", _powerboxes("rtree_nms"), rows),
    Contender("lsnms.nms", "lsnms", _lsnms, rows),
    Contender("torchvision.ops.nms", "torchvision", _torchvision, rows),
    Contender("supervision.box_non_max_suppression", "supervision", _supervision, rows),
    Contender("ensemble_boxes.nms", "ensemble-boxes", _ensemble, _found_again),
)
