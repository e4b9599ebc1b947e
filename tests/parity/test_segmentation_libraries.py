"""Segmentation scores `like=` another library, against that library: on random maps with empty, one-sided, absent and
ignored classes. scikit-learn to the bit, the others to the float32 that they compute in."""

import numpy as np
import pytest

from vesica import SegmentationPolicy, evaluate_segmentation
from vesica.segmentation import PRESETS

CLASSES = 6
NARROW = 2e-6
"""torchmetrics and MONAI compute in float32."""


def random_maps(seed, images=5, size=(7, 9), void=False):
    """Maps in which classes are missing here and there, on one side or both; class 5 is nowhere."""
    rng = np.random.default_rng(seed)
    truth, guess = np.zeros((2, images, *size), np.int64)
    for k in range(images):
        for picture in (truth, guess):
            present = rng.permutation(CLASSES - 1)[: rng.integers(1, CLASSES)]
            picture[k] = rng.choice(present, size)
        agree = rng.random(size) < 0.6
        guess[k][agree] = truth[k][agree]
    guess[rng.random(images) < 0.3] = 0
    if void:
        truth[rng.random(truth.shape) < 0.2] = 255
    return truth, guess


SEEDS = pytest.mark.parametrize("seed", range(6))


def close(found, want):
    """Equal within float32, or both undefined."""
    if np.isnan(want):
        assert np.isnan(found)
    else:
        assert found == pytest.approx(float(want), abs=NARROW)


@SEEDS
class TestSklearn:
    metrics = staticmethod(lambda: pytest.importorskip("sklearn.metrics"))

    def test_macro_of_one_pair(self, seed):
        """To the last bit, over every label that either map has."""
        metrics = self.metrics()
        truth, guess = (side[0] for side in random_maps(seed, size=(31, 17)))
        result = evaluate_segmentation(truth, guess)
        flat = truth.flatten(), guess.flatten()
        assert result["mIoU"] == metrics.jaccard_score(*flat, average="macro")
        assert result["mDice"] == metrics.f1_score(*flat, average="macro")

    @pytest.mark.parametrize("classes", ["macro", "micro", "weighted"])
    def test_joined(self, seed, classes):
        metrics = self.metrics()
        truth, guess = random_maps(seed)
        policy = SegmentationPolicy(like="sklearn", classes=classes)
        result = evaluate_segmentation(truth, guess, categories=CLASSES, policy=policy)
        flat, said = (truth.ravel(), guess.ravel()), {"labels": range(CLASSES), "average": classes, "zero_division": 0}
        assert result.score("IoU").value == metrics.jaccard_score(*flat, **said)
        assert result.score("Dice").value == metrics.f1_score(*flat, **said)
        assert result.score("precision").value == metrics.precision_score(*flat, **said)
        assert result.score("recall").value == metrics.recall_score(*flat, **said)
        assert result.score("F-beta", beta=2).value == metrics.fbeta_score(*flat, beta=2, **said)
        assert result.score("pixel_accuracy").value == metrics.accuracy_score(*flat)

    def test_each(self, seed):
        metrics = self.metrics()
        truth, guess = random_maps(seed)
        result = evaluate_segmentation(truth, guess, categories=CLASSES, like="sklearn")
        want = metrics.jaccard_score(truth.ravel(), guess.ravel(), labels=range(CLASSES), average=None, zero_division=0)
        assert result.score("IoU", classes="each").value.tolist() == want.tolist()

    def test_image_by_image(self, seed):
        metrics = self.metrics()
        truth, guess = random_maps(seed)
        result = evaluate_segmentation(truth, guess, categories=CLASSES, like="sklearn.images")
        said = {"labels": range(CLASSES), "average": "macro", "zero_division": 0}
        want = [metrics.f1_score(a.ravel(), b.ravel(), **said) for a, b in zip(truth, guess, strict=True)]
        assert result["mDice"] == pytest.approx(np.mean(want), abs=1e-14)

    def test_unknown_label_becomes_a_class(self, seed):
        metrics = self.metrics()
        truth, guess = (side[0] for side in random_maps(seed))
        guess[0, 0] = 77
        found = evaluate_segmentation(truth, guess, categories=np.unique(truth).tolist(), like="sklearn")
        assert found["mIoU"] == pytest.approx(metrics.jaccard_score(truth.ravel(), guess.ravel(), average="macro"))


