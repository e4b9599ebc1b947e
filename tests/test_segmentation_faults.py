"""What other tools get wrong in silence, and what hurts their users: right here, by the codes of the specification."""

import itertools

import numpy as np
import pytest

from vesica import Masks, SegmentationEvaluator, SegmentationPolicy, evaluate_segmentation
from vesica.errors import InputError
from vesica.segmentation import PRESETS
from vesica.segmentation.rules import FIELDS

SK = [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 2, 2]], [[0, 0, 0, 1], [0, 3, 1, 1], [2, 2, 2, 0]]
ORDERS = FIELDS["average"]


class TestCounts:
    @pytest.mark.parametrize("threads", [1, 2, 8])
    def test_beyond_float32(self, threads):
        """B02: 2^24 + 1000 pixels of one class are all counted, on any number of threads."""
        maps = np.zeros((1, 2**24 + 1000), np.uint8)
        result = evaluate_segmentation(maps, maps, threads=threads)
        assert result.cells.both.tolist() == [[2**24 + 1000]] and result["mIoU"] == 1

    def test_a_crowd_is_no_excuse(self):
        """B01: a 10 × 10 mask in a 100 × 100 one is 0.01, either way round."""
        small, large = np.zeros((2, 1, 1, 100, 100), bool)
        small[..., :10, :10] = large[...] = True
        for pair in ((small, large), (large, small)):
            assert evaluate_segmentation(*pair)["mIoU"] == 0.01

    def test_exactly_one(self):
        """B16: a perfect mask of one pixel is 1, no overlap is 0; nothing is smoothed or rounded."""
        one = np.zeros((8, 8), int)
        one[0, 0] = 1
        other = np.zeros((8, 8), int)
        other[7, 7] = 1
        assert evaluate_segmentation(one, one, background=0)["mDice"] == 1
        result = evaluate_segmentation(one, other, background=0)
        assert result["mIoU"] == result["mDice"] == 0

    def test_masks_of_every_form(self):
        """B18: run lengths equal dense masks."""
        truth, guess = np.random.default_rng(0).random((2, 3, 9, 7)) > 0.5
        dense = evaluate_segmentation(Masks(truth), Masks(guess))
        assert evaluate_segmentation(Masks(truth).to_rle(), Masks(guess).to_rle()).to_json() == dense.to_json()


