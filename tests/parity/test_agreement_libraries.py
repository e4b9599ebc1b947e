"""Truths behind several annotators, beside SimpleITK and crowd-kit. Tolerances stand with each test."""

import numpy as np
import pytest

from vesica.agreement.dawid_skene import dawid_skene
from vesica.agreement.staple import staple
from vesica.agreement.vote_patterns import VotePatterns, vote_patterns

VP = [800, 10, 15, 20, 5, 25, 30, 95]

pytestmark = pytest.mark.filterwarnings("ignore")  # of what other libraries import


def masks_of(table, shape):
    """Masks with these numbers of pixels of each pattern."""
    codes = np.repeat(np.arange(len(table)), table).reshape(shape)
    return [(codes >> k & 1).astype(np.uint8) for k in range(len(table).bit_length() - 1)]


class TestSimpleItk:
    """Its filter stops a little before the end: 1e-4 in rates, 2e-3 in beliefs. Of two annotators, whose rates hardly
    change the likelihood, ten times as much."""

    @pytest.fixture
    def sitk(self):
        return pytest.importorskip("SimpleITK")

    def fitted(self, sitk, masks):
        fit = sitk.STAPLEImageFilter()
        fit.SetForegroundValue(1)
        fit.SetMaximumIterations(5000)
        image = fit.Execute([sitk.GetImageFromArray(mask) for mask in masks])
        return sitk.GetArrayFromImage(image), np.array(fit.GetSensitivity()), np.array(fit.GetSpecificity())

    def check(self, sitk, masks, within=1e-4):
        belief, sensitivity, specificity = self.fitted(sitk, masks)
        patterns = vote_patterns(masks)
        found = staple(patterns)
        codes = sum(mask.astype(np.int64) << k for k, mask in enumerate(masks))
        ours = found.belief[np.searchsorted(found.code.astype(np.int64), codes)]
        assert np.abs(found.sensitivity - sensitivity).max() < within
        assert np.abs(found.specificity - specificity).max() < within
        assert np.abs(ours - belief).max() < 20 * within

    def test_fixture(self, sitk):
        self.check(sitk, masks_of(VP, (20, 50)))

    @pytest.mark.parametrize("annotators, within", [(2, 1e-3), (3, 1e-4), (5, 1e-4)])
    def test_random_masks(self, sitk, annotators, within):
        rng = np.random.default_rng(annotators)
        truth = np.zeros((60, 70), bool)
        truth[10:40, 20:60] = True
        masks = [
            np.where(truth, rng.random(truth.shape) < 0.9 - 0.05 * k, rng.random(truth.shape) < 0.02 + 0.01 * k)
            for k in range(annotators)
        ]
        self.check(sitk, [mask.astype(np.uint8) for mask in masks], within)


class TestCrowdKit:
    @pytest.fixture
    def ratings(self):
        rng = np.random.default_rng(1)
        truth = rng.integers(0, 3, 300)
        unit, annotator = np.nonzero(rng.random((300, 7)) < 0.6)
        right = rng.random(len(unit)) < np.array([0.9, 0.85, 0.8, 0.8, 0.75, 0.7, 0.6])[annotator]
        return unit, annotator, np.where(right, truth[unit], rng.integers(0, 3, len(unit)))

    def frame(self, ratings):
        pandas = pytest.importorskip("pandas")
        return pandas.DataFrame(dict(zip(("task", "worker", "label"), ratings, strict=True)))

    def test_dawid_skene(self, ratings):
        """It begins with the majority vote, ends at the same place, and keeps probabilities above 1e-10: 1e-4."""
        aggregation = pytest.importorskip("crowdkit.aggregation")
        theirs = aggregation.DawidSkene(n_iter=5000, tol=1e-14)
        theirs.fit(self.frame(ratings))
        found = dawid_skene(*ratings, tolerance=1e-11)
        assert found.status == "ok"
        want = theirs.probas_.sort_index()[found.labels].to_numpy()
        assert np.abs(found.belief - want).max() < 1e-4
        assert np.array_equal(found.best, theirs.labels_.sort_index().to_numpy())

    def test_majority_of_segmentations(self):
        """Equal where there is a majority; of two annotators it takes the union, and we leave the ties to somebody."""
        aggregation = pytest.importorskip("crowdkit.aggregation")
        pandas = pytest.importorskip("pandas")
        masks = [mask.astype(bool) for mask in masks_of(VP, (20, 50))]
        frame = pandas.DataFrame({"task": [1] * 3, "worker": [0, 1, 2], "segmentation": masks})
        three = aggregation.SegmentationMajorityVote().fit_predict(frame)[1]
        assert int(three.sum()) == VotePatterns.from_table(VP).majority == 170
        two = aggregation.SegmentationMajorityVote().fit_predict(frame[:2])[1]
        patterns = vote_patterns(masks[:2])
        assert int(two.sum()) == patterns.majority + patterns.ties and patterns.ties > 0
