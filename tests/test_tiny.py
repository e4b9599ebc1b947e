"""Regions so small that their areas underflow: an exact answer or an error, never a silent 0."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import vesica
from vesica import Boxes, Polygons, RotatedBoxes

TINY32, TINY64 = float(np.finfo(np.float32).tiny), float(np.finfo(np.float64).tiny)
DEG = {"unit": "deg", "direction": "cw"}


def square(side, dtype):
    return np.array([[0, 0, side, side]], dtype)


class TestNarrow:
    """float32: computed in float64, in which no product of two of their sides underflows."""

    @pytest.mark.parametrize("side", [1e-19, 1e-20, 1e-30, 1.4e-45])
    @pytest.mark.parametrize("measure", ["iou", "dice", "giou", "diou", "ciou", "eiou", "coverage", "overlap"])
    def test_a_box_is_itself(self, side, measure):
        box = square(side, np.float32)
        found = getattr(vesica, measure)(box, box)
        assert found.dtype == np.float32 and found.tolist() == [[1.0]]

    @given(st.lists(st.tuples(*[st.floats(0, 2.0**-60, width=32)] * 4), min_size=1, max_size=5))
    def test_equals_the_fractions(self, rows):
        rows = np.array(rows, np.float32)
        rows = np.concatenate([np.minimum(rows[:, :2], rows[:, 2:]), np.maximum(rows[:, :2], rows[:, 2:])], axis=1)
        want = [[float(oracles.iou(x, y)) for y in rows.tolist()] for x in rows.tolist()]
        assert np.allclose(vesica.iou(rows, rows), want, rtol=1e-6, atol=1e-6)

    @pytest.mark.parametrize("form", ["xyxy", "xywh", "cxcywh", "yxyx"])
    def test_in_every_form(self, form):
        rows = square(1e-30, np.float32) + np.float32([[1e-30, 1e-30, 0 if form != "xyxy" else 1e-30, 0]])
        boxes = Boxes(np.float32([[1e-30, 1e-30, 3e-30, 3e-30]]), form)
        assert rows.dtype == np.float32 and vesica.iou(boxes, boxes).tolist() == [[1.0]]

    def test_stays_so(self):
        """Through whatever makes boxes of boxes."""
        boxes = Boxes(np.concatenate([square(1e-30, np.float32), square(4, np.float32)]))
        for same in (boxes[:1], boxes[[0]], pickle.loads(pickle.dumps(boxes))[:1], boxes.clip(9, 9)[:1]):
            assert same.array.dtype == np.float32 and same.dtype == "float32"
            assert vesica.iou(same, same).tolist() == [[1.0]]
        assert vesica.iou(boxes, boxes).tolist() == [[1, 0], [0, 1]]

    def test_every_verb(self):
        rows = np.float32([[0, 0, 1e-30, 1e-30], [0, 0, 1e-30, 9e-31], [0, 0, 1e-30, 1e-31]])
        assert vesica.nms(rows, [0.9, 0.8, 0.7]).tolist() == [0, 2]
        assert vesica.join(rows, at_least=0.5).j.tolist() == [1]
        assert vesica.match(rows, rows).guess_of.tolist() == [0, 1, 2]
        assert vesica.best(rows, rows).index.tolist() == [[0], [1], [2]]
        assert vesica.nms_padded(rows[None], [[0.9, 0.8, 0.7]], limit=3).index.tolist() == [[0, 2, -1]]
        assert vesica.anchors.assign(rows, rows[:1]).truth.tolist() == [0, 0, -1]
        assert vesica.soft_nms(rows, [0.9, 0.8, 0.7], decay="linear", min_score=0.2).index.tolist() == [0, 2]
        assert len(vesica.fuse(rows, [0.9, 0.8, 0.7]).boxes) == 2

    def test_torch(self):
        torch = pytest.importorskip("torch")
        box = torch.tensor([[0, 0, 1e-30, 1e-30]])
        found = vesica.iou(box, box)
        assert found.dtype == torch.float32 and found.tolist() == [[1.0]]

    def test_jax_has_nothing_wider(self):
        jax = pytest.importorskip("jax")
        if jax.config.jax_enable_x64:
            box = jax.numpy.asarray(square(1e-30, np.float32))
            assert vesica.iou(box, box).tolist() == [[1.0]]
            return
        with pytest.raises(ValueError, match=r"row 0 is too small: .*jax_enable_x64"):
            vesica.iou(jax.numpy.asarray(square(1e-30, np.float32)), square(1e-30, np.float32))


class TestWide:
    @pytest.mark.parametrize("side", [1e-155, 1e-200, 5e-324])
    def test_boxes_are_refused(self, side):
        with pytest.raises(ValueError, match=r"`a` row 0 is too small: .*choose a smaller unit of length"):
            vesica.iou(square(side, np.float64), square(side, np.float64))
        with pytest.raises(ValueError, match="`boxes` row 17 is too small"):
            Boxes(np.concatenate([np.ones((17, 4)), square(side, np.float64), np.ones((40, 4))]))
        with pytest.raises(ValueError, match="`boxes` row 0 is too small"):
            RotatedBoxes([[0, 0, side, side, 30]], **DEG)
        with pytest.raises(ValueError, match="`corners` of box 0 are too small"):
            RotatedBoxes.from_corners([[[0, 0], [side, 0], [side, side], [0, side]]])
        with pytest.raises(ValueError, match=r"`polygons` region 0, part 0 is too small: .* smaller unit of length"):
            Polygons([[0, 0, side, 0, side, side, 0, side]])
        with pytest.raises(ValueError, match=r"`polygons` region 0, part 0, ring 1 is too small"):
            Polygons([[[[0, 0, 9, 0, 9, 9], [0, 0, side, 0, side, side]]]])

    @pytest.mark.parametrize("sides", [(2.0**-511, 2.0**-511), (1e-300, 1e-5), (5e-324, 2.0**60), (2e-308, 1.5)])
    def test_what_has_an_area_is_not(self, sides):
        rows = np.array([[0, 0, *sides]])
        assert vesica.iou(rows, rows).tolist() == [[1.0]]
        if min(sides) < 1e-307:  # half of it has fewer digits
            with pytest.raises(ValueError, match="`boxes` row 0 is too small"):
                RotatedBoxes([[0, 0, *sides, 0]], **DEG)
            return
        turned = RotatedBoxes([[0, 0, *sides, 0]], **DEG)
        assert vesica.iou(turned, turned).tolist() == [[1.0]]

    @pytest.mark.parametrize("row", [(0, 0, 0, 0), (0, 0, 0, 1e-200), (3, 4, 3, 4), (0, 1e-200, 5, 1e-200)])
    def test_what_has_none_is_not_either(self, row):
        assert vesica.iou([row], [row]).tolist() == [[0.0]]
        assert len(RotatedBoxes([[*row, 30]], **DEG)) == 1

    @pytest.mark.parametrize("side", [1e-144, 1e-100])
    @pytest.mark.parametrize("kind", ["rotated", "polygons"])
    def test_small_regions_are_themselves(self, kind, side):
        if kind == "rotated":
            region = RotatedBoxes([[side, side, side, 2 * side, 30]], **DEG)
        else:
            region = Polygons([[0, 0, side, 0, side, 2 * side, side / 2, side]])
        assert abs(vesica.iou(region, region).item() - 1) < 1e-14

    def test_narrow_polygons_are_wide(self):
        ring = np.float32([0, 0, 1e-30, 0, 1e-30, 1e-30])
        found = vesica.iou(Polygons([ring]), Polygons([ring]))
        assert found.dtype == np.float32 and found.tolist() == [[1.0]]

    def test_unchecked_boxes_are_as_they_are(self):
        """The value has underflowed, but what reaches a threshold is decided by the numbers themselves."""
        box = Boxes(square(1e-200, np.float64), check=False)
        assert vesica.iou(box, box).tolist() == [[0.0]]
        assert len(vesica.join(box, box, at_least=1)) == 1
        assert vesica.nms(Boxes(np.repeat(box.array, 2, axis=0), check=False), [0.9, 0.8]).tolist() == [0]


@pytest.mark.parametrize("dtype, tiny", [("float32", TINY32), ("float64", TINY64)])
def test_the_smallest_normal_area_is_whole(dtype, tiny):
    for side in (1.0, 2.0**-20, 2.0**20):
        rows = np.array([[0, 0, side, tiny / side]], dtype)
        assert vesica.iou(rows, rows).tolist() == [[1.0]] and Boxes(rows).area[0] == tiny