@SEEDS
@pytest.mark.parametrize("background", [None, 0])
class TestTorchmetrics:
    def made(self, name, seed, background, **options):
        segmentation = pytest.importorskip("torchmetrics.segmentation")
        import torch

        metric = getattr(segmentation, name)(
            num_classes=CLASSES, include_background=background is None, input_format="index", **options
        )
        truth, guess = random_maps(seed)
        for one, other in zip(truth, guess, strict=True):
            metric.update(torch.as_tensor(other[None]), torch.as_tensor(one[None]))
        return evaluate_segmentation(
            truth, guess, categories=CLASSES, background=background, like="torchmetrics"
        ), float(metric.compute())

    def test_mean_iou(self, seed, background):
        result, want = self.made("MeanIoU", seed, background)
        close(result["mIoU"], want)

    def test_dice(self, seed, background):
        result, want = self.made("DiceScore", seed, background, average="macro", aggregation_level="samplewise")
        close(result["mDice"], want)

    def test_generalised_dice(self, seed, background):
        result, want = self.made("GeneralizedDiceScore", seed, background)
        close(result["generalised_dice"], want)

    @pytest.mark.parametrize("classes", ["macro", "micro", "weighted"])
    def test_jaccard(self, seed, background, classes):
        classification = pytest.importorskip("torchmetrics.classification")
        import torch

        truth, guess = random_maps(seed, void=True)
        metric = classification.MulticlassJaccardIndex(CLASSES, average=classes, ignore_index=255)
        metric.update(torch.as_tensor(guess), torch.as_tensor(truth))
        policy = SegmentationPolicy(like="torchmetrics.jaccard", classes=classes, ignore=255)
        result = evaluate_segmentation(truth, guess, categories=CLASSES, policy=policy)
        close(result["mIoU"], float(metric.compute()))

    def test_jaccard_of_each_class(self, seed, background):
        """0 for a class that is nowhere, which the mean leaves out."""
        classification = pytest.importorskip("torchmetrics.classification")
        import torch

        truth, guess = random_maps(seed)
        metric = classification.MulticlassJaccardIndex(CLASSES, average="none")
        metric.update(torch.as_tensor(guess), torch.as_tensor(truth))
        want = metric.compute().tolist()
        policy = SegmentationPolicy(like="torchmetrics.jaccard")
        result = evaluate_segmentation(truth, guess, categories=CLASSES, policy=policy)
        assert want[5] == 0 and [row["status"] for row in result.per_class()][5] == "absent"
        assert [row["IoU"] for row in result.per_class()] == pytest.approx(want, abs=NARROW)
        assert result.score("IoU", classes="each").value.tolist() == pytest.approx(want, abs=NARROW)
        each = evaluate_segmentation(
            truth, guess, categories=CLASSES, policy=SegmentationPolicy(like="torchmetrics.jaccard", classes="each")
        )
        assert list(each.values()) == pytest.approx(want, abs=NARROW)  # and no Dice, which it does not have


@SEEDS
@pytest.mark.parametrize("background", [None, 0])
class TestMonai:
    def made(self, name, seed, background, **options):
        metrics = pytest.importorskip("monai.metrics")
        import torch

        truth, guess = random_maps(seed)
        metric = getattr(metrics, name)(include_background=background is None, **options)
        one_hot = (
            torch.nn.functional.one_hot(torch.as_tensor(side), CLASSES).movedim(-1, 1) for side in (guess, truth)
        )
        metric(*one_hot)
        return truth, guess, metric.aggregate()

    @pytest.mark.parametrize("name, number", [("DiceMetric", "mDice"), ("MeanIoU", "mIoU")])
    @pytest.mark.parametrize("like, options", [("monai", {}), ("monai.keep_empty", {"ignore_empty": False})])
    def test_mean(self, seed, background, name, number, like, options):
        truth, guess, want = self.made(name, seed, background, **options)
        result = evaluate_segmentation(truth, guess, categories=CLASSES, background=background, like=like)
        close(result[number], float(want))

    @pytest.mark.parametrize("name, number", [("DiceMetric", "mDice"), ("MeanIoU", "mIoU")])
    def test_mean_batch(self, seed, background, name, number):
        truth, guess, want = self.made(name, seed, background, reduction="mean_batch")
        like = "monai.mean_batch"
        result = evaluate_segmentation(truth, guess, categories=CLASSES, background=background, like=like)
        close(result[number], float(want.mean()))


