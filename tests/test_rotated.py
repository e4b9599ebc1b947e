"""Rotated boxes: exactly 1 with themselves, whatever the scale; shapely; both directions; mixed with boxes."""

import copy
import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import oracles
import strategies
from vesica import Boxes, RotatedBoxes, SizeValueError, best, coverage, dice, giou, iou, join, overlap, parts, tversky
from vesica._kernels.generic import rotated as generic
from vesica.regions import rotated as regions_rotated

DEG = {"unit": "deg", "direction": "cw"}
RAD = {"unit": "rad", "direction": "cw"}
DATA = Path(__file__).parents[2] / "shared" / "data" / "oracles" / "obb_iou_shapely.json"


def one(a, b, **words):
    return float(iou(RotatedBoxes([a], **words), RotatedBoxes([b], **words))[0, 0])


def scattered(n, seed, spread=5.0):
    rng = np.random.default_rng(seed)
    sizes = rng.uniform(-spread, spread, (n, 2)), rng.uniform(0.1, 6, (n, 2)), rng.uniform(-7, 7, (n, 1))
    return np.concatenate(sizes, axis=1)


class TestItself:
    @pytest.mark.parametrize("scale", [1e-150, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e150])
    def test_exactly_one(self, xp, scale):
        rows = scattered(50, 0) * [scale, scale, scale, scale, 1]
        boxes = RotatedBoxes(xp(rows), **RAD)
        assert np.all(xp.back(iou(boxes, boxes, aligned=True)) == 1)

    @pytest.mark.parametrize("shift", range(0, 40, 3))
    def test_down_to_the_smallest_normal_area(self, shift):
        """As docs/design.md has it: the area is a normal float64, and no coordinate is beyond 2^508."""
        tiny, rows = np.finfo(np.float64).tiny, scattered(50, shift)
        rows[:, 3] = tiny * 2.0 ** (shift + 500) / rows[:, 2]
        rows[:, 2] *= 2.0**-500
        assert (rows[:, 2] * rows[:, 3] < tiny * 2.0 ** (shift + 1)).all()
        rows[:, :2] *= 2.0**-508
        boxes = RotatedBoxes(rows[rows[:, 2] * rows[:, 3] >= tiny], **RAD)
        assert len(boxes) >= 10 and np.all(iou(boxes, boxes, aligned=True) == 1)

    def test_far_away(self):
        rows = scattered(50, 1) + [1e7, -1e7, 0, 0, 0]
        assert np.all(np.diag(iou(RotatedBoxes(rows, **RAD), RotatedBoxes(rows, **RAD))) == 1)

    def test_same_region_written_otherwise(self):
        rows = scattered(50, 2)
        rows[:, 4] = np.degrees(rows[:, 4])
        turned = rows[:, [0, 1, 3, 2, 4]] + [0, 0, 0, 0, 90]
        half = rows + [0, 0, 0, 0, 180]
        for other in (turned, half):
            assert iou(RotatedBoxes(rows, **DEG), RotatedBoxes(other, **DEG), aligned=True) == pytest.approx(
                1, abs=1e-14
            )

    def test_mmcv_2621(self):
        row = [0, 0, 180.6422271729, 136.3633728027, 0.9559648633]
        assert one(row, row, **RAD) == 1


