"""Tallies: matched pairs and objects alone as rows, with what each adds to every sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from vesica.agreement.records import AgreementRecords


@dataclass(frozen=True, eq=False)
class Tallies:
    """All matched pairs of all scenes, then what is only in a, then what is only in b.

    Attributes
    ----------
    scene : (T,) int64
    a, b : (T,) int64: objects, −1 where there is none
    category : (T,) int64: the label of a; of what is only in b, that of b
    size : (T,) int64: the size bin of the mean area of the pair, or of the object alone
    iou : (T,) float64: 0 where nothing is matched
    differs : (T,) bool: are the labels of a matched pair different?
    credit : (T,) float64: what a matched pair of one label earns
    """

    scene: np.ndarray
    a: np.ndarray
    b: np.ndarray
    category: np.ndarray
    size: np.ndarray
    iou: np.ndarray
    differs: np.ndarray
    credit: np.ndarray

    @property
    def sums(self) -> dict[str, np.ndarray]:
        """What adds up, column by column."""
        has_a, has_b = (self.a >= 0).astype(np.float64), (self.b >= 0).astype(np.float64)
        matched = has_a * has_b
        return {
            "n_a": has_a,
            "n_b": has_b,
            "n_matched": matched,
            "n_label_differs": self.differs.astype(np.float64),
            "sum_iou": self.iou,
            "sum_dice": 2 * self.iou / (1 + self.iou),
            "credit": self.credit,
            "units": (has_a + has_b) / 2,
        }


def tallies_of(records: AgreementRecords, /) -> Tallies:
    """The rows that every table of pairs is summed from."""
    scenes, left, right = records.scenes, records.left, records.right
    is_matched, alone_a, alone_b = left.partner >= 0, left.partner < 0, right.partner < 0
    none_a, none_b = np.full(int(alone_b.sum()), -1), np.full(int(alone_a.sum()), -1)
    a = np.concatenate([scenes.left.row[is_matched], scenes.left.row[alone_a], none_a])
    b = np.concatenate([left.partner[is_matched], none_b, scenes.right.row[alone_b]])
    scene = np.concatenate([scenes.left.scene[is_matched], scenes.left.scene[alone_a], scenes.right.scene[alone_b]])
    iou = np.concatenate([left.iou[is_matched], np.zeros(len(none_a) + len(none_b))])
    one, other = np.where(a >= 0, a, b), np.where(b >= 0, b, a)
    area = (records.area[one] + records.area[other]) / 2
    differs = records.category[one] != records.category[other]
    worth = iou if records.policy.credit == "iou" else (iou > 0).astype(np.float64)
    return Tallies(
        scene,
        a,
        b,
        records.category[one],
        np.searchsorted(np.array(records.policy.sizes, np.float64), area, side="right"),
        iou,
        differs,
        np.where(differs, 0.0, worth),
    )
