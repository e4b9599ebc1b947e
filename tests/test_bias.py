"""Signed edge bias, of boxes and of masks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import ndimage

from vesica import Boxes, Masks, RleMasks
from vesica.agreement.bias import COLUMNS, EdgeBias, edge_bias, edge_offsets, mask_offsets, medians_of_others
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


class TestMaskOffsets:
    @pytest.mark.parametrize("seed", range(8))
    def test_equals_scipy(self, seed):
        a, b = blob(seed), blob(seed + 100)
        found = mask_offsets(Masks(a[None]), RleMasks.from_masks(b[None]))
        assert found[0] == pytest.approx(slow_offset(a, b), abs=1e-6)

    def test_antisymmetric(self):
        a, b = (Masks(np.stack([blob(seed) for seed in seeds])) for seeds in ((1, 2, 3), (4, 5, 6)))
        assert (mask_offsets(a, b) == -mask_offsets(b, a)).all()
        assert not mask_offsets(a, a).any()

    def test_larger_square(self):
        """Two pixels further out on every side: a little more, as corners are further away."""
        a, b = np.zeros((2, 1, 60, 60), bool)
        a[0, 10:40, 10:40] = b[0, 8:42, 8:42] = True
        assert 2 < mask_offsets(Masks(a), Masks(b))[0] < 2.1

    def test_empty(self):
        masks = np.zeros((2, 4, 4), bool)
        masks[0] = True
        assert np.isnan(mask_offsets(Masks(masks), Masks(masks[::-1].copy()))).all()


class TestOutlines:
    @pytest.mark.parametrize("seed", range(4))
    def test_outline(self, seed):
        mask = blob(seed)
        assert (outline(mask) == (mask & ~ndimage.binary_erosion(mask, border_value=0))).all()

    @pytest.mark.parametrize("seed", range(4))
    def test_distance(self, seed):
        mask = blob(seed)
        assert distance_to(mask) == pytest.approx(ndimage.distance_transform_edt(~mask), rel=1e-6)