class TestEmpty:
    @pytest.mark.parametrize("order", ORDERS)
    def test_a_miss_improves_no_mean(self, order):
        """B07: an image in which the class was missed altogether."""
        truth, guess = [[[1, 1, 0, 0]]], [[[1, 0, 0, 0]]]
        before = evaluate_segmentation(truth, guess, background=0)
        after = evaluate_segmentation([*truth, [[1, 1, 0, 0]]], [*guess, [[0, 0, 0, 0]]], background=0)
        for name in ("mIoU", "mDice", "mPA_precision", "mPA_recall", "generalised_dice", "pixel_accuracy"):
            assert after.average(name, average=order).value <= before.average(name, average=order).value

    @pytest.mark.parametrize("order", ORDERS)
    def test_a_false_positive_lowers_the_score(self, order):
        """B08: where the truth has nothing."""
        truth, guess = [[[1, 1, 0, 0]]], [[[1, 1, 0, 0]]]
        result = evaluate_segmentation([*truth, [[0, 0, 0, 0]]], [*guess, [[0, 0, 0, 1]]], background=0)
        for name in ("mIoU", "mDice", "mPA_precision", "generalised_dice"):
            assert result.average(name, average=order).value < 1

    def test_a_class_nobody_drew(self):
        """B09: null, listed, and outside the mean."""
        result = evaluate_segmentation(*SK, categories=5)
        row = result.per_class()[4]
        assert row["IoU"] is None and row["Dice"] is None and row["status"] == "absent"
        assert result["mIoU"] == 0.5 and "classes that neither side has in any image (left out): 4" in str(result)

    @pytest.mark.parametrize("score", ["IoU", "Dice", "precision", "recall", "F-beta", "generalised_dice"])
    @pytest.mark.parametrize("both_empty, want", [("skip", None), ("one", 1.0), ("zero", 0.0)])
    @pytest.mark.parametrize("classes", ["macro", "micro"])
    def test_one_rule_for_every_score(self, score, both_empty, want, classes):
        """B11, B12: both sides empty, whatever the score and the reduction."""
        truth = [np.zeros((2, 2), int), np.eye(2, dtype=int)]
        policy = SegmentationPolicy(both_empty=both_empty, background=0, average="images", classes=classes)
        result = evaluate_segmentation(truth, truth, policy=policy)
        value, used, left = result.score(score)
        assert value == (1 if want is None else (1 + want) / 2)
        assert (used, left) == ((1, 1) if want is None else (2, 0))

    @pytest.mark.parametrize("score", ["IoU", "Dice", "precision", "recall", "F-beta", "area_difference"])
    @pytest.mark.parametrize("truth, guess, status", [(0, 0, "absent"), (0, 1, "one_empty"), (1, 0, "one_empty")])
    def test_a_status_and_no_exception(self, score, truth, guess, status):
        """B13: of every score, of every empty side."""
        maps = (np.full((2, 2), value) for value in (truth, guess))
        result = evaluate_segmentation(*maps, categories=2, background=0)
        assert result.per_class()[1]["status"] == status
        value = result.score(score).value
        assert np.isnan(value) == (status == "absent" or (score == "area_difference" and truth == 0))

    def test_empty_on_both_sides(self):
        """B19: left out, and counted."""
        empty, full = np.zeros((2, 2), int), np.ones((2, 2), int)
        result = evaluate_segmentation([empty, full], [empty, full], background=0)
        assert result.average("mIoU", average="images") == (1.0, 1, 1)
        assert result.empties["both_empty"] == 1

    @pytest.mark.parametrize(
        "one_empty, want",
        [("worst", 0.25), ("skip", 0.5), ("skip_empty_truth", 1 / 3), ("skip_empty_guess", 1 / 3)],
    )
    def test_one_empty(self, one_empty, want):
        """Four images: 1, 0 of something, guess only, truth only."""
        truth = [[[1, 0]], [[1, 0]], [[0, 0]], [[1, 0]]]
        guess = [[[1, 0]], [[0, 1]], [[1, 0]], [[0, 0]]]
        policy = SegmentationPolicy(one_empty=one_empty, average="images", background=0)
        for score in ("IoU", "Dice", "precision", "recall"):
            assert evaluate_segmentation(truth, guess, policy=policy).score(score).value == pytest.approx(want)


