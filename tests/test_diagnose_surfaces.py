"""Advice on scores of outlines, and on the shapes of the truth."""

import numpy as np
import pytest

from vesica import Dataset, SegmentationPolicy, advise, evaluate_segmentation, evaluate_surfaces


def square(size, side, at=2):
    picture = np.zeros((size, size), int)
    picture[at : at + side, at : at + side] = 1
    return picture


def found_in(result, **options):
    return {one.code: one for one in advise(result, **options)}


class TestDistances:
    def test_what_always_holds(self):
        result = evaluate_surfaces(square(40, 20), square(40, 20, 3), categories=[1])
        assert list(found_in(result)) == ["MR05", "MR20", "MR21"]
        said = evaluate_surfaces(square(40, 20), square(40, 20, 3), categories=[1], tau=1, spacing=0.5)
        assert list(found_in(said)) == ["MR21"]
        assert "directed" in found_in(said)["MR21"].text

    def test_a_few_pixels(self):
        truth, guess = square(80, 40), square(80, 40)
        guess[78, 78] = 1
        found = found_in(evaluate_surfaces([truth, truth], [guess, truth], categories={1: "liver"}))["MR07"]
        assert found.evidence == {"cells": 1, "worst": [(0, "liver")]} and "liver of 0" in found.text

    def test_misses(self):
        truth = square(20, 5)
        result = evaluate_surfaces(truth, np.zeros_like(truth), categories=[1])
        assert found_in(result)["MR12"].evidence == {"one_empty": 1, "distance_worst": "diagonal"}
        lost = result.under(SegmentationPolicy(distance_worst="skip"))
        assert "vanish" in found_in(lost)["MR12"].text


class TestShapes:
    def test_nothing_special(self):
        truth = square(60, 40)
        assert not {"MR01", "MR02", "MR08"} & found_in(evaluate_segmentation(truth, truth), truth=truth).keys()

    def test_many_parts(self):
        truth = np.zeros((3, 90, 90), int)
        for k in (0, 30, 60):
            truth[:, k + 2 : k + 25, 4:40] = 1
        found = found_in(evaluate_segmentation(truth, truth), truth=truth)
        assert found["MR01"].evidence == {"median parts": 3.0}
        assert "MR02" not in found

    def test_small_parts(self):
        truth = square(40, 7)
        found = found_in(evaluate_segmentation(truth, truth), truth=[truth])
        assert found["MR02"].evidence == {"parts": 1, "small": 1}

    @pytest.mark.parametrize("turned", [False, True])
    def test_thin_parts(self, turned):
        truth = np.zeros((60, 60), int)
        if turned:
            np.fill_diagonal(truth, 1)
            truth |= np.roll(truth, 1, axis=0)
        else:
            truth[10:13, 2:58] = 1
        found = found_in(evaluate_segmentation(truth, truth), truth=truth)["MR08"]
        assert found.evidence["thin"] == 1 and found.suggested == ("clDice",)

    def test_of_outlines_too(self):
        truth = square(40, 7)
        assert "MR02" in found_in(evaluate_surfaces(truth, truth, categories=[1]), truth=iter([truth]))

    def test_ignored_labels_have_no_shape(self):
        truth = np.where(square(40, 7) == 1, 255, square(40, 25, 12))
        result = evaluate_segmentation(truth, np.where(truth == 255, 0, truth), ignore=255)
        assert "MR01" not in found_in(result, truth=truth) and "MR02" not in found_in(result, truth=truth)


class TestCounts:
    def test_groups(self):
        truth = np.stack([square(20, 5)] * 4)
        result = evaluate_segmentation(truth, truth, groups=["a", "a", "b", "b"])
        assert found_in(result)["MR17"].evidence == {"images": 4, "groups": 2}
        alone = evaluate_segmentation(truth, truth, groups=list("abcd"))
        assert "MR17" not in found_in(alone)

    def test_concerns(self):
        truth, guess = square(20, 10), square(20, 5)
        result = evaluate_segmentation(truth, guess, background=0, categories=["sky", "bird"])
        assert not {"MR09", "MR10"} & found_in(result).keys()
        found = found_in(result, concerns=["size", "costs"])
        assert found["MR09"].evidence == {"bird": -0.75}
        # TP 25, FN 75, FP 0
        assert found["MR10"].evidence == {"F0.5": round(31.25 / 50, 6), "F2": round(125 / 425, 6)}

    def test_objects(self):
        masks = np.stack([square(20, 10) > 0, square(20, 10, 5) > 0])
        data = Dataset.from_arrays(image=[1, 1], category=[1, 2], masks=masks, sizes=(20, 20))
        found = found_in(evaluate_segmentation(data, data))
        assert found["MR01"].evidence == {"objects": 2}
        assert found["MR19"].evidence == {"pixels": 2 * 49}


def test_wrong_calls():
    result = evaluate_segmentation([[0, 1]], [[0, 1]])
    with pytest.raises(ValueError, match="size"):
        advise(result, concerns=["weight"])
    with pytest.raises(TypeError, match="SegmentationResult or a SurfaceResult"):
        advise({})
    assert "MR21" not in found_in(evaluate_surfaces([[1]], [[1]], categories=[1]), silence="MR21")
