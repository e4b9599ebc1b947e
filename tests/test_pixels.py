"""What all masks share: sizes, rows, refusals. Each of these once went wrong."""

import gc

import numpy as np
import pytest

import vesica
from vesica import Masks, RleMasks, SparseMasks, _native
from vesica._kernels.native import pixels as native_pixels
from vesica.errors import SizeValueError

LARGEST = (2**30 - 1, 2**30 - 1)


@pytest.fixture
def rle():
    return RleMasks([[1, 2], [3, 3], [0, 25]], size=(5, 5))


@pytest.fixture
def sparse():
    return SparseMasks([[0, 0, 2], [1, 2, 3], [4, 4, 0]], size=(3, 5, 5))


def test_concat_is_the_stack_of_all():
    """Its table, its words and its runs are those of all masks packed at once."""
    rng = np.random.default_rng(0)
    stack = (rng.random((9, 70, 80)) < rng.random((9, 1, 1))).astype(np.uint8)
    stack[3] = 0
    parts = [_native.masks_pack(stack[begin:end], 1) for begin, end in ((0, 2), (2, 2), (2, 7), (7, 9))]
    whole = _native.masks_pack(stack, 1)
    for stacks in (parts, [whole]):
        found = _native.Pixels.concat(stacks).__getstate__()
        assert all(np.array_equal(a, b) for a, b in zip(found, whole.__getstate__(), strict=True))


class TestSize:
    @pytest.mark.parametrize("size", [(2**30, 1), (0, 2**30), (2**62, 2**62), (2**70, 0)])
    def test_sides_that_boxes_cannot_have(self, size):
        with pytest.raises(SizeValueError, match=r"`size` must be of sides below 2\^30"):
            RleMasks([[]], size=size)
        with pytest.raises(SizeValueError, match=r"`size` must be of sides below 2\^30"):
            SparseMasks(np.empty((3, 0), int), size=(1, *size))

    def test_a_stack_without_pixels(self):
        """However wide its images are."""
        for width in (5, 2**29):
            masks = Masks(np.empty((3, 0, width), bool))
            assert masks.area.tolist() == [0, 0, 0]
            assert masks.to_rle().to_counts() == [[0], [0], [0]]
            assert masks.to_rle().to_masks().array.shape == (3, 0, width)
        with pytest.raises(SizeValueError, match=r"`masks` must be of sides below 2\^30"):
            Masks(np.empty((3, 0, 2**40), bool))

    @pytest.mark.parametrize("count", [2**32, 2**62, 2**70])
    def test_more_masks_than_can_be_numbered(self, count):
        with pytest.raises(SizeValueError, match=r"`size` must be of fewer than 2\^32 masks"):
            SparseMasks(np.empty((3, 0), int), size=(count, 4, 4))

    def test_the_largest_image(self):
        """Just under 2^60 pixels: strings, areas, boxes and pairs."""
        height, width = LARGEST
        pixels = height * width
        masks = RleMasks([[0, pixels], [pixels - 3, 2], [], [0, height * 2**29]], size=LARGEST)
        assert masks.area.tolist() == [pixels, 2, 0, height * 2**29]
        assert masks.boxes.xyxy.tolist()[1] == [width - 1, height - 3, width, height - 1]
        assert RleMasks(masks.to_strings(), size=LARGEST).to_counts() == masks.to_counts()
        assert vesica.iou(masks, masks)[0].tolist() == pytest.approx([1, 2 / pixels, 0, 2**29 / width], rel=1e-15)
        assert vesica.parts(masks, [[0, 0, width, height]]).inter[:, 0].tolist() == [float(a) for a in masks.area]

    def test_dense_beyond_memory(self):
        with pytest.raises(MemoryError, match="stay with run lengths"):
            RleMasks([[]] * 100, size=LARGEST).to_masks()


