"""Intervals of segmentation scores: from counts, in every order of averaging."""

import itertools

import numpy as np
import pytest

import vesica
from vesica import SegmentationPolicy
from vesica.results.resampling import Resampling
from vesica.segmentation.resampled import SegmentationReplicates
from vesica.segmentation.rules import FIELDS
from vesica.statistics.resampling import keys_of, weights

AVERAGES, CLASSES = FIELDS["average"], [one for one in FIELDS["classes"] if one != "each"]


def maps(seed=0, images=10, kinds=4):
    """Classes come and go from image to image."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, kinds, (images, 6, 6)) * (rng.random((images, 1, 1)) < 0.8)
    guess = np.where(rng.random(truth.shape) < 0.7, truth, rng.integers(0, kinds, truth.shape))
    guess[0], truth[1] = 0, 1
    return truth, guess


class TestReplicates:
    @pytest.mark.parametrize("average, classes", [*itertools.product(AVERAGES, CLASSES)])
    @pytest.mark.parametrize("empty", ["skip", "one", "zero"])
    def test_equal_scores_of_copies(self, average, classes, empty):
        truth, guess = maps()
        policy = SegmentationPolicy(average=average, classes=classes, both_empty=empty)
        result = vesica.evaluate_segmentation(truth, guess, categories=4, policy=policy)
        found = SegmentationReplicates(result, Resampling(6, seed=3))
        times = weights(keys_of(result.counts.ids), seed=3, count=6).astype(int)
        for row, own in enumerate(times):
            copies = (np.repeat(side, own, axis=0) for side in (truth, guess))
            want = vesica.evaluate_segmentation(*copies, categories=4, policy=policy)
            for name, value in want.items():
                np.testing.assert_allclose(found.number(name)[row], value, rtol=1e-12)
            for name in ("IoU", "recall"):
                values = [np.nan if told[name] is None else told[name] for told in want.per_class()]
                np.testing.assert_allclose(found.classes(name)[row], values, rtol=1e-12)

    @pytest.mark.parametrize("like", ["sklearn", "torchmetrics", "mmseg", "monai"])
    def test_like_others(self, like):
        truth, guess = maps()
        result = vesica.evaluate_segmentation(truth, guess, categories=4, like=like)
        found = result.interval(replicates=80)
        assert list(found) == list(result)
        for name, value in result.items():
            assert found[name].lo <= value <= found[name].hi

    def test_each_class(self):
        truth, guess = maps()
        policy = SegmentationPolicy(classes="each", background=0)
        result = vesica.evaluate_segmentation(truth, guess, categories=4, policy=policy)
        table = result.interval(replicates=80, method="percentile")
        rows = {(row["category"], row["number"]): row for row in table.per_class()}
        for kind in (1, 2, 3):
            assert table[f"IoU[{kind}]"].lo == rows[kind, "IoU"]["lo"]

    def test_shards(self):
        truth, guess = maps(images=12)
        ids = [f"{k:02d}" for k in range(12)]
        whole = vesica.evaluate_segmentation(truth, guess, categories=4, images=ids)
        parts = [
            vesica.evaluate_segmentation(truth[k::4], guess[k::4], categories=4, images=ids[k::4]) for k in range(4)
        ]
        merged = parts[2].merge(parts[0], parts[3], parts[1])
        one, other = (each.interval(replicates=50) for each in (whole, merged))
        assert one.to_dict() == other.to_dict()


class TestInterval:
    def test_by_group(self):
        rng = np.random.default_rng(0)
        share = np.repeat(rng.random(15), 4)
        truth = np.ones((60, 5, 5), int)
        guess = (rng.random(truth.shape) < share[:, None, None]).astype(int)
        groups = [f"patient {k // 4}" for k in range(60)]
        result = vesica.evaluate_segmentation(truth, guess, categories=2, groups=groups)
        alone, together = (result.interval("pixel_accuracy", by=by, replicates=300) for by in ("image", "group"))
        assert together.hi - together.lo > 1.5 * (alone.hi - alone.lo)
        assert result.interval("pixel_accuracy", by=groups, replicates=300) == together

    @pytest.mark.parametrize(
        "options, text",
        [
            ({"by": "group"}, '`by` must be one of "image", a dict'),
            ({"by": ["a"]}, "must have one value for each of 10 images"),
            ({"level": 95}, "Divide a percentage by 100"),
            ({"method": "student"}, "`method` must be one of"),
        ],
        ids=str,
    )
    def test_faults(self, options, text):
        with pytest.raises(ValueError, match=text):
            vesica.evaluate_segmentation(*maps()).interval(**options)

    def test_unknown_name(self):
        with pytest.raises(ValueError, match='Did you mean "mIoU"'):
            vesica.evaluate_segmentation(*maps()).interval("miou")
