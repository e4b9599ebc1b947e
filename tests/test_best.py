"""Best partners: the sorted matrix, without the matrix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from vesica import Boxes, RotatedBoxes, best
from vesica.overlaps.measures import MEASURES

DEG = {"unit": "deg", "direction": "cw"}


def by_sorting(matrix, k):
    order = np.argsort(-matrix, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(matrix, order, axis=1)


class TestValue:
    @given(
        strategies.tables(0, 10, dtype="float32"),
        strategies.tables(1, 10, dtype="float32"),
        st.integers(1, 4),
        st.sampled_from(sorted(set(MEASURES) - {"distance"})),
    )
    def test_is_the_sorted_matrix(self, a, b, k, name):
        k = min(k, len(b))
        index, value = best(a, b, k=k, measure=name)
        want_index, want_value = by_sorting(MEASURES[name](a, b), k)
        assert np.array_equal(index, want_index) and np.array_equal(value, want_value)

    @given(strategies.rotated(0, 6), strategies.rotated(1, 6))
    def test_rotated(self, a, b):
        a, b = RotatedBoxes(a, **DEG), RotatedBoxes(b, **DEG)
        index, value = best(a, b, k=len(b))
        want_index, want_value = by_sorting(MEASURES["iou"](a, b), len(b))
        assert np.array_equal(index, want_index) and np.array_equal(value, want_value)

    @pytest.mark.parametrize("k", [1, 3, 40])
    def test_many(self, k):
        rng = np.random.default_rng(0)
        corner = rng.integers(0, 60, (1500, 2))
        rows = np.concatenate([corner, corner + rng.integers(1, 20, (1500, 2))], axis=1)
        index, value = best(rows[:300], rows[300:], k=k)
        want_index, want_value = by_sorting(MEASURES["iou"](rows[:300], rows[300:]), k)
        assert np.array_equal(index, want_index) and np.array_equal(value, want_value)

    def test_same_in_every_library(self, xp):
        rng = np.random.default_rng(1)
        corner = rng.integers(0, 12, (40, 2)).astype(float)
        rows = np.concatenate([corner, corner + rng.integers(1, 9, (40, 2))], axis=1)
        here, plain = best(xp(rows[:20]), xp(rows[20:]), k=5), best(rows[:20], rows[20:], k=5)
        assert xp.back(here.index).tolist() == plain.index.tolist()
        assert xp.back(here.value).tolist() == plain.value.tolist()

    def test_half_precision_is_ordered_before_it_is_rounded(self):
        """2046/2048 and (2047/2048)² are one number in float16, and the second is larger all the same."""
        torch = pytest.importorskip("torch")
        a, b = np.float16([[0, 0, 2048, 2048]]), np.float16([[0, 0, 2046, 2048], [0, 0, 2047, 2047]])
        native, generic = best(a, b, k=2), best(torch.tensor(a, requires_grad=True), torch.tensor(b), k=2)
        assert native.index.tolist() == generic.index.tolist() == [[1, 0]]
        assert native.value.dtype == np.float16 and native.value[0, 0] == native.value[0, 1]

    def test_options(self):
        index, value = best([[0, 0, 4, 4]], [[0, 0, 8, 8], [0, 0, 2, 2]], measure="coverage", of="b")
        assert index.tolist() == [[1]] and value.tolist() == [[1.0]]


class TestEmpty:
    def test_fewer_than_k(self, xp):
        found = best(xp([[0, 0, 1, 1]]), xp([[0, 0, 1, 1]]), k=3)
        assert xp.back(found.index).tolist() == [[0, -1, -1]] and xp.back(found.value).tolist() == [[1.0, 0.0, 0.0]]

    def test_no_rows(self, xp):
        none, some = xp(np.zeros((0, 4))), xp([[0, 0, 1, 1]])
        assert xp.back(best(some, none).index).tolist() == [[-1]]
        assert tuple(best(none, some, k=2).index.shape) == (0, 2) and len(best(none, none)) == 0

    def test_nan_is_no_partner(self, xp):
        strange = Boxes(xp([[np.nan, 0, 1, 1], [0, 0, 1, 1]]), check=False)
        assert xp.back(best(xp([[0, 0, 1, 1]]), strange, k=2).index).tolist() == [[1, -1]]


class TestRefused:
    @pytest.mark.parametrize("k", [0, -1, 1.5, True])
    def test_k(self, k):
        with pytest.raises(ValueError, match="`k` must be a whole number above 0"):
            best([[0, 0, 1, 1]], [[0, 0, 1, 1]], k=k)

    def test_distance(self):
        with pytest.raises(ValueError, match="got distance, which falls"):
            best([[0, 0, 1, 1]], [[0, 0, 1, 1]], measure="distance")
