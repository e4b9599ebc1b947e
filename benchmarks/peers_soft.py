"""Peers that let scores decay. They answer with the scores as they were, so the order of the picks is compared."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.contender import SOFT_AT, SOFT_LEAST, SOFT_SIGMA, Call, Contender
from benchmarks.formulas import Table
from benchmarks.peers_nms import unit

LINEAR, GAUSSIAN = 1, 2


def _ensemble(method: int) -> Callable[[Table, Table], Call]:
    def prepare(boxes: Table, ranks: Table) -> Call:
        from ensemble_boxes import soft_nms

        scaled, scores, labels = unit(boxes), ranks[:, 0], np.zeros(len(ranks))
        options = {"method": method, "iou_thr": SOFT_AT, "sigma": SOFT_SIGMA, "thresh": SOFT_LEAST}
        return lambda: (soft_nms([scaled], [scores], [labels], **options)[1], scores)

    return prepare


def _rows(answer: tuple[Table, Table]) -> Table:
    """The rows of the picks, in their order; no two scores are equal."""
    kept, scores = answer
    return np.argsort(scores)[np.searchsorted(np.sort(scores), kept)]


SOFT_PEERS = (
    Contender("ensemble_boxes.soft_nms, linear", "ensemble-boxes", _ensemble(LINEAR), _rows),
    Contender("ensemble_boxes.soft_nms, gaussian", "ensemble-boxes", _ensemble(GAUSSIAN), _rows),
)