def mmseg_areas(truth, guess, classes, ignore):
    """The four areas of mmsegmentation as its documentation describes them, by loops: pixels of ignored truth are gone,
    and labels that are no class fall out of the histogram of their own side alone."""
    both, said, there = (np.zeros(classes) for _ in range(3))
    for one, other in zip(truth.ravel().tolist(), guess.ravel().tolist(), strict=True):
        if one == ignore:
            continue
        if one == other and one < classes:
            both[one] += 1
        if other < classes:
            said[other] += 1
        if one < classes:
            there[one] += 1
    return both, said, there


@SEEDS
class TestWrittenDown:
    """Libraries that are not installed here: their definitions, written out."""

    def test_mmseg(self, seed):
        truth, guess = random_maps(seed, void=True)
        guess[0, 0, :3] = 9
        both, said, there = mmseg_areas(truth, guess, CLASSES, 255)
        result = evaluate_segmentation(truth, guess, categories=CLASSES, like="mmseg")
        with np.errstate(invalid="ignore"):
            want = {
                "mIoU": both / (said + there - both),
                "mDice": 2 * both / (said + there),
                "mPA_recall": both / there,
                "mPA_precision": both / said,
            }
        assert {name: result[name] for name in want} == pytest.approx({n: np.nanmean(v) for n, v in want.items()})
        assert result["pixel_accuracy"] == pytest.approx(both.sum() / there.sum())

    def test_cityscapes(self, seed):
        """A guess of an ignored label is a miss, and costs no class a false positive."""
        truth, guess = random_maps(seed, void=True)
        guess[0, 0, :3] = 255
        both, said, there = mmseg_areas(truth, guess, CLASSES, 255)
        result = evaluate_segmentation(truth, guess, categories=CLASSES, ignore=255, like="cityscapes")
        with np.errstate(invalid="ignore"):
            assert result["mIoU"] == pytest.approx(np.nanmean(both / (said + there - both)))

    def test_medpy(self, seed):
        """jc and dc of binary masks, case by case; two empty masks are 1."""
        truth, guess = (side == 1 for side in random_maps(seed))
        both = (truth & guess).sum(axis=(1, 2))
        areas = truth.sum(axis=(1, 2)) + guess.sum(axis=(1, 2))
        result = evaluate_segmentation(truth, guess, background=0, like="medpy")
        with np.errstate(invalid="ignore"):
            assert result["mIoU"] == pytest.approx(np.nan_to_num(both / (areas - both), nan=1).mean(), abs=1e-15)
            assert result["mDice"] == pytest.approx(np.nan_to_num(2 * both / areas, nan=1).mean(), abs=1e-15)

    @pytest.mark.parametrize("average", ["totals", "images"])
    def test_smp(self, seed, average):
        """iou_score with reduction="macro" and "macro-imagewise": 0 / 0 is 1, also for a class that is nowhere."""
        truth, guess = random_maps(seed)
        rows = [mmseg_areas(a, b, CLASSES, -1) for a, b in zip(truth, guess, strict=True)]
        if average == "totals":
            rows = [tuple(np.sum(column, axis=0) for column in zip(*rows, strict=True))]
        with np.errstate(invalid="ignore"):
            want = [np.nan_to_num(both / (said + there - both), nan=1.0) for both, said, there in rows]
        policy = SegmentationPolicy(like="smp", average=average)
        result = evaluate_segmentation(truth, guess, categories=CLASSES, policy=policy)
        assert result["mIoU"] == pytest.approx(np.mean(want))


def test_a_score_that_the_library_lacks():
    with pytest.raises(ValueError, match="MONAI has no precision whose conventions are known; it has IoU, Dice"):
        evaluate_segmentation([[0, 1]], [[0, 1]], like="monai").score("precision")


def test_a_preset_says_whose_it_is():
    for name in PRESETS:
        found = evaluate_segmentation([[0, 1]], [[0, 1]], like=name)
        assert f"like {PRESETS[name].library} {PRESETS[name].version}" in str(found)