class TestTwin:
    def test_booleans(self, xp):
        """Which the array API compares with no number."""
        stack = np.random.default_rng(0).random((3, 5, 7)) < 0.5
        masks, exact = Masks(xp(stack, "bool")), Masks(stack)
        assert np.array_equal(xp.back(masks.area), exact.area)
        assert np.array_equal(xp.back(masks.boxes.xyxy), exact.boxes.xyxy)
        assert np.array_equal(xp.back(vesica.iou(masks, masks)), vesica.iou(exact, exact))


class TestRows:
    @pytest.mark.parametrize(
        "index", [0, -1, slice(1, 3), [2, 0], np.array([True, False, True]), [], np.array([1, 1])], ids=repr
    )
    def test_as_numpy_takes_them(self, rle, sparse, index):
        for masks in (rle, sparse):
            taken = masks[index]
            assert np.array_equal(taken.area, np.atleast_1d(masks.area[index]))
            assert np.array_equal(taken.to_masks().array, masks.to_masks().array[np.atleast_1d(np.arange(3)[index])])

    @pytest.mark.parametrize("index", [(0, 1), (slice(None), slice(3)), None, np.array([[0, 1]]), 3, 0.5], ids=repr)
    def test_rows_alone(self, rle, sparse, index):
        """A second axis would reach into the tables that kernels read."""
        for masks in (rle, sparse):
            with pytest.raises(IndexError):
                masks[index]


class TestRle:
    def test_counts_are_read_only(self, rle):
        """Kernels trust them."""
        for masks in (rle, rle.to_masks().to_rle(), rle[1:], rle.union()):
            with pytest.raises(ValueError, match="read-only"):
                masks.counts[0] = 10**6
            with pytest.raises(ValueError, match="read-only"):
                masks.offsets[0] = 10**6

    def test_given_arrays_stay_writable(self):
        counts, offsets = np.array([2, 3]), np.array([0, 2])
        RleMasks.from_arrays(counts, offsets, size=(5, 5))
        assert counts.flags.writeable and offsets.flags.writeable

    @pytest.mark.parametrize("bad", [[1, 2**63 - 1, 3, -(2**63)], [1, 2, 3, -1], [1, 2, 0.5], [26]], ids=str)
    def test_a_bad_list_among_strings(self, bad):
        with pytest.raises(ValueError, match="`counts` of mask 1 must"):
            RleMasks(["0", bad], size=(5, 5))

    def test_lists_among_strings(self):
        mixed = RleMasks(["0140050K0", [2, 0, 3, 4], b"", [0, 25]], size=(5, 5))
        assert mixed.to_counts() == [[0, 1, 4, 1, 4, 6, 4, 1, 4], [5, 4, 16], [25], [0, 25]]

    def test_long_numbers_in_strings(self):
        """Sixty bits and a sign: the thirteenth group may hold nothing else."""
        assert RleMasks([b"PPPPPPPPPPPP0"], size=(5, 5)).area.tolist() == [0]
        for text in (b"PPPPPPPPPPPP1", b"PPPPPPPPPPPPP0", b"oooooooooooooo"):
            with pytest.raises(ValueError, match="more than 60 bits"):
                RleMasks([text], size=(5, 5))

    @pytest.mark.parametrize("other", [5, [[1, 2]], Masks(np.ones((3, 5, 5), bool))], ids=["number", "list", "masks"])
    def test_merge_with_something_else(self, rle, other):
        with pytest.raises(TypeError, match="`other` must be RleMasks"):
            rle.union(other)

    @pytest.mark.parametrize(
        "call, named",
        [
            (lambda: RleMasks(np.array(5), size=(5, 5)), "`counts`"),
            (lambda: RleMasks.from_arrays([1, 2], [0, 1.5], size=(5, 5)), "`offsets`"),
            (lambda: RleMasks.from_arrays([1, 2], "ab", size=(5, 5)), "`offsets`"),
            (lambda: RleMasks.from_coco(5), "`segmentations`"),
            (lambda: RleMasks.from_coco({"size": [5, 5], "counts": "0"}), "`segmentations`"),
            (lambda: RleMasks.from_coco([{"size": [5, 5], "counts": "0"}, {"size": 5, "counts": "0"}]), "mask 1"),
        ],
    )
    def test_refusals_name_the_argument(self, call, named):
        with pytest.raises((TypeError, ValueError), match=named):
            call()


