"""Numbers of segmentations where images are drawn again: each replicate is what the repeated images would give."""

import numpy as np
import pytest

import vesica
from vesica import SegmentationPolicy
from vesica.results.resampling import Resampling
from vesica.segmentation.resampled import SegmentationReplicates
from vesica.segmentation.rules import FIELDS
from vesica.statistics.resampling import keys_of, weights

RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 4, (7, 5, 6))
TRUTH[2] = 0  # an image without most classes
GUESS = np.where(RNG.random(TRUTH.shape) < 0.6, TRUTH, RNG.integers(0, 4, TRUTH.shape))
GUESS[:, 0, 0] = 3
COUNT = 6


def repeated(weight, policy):
    """The plain result of images that are there as often as they were drawn."""
    rows = np.repeat(np.arange(len(TRUTH)), weight.astype(int))
    return vesica.evaluate_segmentation(TRUTH[rows], GUESS[rows], categories=5, policy=policy)


@pytest.mark.parametrize("average", FIELDS["average"])
@pytest.mark.parametrize("classes", FIELDS["classes"])
@pytest.mark.parametrize(
    "more",
    [{}, {"background": 0}, {"both_empty": "one", "absent": "zero"}, {"both_empty": "zero", "one_empty": "skip"}],
)
def test_equals_repeated_images(average, classes, more):
    policy = SegmentationPolicy(average=average, classes=classes, **more)
    result = vesica.evaluate_segmentation(TRUTH, GUESS, categories=5, policy=policy)
    drawn = SegmentationReplicates(result, Resampling(COUNT, seed=1))
    every = weights(keys_of(np.arange(len(TRUTH))), seed=1, count=COUNT)
    assert len({tuple(row) for row in every}) == COUNT and (every.sum(axis=1) > 0).all()
    for place, weight in enumerate(every):
        expected = repeated(weight, policy)
        for name in result.summary:
            found = drawn.number(name)
            assert found[place] == pytest.approx(expected[name], nan_ok=True), (name, place)
        for row in expected.per_class():
            for score in ("IoU", "Dice", "recall"):
                want = np.nan if row[score] is None else row[score]
                assert drawn.number(score, str(row["category"]))[place] == pytest.approx(want, nan_ok=True)


def test_a_number_that_classes_do_not_have():
    result = vesica.evaluate_segmentation(TRUTH, GUESS)
    assert SegmentationReplicates(result, Resampling(5)).number("tp", "1") is None


def test_gates_have_the_interval_of_interval():
    result = vesica.evaluate_segmentation(TRUTH, GUESS, images=range(7))
    for name in ("mIoU", "fwIoU"):
        (verdict,) = result.gates(f"{name}>=0.1 @90%")
        assert verdict.interval == result.interval(name, level=0.9)[:2]


def test_groups_are_drawn_as_a_whole():
    """With all images in one group a replicate is the whole set some times over, or nothing."""
    result = vesica.evaluate_segmentation(TRUTH, GUESS, images=range(7))
    values = SegmentationReplicates(result, Resampling(50, groups=dict.fromkeys(range(7), "one"))).number("mIoU")
    there = values[~np.isnan(values)]
    assert 10 < len(there) < 50 and there == pytest.approx(result["mIoU"])
    with pytest.raises(vesica.InputError, match="has no group for the image 6"):
        SegmentationReplicates(result, Resampling(50, groups=dict.fromkeys(range(6), "one"))).number("mIoU")


def replicated(result, resampling):
    """What gates ask of a result, and the weights of its images."""
    every = weights(keys_of(np.asarray(result.images)), seed=resampling.seed, count=resampling.replicates)
    return result.gate_scores(resampling).replicates, every.astype(int)


class TestPanoptic:
    def test_equals_repeated_images(self):
        rng = np.random.default_rng(5)
        kinds = {1: 10, 2: 10, 3: 20, 4: 30}
        images = []
        for _ in range(6):
            ids = np.repeat(rng.integers(1, 5, (4, 1)), 8, axis=1)
            moved = np.where(rng.random(ids.shape) < 0.8, ids, rng.integers(1, 5, ids.shape))
            images.append([(one, {k: kinds[k] for k in np.unique(one).tolist()}) for one in (ids, moved)])
        names = {10: "cat", 20: "dog", 30: "grass"}

        def scored(rows):
            pairs = [images[row] for row in rows]
            sides = [one for one, _ in pairs], [other for _, other in pairs]
            return vesica.evaluate_panoptic(*sides, categories=names, things=[10, 20])

        result = scored(range(6))
        draw, every = replicated(result, Resampling(COUNT, seed=3))
        for place, weight in enumerate(every):
            expected = scored(np.repeat(np.arange(6), weight))
            for name, value in expected.items():
                assert draw(name, None)[place] == pytest.approx(value, nan_ok=True)
            for row in expected.per_class():
                want = np.nan if row["PQ"] is None else row["PQ"]
                assert draw("PQ", row["category"])[place] == pytest.approx(want, nan_ok=True)
        (verdict,) = result.gates("PQ_things>=0 @95%")
        assert verdict.passed and verdict.interval is not None


class TestSurfaces:
    def test_equals_repeated_images(self):
        def scored(rows):
            return vesica.evaluate_surfaces(TRUTH[rows], GUESS[rows], categories={1: "liver", 2: "spleen"}, tau=1)

        result = scored(np.arange(len(TRUTH)))
        draw, every = replicated(result, Resampling(COUNT, seed=1))
        for place, weight in enumerate(every):
            expected = scored(np.repeat(np.arange(len(TRUTH)), weight))
            for name, value in expected.items():
                assert draw(name, None)[place] == pytest.approx(value, nan_ok=True)
            for row in expected.per_class():
                assert draw("HD95", row["category"])[place] == pytest.approx(row["HD95"], nan_ok=True)

    def test_infinite_distances_have_none(self):
        policy = SegmentationPolicy(distance_worst="inf")
        result = vesica.evaluate_surfaces([[[1, 0]], [[1, 0]]], [[[1, 0]], [[0, 0]]], categories=[1], policy=policy)
        with pytest.raises(ValueError, match="HD95 has no interval"):
            result.gates("HD95<=9 @95%")
