"""Skeletons and clDice: topology by SciPy's components, the twin, and numbers found by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import ndimage

from backends import absent, forbidden
from vesica.segmentation import Centrelines, centrelines, skeleton

BY_CORNERS = {axes: np.ones((3,) * axes, bool) for axes in (2, 3)}


def masks(axes, side):
    return hnp.array_shapes(min_dims=axes, max_dims=axes, min_side=1, max_side=side).flatmap(
        lambda shape: hnp.arrays(bool, shape, elements=st.booleans())
    )


def topology(mask):
    """Parts of the object, parts of the background (the outside is one of them), and the Euler number."""
    padded = np.pad(mask, 1)
    parts = ndimage.label(padded, BY_CORNERS[mask.ndim])[1]
    holes = ndimage.label(~padded)[1]
    return parts, holes, euler_number(padded)


def euler_number(padded):
    """Of the union of closed cubes (or squares) around the pixels: vertices − edges + faces (− cubes), each counted
    where a pixel beside it is set."""
    total = 0
    for kind in np.ndindex(*(2,) * padded.ndim):  # along which axes the element lies between two pixels
        found = padded
        for axis, between in enumerate(kind):
            if between:
                low, high = (
                    np.take(found, range(*ends), axis) for ends in ((0, -1 + found.shape[axis]), (1, found.shape[axis]))
                )
                found = low | high
        total += (-1) ** (padded.ndim - sum(kind)) * int(found.sum())
    return total


def blobs(seed, shape):
    noise = ndimage.gaussian_filter(np.random.default_rng(seed).normal(size=shape), 2)
    return noise > 0.3 * noise.std()


class TestSkeleton:
    @pytest.mark.parametrize(
        "mask, want",
        [
            pytest.param(["111", "111", "111"], ["000", "111", "000"], id="a square"),
            pytest.param(["11", "11"], None, id="two by two"),
            pytest.param(["1"], ["1"], id="a pixel"),
            pytest.param(["1000", "0100", "0010"], ["1000", "0100", "0010"], id="a diagonal line stays"),
            pytest.param(["11111", "10001", "11111"], None, id="a ring"),
        ],
    )
    def test_by_hand(self, mask, want):
        pixels = np.array([[one == "1" for one in row] for row in mask])
        found = skeleton(pixels)
        if want is not None:
            assert np.array_equal(found, [[one == "1" for one in row] for row in want])
        assert found.any() and topology(found) == topology(pixels)

    def test_a_bar_keeps_its_length(self):
        bar = np.zeros((9, 60), bool)
        bar[2:7, 2:58] = True
        found = skeleton(bar)
        assert found.sum(axis=0).max() == 1  # one pixel wide
        assert np.flatnonzero(found.any(axis=1)).tolist() == [4]  # in the middle
        assert 50 <= found.sum() <= 56  # but for half a width at either end

    def test_a_ribbon_of_a_volume_keeps_its_length(self):
        # A thin plate lies open to all directions at once, and must not be eaten from one end.
        ribbon = np.zeros((5, 8, 40), bool)
        ribbon[2, 2:6, 2:38] = True
        assert skeleton(ribbon).sum() >= 30

    @pytest.mark.parametrize("axes, side", [(2, 9), (3, 5)])
    @given(data=st.data())
    def test_hangs_together_as_the_mask_did(self, axes, side, data):
        mask = data.draw(masks(axes, side))
        found = skeleton(mask)
        assert not (found & ~mask).any()
        assert topology(found) == topology(mask)

    @pytest.mark.parametrize("shape", [(60, 80), (20, 24, 28)])
    @pytest.mark.parametrize("seed", range(3))
    def test_large_shapes(self, shape, seed):
        mask = blobs(seed, shape)
        found = skeleton(mask)
        assert topology(found) == topology(mask)
        assert found.sum() < 0.35 * mask.sum()
        assert np.array_equal(skeleton(found), found)  # nothing is left to remove

    @pytest.mark.parametrize("axes, side", [(2, 7), (3, 4)])
    @given(data=st.data())
    def test_twin(self, axes, side, data):
        mask = data.draw(masks(axes, side))
        found = skeleton(mask)
        with absent("native", "skeleton"):
            assert np.array_equal(skeleton(mask), found)

    def test_native_serves_arrays_and_tensors(self):
        torch = pytest.importorskip("torch")
        mask = blobs(0, (20, 30))
        mask.flags.writeable = False
        before = mask.copy()
        with forbidden("generic"):
            assert isinstance(skeleton(torch.tensor(before)), torch.Tensor)
            skeleton(mask)
            skeleton(mask.T)
            assert np.array_equal(skeleton(np.asfortranarray(mask)), skeleton(mask))
        assert np.array_equal(mask, before)

    @pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 2, 2)])
    def test_nothing(self, shape):
        assert skeleton(np.zeros(shape, bool)).shape == shape


def by_definition(truth, guess):
    """clDice as it was published, of given skeletons."""
    line_truth, line_guess = skeleton(truth), skeleton(guess)
    precision = (line_guess & truth).sum() / line_guess.sum()
    sensitivity = (line_truth & guess).sum() / line_truth.sum()
    return 2 * precision * sensitivity / (precision + sensitivity)


class TestCentrelines:
    @pytest.mark.parametrize("shape", [(50, 60), (16, 20, 24)])
    @pytest.mark.parametrize("seed", range(3))
    def test_equals_the_definition(self, shape, seed):
        truth, guess = blobs(seed, shape), blobs(seed + 9, shape) | blobs(seed, shape)
        found = centrelines(truth, guess)
        assert found.status == "ok"
        assert found.cldice == pytest.approx(by_definition(truth, guess), rel=1e-14)
        other = centrelines(guess, truth)
        assert (other.precision, other.sensitivity) == (found.sensitivity, found.precision)

    def test_itself(self):
        mask = blobs(4, (30, 30))
        assert centrelines(mask, mask).cldice == 1

    def test_a_break_is_seen(self):
        line = np.zeros((9, 60), bool)
        line[4, 2:58] = True
        broken = line.copy()
        broken[:, 20:34] = False
        found = centrelines(line, broken)
        assert (found.precision, found.sensitivity) == (1, 42 / 56)
        assert found.cldice == pytest.approx(2 * 0.75 / 1.75)

    def test_lines_that_never_meet(self):
        found = centrelines([[1, 1, 0, 0, 0]], [[0, 0, 0, 1, 1]])
        assert (found.status, found.precision, found.sensitivity, found.cldice) == ("ok", 0, 0, 0)

    def test_empty(self):
        nothing, line = np.zeros((3, 4), bool), np.eye(3, 4, dtype=bool)
        assert math.isnan(centrelines(nothing, nothing).cldice)
        for pair in ((nothing, line), (line, nothing)):
            found = centrelines(*pair)
            assert (found.status, found.precision, found.sensitivity, found.cldice) == ("one_empty", 0, 0, 0)
        assert "one_empty" in repr(found) and "clDice 1" in repr(centrelines(line, line))

    def test_each_label_is_a_mask(self):
        truth, guess = np.random.default_rng(0).integers(0, 3, (2, 20, 30))
        found = centrelines(truth, guess, labels=[2, 1, 7])
        assert list(found) == [2, 1, 7] and found[7] == Centrelines(0, 0, 0, 0)
        for label in (1, 2):
            assert found[label] == centrelines(truth == label, guess == label)

    def test_a_label_beyond_the_dtype_is_absent(self):
        truth = np.ones((3, 3), np.uint8)
        assert centrelines(truth, truth, labels=[257])[257].status == "both_empty"

    @pytest.mark.parametrize("dtype", ["uint8", "int16", "int64", "uint64"])
    def test_twin_dtypes_and_threads(self, dtype):
        truth, guess = (blobs(seed, (12, 14)).astype(dtype) for seed in (0, 1))
        found = centrelines(truth, guess, threads=1)
        assert centrelines(truth, guess, threads=7) == found
        with absent("native", "centrelines"), absent("native", "skeleton"):
            assert centrelines(truth, guess) == found

    @pytest.mark.parametrize(
        ("call", "error", "words"),
        [
            (lambda: skeleton([[0, 2]]), ValueError, "it has the label 2"),
            (lambda: skeleton(np.zeros((2, 2))), TypeError, "threshold"),
            (lambda: skeleton([1, 0]), ValueError, "picture"),
            (lambda: centrelines([[1]], [[1, 0]]), ValueError, r"\(1, 1\) and \(1, 2\)"),
            (lambda: centrelines([[1]], [[1]], labels=[1, 1]), ValueError, "once"),
            (lambda: centrelines([[1]], [[1]], threads=0), ValueError, "threads"),
        ],
    )
    def test_wrong_calls(self, call, error, words):
        with pytest.raises(error, match=words):
            call()