class TestWorked:
    def test_square_turned_by_45(self, xp):
        a, b = RotatedBoxes(xp([[0, 0, 1, 1, 0]]), **DEG), RotatedBoxes(xp([[0, 0, 1, 1, 45]]), **DEG)
        assert float(xp.back(parts(a, b).inter)[0, 0]) == pytest.approx(2 * (math.sqrt(2) - 1), abs=1e-15)
        assert float(xp.back(iou(a, b))[0, 0]) == pytest.approx(1 / math.sqrt(2), abs=1e-15)

    @pytest.mark.parametrize("direction, want", [("ccw", 0.0), ("cw", 0.2654929)])
    def test_detectron2_1207(self, direction, want):
        got = one([160, 153, 230, 23, -37], [190, 127, 80, 21, -46], unit="deg", direction=direction)
        assert got == pytest.approx(want, abs=5e-8)

    @pytest.mark.parametrize("direction, want", [("ccw", 0.3687587), ("cw", 0.0)])
    def test_detectron2_4961(self, direction, want):
        a = [1010.5, 860.00012207, 12.20655537, 48.82622528, 55.00798035]
        b = [1022, 870.49993896, 10.81665134, 43.26660919, 56.30992889]
        assert one(a, b, unit="deg", direction=direction) == pytest.approx(want, abs=5e-8)

    def test_detectron2_2154(self):
        a = [296.6620178222656, 458.73883056640625, 23.515729904174805, 47.677001953125, 0.08795166015625]
        b = [296.66201, 458.73882, 23.51573, 47.67702, 0.087951]
        assert one(a, b, unit="deg", direction="ccw") == pytest.approx(0.9999989, abs=5e-8)

    def test_rrpn_44(self):
        assert one([46.83, 44.03, 3.9, 1.63, 0], [46.83, 44.03, 1.63, 3.9, 1.45], **RAD) == pytest.approx(
            0.8548337, abs=5e-8
        )

    @pytest.mark.parametrize("height, want", [(1971.1, 2.59664495701e-9), (1.9711e10, 2.22837150621e-9)])
    def test_mmcv_2952(self, height, want):
        """Reference values by clipping in 60-digit arithmetic."""
        a, b = [135.07, 406.72, 7.9445e-7, height, 1.7708], [151.008, 436.2173, 302.0159, 313.7347, 3.1184]
        assert one(a, b, **RAD) == pytest.approx(want, rel=1e-11)

    def test_mmcv_1663_in_half_precision(self):
        rows = np.array(
            [
                [233.25, 276, 160, 50.625, -3.0371],
                [233.625, 276.75, 160.875, 52.6562, -2.998],
                [261, 326.25, 146.625, 46.4062, -2.9844],
                [261, 326.75, 147.375, 47.9062, -2.9648],
            ],
            "float16",
        )
        values = iou(RotatedBoxes(rows, **RAD), RotatedBoxes(rows, **RAD))
        assert values.dtype == np.float16
        assert values[0, 1] == pytest.approx(0.9252, abs=1e-3) and values[2, 3] == pytest.approx(0.9536, abs=1e-3)
        assert values[:2, 2:].max() < 0.05

    def test_thin_crossed_boxes_overlap_little(self):
        """supervision#2303: equal upright boxes around both, and hardly any overlap."""
        assert one([0, 0, 100, 2, 45], [0, 0, 100, 2, -45], **DEG) == pytest.approx(4 / 396, abs=1e-12)

    def test_degrees_are_exact_at_quarter_turns(self):
        for angle in (0, 90, -90, 180, 270, 360, 450, -720):
            boxes = RotatedBoxes([[5, 5, 4, 2, angle]], **DEG).boxes.xyxy.tolist()[0]
            assert boxes == ([3, 4, 7, 6] if angle % 180 == 0 else [4, 3, 6, 7])


class TestOracles:
    def test_shapely(self):
        pytest.importorskip("shapely")
        a, b = scattered(3000, 3), scattered(3000, 4)
        got = iou(RotatedBoxes(a, **RAD), RotatedBoxes(b, **RAD), aligned=True)
        want = np.array([oracles.rotated_iou(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)])
        assert (want > 0.01).sum() > 500
        assert np.abs(got - want).max() < 1e-14

    @pytest.mark.skipif(not DATA.exists(), reason="the shared oracle file is not here")
    def test_given_answers(self):
        rows = json.loads(DATA.read_text())
        a, b = (RotatedBoxes([row[side] for row in rows], **RAD) for side in "ab")
        assert np.abs(iou(a, b, aligned=True) - [row["iou"] for row in rows]).max() < 1e-14

    @given(strategies.tables(0, 6), strategies.tables(0, 6))
    def test_angle_zero_is_a_box(self, a, b):
        got = iou(RotatedBoxes.from_boxes(Boxes(a)), RotatedBoxes.from_boxes(Boxes(b)))
        # The centre is rounded, so a side much shorter than its coordinate is known only so well.
        sides = np.concatenate([(a[:, 2:] - a[:, :2]).ravel(), (b[:, 2:] - b[:, :2]).ravel()])
        far = max(np.abs(a).max(initial=0), np.abs(b).max(initial=0))
        least = sides[sides > 0].min(initial=np.inf)
        assert got == pytest.approx(iou(a, b), abs=1e-14 + 8e-16 * far / least)


