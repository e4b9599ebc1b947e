"""Scores of outlines of many images: means of what single images say, policies, groups, and what is empty."""

import math

import numpy as np
import pytest

import vesica
from vesica import SegmentationPolicy, evaluate_surfaces
from vesica.segmentation import boundary_bands, centrelines, surface_distances

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 3, (4, 16, 18))
GUESS = np.where(RNG.random(TRUTH.shape) < 0.9, TRUTH, 0)
GUESS[0][GUESS[0] == 2] = 1  # one side alone
TRUTH[1][TRUTH[1] == 2] = GUESS[1][GUESS[1] == 2] = 0  # neither


def made(**options):
    return evaluate_surfaces(TRUTH, GUESS, categories={1: "liver", 2: "spleen"}, **options)


def test_numbers_are_means_of_single_images():
    result = made(tau=[1, 2.5], boundary=["2%", 3], centrelines=True)
    for label, row in zip((1, 2), result.per_class(), strict=True):
        ones = [(a == label, b == label) for a, b in zip(TRUTH, GUESS, strict=True)]
        distances = [surface_distances(*pair) for pair in ones]
        want = {
            "HD": [one.hd() for one in distances],
            "HD95": [one.hd95 for one in distances],
            "ASSD": [one.assd for one in distances],
            "MASD": [one.masd for one in distances],
            "ASD": [one.asd for one in distances],
            "NSD(1)": [one.nsd(1) for one in distances],
            "NSD(2.5)": [one.nsd(2.5) for one in distances],
            "boundary_F(1)": [one.boundary_f(1) for one in distances],
            "boundary_F(2.5)": [one.boundary_f(2.5) for one in distances],
            "boundary_IoU(2%)": [boundary_bands(*pair).iou("2%") for pair in ones],
            "boundary_IoU(3)": [boundary_bands(*pair).iou(3) for pair in ones],
            "clDice": [centrelines(*pair).cldice for pair in ones],
        }
        assert list(want) == list(result)
        for name, values in want.items():
            assert row[name] == pytest.approx(np.nanmean(values), rel=1e-12)
    assert result["clDice"] == pytest.approx(np.mean([row["clDice"] for row in result.per_class()]))
    assert [row["one_empty"] for row in result.per_class()] == [0, 1]
    assert [row["both_empty"] for row in result.per_class()] == [0, 1]
    cell = result.per_cell()[3]
    assert (cell["status"], cell["HD"], cell["clDice"]) == ("both_empty", None, None)


class TestMasks:
    """Masks of each class: the same as label maps where they do not overlap, and each by itself where they do."""

    STACKS = [np.stack([side == label for label in (1, 2)], axis=1) for side in (TRUTH, GUESS)]
    OPTIONS = {"tau": 1, "boundary": "2%", "centrelines": True}

    @pytest.mark.parametrize("form", ["stack", "masks", "runs", "list"])
    def test_equals_label_maps(self, form):
        sides = {
            "stack": self.STACKS,
            "list": [list(side[:, None]) for side in self.STACKS],
            "masks": [[vesica.Masks(one) for one in side] for side in self.STACKS],
            "runs": [[vesica.RleMasks.from_masks(one) for one in side] for side in self.STACKS],
        }[form]
        found = evaluate_surfaces(*sides, categories={1: "liver", 2: "spleen"}, **self.OPTIONS)
        assert found.per_cell() == made(**self.OPTIONS).per_cell()

    def test_classes_by_number(self):
        assert evaluate_surfaces(*self.STACKS).categories == (0, 1)

    def test_overlap(self):
        one, other = np.zeros((2, 1, 2, 12, 12), bool)
        one[0, 0, 2:8, 2:8] = one[0, 1, 4:10, 4:10] = other[0, 0, 2:8, 2:8] = other[0, 1, 4:10, 4:11] = True
        rows = evaluate_surfaces(one, other).per_class()
        assert [row["HD"] for row in rows] == [0, 1]

    def test_volumes(self):
        truth = np.zeros((1, 2, 4, 6, 6), bool)
        guess = truth.copy()
        truth[0, 0, 1, 2, 2] = guess[0, 0, 3, 2, 2] = truth[0, 1, 0] = guess[0, 1, 0] = True
        found = evaluate_surfaces(truth, guess, spacing=(5, 1, 1), volume=True)
        assert [row["HD"] for row in found.per_class()] == [10, 0]

    @pytest.mark.parametrize(
        "options, words",
        [
            ({"ignore": 255}, "`ignore` is a label of label maps.*guess & ~void"),
            ({"categories": [1, 2, 3]}, "3"),
        ],
    )
    def test_bad(self, options, words):
        with pytest.raises((ValueError, vesica.InputError), match=words):
            evaluate_surfaces(*self.STACKS, **options)

    def test_background_is_left_out(self):
        policy = SegmentationPolicy(background=0)
        sides = [np.stack([side == label for label in range(3)], axis=1) for side in (TRUTH, GUESS)]
        found = evaluate_surfaces(*sides, categories={0: "none", 1: "liver", 2: "spleen"}, policy=policy)
        assert found.categories == ("liver", "spleen") and found.per_cell() == made().per_cell()