class TestSparse:
    def test_values_of_several_pixels(self):
        """Dropping none of them is the common case."""
        masks = SparseMasks([[0, 0, 1], [1, 2, 3], [4, 4, 0]], [7, 1, 2], size=(2, 5, 5))
        assert masks.area.tolist() == [2, 1]
        assert SparseMasks([[0, 0, 1], [1, 2, 3], [4, 4, 0]], [7, 0, 2], size=(2, 5, 5)).area.tolist() == [1, 1]

    def test_indices_of_many_large_images(self):
        """Positions over all masks are more than 64 bits count."""
        table = np.array([[layer, 5, 7 * layer] for layer in range(40)]).T
        assert np.array_equal(SparseMasks(table, size=(40, *LARGEST)).indices, table)

    @pytest.mark.parametrize(
        "indices, values, named",
        [([[1], [1, 2], [3]], None, "`indices`"), ([[0], [1], [2]], [[1], [1, 2]], "`values`")],
    )
    def test_ragged(self, indices, values, named):
        with pytest.raises(SizeValueError, match=f"{named} must have rows of one length"):
            SparseMasks(indices, values, size=(1, 5, 5))

    def test_tables_of_sums_far_down(self):
        """Many boxes over a small mask at the end of the largest image."""
        height, width = LARGEST
        y, x = (index.ravel() for index in np.mgrid[height - 9 : height, width - 9 : width])
        masks = SparseMasks([np.zeros_like(y), y, x], size=(1, *LARGEST))
        boxes = [[width - 9 + k / 4, height - 9 + k / 8, width - 1, height - 1.5] for k in range(30)] * 20
        expected = [(8 - k / 4) * (7.5 - k / 8) for k in range(30)] * 20
        assert vesica.parts(masks, boxes).inter[0].tolist() == pytest.approx(expected, rel=1e-12)


class TestKernel:
    def test_stacks_behind_each_other(self):
        """Words and runs of each keep their places."""
        dense = np.random.default_rng(1).random((6, 70, 9)) < 0.3
        runs, bits = RleMasks.from_masks(dense[:4]).pixels(), Masks(dense[4:]).pixels()
        together = _native.Pixels.concat([runs, bits, runs])
        expected = np.concatenate([dense, dense[:4]])
        assert together.area.tolist() == expected.sum((1, 2)).tolist()
        assert np.array_equal(native_pixels.unpack_masks(together), expected)
        assert np.array_equal(native_pixels.unpack_masks(together.rows(slice(3, 7))), expected[3:7])
        assert np.array_equal(native_pixels.unpack_masks(together.take(np.array([9, 0]))), expected[[9, 0]])

    def test_tables_outlive_their_pixels(self):
        pixels = RleMasks.from_masks(np.ones((2, 3, 4), bool)).pixels().rows(slice(1, 2))
        table, runs = pixels.table, pixels.runs
        del pixels
        gc.collect()
        assert table[:, :5].tolist() == [[12, 0, 0, 4, 3]] and runs.tolist() == [[0, 12], [0, 12]]
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 1

    def test_the_first_rows_of_the_same_table(self):
        """They begin where the table begins, and are not the table."""
        masks = RleMasks.from_masks(np.random.default_rng(0).random((5, 20, 20)) < 0.5).pixels()
        first = masks.rows(slice(2))
        whole, some, turned = (np.empty(shape, np.int64) for shape in ((5, 5), (2, 5), (5, 2)))
        for a, b, out in ((masks, masks, whole), (first, masks, some), (masks, first, turned)):
            _native.masks_inter(a, b, out, 1)
        assert np.array_equal(some, whole[:2]) and np.array_equal(turned, whole[:, :2])
