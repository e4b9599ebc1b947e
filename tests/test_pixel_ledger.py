"""The ledger of label maps: it adds up to 1 − mIoU, and each pixel has the type that the definition gives it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from vesica.agreement.pixel_ledger import PIXEL_TYPES, pixel_ledger

maps = st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(
    lambda shape: st.tuples(*[hnp.arrays(np.int64, shape, elements=st.integers(0, 3))] * 2)
)


def slow(a, b, background, within):
    """Class by class and pixel by pixel, every distance by a loop."""
    height, width = a.shape
    answer = {}
    for c in sorted({*a.ravel().tolist(), *b.ravel().tolist()} - {background}):
        edges = []
        for side in (a, b):
            for y in range(height):
                for x in range(width):
                    near = [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
                    if side[y, x] == c and any(
                        not (0 <= v < height and 0 <= u < width) or side[v, u] != c for v, u in near
                    ):
                        edges.append((y, x))
        counts = dict.fromkeys(PIXEL_TYPES, 0)
        for y in range(height):
            for x in range(width):
                if (a[y, x] == c) == (b[y, x] == c):
                    continue
                if min(math.dist((y, x), edge) for edge in edges) <= within:
                    kind = "loose edge"
                elif background not in (a[y, x], b[y, x]):
                    kind = "label"
                else:
                    kind = "missing" if a[y, x] == c else "extra"
                counts[kind] += 1
        answer[c] = counts
    return answer


class TestPixelLedger:
    @given(maps, st.sampled_from([None, 0]), st.sampled_from([0, 1, 2, 3]))
    def test_equals_oracle(self, pair, background, within):
        found = pixel_ledger(*pair, background=background, within=within)
        want = slow(*pair, background, within)
        assert found.classes.tolist() == list(want)
        assert [dict(zip(PIXEL_TYPES, row, strict=True)) for row in found.counts.tolist()] == list(want.values())

    @given(maps)
    def test_adds_up_to_the_gap(self, pair):
        jaccard_score = pytest.importorskip("sklearn.metrics").jaccard_score

        a, b = pair
        gap = 1 - jaccard_score(a.ravel(), b.ravel(), average="macro")
        assert pixel_ledger(a, b).amounts.sum() == pytest.approx(gap, abs=1e-12)

    @given(maps)
    def test_swapped(self, pair):
        there, back = pixel_ledger(*pair, background=0), pixel_ledger(*pair[::-1], background=0)
        assert there.counts[:, [0, 1, 3, 2]].tolist() == back.counts.tolist()

    def test_far_from_every_outline(self):
        """A blob that a alone has: its rim is edge, its core is missing, or a label where b has something else."""
        a, b = np.zeros((2, 20, 20), int)
        a[3:17, 3:17] = 1
        core = 8 * 8  # three rings of the 14 pixels on each side lie within 2 of the outline
        rim = 14 * 14 - core
        assert pixel_ledger(a, b, background=0).counts.tolist() == [[rim, 0, core, 0]]
        assert pixel_ledger(b, a, background=0).counts.tolist() == [[rim, 0, 0, core]]
        b[:] = 2
        assert pixel_ledger(a, b, background=0).counts[0].tolist() == [rim, core, 0, 0]

    def test_ignored_on_either_side(self):
        a, b = [[1, 1, 255, 1]], [[1, 255, 1, 2]]
        found = pixel_ledger(a, b, ignore=[255])
        assert found.classes.tolist() == [1, 2] and found.union.tolist() == [2, 1]

    def test_of_two_images(self):
        images = [np.random.default_rng(k).integers(0, 3 + k, (2, 12, 12)) for k in range(2)]
        one, other = (pixel_ledger(*image) for image in images)
        both = pixel_ledger(
            *np.concatenate([np.pad(image, [(0, 0), (0, 9), (0, 0)], constant_values=99) for image in images], axis=1),
            ignore=[99],
        )
        assert ((one + other).counts == both.counts).all() and ((other + one).union == both.union).all()

    def test_nothing(self):
        found = pixel_ledger([[0, 0]], [[0, 0]], background=0)
        assert len(found.classes) == 0 and not found.amounts.any() and math.isnan(found.edge_share)

    def test_edge_share(self):
        assert pixel_ledger([[1, 1, 0, 0]], [[1, 0, 0, 0]], background=0).edge_share == 1

    def test_sizes_differ(self):
        with pytest.raises(ValueError, match="`a` and `b` must have one size"):
            pixel_ledger([[0, 0]], [[0], [0]])

    def test_volume(self):
        """A cube of 5 that a alone has: its surface is edge, the 3 x 3 x 3 voxels inside are missing."""
        a, b = np.zeros((2, 9, 9, 9), int)
        a[2:7, 2:7, 2:7] = 1
        assert pixel_ledger(a, b, background=0, within=0).counts.tolist() == [[125 - 27, 0, 27, 0]]
