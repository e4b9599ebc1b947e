"""Sparse masks: the seeds' six scenarios, fractional edges, and everything that can be wrong with an index."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import strategies
from vesica import Boxes, Masks, RleMasks, SizeValueError, SparseMasks, best, dice, iou, join, parts

T = [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 2), (3, 2), (4, 2)]
CROSS = [(1, 2), (2, 1), (2, 2), (2, 3), (3, 2)]
RECTS = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 1), (2, 2)]
ELL = [(2, 4), (3, 4), (4, 2), (4, 3), (4, 4)]


def sparse(layers, height, width):
    """Layers of (y, x)."""
    columns = [(n, y, x) for n, layer in enumerate(layers) for y, x in layer]
    table = np.array(columns, np.int64).reshape(-1, 3).T
    return SparseMasks(table, size=(len(layers), height, width))


class TestScenarios:
    """Seeds 000 and 001; the fractions are theirs."""

    CASES = {
        "1": ([T, CROSS, RECTS], (5, 5), [1, 1, 4, 4], [9, 5, 7], [3, 5, 4], ["3/15", "5/9", "4/12"]),
        "2": (
            [[*T, (5, 2)], [*CROSS, (4, 2)], [*RECTS, (3, 1), (3, 2)]],
            (6, 5),
            [1, 1, 4, 5],
            [10, 6, 9],
            [4, 6, 6],
            ["4/18", "6/12", "6/15"],
        ),
        "5": ([CROSS, ELL], (5, 5), [1, 1, 4, 4], [5, 5], [5, 0], ["5/9", "0/14"]),
        "6": ([CROSS, [], ELL], (5, 5), [1, 1, 4, 4], [5, 0, 5], [5, 0, 0], ["5/9", "0", "0/14"]),
    }

    @pytest.mark.parametrize("name", CASES)
    def test_values(self, name):
        layers, size, box, total, inside, shares = self.CASES[name]
        masks = sparse(layers, *size)
        assert masks.area.tolist() == total
        assert parts(masks, [box]).inter[:, 0].tolist() == inside
        assert iou(masks, [box])[:, 0].tolist() == [float(Fraction(share)) for share in shares]

    @pytest.mark.parametrize("name", CASES)
    def test_dense_is_the_same(self, name):
        layers, size, box, *_ = self.CASES[name]
        masks = sparse(layers, *size)
        for other in (masks.to_masks(), masks.to_rle(), Masks(masks.to_masks().array.astype(np.uint8) * 255)):
            assert np.array_equal(iou(masks, [box]), iou(other, [box]))

    def test_three_a_size_of_two(self):
        with pytest.raises(SizeValueError, match=r"`size` must be \(N, height, width\).*got \(2, 2\).*stack of one"):
            SparseMasks([[0], [0], [1]], size=(2, 2))

    def test_four_two_rows_of_indices(self):
        with pytest.raises(SizeValueError, match=r"`indices` must have three rows.*got \(2, 1\)"):
            SparseMasks([[0], [1]], size=(2, 2, 2))

    def test_axes_exchanged(self):
        """Scenario 2 with x and y exchanged: 5 lies outside the width of 5."""
        columns = np.array([(0, x, y) for y, x in [*T, (5, 2)]]).T
        with pytest.raises(SizeValueError, match="x = 5, and the width is 5"):
            SparseMasks(columns, size=(1, 6, 5))

    def test_one_call_for_all(self):
        masks = sparse([T, CROSS, RECTS], 5, 5)
        boxes = [[1, 1, 4, 4], [0, 0, 5, 5], [0, 0, 1, 1], [2.5, 2.5, 2.5, 9]]
        assert iou(masks, boxes).shape == (3, 4)
        assert np.array_equal(iou(masks, boxes), np.stack([iou(masks, [box])[:, 0] for box in boxes], axis=1))


class TestArea:
    """Fractional edges: a pixel that is cut counts in part."""

    TABLE = [
        ([1.5, 1.5, 3.5, 3.5], 3, 3 / 6),
        ([1.5, 1, 4, 4], 4.5, 0.5625),
        ([0.5, 1.25, 2.75, 4], 3.0625, 0.37692307692307694),
        ([-1, -1, 3, 3], 3, 3 / 18),
    ]

    @pytest.mark.parametrize("box, inter, share", TABLE)
    def test_cross(self, box, inter, share):
        masks = sparse([CROSS], 5, 5)
        assert parts(masks, [box]).inter[0, 0] == inter
        assert iou(masks, [box])[0, 0] == pytest.approx(share, rel=1e-15)
        assert iou([box], masks)[0, 0] == iou(masks, [box])[0, 0]

    PIXEL = [
        ((1, 1), [0.9, 0.9, 1.1, 1.1], 0.01 / 1.03),
        ((1, 1), [1.1, 1.1, 1.9, 1.9], 0.64),
        ((1, 1), [1.5, 1.5, 2.5, 2.5], 1 / 7),
        ((0, 0), [-2, -2, 1, 1], 1 / 9),
        ((0, 3), [3, 0, 4, 1], 1),
        ((0, 3), [0, 3, 1, 4], 0),
    ]

    @pytest.mark.parametrize("pixel, box, share", PIXEL)
    def test_pixel(self, pixel, box, share):
        assert iou(sparse([[pixel]], 5, 5), [box])[0, 0] == pytest.approx(share, rel=1e-12)

    def test_clipped(self):
        masks = sparse([[(0, 0)], CROSS], 5, 5)
        boxes = Boxes([[-2, -2, 1, 1], [-1, -1, 3, 3]]).clip(5, 5)
        assert iou(masks, boxes)[0, 0] == 1 and iou(masks, boxes)[1, 1] == 3 / 11

    @given(strategies.stacks(), st.data())
    def test_equals_a_plain_sum(self, stack, data):
        boxes = data.draw(strategies.boxes_near(stack.shape[2], stack.shape[1]))
        want = oracles.area_inside(stack, boxes)
        for masks in (
            SparseMasks.from_masks(stack),
            Masks(stack),
            RleMasks(RleMasks.from_masks(stack).to_counts(), size=stack.shape[1:]),
        ):
            got = parts(masks, boxes).inter
            assert np.allclose(got, want, rtol=0, atol=1e-10)
            assert np.array_equal(parts(boxes, masks).inter, got.T)
            whole = np.all(boxes == np.floor(boxes), axis=1)
            assert np.array_equal(got[:, whole], want[:, whole])

    def test_many_boxes_change_nothing(self):
        """Counting goes over from bits to a table of sums; the counts, and so the answer, stay the same."""
        rng = np.random.default_rng(3)
        stack = rng.random((3, 90, 70)) < 0.5
        corner = rng.uniform(-5, 60, (4000, 2))
        boxes = np.concatenate([corner, corner + rng.uniform(0, 40, (4000, 2))], axis=1)
        for masks in (Masks(stack), RleMasks(RleMasks.from_masks(stack).to_counts(), size=(90, 70))):
            together = parts(masks, boxes).inter
            alone = np.concatenate([parts(masks, boxes[k : k + 1]).inter for k in range(0, 4000, 97)], axis=1)
            assert np.array_equal(together[:, ::97], alone)
            assert np.array_equal(together, parts(boxes, masks).inter.T)


class TestSet:
    def test_duplicates_collapse(self):
        masks = SparseMasks([[0, 0, 0], [1, 1, 2], [1, 1, 1]], size=(1, 4, 4))
        assert masks.area.tolist() == [2] and masks.indices.tolist() == [[0, 0], [1, 2], [1, 1]]

    def test_value_zero_is_dropped(self):
        masks = SparseMasks([[0, 0], [1, 2], [1, 1]], [0, 7], size=(1, 4, 4))
        assert masks.area.tolist() == [1]

    def test_order_does_not_matter(self):
        rng = np.random.default_rng(0)
        stack = rng.random((4, 30, 40)) < 0.3
        table = np.stack(np.nonzero(stack))
        shuffled = SparseMasks(table[:, rng.permutation(table.shape[1])], size=stack.shape)
        assert np.array_equal(shuffled.indices, SparseMasks(table, size=stack.shape).indices)
        assert np.array_equal(shuffled.to_masks().array, stack)

    def test_no_pixels(self):
        masks = SparseMasks(np.empty((3, 0), np.int64), size=(2, 4, 4))
        assert iou(masks, [[0, 0, 2, 2]]).tolist() == [[0.0], [0.0]]
        assert masks.boxes.xyxy.tolist() == [[0, 0, 0, 0]] * 2 and masks.indices.shape == (3, 0)
        assert SparseMasks([[], [], []], size=(0, 4, 4)).area.shape == (0,)

    def test_empty_with_empty(self):
        masks = sparse([[], CROSS], 5, 5)
        assert iou(masks, masks).tolist() == [[0, 0], [0, 1]]
        assert iou(masks, masks, empty=1.0).tolist() == [[1, 0], [0, 1]]

    def test_outside_dropped(self):
        masks = SparseMasks([[0, 0, 1, 9], [0, 7, -1, 0], [1, 1, 1, 1]], size=(2, 4, 4), outside="drop")
        assert masks.area.tolist() == [1, 0]

    @pytest.mark.parametrize("axis", range(3))
    @pytest.mark.parametrize("place", [-1, 4, 2**40])
    def test_outside_dropped_on_each_axis(self, axis, place):
        table = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 0]])
        table[axis, 1] = place
        masks = SparseMasks(table, size=(4, 4, 4), outside="drop")
        assert masks.area.tolist() == [1, 0, 1, 0]
        with pytest.raises(ValueError, match=str(place)):
            SparseMasks(table, size=(4, 4, 4))

    def test_far_apart(self):
        """Pixels of a huge image take no memory for what lies between them."""
        table = [[0, 0, 0, 1], [0, 69_999, 0, 5], [0, 69_999, 1, 5]]
        masks = SparseMasks(table, size=(2, 70_000, 70_000))
        assert masks.area.tolist() == [3, 1]
        assert masks.boxes.xyxy.tolist() == [[0, 0, 70_000, 70_000], [5, 5, 6, 6]]
        assert parts(masks, [[0, 0, 2, 1], [69_998.5, 0, 70_000, 70_000]]).inter.tolist() == [[2, 1], [0, 0]]
        assert iou(masks, masks).tolist() == [[1, 0], [0, 1]]


class TestErrors:
    TABLE = [
        ([[0], [4], [1]], (1, 4, 4), "column 0.*y = 4, and the height is 4"),
        ([[0, 0], [1, 1], [1, -1]], (1, 4, 4), "column 1.*x = -1, and the width is 4"),
        ([[0, 3], [1, 1], [1, 1]], (3, 4, 4), "column 1.*n = 3, and the number of masks is 3"),
        ([[0, -1], [1, 1], [1, 1]], (3, 4, 4), "column 1.*n = -1"),
        ([[1, 0, 2], [1, 1, 9], [1, 1, 1]], (3, 4, 4), "column 2.*y = 9"),
        ([[0], [1], [1]], (1, -4, 4), "`size` must not be negative"),
        ([[0], [1], [1]], None, r"`size` must be \(N, height, width\)"),
        ([[0, 1, 1]], (1, 4, 4), r"three rows.*got \(1, 3\).*transposed"),
        ([0, 1, 1], (1, 4, 4), r"three rows.*got \(3,\)"),
        ([[0], [1], [1]], (1, 4.0, 4), "three whole numbers"),
    ]

    @pytest.mark.parametrize("indices, size, message", TABLE)
    def test_sizes(self, indices, size, message):
        with pytest.raises(SizeValueError, match=message):
            SparseMasks(indices, size=size)

    def test_values_of_another_length(self):
        with pytest.raises(SizeValueError, match=r"`values` must be one for each of the 1 columns.*\(2,\)"):
            SparseMasks([[0], [1], [1]], [1, 1], size=(1, 4, 4))

    def test_float_indices(self):
        with pytest.raises(TypeError, match="`indices` must be integers; got float64"):
            SparseMasks([[0.0], [1.0], [1.0]], size=(1, 4, 4))

    def test_other_image_size(self):
        with pytest.raises(SizeValueError, match="4×6 and 6×4"):
            iou(sparse([[]], 4, 6), sparse([[]], 6, 4))

    def test_unknown_outside(self):
        with pytest.raises(ValueError, match='`outside` must be one of "error", "drop"'):
            SparseMasks([[0], [1], [1]], size=(1, 4, 4), outside="wrap")

    def test_is_a_value_error(self):
        assert issubclass(SizeValueError, ValueError)


class TestOtherLibraries:
    STACK = np.zeros((3, 5, 6), np.int64)
    STACK[0, 1:3, 2:5] = 4
    STACK[2, 4, 5] = 1

    def test_torch(self):
        torch = pytest.importorskip("torch")
        tensor = torch.from_numpy(self.STACK).to_sparse()
        for masks in (SparseMasks(tensor), SparseMasks(tensor.indices(), size=tuple(tensor.shape))):
            assert masks.area.tolist() == [6, 0, 1]
            answer = iou(masks, torch.tensor([[2.0, 1.0, 5.0, 3.0]]))
            assert answer.dtype == torch.float32 and answer[:, 0].tolist() == [1, 0, 0]
            assert isinstance(iou(masks, masks), torch.Tensor) and iou(masks, masks).dtype == torch.float64
        assert iou(tensor, torch.tensor([[2.0, 1.0, 5.0, 3.0]])).tolist() == [[1], [0], [0]]

    def test_torch_not_coalesced(self):
        torch = pytest.importorskip("torch")
        tensor = torch.sparse_coo_tensor([[0, 0], [1, 1], [2, 2]], [1, 1], (1, 4, 4), check_invariants=True)
        assert SparseMasks(tensor).area.tolist() == [1]

    def test_torch_stays_torch(self):
        torch = pytest.importorskip("torch")
        masks = SparseMasks(torch.from_numpy(self.STACK).to_sparse())
        for some in (masks, masks[:2], pickle.loads(pickle.dumps(masks))):
            assert isinstance(some.area, torch.Tensor) and isinstance(iou(some, some), torch.Tensor)
        assert masks.like.numel() == 0, "the indices would stay in memory"

    def test_a_size_that_is_none(self):
        torch = pytest.importorskip("torch")
        with pytest.raises(SizeValueError, match=r"`size` must be \(N, height, width\).*got 5"):
            SparseMasks(torch.from_numpy(self.STACK).to_sparse(), size=5)

    def test_no_gradient_is_lost(self):
        torch = pytest.importorskip("torch")
        boxes = torch.tensor([[2.0, 1.0, 5.0, 3.0]], requires_grad=True)
        with pytest.raises(TypeError, match="No gradient flows through SparseMasks"):
            iou(SparseMasks.from_masks(self.STACK), boxes)

    def test_scipy(self):
        scipy_sparse = pytest.importorskip("scipy.sparse")
        layers = [scipy_sparse.csr_matrix(layer) for layer in self.STACK]
        assert np.array_equal(SparseMasks(layers).to_masks().array, self.STACK != 0)
        assert SparseMasks(layers[0]).area.tolist() == [6]
        with pytest.raises(SizeValueError, match=r"one shape.*\(5, 6\) and, at 1, \(6, 5\)"):
            SparseMasks([layers[0], layers[0].T])

    def test_scipy_three_axes(self):
        scipy_sparse = pytest.importorskip("scipy.sparse")
        whole = scipy_sparse.coo_array(self.STACK)
        assert np.array_equal(SparseMasks(whole).to_masks().array, self.STACK != 0)

    def test_bare(self):
        """What is sparse is masks, wherever regions are wanted."""
        scipy_sparse = pytest.importorskip("scipy.sparse")
        box, want = [[2, 1, 5, 3]], [[1.0], [0.0], [0.0]]
        assert iou([scipy_sparse.csr_matrix(layer) for layer in self.STACK], box).tolist() == want
        assert iou(scipy_sparse.coo_array(self.STACK), box).tolist() == want
        assert iou(scipy_sparse.csr_matrix(self.STACK[0]), box).tolist() == want[:1]

    def test_what_a_tensor_brings_is_not_said_twice(self):
        torch = pytest.importorskip("torch")
        tensor = torch.from_numpy(self.STACK).to_sparse()
        assert SparseMasks(tensor, size=(3, 5, 6)).area.tolist() == [6, 0, 1]
        with pytest.raises(
            SizeValueError, match=r"`size` must be that of the sparse tensor, \(3, 5, 6\); got \(3, 6, 5\)"
        ):
            SparseMasks(tensor, size=(3, 6, 5))
        with pytest.raises(TypeError, match="`values` goes with a table of indices"):
            SparseMasks(tensor, np.ones(7))

    def test_dense(self):
        with pytest.raises(SizeValueError, match=r"got \(3, 5, 6\). A dense stack goes to SparseMasks.from_masks"):
            SparseMasks(self.STACK)

    @pytest.mark.filterwarnings("ignore:Sparse CSR")  # torch calls it a beta
    def test_other_layouts(self):
        torch = pytest.importorskip("torch")
        rows = [torch.from_numpy(layer).to_sparse_csr() for layer in self.STACK]
        assert SparseMasks(rows).area.tolist() == [6, 0, 1]
        assert SparseMasks(rows[0]).area.tolist() == [6]

    def test_layouts_of_pydata(self):
        sparse = pytest.importorskip("sparse")
        assert SparseMasks([sparse.COO.from_numpy(layer) for layer in self.STACK]).area.tolist() == [6, 0, 1]
        assert iou(sparse.GCXS.from_numpy(self.STACK), [[2, 1, 5, 3]]).tolist() == [[1], [0], [0]]

    def test_pydata(self):
        class Coo:
            """What pydata/sparse's COO shows of itself."""

            coords = np.stack(np.nonzero(TestOtherLibraries.STACK))
            data = np.ones(7, np.int64)
            shape = (3, 5, 6)

        assert SparseMasks(Coo()).area.tolist() == [6, 0, 1]

    def test_a_fill_value_would_be_lost(self):
        pydata = pytest.importorskip("sparse")
        tensor = pydata.COO.from_numpy(np.ones((1, 3, 3)), fill_value=1.0)
        with pytest.raises(ValueError, match=r"must be 0 where it names nothing; got a fill value of .*1\.0"):
            SparseMasks(tensor)


