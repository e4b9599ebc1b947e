"""What a segmentation score may depend on, by name: orders of averaging, rules for what is empty, and the scores.

The command line reads it, so it needs no NumPy.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

Average = Literal["totals", "images", "classes", "cells"]
Classes = Literal["macro", "micro", "weighted", "each"]
FromScores = Literal["argmax"]

FIELDS: dict[str, tuple[str, ...]] = {
    "both_empty": ("skip", "one", "zero"),
    "one_empty": ("worst", "skip", "skip_empty_truth", "skip_empty_guess"),
    "absent": ("skip", "zero", "one"),
    "average": get_args(Average),
    "classes": get_args(Classes),
    "ignore_where": ("truth", "either", "both"),
    "unknown_label": ("error", "drop", "add"),
    "gd_weight": ("square", "simple", "uniform"),
    "gd_absent": ("max", "skip"),
    "percentile_of": ("directed", "pooled"),
    "distance_worst": ("diagonal", "inf", "skip"),
}
"""Fields of a policy that are one of several words; the first is the default."""

PANOPTIC_QUIRKS = ("panopticapi",)
"""Tools whose faults `evaluate_panoptic` repeats where it is asked to."""


class Score(NamedTuple):
    """A score of a cell or a class, and how the mean of it is called."""

    name: str
    mean: str
    """"": there is no number of that kind in the summary."""
    text: str


SCORES = {
    score.name: score
    for score in (
        Score("IoU", "mIoU", "TP / (TP + FP + FN)"),
        Score("Dice", "mDice", "2 TP / (2 TP + FP + FN), the same as F1"),
        Score("precision", "mPA_precision", "TP / (TP + FP)"),
        Score("recall", "mPA_recall", "TP / (TP + FN)"),
        Score("F-beta", "", "(1 + β²) TP / ((1 + β²) TP + β² FN + FP)"),
        Score("area_difference", "", "(FP − FN) / (TP + FN): the guess's area beyond the truth's, as a share of it"),
    )
}
"""Scores that a class has of its own."""

OVERALL = {
    "pixel_accuracy": "ΣTP / pixels",
    "generalised_dice": "2 Σ w TP / Σ w (2 TP + FP + FN), w by the truth's area",
}
"""Scores of all classes together."""

MEANS = {score.mean: score.name for score in SCORES.values() if score.mean}
"""The mean over classes, and the score that it is the mean of."""

WEIGHTED = {"fwIoU": "IoU"}
"""Means that are weighted by the truth's area whatever the policy says."""

SUMMARY = ("mIoU", "mDice", "pixel_accuracy", "mPA_precision", "mPA_recall", "fwIoU", "generalised_dice")
"""The numbers that a result is known for, in their order."""

STATUSES = ("ok", "both_empty", "one_empty", "one_empty", "absent", "undefined")
"""What tables say of a cell, in the order of `cells.OK`, BOTH_EMPTY, GUESS_ONLY, TRUTH_ONLY; and what else may be."""