class TestPolicy:
    def test_a_miss_improves_no_mean(self):
        """B07: an image in which the guess, or the truth, has nothing makes distances larger and shares smaller."""
        one = np.zeros((12, 12), int)
        one[3:9, 3:9] = 1
        other, nothing = np.roll(one, 1, axis=0), np.zeros_like(one)
        options = {"categories": [1], "tau": 1, "boundary": 2, "centrelines": True}
        alone = evaluate_surfaces([one], [other], **options)
        for pair in ((one, nothing), (nothing, one)):
            worse = evaluate_surfaces([one, pair[0]], [other, pair[1]], **options)
            for name in ("HD", "HD95", "ASSD", "MASD", "ASD"):
                assert worse[name] > alone[name]
            for name in ("NSD(1)", "boundary_F(1)", "boundary_IoU(2)", "clDice"):
                assert worse[name] < alone[name]

    def test_what_a_miss_is_worth(self):
        diagonal = made()
        assert diagonal.per_cell()[1]["HD"] == math.hypot(16, 18)
        infinite = made(policy=SegmentationPolicy(distance_worst="inf"))
        assert infinite["HD95"] == math.inf and infinite.to_dict()["summary"]["HD95"] is None
        skipped = made(policy=SegmentationPolicy(distance_worst="skip"))
        assert skipped.per_cell()[1]["HD"] is None
        assert skipped.per_class()[1]["HD"] < diagonal.per_class()[1]["HD"]
        # Shares are 0 however distances are counted.
        policy = SegmentationPolicy(distance_worst="skip", tau=1)
        assert made(policy=policy)["NSD(1)"] == made(tau=1)["NSD(1)"]

    @pytest.mark.parametrize("worst", ["diagonal", "inf", "skip"])
    @pytest.mark.parametrize("way", ["directed", "pooled"])
    def test_under_equals_scoring_afresh(self, worst, way):
        policy = SegmentationPolicy(distance_worst=worst, percentile_of=way, tau=1.5)
        afresh = made(policy=policy)
        again = made().under(policy)
        assert again.numbers == afresh.numbers and again.headline == afresh.headline
        assert policy.hash in again.headline

    def test_pixels_cannot_change(self):
        with pytest.raises(ValueError, match="`ignore` decides which distances"):
            made().under(SegmentationPolicy(ignore=2))
        with pytest.raises(ValueError, match="`spacing` decides which distances"):
            made().under(SegmentationPolicy(spacing=(1, 2)))

    def test_spacing_of_the_policy(self):
        policy = SegmentationPolicy(spacing=(2, 0.5))
        found, want = made(policy=policy), made(spacing=(2, 0.5))
        assert found.numbers == want.numbers and found.unit == want.unit == "the unit of the spacing"

    def test_presets_have_no_distances(self):
        with pytest.raises(ValueError, match="`like` has no conventions of distances"):
            made(policy=SegmentationPolicy(like="monai"))

    def test_said_once(self):
        with pytest.raises(ValueError, match="say it once"):
            made(policy=SegmentationPolicy(percentile_of="pooled"), percentile_of="directed")


class TestGroups:
    def test_rows(self):
        result = made(groups=["a", "b", "a", "b"])
        rows = result.per_group()
        assert [(row["group"], row["images"]) for row in rows] == [("a", 2), ("b", 2)]
        part = evaluate_surfaces(TRUTH[::2], GUESS[::2], categories=[1, 2])
        assert rows[0]["HD95"] == part["HD95"]
        assert [row["group"] for row in result.per_image()] == ["a", "b", "a", "b"]

    def test_without(self):
        with pytest.raises(ValueError, match="no groups"):
            made().per_group()
        with pytest.raises(ValueError, match="each of the 4 images"):
            made(groups=["a"])


def test_gates():
    verdicts = made(boundary="2%", centrelines=True).gates("boundary_IoU(2%)>=0.99", "clDice[liver]>=0.1", "HD>=1")
    assert [one.passed for one in verdicts] == [False, True, True]


def test_volumes():
    truth, guess = RNG.integers(0, 2, (2, 5, 6, 7))
    result = evaluate_surfaces(truth, guess, categories=[1], volume=True, boundary=1, centrelines=True)
    assert result["boundary_IoU(1)"] == boundary_bands(truth, guess).iou(1)
    assert result["clDice"] == centrelines(truth, guess).cldice


@pytest.mark.parametrize("boundary", [0, "2", 1.5, ["2%", -1]])
def test_wrong_widths(boundary):
    with pytest.raises((ValueError, TypeError), match="2%"):
        made(boundary=boundary)


def test_public_name():
    assert vesica.evaluate_surfaces is evaluate_surfaces