class TestProperties:
    @given(strategies.rotated(), strategies.rotated())
    def test_symmetric_bit_for_bit(self, a, b):
        left, right = RotatedBoxes(a, **DEG), RotatedBoxes(b, **DEG)
        for measure in (iou, dice, overlap):
            assert np.array_equal(measure(left, right), measure(right, left).T)

    def test_symmetric_of_one_size(self):
        """Boxes that differ in nothing but their place, or their angle: one order for both, too."""
        rng = np.random.default_rng(4)
        rows = np.column_stack([rng.uniform(0, 3, (40, 2)), np.full((40, 2), [3.1, 1.7]), rng.uniform(0, 3, 40)])
        rows[::3, 0], rows[::4, 1], rows[::5, 4] = 1.1, 1.3, 0.7
        table = iou(RotatedBoxes(rows, **DEG), RotatedBoxes(rows, **DEG))
        assert np.array_equal(table, table.T)

    @given(strategies.rotated(), strategies.rotated())
    def test_native_is_the_twin(self, a, b):
        left, right = RotatedBoxes(a, **DEG).math("deg"), RotatedBoxes(b, **DEG).math("deg")
        twin = generic.inter(left[:, None, :], right[None, :, :])
        shared = parts(RotatedBoxes(a, **DEG), RotatedBoxes(b, **DEG)).inter
        scale = max(1.0, twin.max(initial=0))
        assert shared == pytest.approx(twin, abs=1e-13 * scale)

    @given(strategies.rotated(), strategies.rotated(), st.sampled_from([2.0**-40, 2.0**30]))
    def test_scaling_by_powers_of_two_changes_no_bit(self, a, b, scale):
        grown = np.array([scale, scale, scale, scale, 1])
        assert np.array_equal(
            iou(RotatedBoxes(a * grown, **DEG), RotatedBoxes(b * grown, **DEG)),
            iou(RotatedBoxes(a, **DEG), RotatedBoxes(b, **DEG)),
        )

    @given(strategies.rotated(), strategies.rotated())
    def test_range(self, a, b):
        values = iou(RotatedBoxes(a, **DEG), RotatedBoxes(b, **DEG))
        assert np.all(values >= 0) and np.all(values <= 1)

    @given(strategies.rotated(1), strategies.rotated(1))
    def test_direction_mirrors(self, a, b):
        mirror = np.array([1, -1, 1, 1, 1])
        clockwise = iou(RotatedBoxes(a, **DEG), RotatedBoxes(b, **DEG))
        other = {"unit": "deg", "direction": "ccw"}
        assert iou(RotatedBoxes(a * mirror, **other), RotatedBoxes(b * mirror, **other)) == pytest.approx(
            clockwise, abs=1e-13
        )


