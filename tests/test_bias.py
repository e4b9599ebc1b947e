"""Signed edge bias, of boxes and of masks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import ndimage

import vesica
from vesica import Boxes, Masks, RleMasks
from vesica._kernels.generic import outline_offsets as twin
from vesica.agreement.bias import COLUMNS, EdgeBias, edge_bias, edge_offsets, medians_of_others, outline_offsets
from vesica.agreement.outlines import distance_to, outline

ONE = [10, 10, 30, 50]


class TestEdgeOffsets:
    @pytest.mark.parametrize(
        "other, pixels",
        [
            pytest.param(ONE, [0, 0, 0, 0], id="itself"),
            pytest.param([8, 10, 30, 50], [2, 0, 0, 0], id="further left"),
            pytest.param([10, 7, 30, 50], [0, 3, 0, 0], id="further up"),
            pytest.param([10, 10, 34, 50], [0, 0, 4, 0], id="further right"),
            pytest.param([10, 10, 30, 45], [0, 0, 0, -5], id="not as far down"),
            pytest.param([12, 12, 32, 52], [-2, -2, 2, 2], id="moved"),
        ],
    )
    def test_pixels(self, other, pixels):
        assert edge_offsets(Boxes([ONE]), Boxes([other]))[0, :4].tolist() == pixels

    def test_relative(self):
        """By the geometric mean of both widths, or heights."""
        found = edge_offsets(Boxes([[0, 0, 10, 9]]), Boxes([[-10, 0, 30, 4]]))[0]
        assert dict(zip(COLUMNS, found, strict=True)) == pytest.approx(
            {
                **{"left": 10, "top": 0, "right": 20, "bottom": -5},
                **{"relative left": 10 / 20, "relative top": 0, "relative right": 20 / 20, "relative bottom": -5 / 6},
                "log area": np.log(160 / 90),
            }
        )

    @given(hnp.arrays(float, (4, 8), elements=st.floats(-1e3, 1e3)))
    def test_antisymmetric(self, numbers):
        a, b = (
            Boxes(np.concatenate([np.minimum(x, y), np.maximum(x, y)], 1), check=False)
            for x, y in ((numbers[:, :2], numbers[:, 2:4]), (numbers[:, 4:6], numbers[:, 6:]))
        )
        assert (edge_offsets(a, b) == -edge_offsets(b, a)).all()
        assert not edge_offsets(a, a).any()

    def test_empty(self):
        assert edge_offsets(Boxes([]), Boxes([])).shape == (0, 9)


class TestEdgeBias:
    OFFSETS = edge_offsets(Boxes([ONE] * 3), Boxes([[8, 10, 30, 50], [4, 10, 30, 50], ONE]))

    def test_sums(self):
        found = edge_bias(self.OFFSETS, np.array([0, 0, 2]), groups=3)
        assert found.n.tolist() == [2, 0, 1]
        assert found.total[:, 0].tolist() == [8, 0, 0]
        assert found.squares[:, 0].tolist() == [40, 0, 0]
        assert found.mean[0, 0] == 4 and np.isnan(found.mean[1]).all()
        assert found.area_ratio[0] == pytest.approx(np.sqrt(22 / 20 * 26 / 20))

    def test_adds(self):
        group = np.array([0, 1, 0])
        whole = edge_bias(self.OFFSETS, group, groups=2)
        parts = [edge_bias(self.OFFSETS[k : k + 1], group[k : k + 1], groups=2) for k in range(3)]
        added = parts[2] + (parts[0] + parts[1])
        assert isinstance(added, EdgeBias)
        assert (added.n == whole.n).all() and added.total == pytest.approx(whole.total)


class TestMediansOfOthers:
    @given(st.lists(st.integers(0, 5), max_size=25), st.randoms(use_true_random=False))
    def test_equals_numpy(self, clusters, random):
        cluster = np.array(clusters, np.int64)
        boxes = np.array([[random.randint(0, 9) for _ in range(4)] for _ in clusters], float).reshape(-1, 4)
        rows, medians = medians_of_others(boxes, cluster)
        want = [k for k, one in enumerate(clusters) if clusters.count(one) > 2]
        assert rows.tolist() == want
        for row, median in zip(rows, medians, strict=True):
            others = (cluster == cluster[row]) & (np.arange(len(cluster)) != row)
            assert median.tolist() == np.median(boxes[others], axis=0).tolist()


def blob(seed, size=24):
    generator = np.random.default_rng(seed)
    return ndimage.gaussian_filter(generator.normal(size=(size, size)), 3) > 0.02


def slow_offset(a, b):
    """By scipy's distances and a walk over the pixels."""

    def mean(of, to):
        away = ndimage.distance_transform_edt(~edge(to))
        return np.mean([-away[at] if to[at] else away[at] for at in zip(*np.nonzero(edge(of)), strict=True)])

    def edge(mask):
        return mask & ~ndimage.binary_erosion(mask, border_value=0)

    return (mean(b, a) - mean(a, b)) / 2


