"""Small sets whose scores were computed by other code: the numbers to the digit."""

from fractions import Fraction

import numpy as np
import pytest

import vesica
from vesica import SegmentationPolicy, evaluate_segmentation

AV = [[[0, 0, 1, 1]], [[0, 1, 2, 2]]], [[[0, 0, 1, 0]], [[0, 1, 2, 1]]]
SK = [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 2, 2]], [[0, 0, 0, 1], [0, 3, 1, 1], [2, 2, 2, 0]]


def five():
    """100 images of one class: hits, false positives and misses in pixels, in an image of 2000."""
    cases = [(30, (900, 50, 50)), (10, (40, 20, 20)), (50, (0, 0, 0)), (6, (0, 30, 0)), (4, (0, 0, 400))]
    truth, guess = np.zeros((2, 100, 1, 2000), np.uint8)
    image = 0
    for times, (tp, fp, fn) in cases:
        for _ in range(times):
            truth[image, 0, : tp + fn] = 1
            guess[image, 0, :tp] = 1
            guess[image, 0, tp + fn : tp + fn + fp] = 1
            image += 1
    return truth, guess


class TestAverages:
    @pytest.mark.parametrize(
        "order, want",
        [
            ("totals", Fraction(7, 12)),
            ("images", Fraction(5, 8)),
            ("classes", Fraction(11, 18)),
            ("cells", Fraction(19, 30)),
        ],
    )
    def test_miou(self, order, want):
        result = evaluate_segmentation(*AV, policy=SegmentationPolicy(average=order))
        assert result["mIoU"] == pytest.approx(float(want), abs=1e-15)
        assert result.average("mIoU", average=order).value == result["mIoU"]

    def test_batches(self):
        """Any split into batches, the same bits."""
        truth, guess = five()
        whole = evaluate_segmentation(truth, guess, background=0)
        for size in (1, 2, 7):
            evaluator = vesica.SegmentationEvaluator(background=0)
            for at in range(0, 100, size):
                evaluator.update(truth[at : at + size], guess[at : at + size])
            assert evaluator.compute().to_json() == whole.to_json()


class TestFive:
    """The same data, five answers."""

    POLICIES = {
        "totals": (SegmentationPolicy(background=0), Fraction(1370, 1629), Fraction(2740, 2999)),
        "both empty is 1": (
            SegmentationPolicy(background=0, average="images", both_empty="one"),
            Fraction(41, 50),
            Fraction(97, 114),
        ),
        "empty truth left out": (
            SegmentationPolicy(background=0, average="images", one_empty="skip_empty_truth"),
            Fraction(8, 11),
            Fraction(500, 627),
        ),
        "both empty left out": (
            SegmentationPolicy(background=0, average="images"),
            Fraction(16, 25),
            Fraction(40, 57),
        ),
        "both empty is 0": (
            SegmentationPolicy(background=0, average="images", both_empty="zero"),
            Fraction(8, 25),
            Fraction(20, 57),
        ),
    }

    @pytest.mark.parametrize("name", POLICIES)
    def test_policies(self, name):
        policy, iou, dice = self.POLICIES[name]
        result = evaluate_segmentation(*five(), policy=policy)
        assert result["mIoU"] == pytest.approx(float(iou), abs=1e-15)
        assert result["mDice"] == pytest.approx(float(dice), abs=1e-15)

    @pytest.mark.parametrize(
        "like, name",
        [
            ("sklearn", "totals"),
            ("sklearn.images", "both empty is 0"),
            ("torchmetrics", "both empty left out"),
            ("torchmetrics.jaccard", "totals"),
            ("monai", "empty truth left out"),
            ("monai.mean_batch", "empty truth left out"),
            ("monai.keep_empty", "both empty is 1"),
            ("mmseg", "totals"),
            ("medpy", "both empty is 1"),
            ("cityscapes", "totals"),
            ("smp", "totals"),
        ],
    )
    def test_presets(self, like, name):
        _, iou, dice = self.POLICIES[name]
        result = evaluate_segmentation(*five(), background=0, like=like)
        assert result["mIoU"] == pytest.approx(float(iou), abs=1e-15)
        if result.policy.knows("Dice"):
            assert result["mDice"] == pytest.approx(float(dice), abs=1e-15)

    def test_empties(self):
        result = evaluate_segmentation(*five(), background=0)
        assert result.empties == {"both_empty": 50, "guess_only": 6, "truth_only": 4, "absent": 0}


class TestSklearnFixture:
    def test_each(self):
        rows = evaluate_segmentation(*SK).per_class()
        assert [row["IoU"] for row in rows] == [0.5, 0.75, 0.75, 0]
        assert [round(row["Dice"], 6) for row in rows] == [0.666667, 0.857143, 0.857143, 0]
        assert [row["precision"] for row in rows] == [0.6, 1, 1, 0]

    @pytest.mark.parametrize(
        "score, classes, want",
        [
            ("IoU", "macro", 0.5),
            ("IoU", "micro", 0.6),
            ("IoU", "weighted", 2 / 3),
            ("Dice", "macro", 0.595238),
            ("Dice", "micro", 0.75),
            ("Dice", "weighted", 0.793651),
        ],
    )
    def test_reductions(self, score, classes, want):
        assert evaluate_segmentation(*SK).score(score, classes=classes).value == pytest.approx(want, abs=5e-7)

    def test_absent_class(self):
        result = evaluate_segmentation(*SK, categories=5, like="sklearn")
        assert result["mIoU"] == pytest.approx(0.4) and result["mDice"] == pytest.approx(0.476190, abs=5e-7)
        assert evaluate_segmentation(*SK, categories=5)["mIoU"] == 0.5

    def test_numbers(self):
        result = evaluate_segmentation(*SK)
        assert result["pixel_accuracy"] == 0.75
        assert result["mPA_precision"] == pytest.approx(0.65) and result["mPA_recall"] == 0.5625
        assert result.under(like="mmseg")["mPA_recall"] == 0.75
        assert result["fwIoU"] == pytest.approx(2 / 3)

    def test_generalised_dice(self):
        assert evaluate_segmentation(*SK)["generalised_dice"] == pytest.approx(0.75)
        skip = SegmentationPolicy(gd_absent="skip")
        assert evaluate_segmentation(*SK, policy=skip)["generalised_dice"] == pytest.approx(18 / 23)
