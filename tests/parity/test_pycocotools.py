"""Run lengths as pycocotools 2.0.11 has them: equal on sound input to the last bit, right where that tool is not."""

import numpy as np
import pytest

import vesica
from vesica import Masks, RleMasks, SparseMasks
from vesica.errors import SizeValueError

coco = pytest.importorskip("pycocotools.mask")
# Its decoder has not heard of NumPy 2.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

SIZES = [(1, 1), (1, 9), (9, 1), (7, 13), (63, 5), (64, 64), (65, 66), (128, 31), (200, 150)]


def stacks(seed, size, count=300):
    """Noise of every density, and rectangles with holes."""
    rng = np.random.default_rng(seed)
    noise = rng.random((count, *size)) < rng.choice([0.0, 0.02, 0.3, 0.7, 1.0], (count, 1, 1))
    y, x = np.mgrid[: size[0], : size[1]]
    y1, x1, y2, x2 = (rng.integers(0, limit + 1, (count, 1, 1)) for limit in (*size, *size))
    inside = (y1 <= y) & (y < y2) & (x1 <= x) & (x < x2)
    return np.where(np.arange(count)[:, None, None] % 2, inside & (rng.random((count, *size)) < 0.97), noise)


def encoded(stack):
    return coco.encode(np.asfortranarray(stack.transpose(1, 2, 0).astype(np.uint8)))


@pytest.mark.parametrize("size", SIZES, ids=str)
class TestEqual:
    def test_strings(self, size):
        """Written alike, and read back alike from what the other wrote."""
        stack = stacks(0, size)
        theirs, ours = encoded(stack), RleMasks.from_masks(stack)
        assert ours.to_coco() == theirs
        assert RleMasks.from_coco(theirs).to_counts() == ours.to_counts()
        assert np.array_equal(coco.decode(ours.to_coco()).transpose(2, 0, 1), stack)
        assert np.array_equal(RleMasks.from_coco(theirs).to_masks().array, stack)

    def test_plain_counts(self, size):
        masks = RleMasks.from_masks(stacks(1, size, 50))
        assert [coco.frPyObjects(one, *size) for one in masks.to_coco(compressed=False)] == masks.to_coco()

    def test_area_and_boxes(self, size):
        stack = stacks(2, size, 200)
        theirs, ours = encoded(stack), RleMasks.from_masks(stack)
        x, y, w, h = coco.toBbox(theirs).T
        for masks in (ours, Masks(stack), SparseMasks.from_masks(stack)):
            assert np.array_equal(masks.area, coco.area(theirs))
            filled = masks.area > 0  # of an empty mask theirs depends on the version; ours is four zeros
            assert np.array_equal(masks.boxes.xyxy[filled], np.stack([x, y, x + w, y + h], axis=1)[filled])
            assert not masks.boxes.xyxy[~filled].any()

    def test_iou(self, size):
        """The rows are guesses and the columns truth; against a crowd it is the share of the guess that is covered."""
        a, b = stacks(3, size, 60), stacks(4, size, 70)
        guess, truth = RleMasks.from_coco(encoded(a)), RleMasks.from_coco(encoded(b))
        plain = coco.iou(encoded(a), encoded(b), [False] * len(b))
        crowd = coco.iou(encoded(a), encoded(b), [True] * len(b))
        for ours in ((guess, truth), (Masks(a), truth), (guess, SparseMasks.from_masks(b))):
            assert np.array_equal(vesica.iou(*ours), np.nan_to_num(plain))
            assert np.array_equal(vesica.coverage(*ours), np.nan_to_num(crowd))

    def test_merge(self, size):
        stack = stacks(5, size, 40)
        masks = RleMasks.from_masks(stack)
        for few in (1, 2, 3, 7):
            groups = range(0, len(stack) - few, few)
            for merge, intersect in ((RleMasks.union, False), (RleMasks.intersection, True)):
                ours = [merge(masks[top : top + few]).to_coco()[0] for top in groups]
                assert ours == [coco.merge(encoded(stack[top : top + few]), intersect) for top in groups]
            pairwise = masks[:-1].union(masks[1:]).to_coco()
        assert pairwise == [coco.merge(encoded(stack[k : k + 2])) for k in range(len(stack) - 1)]


class TestRight:
    """Where pycocotools is not."""

    def test_runs_of_length_zero(self):
        """There they end the comparison: it finds 1."""
        masks = RleMasks([[2, 3, 0, 4, 1], [2, 3, 0, 2, 3]], size=(2, 5))
        assert masks.area.tolist() == [7, 5]
        assert vesica.iou(masks, masks).tolist() == [[1, 5 / 7], [5 / 7, 1]]
        assert masks.union().to_counts() == [[2, 7, 1]]
        assert masks.intersection().to_counts() == [[2, 5, 3]]
        assert masks.to_strings() == [b"271", b"253"]

    def test_short_counts(self):
        """What is missing is background, on whichever side it is."""
        masks = RleMasks([[2, 3], [4, 6], [], [10]], size=(2, 5))
        assert masks.area.tolist() == [3, 6, 0, 0]
        assert vesica.iou(masks, masks)[0].tolist() == [1, 1 / 8, 0, 0]
        assert masks.boxes.xyxy.tolist() == [[1, 0, 3, 2], [2, 0, 5, 2], [0, 0, 0, 0], [0, 0, 0, 0]]
        assert masks.to_strings() == [b"235", b"46", b":", b":"]

    @pytest.mark.parametrize("count", [255, 256, 257, 1000])
    def test_many_masks_in_one_call(self, count):
        """There an overflow from 256 on."""
        assert RleMasks([[2, 3]] * count, size=(2, 5)).area.tolist() == [3] * count

    @pytest.mark.parametrize("fill", [0, 1], ids=["empty", "full"])
    def test_images_of_different_sizes(self, fill):
        """There −1 where boxes meet, and 0 where not."""
        a, b = RleMasks([[24 * (1 - fill), 24 * fill]], size=(4, 6)), RleMasks([[0, 24]], size=(6, 4))
        for call in (vesica.iou, vesica.coverage, vesica.parts):
            with pytest.raises(SizeValueError, match="4×6 and 6×4"):
                call(a, b)
        with pytest.raises(SizeValueError):
            a.union(b)

    def test_values_beyond_one(self):
        """There every new value ends a run, and 0, 1, 2, 255 has area 2."""
        stack = np.array([[[0, 1, 2, 255]]], np.uint8)
        assert Masks(stack).area.tolist() == RleMasks.from_masks(stack).area.tolist() == [3]
        assert RleMasks.from_masks(stack).to_counts() == [[1, 3]]

    def test_large_images(self):
        """There counts have 32 bits."""
        size, pixels = (70_000, 70_000), 70_000**2
        masks = RleMasks([[0, pixels], [2**32 + 5, 7], [pixels - 1, 1]], size=size)
        assert masks.area.tolist() == [pixels, 7, 1]
        x, y = divmod(2**32 + 5, 70_000)
        assert masks.boxes.xyxy.tolist() == [[0, 0, *size], [x, y, x + 1, y + 7], [69_999, 69_999, *size]]
        assert RleMasks(masks.to_strings(), size=size).to_counts() == masks.to_counts()
        assert vesica.iou(masks, masks)[0].tolist() == [1, 7 / pixels, 1 / pixels]