class TestOutlineOffsets:
    @pytest.mark.parametrize("seed", range(8))
    def test_equals_scipy(self, seed):
        a, b = blob(seed), blob(seed + 100)
        found = outline_offsets(Masks(a[None]), RleMasks.from_masks(b[None]))
        assert found.offset[0] == pytest.approx(slow_offset(a, b))
        assert found.distance[0] == pytest.approx(vesica.surface_distances(a, b).assd)

    @given(hnp.arrays(bool, (2, 3, 7, 5)))
    def test_native_is_its_twin(self, stacks):
        a, b = (RleMasks.from_masks(stack) for stack in stacks)
        rows = np.array([0, 2, 1, 2]), np.array([1, 0, 2, 2])
        runs = [(side.counts, side.offsets) for side in (a, b)]
        for one, other in zip(
            outline_offsets(a, b, *rows), twin.outline_offsets(runs[0], rows[0], runs[1], rows[1], 7), strict=True
        ):
            assert one == pytest.approx(other, nan_ok=True)

    @given(hnp.arrays(bool, (2, 3, 6, 8)))
    def test_antisymmetric(self, stacks):
        a, b = map(Masks, stacks)
        there, back = outline_offsets(a, b), outline_offsets(b, a)
        assert np.array_equal(there.offset, -back.offset, equal_nan=True)
        assert there.distance == pytest.approx(back.distance, nan_ok=True)
        assert not np.nan_to_num(outline_offsets(a, a).offset).any()

    def test_threads(self):
        masks = RleMasks.from_masks(np.stack([blob(seed) for seed in range(40)]))
        rows = np.repeat(np.arange(40), 40), np.tile(np.arange(40), 40)
        one, many = (outline_offsets(masks, masks, *rows, threads=threads) for threads in (1, 4))
        assert one.offset.tobytes() == many.offset.tobytes() and one.distance.tobytes() == many.distance.tobytes()

    def test_larger_square(self):
        """Two pixels further out on every side: a little more, as corners are further away."""
        a, b = np.zeros((2, 1, 60, 60), bool)
        a[0, 10:40, 10:40] = b[0, 8:42, 8:42] = True
        assert 2 < outline_offsets(Masks(a), Masks(b)).offset[0] < 2.1

    def test_far_apart(self):
        """Nothing is shared: each lies outside the other, and neither further out."""
        a, b = np.zeros((2, 1, 40, 50), bool)
        a[0, 0, 0] = b[0, 39, 49] = True
        found = outline_offsets(Masks(a), Masks(b))
        assert found.offset[0] == 0 and found.distance[0] == np.hypot(39, 49)

    def test_empty(self):
        masks = np.zeros((2, 4, 4), bool)
        masks[0] = True
        found = outline_offsets(Masks(masks), Masks(masks[::-1].copy()))
        assert np.isnan(found.offset).all() and np.isnan(found.distance).all()

    def test_sizes_differ(self):
        with pytest.raises(ValueError, match="size"):
            outline_offsets(Masks(np.zeros((1, 4, 4), bool)), Masks(np.zeros((1, 4, 5), bool)))

    def test_rows_that_are_not_there(self):
        masks = Masks(np.ones((2, 4, 4), bool))
        with pytest.raises(ValueError, match="`rows_b` must be rows of 2 masks"):
            outline_offsets(masks, masks, np.array([0]), np.array([2]))


class TestTable:
    """What a result says of bias."""

    def test_boxes(self):
        a = [[0, 0, 10, 10], [20, 0, 40, 10]]
        b = [[-1, 0, 10, 10], [17, 0, 40, 8]]
        row = next(iter(vesica.evaluate_agreement(a, b).bias()))
        assert (row["n_matched"], row["out_left"], row["out_right"], row["out_bottom"]) == (2, 2, 0, -1)
        assert row["relative_left"] == pytest.approx((1 / np.sqrt(110) + 3 / np.sqrt(460)) / 2)
        assert row["area_ratio"] == pytest.approx(np.sqrt(110 / 100 * 184 / 200))
        assert "out_outline" not in row

    def test_masks(self):
        a, b = np.zeros((2, 1, 30, 30), bool)
        a[0, 5:20, 5:20] = b[0, 4:21, 4:21] = True
        row = next(iter(vesica.evaluate_agreement(Masks(a), Masks(b)).bias()))
        assert [row[f"out_{edge}"] for edge in ("left", "top", "right", "bottom")] == [1, 1, 1, 1]
        assert row["out_outline"] == outline_offsets(Masks(a), Masks(b)).offset[0] > 1
        assert row["outline_distance"] == pytest.approx(vesica.surface_distances(a[0], b[0]).assd)

    def test_nothing_matched(self):
        row = next(iter(vesica.evaluate_agreement([[0, 0, 4, 4]], [[9, 9, 12, 12]]).bias()))
        assert row["n_matched"] == 0 and row["out_left"] is row["area_ratio"] is None


class TestOutlines:
    @pytest.mark.parametrize("seed", range(4))
    def test_outline(self, seed):
        mask = blob(seed)
        assert (outline(mask) == (mask & ~ndimage.binary_erosion(mask, border_value=0))).all()

    @pytest.mark.parametrize("seed", range(4))
    def test_distance(self, seed):
        mask = blob(seed)
        assert distance_to(mask) == pytest.approx(ndimage.distance_transform_edt(~mask), rel=1e-6)
