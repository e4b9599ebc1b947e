"""Boundary IoU: against erosions by OpenCV and SciPy, the twin, detection's own, and numbers found by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import ndimage

import vesica
from backends import absent, forbidden
from vesica.segmentation import BoundaryBands, boundary_bands


def masks(axes):
    return hnp.array_shapes(min_dims=axes, max_dims=axes, min_side=1, max_side=9).flatmap(
        lambda shape: st.tuples(*[hnp.arrays(bool, shape, elements=st.booleans())] * 2)
    )


def band(mask, width):
    """What erosions by a cube of three take away; beyond the image nothing belongs to the mask."""
    cube = np.ones((3,) * mask.ndim, bool)
    return mask & ~ndimage.binary_erosion(mask, cube, iterations=width)


def reference(truth, guess, width):
    a, b = band(truth, width), band(guess, width)
    either = (a | b).sum()
    return (a & b).sum() / either if either else math.nan


def squares():
    truth, guess = np.zeros((2, 32, 32), bool)
    truth[8:20, 8:20] = guess[9:21, 8:20] = True
    return truth, guess


class TestIou:
    def test_by_hand(self):
        found = boundary_bands(*squares())
        assert found.truth.tolist() == [44, 36, 28, 20, 12, 4] == found.guess.tolist()
        assert found.iou(6) == found.iou(1000) == 132 / 156  # the masks themselves
        assert found.iou(1) == 22 / 66

    @pytest.mark.parametrize("axes", [2, 3])
    @given(data=st.data())
    def test_equals_erosions(self, axes, data):
        truth, guess = data.draw(masks(axes))
        found = boundary_bands(truth, guess)
        for width in (1, 2, 3, 9):
            want = reference(truth, guess, width)
            assert found.iou(width) == want or (math.isnan(want) and math.isnan(found.iou(width)))

    @pytest.mark.parametrize("shape", [(60, 90), (300, 400)])
    def test_equals_the_published_one(self, shape):
        """By OpenCV, as the authors do: a border of one pixel, and as many erosions as 2 % of the diagonal."""
        rng = np.random.default_rng(0)
        truth, guess = (ndimage.gaussian_filter(rng.normal(size=shape), 6) > 0 for _ in range(2))
        width = max(1, round(0.02 * math.hypot(*shape)))
        cv2 = pytest.importorskip("cv2")
        bands = []
        for mask in (truth, guess):
            padded = cv2.copyMakeBorder(mask.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
            eroded = cv2.erode(padded, np.ones((3, 3), np.uint8), iterations=width)[1:-1, 1:-1]
            bands.append(mask & (eroded == 0))
        want = (bands[0] & bands[1]).sum() / (bands[0] | bands[1]).sum()
        assert boundary_bands(truth, guess).iou() == boundary_bands(truth, guess).iou("2%") == want

    def test_equals_that_of_detection(self):
        """One object: matching by boundary finds it from its own IoU on, and not above."""
        truth, guess = np.zeros((2, 200, 300), bool)
        truth[20:180, 40:260] = True
        guess[23:180, 40:255] = True
        value = boundary_bands(truth, guess).iou("2%")
        assert value < vesica.segmentation.boundary_bands(truth, guess).iou(1000)  # so it is the smaller of both
        sides = [
            vesica.Dataset.from_arrays(image=[1], masks=mask[None], sizes=(200, 300), score=score)
            for mask, score in ((truth, None), (guess, [1.0]))
        ]
        for at, found in ((value - 1e-9, 1), (value + 1e-9, 0)):
            result = vesica.evaluate(*sides, regions="boundary", iou=[at])
            assert result.counts().total().tp == found

    def test_widest_is_mask_iou(self):
        rng = np.random.default_rng(1)
        truth, guess = rng.integers(0, 2, (2, 30, 40), dtype=np.uint8)
        result = vesica.evaluate_segmentation(truth, guess, background=0)
        assert boundary_bands(truth, guess).iou(100) == result["mIoU"]


class TestEmpty:
    def test_sides(self):
        nothing, dot = np.zeros((3, 4), bool), np.eye(3, 4, dtype=bool)
        both = boundary_bands(nothing, nothing)
        assert both.status == "both_empty" and math.isnan(both.iou()) and "both_empty" in repr(both)
        for pair in ((nothing, dot), (dot, nothing)):
            found = boundary_bands(*pair)
            assert (found.status, found.iou(1), found.iou()) == ("one_empty", 0, 0)

    def test_no_pixels_at_all(self):
        assert boundary_bands(np.zeros((0, 4), bool), np.zeros((0, 4), bool)).status == "both_empty"


class TestKernels:
    @pytest.mark.parametrize("shape", [(14, 17), (6, 7, 9), (1, 12, 5)])
    def test_twin_and_threads(self, shape):
        truth, guess = np.random.default_rng(3).integers(0, 3, (2, *shape))
        found = boundary_bands(truth, guess, labels=[0, 2, 9], threads=1)
        assert boundary_bands(truth, guess, labels=[0, 2, 9], threads=5) == found
        assert found[2] == boundary_bands(truth == 2, guess == 2)
        with absent("native", "bands"):
            assert boundary_bands(truth, guess, labels=[0, 2, 9]) == found

    def test_a_label_beyond_the_dtype_is_absent(self):
        assert (
            boundary_bands(np.ones((3, 3), np.uint8), np.ones((3, 3), np.uint8), labels=[257])[257].status
            == "both_empty"
        )

    def test_native_serves_arrays_and_tensors(self):
        torch = pytest.importorskip("torch")
        truth, guess = squares()
        with forbidden("generic"):
            assert boundary_bands(torch.tensor(truth), torch.tensor(guess)) == boundary_bands(truth, guess)


@pytest.mark.parametrize(
    ("width", "error"),
    [
        (0, ValueError),
        (-1, ValueError),
        (1.5, TypeError),
        (True, TypeError),
        ("2", ValueError),
        ("0%", ValueError),
        ("x%", ValueError),
    ],
)
def test_wrong_widths(width, error):
    with pytest.raises(error, match="2%"):
        boundary_bands(*squares()).iou(width)


def test_repr():
    assert repr(boundary_bands(*squares())) == "<BoundaryBands: 144 and 144 pixels, boundary IoU(2%) 0.333333>"
    assert isinstance(boundary_bands(*squares()), BoundaryBands)
