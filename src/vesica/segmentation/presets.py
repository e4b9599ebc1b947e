"""Presets: whose conventions a score may be asked to follow. Only what was seen of each library is here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Preset(NamedTuple):
    """The conventions of a library, which may depend on the score."""

    library: str
    version: str
    fields: Mapping[str, Any]
    """Fields of the policy, for every score."""
    scores: Mapping[str, Mapping[str, Any]]
    """The scores that the library has, with fields of their own."""
    ignores: tuple[int, ...] = ()
    """Labels that it ignores unless others are named."""
    note: str = ""
    each: Mapping[str, Any] = MappingProxyType({})
    """Fields that are others where it answers with a number for each class, and takes no mean of them."""

    @property
    def decides(self) -> frozenset[str]:
        """Fields that are not the caller's."""
        return frozenset(self.fields).union(*self.scores.values())


_PLAIN: dict[str, Any] = {}
_SKIP_BOTH = {"both_empty": "skip", "absent": "skip"}
_SKLEARN = {"both_empty": "zero", "one_empty": "worst", "absent": "zero", "unknown_label": "add"}
_OF_SKLEARN = dict.fromkeys(("IoU", "Dice", "precision", "recall", "F-beta", "pixel_accuracy"), _PLAIN)
_IOU_AND_DICE = dict.fromkeys(("IoU", "Dice"), _PLAIN)

PRESETS: dict[str, Preset] = {
    "sklearn": Preset(
        "scikit-learn",
        "1.9.1",
        {**_SKLEARN, "average": "totals"},
        _OF_SKLEARN,
        note="of all pixels joined; `classes` is its `average`",
    ),
    "sklearn.images": Preset(
        "scikit-learn",
        "1.9.1",
        {**_SKLEARN, "average": "images"},
        _OF_SKLEARN,
        note="called image by image, and the mean of what it says",
    ),
    "torchmetrics": Preset(
        "torchmetrics",
        "1.9.0",
        {"one_empty": "worst", "absent": "skip", "classes": "macro", "unknown_label": "error"},
        {
            "IoU": {"both_empty": "skip", "average": "cells"},
            "Dice": {"both_empty": "skip", "average": "images"},
            "generalised_dice": {"both_empty": "zero", "average": "images", "gd_absent": "skip"},
        },
        note="MeanIoU, DiceScore and GeneralizedDiceScore, an image at a time",
    ),
    "torchmetrics.jaccard": Preset(
        "torchmetrics",
        "1.9.0",
        {**_SKIP_BOTH, "one_empty": "worst", "average": "totals", "ignore_where": "truth", "unknown_label": "error"},
        {"IoU": _PLAIN},
        note="JaccardIndex",
        each={"both_empty": "zero", "absent": "zero"},
    ),
    "monai": Preset(
        "MONAI",
        "1.6.1",
        {**_SKIP_BOTH, "one_empty": "skip_empty_truth", "average": "images", "classes": "macro"},
        _IOU_AND_DICE,
        note="DiceMetric and MeanIoU as they come",
    ),
    "monai.mean_batch": Preset(
        "MONAI",
        "1.6.1",
        {
            "both_empty": "skip",
            "one_empty": "skip_empty_truth",
            "absent": "zero",
            "average": "classes",
            "classes": "macro",
        },
        _IOU_AND_DICE,
        note='reduction="mean_batch", and the mean of that',
    ),
    "monai.keep_empty": Preset(
        "MONAI",
        "1.6.1",
        {"both_empty": "one", "one_empty": "worst", "absent": "one", "average": "images", "classes": "macro"},
        _IOU_AND_DICE,
        note="ignore_empty=False",
    ),
    "mmseg": Preset(
        "mmsegmentation",
        "1.2.2",
        {**_SKIP_BOTH, "average": "totals", "ignore_where": "truth", "unknown_label": "drop"},
        {
            "IoU": {"one_empty": "worst"},
            "Dice": {"one_empty": "worst"},
            "precision": {"one_empty": "skip_empty_guess"},
            "recall": {"one_empty": "skip_empty_truth"},
            "pixel_accuracy": {"one_empty": "worst"},
        },
        ignores=(255,),
        note="mIoU, mDice, mPrecision, mAcc and aAcc",
    ),
    "medpy": Preset(
        "MedPy",
        "0.5.2",
        {"both_empty": "one", "one_empty": "worst", "absent": "one", "average": "images"},
        _IOU_AND_DICE,
        note="jc and dc of each case; Dice of two empty masks as it is meant, whatever NumPy is there",
    ),
    "cityscapes": Preset(
        "cityscapesScripts",
        "2.3.0",
        {**_SKIP_BOTH, "one_empty": "worst", "average": "totals", "classes": "macro", "ignore_where": "truth"},
        {"IoU": _PLAIN},
        note="score by class; name the ignored labels",
    ),
    "smp": Preset(
        "segmentation-models-pytorch",
        "0.6.0",
        {"both_empty": "one", "one_empty": "worst", "absent": "one", "unknown_label": "drop"},
        _IOU_AND_DICE,
        note='iou_score and f1_score; `average="images"` is its "imagewise"; of no pixels its "micro" is NaN, here 1',
    ),
}
