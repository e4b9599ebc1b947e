"""Shapes laid on each other, and max-IoU assignment: the whole matrix, without the matrix."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import strategies
from vesica import Boxes, RotatedBoxes, SizeValueError, _native, anchors, iou

YOLO = [[10, 13], [16, 30], [33, 23], [30, 61], [62, 45], [59, 119], [116, 90], [156, 198], [373, 326]]


class TestModule:
    def test_is_reached_by_name(self):
        import vesica

        assert vesica.anchors.cluster is anchors.cluster
        assert all(getattr(anchors, name).__doc__ for name in ("Anchors", "Assigned", "assign", "cluster", "shape_iou"))


class TestShapeIou:
    def test_worked_numbers(self):
        want = [0.021667, 0.08, 0.1265, 0.298507, 0.465, 0.373378, 0.574713, 0.19425, 0.049343]
        assert anchors.shape_iou([[100, 60]], YOLO).round(6).tolist() == [want]

    @given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=8))
    def test_boxes_with_one_centre(self, shapes):
        """Halves of whole numbers are exact, so both have every digit."""
        centred = Boxes([[0, 0, w, h] for w, h in shapes], "cxcywh")
        assert np.array_equal(anchors.shape_iou(shapes, shapes[::-1]), iou(centred, centred)[:, ::-1])

    def test_same_in_every_library(self, xp):
        found = anchors.shape_iou(xp(YOLO), xp([[100, 60], [0, 4]]))
        assert xp.back(found).tolist() == anchors.shape_iou(YOLO, [[100, 60], [0, 4]]).tolist()

    def test_empty(self, xp):
        none = xp(np.zeros((0, 2)))
        assert tuple(anchors.shape_iou(none, xp(YOLO)).shape) == (0, 9)
        assert tuple(anchors.shape_iou(xp(YOLO), none).shape) == (9, 0)
        assert anchors.shape_iou([], []).shape == (0, 0)

    def test_gradient(self):
        torch = pytest.importorskip("torch")
        a = torch.tensor(YOLO[:3], dtype=torch.float64, requires_grad=True)
        b = torch.tensor([[20.0, 21.0], [50, 17]], dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(anchors.shape_iou, (a, b))

    def test_float16_is_widened(self):
        assert anchors.shape_iou(np.float16([[300, 300]]), np.float16([[300, 300]])).tolist() == [[1.0]]

    @pytest.mark.parametrize("name, arguments", [("a", ([[-1, 1]], YOLO)), ("b", (YOLO, [[1, 1], [np.nan, 1]]))])
    def test_refused(self, name, arguments):
        with pytest.raises(ValueError, match=f"`{name}` row "):
            anchors.shape_iou(*arguments)


# One truth, and anchors that share 1 to 20 of 20 squares with it.
TWENTIETHS = [[0, 0, k, 1] for k in range(1, 21)]


class TestAssign:
    @given(
        strategies.tables(0, 8, dtype="int64"),
        strategies.tables(0, 6, dtype="int64"),
        st.tuples(st.integers(1, 20), st.integers(1, 20)).map(sorted),
        st.booleans(),
    )
    def test_is_the_whole_matrix(self, boxes, truths, limits, low_quality):
        low, high = limits
        found = anchors.assign(boxes, truths, positive=high / 20, negative=low / 20, low_quality=low_quality)
        want = oracles.assigned(boxes.tolist(), truths.tolist(), Fraction(high, 20), Fraction(low, 20), low_quality)
        assert found.truth.tolist() == want
        highest = [max((float(oracles.iou(a, t)) for t in truths.tolist()), default=0.0) for a in boxes.tolist()]
        assert found.value.tolist() == highest

    @given(strategies.tables(0, 30), strategies.tables(0, 9), st.booleans())
    def test_native_is_its_twin(self, boxes, truths, low_quality):
        strict = pytest.importorskip("array_api_strict")
        for dtype in ("float64", "float32", "int64"):
            rows = [Boxes(side.astype(dtype), check=False) for side in (boxes, truths)]
            twins = [Boxes(strict.asarray(side.astype(dtype)), check=False) for side in (boxes, truths)]
            here = anchors.assign(*rows, positive=0.5, negative=0.3, low_quality=low_quality)
            there = anchors.assign(*twins, positive=0.5, negative=0.3, low_quality=low_quality)
            assert np.asarray(there.truth).tolist() == here.truth.tolist()
            assert (
                np.asarray(there.value).tolist() == here.value.tolist()
                and here.value.dtype == there.value.dtype._np_dtype
            )

    @pytest.mark.parametrize("t", range(1, 20))
    def test_every_tie(self, xp, t):
        """iou is exactly k / 20, which floats cannot say."""
        found = anchors.assign(xp(TWENTIETHS), xp([[0, 0, 20, 1]]), positive=t / 20, negative=t / 20, low_quality=False)
        assert xp.back(found.truth).tolist() == [-1] * (t - 1) + [0] * (21 - t)
        between = anchors.assign(xp(TWENTIETHS), xp([[0, 0, 20, 1]]), positive=1, negative=t / 20, low_quality=False)
        assert xp.back(between.truth).tolist() == [-1] * (t - 1) + [-2] * (20 - t) + [0]

    def test_equal_truths_go_to_the_lower_row(self, xp):
        box = [[0, 0, 4, 4]]
        assert xp.back(anchors.assign(xp(box), xp(box * 3)).truth).tolist() == [0]

    def test_low_quality_keeps_the_own_best(self, xp):
        """The only anchor near the second truth is nearer to the first: it is positive, for the first."""
        rows, truths = xp([[0, 0, 10, 10], [50, 0, 60, 10]]), xp([[0, 0, 10, 6], [0, 0, 10, 1]])
        assert xp.back(anchors.assign(rows, truths).truth).tolist() == [0, -1]
        assert xp.back(anchors.assign(rows, truths, low_quality=False).truth).tolist() == [-2, -1]

    def test_all_that_attain_the_maximum_are_positive(self, xp):
        rows = xp([[0, 0, 4, 4], [8, 0, 12, 4], [4, 0, 8, 4], [90, 90, 91, 91]])
        found = anchors.assign(rows, xp([[2, 0, 10, 4]]))
        assert xp.back(found.truth).tolist() == [-1, -1, 0, -1]
        found = anchors.assign(rows[:2, ...], xp([[2, 0, 10, 4]]))
        assert xp.back(found.truth).tolist() == [0, 0]

    def test_a_truth_that_nobody_meets_makes_nobody_positive(self, xp):
        found = anchors.assign(xp([[0, 0, 4, 4]]), xp([[4, 0, 8, 4], [9, 9, 9, 9]]))
        assert xp.back(found.truth).tolist() == [-1] and xp.back(found.value).tolist() == [0]

    def test_lots(self):
        found = anchors.assign([[0, 0, 4, 4], [0, 0, 4, 2], [9, 9, 10, 10]], [[0, 0, 4, 4]])
        assert found.truth.tolist() == [0, -2, -1]
        assert found.is_positive.tolist() == [True, False, False]
        assert found.is_background.tolist() == [False, False, True]


class TestBatches:
    def test_each_image_is_alone(self, xp):
        rng = np.random.default_rng(0)
        boxes, truths = crowd(rng, 200), crowd(rng, 60)
        offsets = [0, 7, 7, 40, 60]
        found = anchors.assign(xp(boxes), xp(truths), offsets=offsets)
        truth, value = xp.back(found.truth), xp.back(found.value)
        assert truth.shape == (4, 200)
        for k, (begin, end) in enumerate(itertools.pairwise(offsets)):
            one = anchors.assign(boxes, truths[begin:end])
            assert np.where(one.truth >= 0, one.truth + begin, one.truth).tolist() == truth[k].tolist()
            assert one.value.tolist() == value[k].tolist()

    def test_empty(self, xp):
        none, some = xp(np.zeros((0, 4))), xp([[0, 0, 1, 1]])
        assert xp.back(anchors.assign(some, none).truth).tolist() == [-1]
        assert tuple(anchors.assign(none, some).truth.shape) == (0,)
        assert tuple(anchors.assign(none, some, offsets=[0, 1, 1]).truth.shape) == (2, 0)
        nothing = anchors.assign(some, none, offsets=[0])
        assert tuple(nothing.truth.shape) == tuple(nothing.value.shape) == (0, 1)
        assert xp.back(anchors.assign(some, none, offsets=[0, 0, 0]).truth).tolist() == [[-1], [-1]]


class TestSameEverywhere:
    def everything(self, threads):
        rng = np.random.default_rng(1)
        boxes, truths = crowd(rng, 1000), crowd(rng, 700)
        answers = []
        for dtype in ("float32", "float64", "int64"):
            for offsets in (None, [0, 100, 700], np.arange(0, 701, 70)):
                found = anchors.assign(boxes.astype(dtype), truths.astype(dtype), offsets=offsets, threads=threads)
                answers += [found.truth.tobytes(), found.value.tobytes()]
        return answers

    def test_threads(self):
        one = self.everything(1)
        assert all(self.everything(threads) == one for threads in (2, 3, 7, 900))

    def test_instruction_sets(self):
        try:
            answers = []
            for name in ("avx512", "avx2", "baseline"):
                _native.limit_isa(name)
                answers.append(self.everything(2))
        finally:
            _native.limit_isa("avx512")
        assert answers[0] == answers[1] == answers[2]

    def test_dtype_comes_back(self, xp):
        for dtype in ("float16", "float32", "float64")[xp.name == "array-api-strict" :]:  # which has no float16
            found = anchors.assign(xp([[0, 0, 4, 4]], dtype), xp([[0, 0, 4, 3]], dtype))
            assert str(found.value.dtype).endswith(dtype) and "int64" in str(found.truth.dtype)

    def test_float32_is_decided_in_float64(self, xp):
        """In float32 these two would be one value, and the lower row would win."""
        rows, truths = xp([[0, 0, 3000, 3000]], "float32"), xp([[0, 0, 3000, 2999], [0, 0, 3000, 2999.0002]], "float32")
        assert xp.back(anchors.assign(rows, truths).truth).tolist() == [1]


class TestDelegation:
    def test_cpu_is_native(self, no_twin):
        torch = pytest.importorskip("torch")
        for rows in (np.array([[0.0, 0, 1, 1]]), torch.tensor([[0.0, 0, 1, 1]])):
            assert anchors.assign(rows, rows).truth.tolist() == [0]

    def test_jax_outside_a_trace_is_native(self, no_twin):
        jnp = pytest.importorskip("jax.numpy")
        rows = jnp.asarray([[0.0, 0, 1, 1]])
        found = anchors.assign(rows, rows)
        assert found.truth.tolist() == [0] and type(found.truth) is type(found.value) is type(rows)

    def test_gradient_and_others_are_generic(self, no_native):
        torch, strict = pytest.importorskip("torch"), pytest.importorskip("array_api_strict")
        x = torch.tensor([[0.0, 0, 1, 1]], requires_grad=True)
        assert anchors.assign(x, x.detach()).value.requires_grad
        rows = strict.asarray([[0.0, 0, 1, 1]])
        assert int(anchors.assign(rows, rows).truth[0]) == 0

    @pytest.mark.compile
    def test_jit(self):
        jax = pytest.importorskip("jax")
        rng = np.random.default_rng(0)
        boxes, truths = crowd(rng, 50), crowd(rng, 9)
        found = jax.jit(lambda a, t: anchors.assign(a, t).truth)(jax.numpy.asarray(boxes), jax.numpy.asarray(truths))
        assert np.asarray(found).tolist() == anchors.assign(boxes, truths).truth.tolist()

    def test_unchecked_rows_do_no_harm(self, xp):
        strange = [[np.nan, 0, 1, 1], [3, 3, 1, 1], [0, 0, 1, np.nan], [0, 0, 4, 4]]
        boxes, truths = Boxes(xp(strange), check=False), Boxes(xp(strange[::-1]), check=False)
        assert xp.back(anchors.assign(boxes, truths).truth).tolist()[3] == 0


class TestRefused:
    BOX = [[0, 0, 1, 1]]

    @pytest.mark.parametrize(
        "options, message",
        [
            ({"positive": 0.3, "negative": 0.5}, "`negative` must not exceed `positive`; got 0.5 and 0.3"),
            ({"positive": 70}, "`positive` must lie in \\(0, 1\\]; got 70. Divide a percentage by 100"),
            ({"negative": 0}, "`negative` must lie in \\(0, 1\\]"),
            ({"threads": 0}, "`threads` must be a whole number above 0"),
            ({"offsets": [0, 2]}, "`offsets` must rise from 0 to the 1 rows of `truths`; got \\[0, 2\\]"),
            ({"offsets": [0, 1, 0, 1]}, "`offsets` must rise"),
            ({"offsets": [1, 1]}, "`offsets` must rise"),
        ],
    )
    def test_options(self, options, message):
        with pytest.raises(ValueError, match=message):
            anchors.assign(self.BOX, self.BOX, **options)

    def test_sizes_are_size_errors(self):
        with pytest.raises(SizeValueError):
            anchors.assign(self.BOX, self.BOX, offsets=[0, 2])

    @pytest.mark.parametrize("offsets", [[], 1, [0.0, 1.0], [[0, 1]]])
    def test_offsets_of_another_kind(self, offsets):
        with pytest.raises(TypeError, match="`offsets` must be whole numbers, one more than there are images"):
            anchors.assign(self.BOX, self.BOX, offsets=offsets)

    def test_rows(self):
        with pytest.raises(ValueError, match="`truths` row 0 is inverted"):
            anchors.assign(self.BOX, [[3, 0, 1, 1]])
        with pytest.raises(ValueError, match=r"`anchors` must be one table"):
            anchors.assign(np.array([self.BOX, self.BOX], float), self.BOX)
        with pytest.raises(TypeError, match="`anchors` must be upright boxes; got RotatedBoxes"):
            anchors.assign(RotatedBoxes([[0, 0, 1, 1, 0]], unit="deg", direction="cw"), self.BOX)

    def test_libraries(self):
        torch = pytest.importorskip("torch")
        with pytest.raises(TypeError, match="`anchors` and `truths` must be arrays of one library"):
            anchors.assign(torch.tensor(self.BOX), np.array(self.BOX))


def crowd(rng, count):
    """Boxes with whole corners, close enough for ties."""
    corner = rng.integers(0, 60, (count, 2))
    return np.concatenate([corner, corner + rng.integers(0, 20, (count, 2))], axis=1).astype(float)