class TestMixed:
    def test_box_with_rotated(self, xp):
        box, turned = Boxes(xp([[0, 0, 1, 1]])), RotatedBoxes(xp([[0.5, 0.5, 1, 1, 45]]), **DEG)
        for values in (iou(box, turned), iou(turned, box)):
            assert float(xp.back(values)[0, 0]) == pytest.approx(1 / math.sqrt(2), abs=1e-15)

    def test_float32_keeps_its_dtype_and_its_bits(self):
        box = Boxes(np.array([[0.1, 0.2, 10.3, 7.7]], "float32"))
        x1, y1, x2, y2 = box.xyxy[0].astype(float).tolist()
        turned = np.array([[(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1, 0]])
        assert iou(box, RotatedBoxes(turned.astype("float32"), **DEG)).dtype == np.float32
        assert iou(box, RotatedBoxes(turned, **DEG)).tolist() == [[1.0]]

    def test_degrees_with_radians(self):
        a, b = RotatedBoxes([[0, 0, 4, 2, 30]], **DEG), RotatedBoxes([[0, 0, 4, 2, math.radians(30)]], **RAD)
        assert iou(a, b)[0, 0] == pytest.approx(1, abs=1e-15) and iou(b, a)[0, 0] == iou(a, b)[0, 0]

    def test_join_and_best(self):
        boxes, turned = Boxes([[0, 0, 1, 1], [5, 5, 6, 6]]), RotatedBoxes([[0.5, 0.5, 1, 1, 45]], **DEG)
        assert join(boxes, turned, at_least=0.7).i.tolist() == [0]
        assert best(turned, boxes).index.tolist() == [[0]]


class TestShape:
    def test_no_rows(self, xp):
        none, some = RotatedBoxes(xp(np.zeros((0, 5))), **DEG), RotatedBoxes(xp(scattered(3, 5)), **DEG)
        assert tuple(iou(none, some).shape) == (0, 3) and tuple(iou(some, none).shape) == (3, 0)
        assert tuple(iou(none, none, aligned=True).shape) == (0,) and RotatedBoxes([], **DEG).area.tolist() == []

    def test_zero_sides(self, xp):
        line, box = RotatedBoxes(xp([[0, 0, 4, 0, 30]]), **DEG), RotatedBoxes(xp([[0, 0, 9, 9, 0]]), **DEG)
        assert xp.back(iou(line, box)).tolist() == [[0.0]] and xp.back(coverage(line, box, empty=1.0)).tolist() == [
            [1.0]
        ]

    def test_corners(self):
        corners = RotatedBoxes([[0, 0, 4, 2, 90]], **DEG).to_corners()
        assert corners.tolist() == [[[1, -2], [1, 2], [-1, 2], [-1, -2]]]

    def test_index(self):
        boxes = RotatedBoxes(scattered(4, 6), **RAD)
        assert len(boxes[1:3]) == 2 and len(boxes[0]) == 1 and boxes[0].unit == "rad"

    def test_copies(self):
        boxes = RotatedBoxes.from_boxes(Boxes(np.array([[0, 0, 4, 2]], "float32")))
        for other in (copy.deepcopy(boxes), pickle.loads(pickle.dumps(boxes))):
            assert (other.unit, other.dtype) == ("deg", "float32") and iou(other, boxes).tolist() == [[1.0]]

    def test_unchecked_nan_stays_nan(self, xp):
        for column in range(5):
            row = [0.0, 0.0, 2.0, 2.0, 0.0]
            row[column] = math.nan
            strange = RotatedBoxes(xp([row]), **DEG, check=False)
            assert np.isnan(xp.back(iou(strange, RotatedBoxes(xp([[0, 0, 2, 2, 0]]), **DEG)))).all(), column


class TestGradient:
    def test_gradcheck(self):
        torch = pytest.importorskip("torch")
        a = torch.tensor(scattered(12, 7, 2), requires_grad=True)
        b = torch.tensor(scattered(12, 8, 2), requires_grad=True)
        boxes = lambda x: RotatedBoxes(x, **RAD)  # noqa: E731
        assert torch.autograd.gradcheck(lambda x, y: iou(boxes(x), boxes(y), aligned=True), (a, b), atol=1e-6)

    def test_flows_at_equal_angles(self):
        """Upright guesses must be able to learn to turn."""
        torch = pytest.importorskip("torch")
        x = torch.tensor([[1.0, 0.5, 4, 2, 0]], dtype=torch.float64, requires_grad=True)
        iou(
            RotatedBoxes(x, **RAD), RotatedBoxes(torch.tensor([[0.0, 0, 4, 2, 0]], dtype=torch.float64), **RAD)
        ).sum().backward()
        step = 1e-7
        turned = [[1.0, 0.5, 4, 2, step]], [[1.0, 0.5, 4, 2, -step]]
        base = RotatedBoxes([[0.0, 0, 4, 2, 0]], **RAD)
        slopes = [
            (
                float(iou(RotatedBoxes(t, **RAD), base)[0, 0])
                - float(iou(base, RotatedBoxes([[1.0, 0.5, 4, 2, 0]], **RAD))[0, 0])
            )
            for t in turned
        ]
        forward, backward = slopes[0] / step, -slopes[1] / step
        assert min(forward, backward) - 1e-5 <= float(x.grad[0, 4]) <= max(forward, backward) + 1e-5

    @pytest.mark.parametrize(
        "row", [[0, 0, 0, 0, 0], [0, 0, 2, 2, 0], [2, 0, 2, 2, 0], [9, 9, 1, 1, 1], [0, 0, 3, 0, 1]]
    )
    def test_finite_at_degenerate_boxes(self, row):
        torch = pytest.importorskip("torch")
        for measure in (iou, dice, coverage, overlap, tversky):
            x = torch.tensor([row], dtype=torch.float64, requires_grad=True)
            y = torch.tensor([[0.0, 0, 2, 2, 0]], dtype=torch.float64, requires_grad=True)
            measure(RotatedBoxes(x, **RAD), RotatedBoxes(y, **RAD)).sum().backward()
            assert torch.isfinite(x.grad).all() and torch.isfinite(y.grad).all()


SAY = [
    (
        [[0, 0, 1, 1, 0]],
        {"direction": "cw"},
        TypeError,
        r"`unit` has no default, because both are in use: say unit=\"deg\"",
    ),
    (
        [[0, 0, 1, 1, 0]],
        {"unit": "deg"},
        TypeError,
        r"`direction` has no default.*direction=\"cw\" or direction=\"ccw\"",
    ),
    ([[0, 0, 1, 1, 0]], {"unit": "degrees", "direction": "cw"}, ValueError, "`unit` must be one of"),
    ([[0, 0, 1, 1, 0], [0, 0, -1, 1, 0]], DEG, ValueError, r"`boxes` row 1 must not have a negative side; got w = -1"),
    ([[0, 0, 1, math.nan, 0]], DEG, ValueError, r"row 0 must be finite; got h = nan"),
    ([[0, 0, 1, 1, math.inf]], DEG, ValueError, r"row 0 must be finite; got angle = inf"),
    ([[0, 0, 1e200, 1, 0]], DEG, ValueError, r"row 0 is too large"),
    ([[0, 0, -1, 1, 0], [0, 0, 1, math.nan, 0]], DEG, ValueError, r"row 0 must not have a negative side"),
    ([[0, 0, 1, 1]], DEG, ValueError, r"`boxes` must have shape \(N, 5\); got \(1, 4\)\. Upright boxes go to Boxes"),
    (np.zeros((2, 3, 5)), DEG, ValueError, r"Rotated boxes have no batch axes"),
]


class TestRefused:
    @pytest.mark.parametrize("rows, words, kind, message", SAY)
    def test_message(self, rows, words, kind, message):
        with pytest.raises(kind, match=message):
            RotatedBoxes(rows, **words)

    def test_measures_of_the_hull(self):
        boxes = RotatedBoxes([[0, 0, 1, 1, 0]], **DEG)
        calls = (
            lambda: giou(boxes, boxes),
            lambda: giou(parts(boxes, boxes)),
            lambda: join(boxes, at_least=0.5, measure="giou"),
            lambda: best(boxes, boxes, measure="giou"),
        )
        for call in calls:
            with pytest.raises(
                TypeError, match="giou is not defined for rotated boxes: .*coverage, dice, distance, iou"
            ):
                call()

    def test_aligned_lengths(self):
        with pytest.raises(SizeValueError, match="got 1 and 2"):
            iou(RotatedBoxes(scattered(1, 0), **RAD), RotatedBoxes(scattered(2, 0), **RAD), aligned=True)

    def test_batch_with_rotated(self):
        with pytest.raises(ValueError, match="one table"):
            iou(np.zeros((2, 3, 4)), RotatedBoxes(scattered(1, 0), **RAD))


some_points = st.lists(st.tuples(st.integers(-30, 30), st.integers(-30, 30)), min_size=4, max_size=4)


class TestFromCorners:
    @given(st.integers(0, 2**32), st.permutations(range(4)))
    def test_any_order_leads_back(self, seed, order):
        rows = scattered(6, seed, 40)
        boxes = RotatedBoxes(rows, **RAD)
        again = RotatedBoxes.from_corners(boxes.to_corners()[:, order])
        assert iou(boxes, again, aligned=True) == pytest.approx(1, abs=1e-9)
        assert np.all((again.array[:, 4] >= 0) & (again.array[:, 4] < 90))
        assert np.sort(again.array[:, 2:4]) == pytest.approx(np.sort(rows[:, 2:4]), rel=1e-9)

    @given(some_points)
    def test_smallest_is_shapely(self, points):
        """No rectangle around the points is smaller than shapely's, which walks around the hull; and all are inside."""
        boxes = RotatedBoxes.from_corners([points], fit="smallest")
        around = shapely.oriented_envelope(shapely.MultiPoint(points))
        assert boxes.area[0] == pytest.approx(around.area, abs=1e-6)
        rectangle = shapely.Polygon(boxes.to_corners()[0]).buffer(1e-6)
        assert all(rectangle.covers(shapely.Point(point)) for point in points)

    @given(strategies.tables(1, dtype="int64"), st.permutations(range(4)))
    def test_upright_is_exact(self, rows, order):
        x1, y1, x2, y2 = rows.T
        corners = np.stack([x1, y1, x2, y1, x2, y2, x1, y2], axis=1).reshape(-1, 4, 2)[:, order]
        want = np.stack([(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1, 0 * x1], axis=1)
        assert RotatedBoxes.from_corners(corners).array.tolist() == want.tolist()

    @pytest.mark.parametrize("scale", [1e-150, 1e-6, 1.0, 1e6, 1e150])
    def test_every_scale(self, scale):
        rows = scattered(20, 3) * [scale, scale, scale, scale, 1]
        boxes = RotatedBoxes(rows, **RAD)
        again = RotatedBoxes.from_corners(boxes.to_corners())
        assert again.array[:, :2] == pytest.approx(rows[:, :2], abs=1e-12 * scale)
        assert np.sort(again.array[:, 2:4]) == pytest.approx(np.sort(rows[:, 2:4]), rel=1e-9)

    def test_in_every_library(self, xp):
        corners = RotatedBoxes(scattered(5, 4), **RAD).to_corners()
        again = RotatedBoxes.from_corners(xp(corners))
        assert type(again.array) is type(xp(corners))
        assert xp.back(again.array) == pytest.approx(RotatedBoxes.from_corners(corners).array, abs=1e-9)

    def test_units(self):
        corners = [[0, 0, 2, 2, 1, 3, -1, 1]]
        same = [RotatedBoxes.from_corners(corners, unit=u, direction=d) for u in ("deg", "rad") for d in ("cw", "ccw")]
        assert [round(float(b.array[0, 4]), 6) for b in same] == [45, -45, 0.785398, -0.785398]
        assert all(np.allclose(b.to_corners(), same[0].to_corners()) for b in same)

    @pytest.mark.parametrize(
        "corners",
        [
            pytest.param([[3, 4]] * 4, id="a point"),
            pytest.param([[0, 0], [3, 4], [0, 0], [3, 4]], id="a line"),
            pytest.param([[1e9, 1e9], [1e9 + 3, 1e9 + 4], [1e9 - 4, 1e9 + 3], [1e9 - 1, 1e9 + 7]], id="far away"),
        ],
    )
    def test_edges(self, corners):
        boxes = RotatedBoxes.from_corners([corners])
        got = sorted(map(tuple, boxes.to_corners()[0].round(6).tolist()))
        assert got == sorted((float(x), float(y)) for x, y in corners)

    def test_floats_stay(self):
        for dtype, want in (("float32", "float32"), ("float16", "float16"), ("int32", "float64")):
            boxes = RotatedBoxes.from_corners(np.array([[0, 0, 4, 0, 4, 2, 0, 2]], dtype))
            assert boxes.dtype == want and iou(boxes, boxes).dtype == want
        assert len(RotatedBoxes.from_corners([])) == len(RotatedBoxes.from_corners(np.zeros((0, 4, 2)))) == 0

    def test_gradients(self):
        torch = pytest.importorskip("torch")
        corners = torch.tensor(RotatedBoxes(scattered(6, 9), **RAD).to_corners()[:, [1, 3, 0, 2]])
        corners = (corners + 0.01 * torch.rand(corners.shape, generator=torch.Generator().manual_seed(0))).double()

        def sides(points):
            return RotatedBoxes.from_corners(points, fit="smallest").array[:, 2:4]

        assert torch.autograd.gradcheck(sides, (corners.requires_grad_(),), atol=1e-5)

    @pytest.mark.parametrize(
        "corners, message",
        [
            ([[0, 0, 10, 0, 13, 4, 3, 4]], r"box 0 are no rectangle's: one lies 3 away.*fit=.smallest"),
            ([[0, 0, 4, 0, 4, 2, 0, 2], [0, 0, 4, 0, 4, 2, 0, 0]], "box 1 are no rectangle's"),
            ([[0, 0, 4, 0, 4, math.nan, 0, 2]], "box 0 must be finite.*got nan"),
            ([[0, 0, 4, 0, 4, 1e200, 0, 2]], "box 0 must be finite and at most"),
            ([[0, 0], [4, 0], [4, 2], [0, 2]], r"shape \(N, 4, 2\) or \(N, 8\).*got \(4, 2\). One box"),
        ],
    )
    def test_refused(self, corners, message):
        with pytest.raises(ValueError, match=message):
            RotatedBoxes.from_corners(corners)

    def test_eight_columns_are_told_the_way(self):
        with pytest.raises(ValueError, match="RotatedBoxes.from_corners"):
            RotatedBoxes([[0, 0, 4, 0, 4, 2, 0, 2]], **DEG)


@pytest.mark.parametrize(
    "word, meant", [("clockwise", "cw"), ("counter-clockwise", "ccw"), ("anticlockwise", "ccw"), ("CW", "cw")]
)
def test_words_for_directions(word, meant):
    with pytest.raises(ValueError, match=f'got {word!r}. Did you mean "{meant}"'):
        RotatedBoxes([[2, 2, 4, 4, 45]], unit="deg", direction=word)


class TestNativeSteps:
    """What is native on the way to a rotated box does what the array code does, bit for bit."""

    ANGLES = (0.0, -0.0, 45, -45, 89.99999999999999, 90, 135, 180, -270, 450, 1e-300, 1e15 + 0.5, 2.0**60, -7.25)

    @pytest.mark.parametrize("unit", ["deg", "rad"])
    @pytest.mark.parametrize("direction", ["cw", "ccw"])
    @pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
    def test_rows(self, unit, direction, dtype):
        rows = np.concatenate([scattered(101, 7), scattered(len(self.ANGLES), 8)])
        rows[:101, 4] *= 100
        rows[101:, 4] = self.ANGLES
        given = rows.astype(dtype)
        want = regions_rotated._rows_of_any(given, unit, direction)
        for table in (given, np.asfortranarray(given), np.repeat(given, 2, axis=0)[::2]):
            got = RotatedBoxes(table, unit=unit, direction=direction, check=False)._rows
            assert got.dtype == np.float64 and got.tobytes() == want.tobytes()

    @pytest.mark.parametrize("unit", ["deg", "rad"])
    def test_no_rows(self, unit):
        assert RotatedBoxes([], unit=unit, direction="cw")._rows.shape == (0, 7)

    @pytest.mark.parametrize("angle", [math.nan, math.inf, -math.inf])
    def test_no_angle(self, angle):
        rows = RotatedBoxes([[1, 2, 3, 4, angle]], **DEG, check=False)._rows
        assert np.isnan(rows[0, 5:]).all() and rows[0, :4].tolist() == [1, 2, 3, 4]

    @pytest.mark.parametrize("column", range(5))
    def test_first_bad_row(self, column):
        """Soundness is asked of vectors: wherever the row stands among others."""
        for at in (0, 3, 8, 30):
            rows = scattered(31, 9)
            rows[at, column] = math.nan
            with pytest.raises(ValueError, match=f"row {at} "):
                RotatedBoxes(rows, **DEG)

    @pytest.mark.parametrize("side", [2, 3])
    def test_no_side_is_sound(self, side):
        rows = scattered(5, 10)
        rows[4, side] = 0
        assert RotatedBoxes(rows, **DEG).area[4] == 0


class TestFilter:
    """Every pair is looked for by floats first; no pair that shares anything is lost, wherever and however large."""

    @staticmethod
    def compare(a, b):
        left, right = (RotatedBoxes(rows, **DEG, check=False) for rows in (a, b))
        i, j = np.divmod(np.arange(len(a) * len(b)), len(b))
        want = iou(left[i], right[j], aligned=True).reshape(len(a), len(b))
        with np.errstate(invalid="ignore"):
            np.testing.assert_allclose(iou(left, right), want, rtol=0, atol=1e-12)
        for measure in (iou, overlap):  # the order of b, and threads, are of no account
            turned = measure(left, right[::-1], threads=3)[:, ::-1]
            assert turned.tobytes() == np.ascontiguousarray(measure(left, right, threads=1)).tobytes()
        k = min(3, len(b))
        np.testing.assert_array_equal(best(left, right, k=k).value, -np.sort(-iou(left, right), axis=1)[:, :k])

    @pytest.mark.parametrize("m", [1, 31, 32, 33, 64, 1000, 8193, 20_000])
    def test_counts(self, m):
        self.compare(scattered(5, 11, spread=40), scattered(m, 12, spread=40))

    @pytest.mark.parametrize("n", [1, 63, 64, 65, 300])
    def test_rows(self, n):
        self.compare(scattered(n, 13, spread=20), scattered(70, 14, spread=20))

    @pytest.mark.parametrize("scale", [1e-150, 1e-40, 1e40, 1e150])
    def test_scales(self, scale):
        a, b = (scattered(60, seed) * [scale, scale, scale, scale, 30] for seed in (15, 16))
        self.compare(a, b)

    @pytest.mark.parametrize("shift", [1e3, 1e7, 1e12])
    def test_far_from_the_origin(self, shift):
        a, b = (scattered(60, seed) + [shift, -shift, 0, 0, 0] for seed in (17, 18))
        self.compare(a, b)

    @pytest.mark.parametrize("far", [1e6, 1e30, 1e150])
    def test_one_far_from_the_others(self, far):
        a, b = scattered(60, 19), scattered(60, 20)
        a[3, 0], a[4, 1], b[5, 0], b[6, 1] = far, -far, -far, far
        self.compare(a, b)

    def test_all_at_one_place(self):
        a, b = scattered(60, 21), scattered(60, 22)
        b[:, :2] = 1
        self.compare(a, b)

    def test_without_area(self):
        a, b = scattered(60, 23), scattered(60, 24)
        a[::7, 2], b[::5, 3] = 0, 0
        self.compare(a, b)
        b[:, 2:4] = 0
        self.compare(a, b)

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    @pytest.mark.parametrize("column", range(5))
    def test_no_numbers(self, column, value):
        """They have no overlap, and leave that of others as it is."""
        if column in (2, 3):
            value = abs(value)  # a side
        a, b = scattered(40, 25), scattered(50, 26)
        a[::9, column], b[::11, column] = value, value
        got = iou(*(RotatedBoxes(rows, **DEG, check=False) for rows in (a, b)))
        assert np.isnan(got[::9]).all() and np.isnan(got[:, ::11]).all()
        is_sound = [np.arange(len(rows)) % step != 0 for rows, step in ((a, 9), (b, 11))]
        want = iou(*(RotatedBoxes(rows[sound], **DEG) for rows, sound in zip((a, b), is_sound, strict=True)))
        assert np.array_equal(got[np.ix_(*is_sound)], want)

    @pytest.mark.parametrize("bit", range(30, 54))
    def test_boxes_that_all_but_touch(self, bit):
        ends = [[2 + sign * 2.0 ** (1 - bit), 0, 2, 2, 0] for sign in (-1, 0, 1)]
        got = iou(RotatedBoxes([[0, 0, 2, 2, 0]], **DEG), RotatedBoxes(ends, **DEG))[0]
        assert got[0] > 0 and got[1] == got[2] == 0