class TestLabels:
    def test_out_of_range(self):
        """B14: named, with its pixels; and what mmseg does with them on request."""
        truth, guess = [[0, 0, 1, 1]], [[0, 7, 1, 7]]
        with pytest.raises(InputError, match=r"The guess has the label 7 \(2 pixels\), which is no category"):
            evaluate_segmentation(truth, guess, categories=2)
        dropped = evaluate_segmentation(truth, guess, categories=2, policy=SegmentationPolicy(unknown_label="drop"))
        assert [(row["tp"], row["fp"], row["fn"]) for row in dropped.per_class()] == [(1, 0, 1), (1, 0, 1)]
        added = evaluate_segmentation(truth, guess, categories=2, policy=SegmentationPolicy(unknown_label="add"))
        assert added.categories == [0, 1, 7] and added["mIoU"] == pytest.approx(1 / 3)
        one_sided = evaluate_segmentation(guess, truth, categories=2, policy=SegmentationPolicy(unknown_label="drop"))
        assert [(row["tp"], row["fp"], row["fn"]) for row in one_sided.per_class()] == [(1, 1, 0), (1, 1, 0)]

    def test_an_ignored_background(self):
        """B15: a guess of 4 pixels over a truth of 2."""
        truth, guess = [[1, 1, 0, 0, 0, 0]], [[1, 1, 1, 1, 0, 0]]
        assert evaluate_segmentation(truth, guess, background=0)["mIoU"] == 0.5
        with pytest.raises(ValueError, match="`ignore` has 0, and the guess uses it.*background=0"):
            evaluate_segmentation(truth, guess, ignore=0)
        with pytest.raises(ValueError, match="`background` must not be ignored"):
            evaluate_segmentation(truth, guess, ignore=0, background=0)
        with pytest.raises(ValueError, match="`categories` names 0, and `ignore` too"):
            evaluate_segmentation(truth, guess, ignore=0, categories=2)
        assert evaluate_segmentation(truth, guess, ignore=0, like="mmseg")["mIoU"] == 1  # as it does
        both = SegmentationPolicy(ignore=0, ignore_where="both")
        assert evaluate_segmentation(truth, guess, policy=both)["mIoU"] == 0.5

    def test_an_unlabelled_zero(self):
        """A truth that leaves pixels at 0, and a guess that never says 0: nothing is wrong with that."""
        assert evaluate_segmentation([[0, 1, 2, 2]], [[1, 1, 2, 1]], ignore=0)["pixel_accuracy"] == pytest.approx(2 / 3)

    @pytest.mark.parametrize(
        "where, counts, pixels",
        [
            # classes 0 and 1: tp, fp, fn; truth 0 0 1 1 V V V, guess 0 1 1 V 0 1 V
            ("truth", [(1, 0, 1), (1, 1, 1)], 4),
            ("either", [(1, 0, 1), (1, 1, 0)], 3),
            ("both", [(1, 1, 1), (1, 2, 1)], 6),
        ],
    )
    def test_ignore_where(self, where, counts, pixels):
        """P03: on one map, with 255."""
        truth, guess = [[0, 0, 1, 1, 255, 255, 255]], [[0, 1, 1, 255, 0, 1, 255]]
        policy = SegmentationPolicy(ignore=255, ignore_where=where)
        result = evaluate_segmentation(truth, guess, policy=policy, categories=2)
        assert [(row["tp"], row["fp"], row["fn"]) for row in result.per_class()] == counts
        assert int(result.cells.pixels[0]) == pixels
        if where != "both":  # ΣTP + ΣFN = N
            assert int(result.cells.truth.sum()) == pixels

    def test_a_guess_of_an_ignored_label_is_noted(self):
        result = evaluate_segmentation([[0, 0, 1, 255]], [[0, 255, 1, 255]], ignore=255)
        assert any(note.rule == "ignored" and note.count == 1 for note in result.notes)


class TestOrder:
    def test_generalised_dice_knows_no_batch(self):
        """B10: alone, and beside an image that has class 3."""
        beside = np.full((3, 4), 3)
        alone = evaluate_segmentation(*SK).per_image()
        for size in (1, 2):
            evaluator = SegmentationEvaluator()
            truth, guess = (np.stack([np.array(side), beside]) for side in SK)
            for at in range(0, 2, size):
                evaluator.update(truth[at : at + size], guess[at : at + size])
            result = evaluator.compute()
            assert result.per_image()[0]["mDice"] == alone[0]["mDice"]
            assert result.score("generalised_dice", average="images").value == pytest.approx((0.75 + 1) / 2)

    def test_any_order_of_images_the_same_bits(self):
        """P02."""
        rng = np.random.default_rng(3)
        truth, guess = rng.integers(0, 9, (2, 40, 5, 7))
        policies = [
            SegmentationPolicy(average=order, classes=kind) for order in ORDERS for kind in FIELDS["classes"][:3]
        ]
        wants = [evaluate_segmentation(truth, guess, policy=policy).to_json() for policy in policies]
        for _ in range(5):
            order = rng.permutation(40)
            result = evaluate_segmentation(truth[order], guess[order])
            assert [result.under(policy).to_json() for policy in policies] == wants


@pytest.mark.parametrize("like", [None, *PRESETS])
def test_under_equals_scoring_afresh(like):
    rng = np.random.default_rng(8)
    truth, guess = rng.integers(0, 4, (2, 6, 5, 7))
    truth[0, 0, 0] = 255
    first = evaluate_segmentation(truth, guess, ignore=255)
    if like is None:
        for names in itertools.product(FIELDS["both_empty"], FIELDS["one_empty"], FIELDS["absent"], ORDERS):
            both, one, absent, order = names
            policy = SegmentationPolicy(both_empty=both, one_empty=one, absent=absent, average=order, ignore=255)
            assert first.under(policy).numbers == evaluate_segmentation(truth, guess, policy=policy).numbers
    else:
        fresh = evaluate_segmentation(truth, guess, ignore=255, like=like)
        assert first.under(like=like).to_json() == fresh.to_json()
        assert fresh.under(first.policy).to_json() == first.to_json()