class TestValue:
    def test_frozen_and_pickled(self):
        masks = sparse([T, CROSS], 5, 5)
        with pytest.raises(AttributeError, match="frozen"):
            masks.size = (1, 1)
        again = pickle.loads(pickle.dumps(masks))
        assert np.array_equal(again.indices, masks.indices) and again.size == masks.size

    def test_items(self):
        masks = sparse([T, CROSS, [], RECTS], 5, 5)
        assert masks[1].area.tolist() == [5] and masks[[3, 0]].area.tolist() == [7, 9]
        assert masks[np.array([False, True, False, True])].area.tolist() == [5, 7] and len(masks[2:]) == 2
        assert repr(masks) == "SparseMasks(4, 5×5, 21 pixels)"

    def test_join_and_best(self):
        masks = sparse([T, CROSS, [], RECTS], 5, 5)
        matrix = iou(masks, masks)
        i, j, value = join(masks, at_least=0.2)
        assert [(p, q) for p, q in zip(i, j, strict=True)] == [
            (p, q) for p in range(4) for q in range(p + 1, 4) if matrix[p, q] >= 0.2
        ]
        assert np.array_equal(value, matrix[i, j])
        found = best(masks, masks, k=4)
        assert np.array_equal(found.value, -np.sort(-matrix, axis=1))
        assert np.array_equal(dice(masks, masks, aligned=True), [1, 1, 0, 1])
