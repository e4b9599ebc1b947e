"""Advice on segmentation scores: what triggers it, what it says, and that it changes nothing."""

import numpy as np
import pytest

from vesica import advise, evaluate_segmentation

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 3, (8, 20, 20))
GUESS = np.where(RNG.random(TRUTH.shape) < 0.8, TRUTH, 0)


def codes(result, **options):
    return [finding.code for finding in advise(result, **options)]


def test_nothing_special():
    """Three classes in eight images, all of them everywhere: only what holds of every overlap score."""
    assert codes(evaluate_segmentation(TRUTH, GUESS)) == ["MR04", "MR13"]


def test_large_and_small():
    truth = np.zeros((20, 40, 40), int)
    truth[:10, 0, 0] = 1
    truth[10:] = 1
    found = advise(evaluate_segmentation(truth, truth, background=0), silence=["MR04", "MR13"])
    assert [one.code for one in found] == ["MR03"] and found[0].evidence == {"p5": 1.0, "p95": 1600.0}


def test_empty_sides():
    truth, guess = TRUTH.copy(), GUESS.copy()
    truth[0][truth[0] == 2] = 0
    guess[0][guess[0] == 2] = 0
    guess[1][guess[1] == 1] = 0
    found = {one.code: one for one in advise(evaluate_segmentation(truth, guess))}
    assert found["MR11"].evidence["both_empty"] == 1 and found["MR11"].evidence["truth_only"] == 1
    assert found["MR11"].severity == "warning" and "1 cells are empty on both sides" in str(found["MR11"])


def test_background():
    truth = np.zeros((5, 20, 20), int)
    truth[:, 0, :10] = 1
    result = evaluate_segmentation(truth, truth, categories=["sky", "bird"])
    (found,) = (one for one in advise(result) if one.code == "MR14")
    assert found.evidence == {"category": "sky", "share": 0.975, "pixel_accuracy": 1.0}
    assert "98% of all pixels are of class sky" in found.text
    assert "MR14" not in codes(result.under(like="monai"))  # who reports no accuracy


def test_orders():
    truth = np.ones((6, 10, 10), int)
    truth[1:, 1:] = 0
    guess = truth.copy()
    guess[1:, 0, :9] = 0
    result = evaluate_segmentation(truth, guess, background=0, images=list("abcdef"))
    (found,) = (one for one in advise(result) if one.code == "MR16")
    assert found.evidence["totals"] == pytest.approx(105 / 150, abs=1e-6)
    assert found.evidence["images"] == pytest.approx((1 + 5 * 0.1) / 6, abs=1e-6)
    assert found.evidence["lowest images"] == ["b", "c", "d"]


def test_rare_and_absent():
    truth = TRUTH.copy()
    truth[0, 0, 0] = 3
    result = evaluate_segmentation(truth, GUESS, categories=5)
    found = [one for one in advise(result) if one.code == "MR18"]
    assert [one.evidence for one in found] == [{"absent": [4]}, {"rare": [3]}]
    assert "left out of means: 4" in found[0].text
    assert "the policy decides" in str(next(one for one in advise(result.under(like="smp")) if one.code == "MR18"))


def test_silenced():
    result = evaluate_segmentation(TRUTH, GUESS)
    assert codes(result, silence=["MR04", "MR13"]) == codes(result, silence=("MR13", "MR04")) == []
    assert codes(result, silence="MR04") == ["MR13"]


def test_scores_stay():
    result = evaluate_segmentation(TRUTH, GUESS, categories=9)
    before = result.to_json()
    advise(result)
    assert result.to_json() == before


@pytest.mark.parametrize("like", ["cityscapes", "torchmetrics", "medpy"])
def test_of_every_policy(like):
    assert "MR04" in codes(evaluate_segmentation(TRUTH, GUESS, like=like, categories=9))


def test_of_nothing():
    assert codes(evaluate_segmentation(np.full((1, 2, 2), 255), np.zeros((1, 2, 2), int), ignore=255))[0] == "MR04"


def test_wrong():
    with pytest.raises(TypeError, match="must be a SegmentationResult"):
        advise({"mIoU": 0.5})
    with pytest.raises(ValueError, match="`silence` must be one of"):
        advise(evaluate_segmentation(TRUTH, GUESS), silence=["MR99"])
