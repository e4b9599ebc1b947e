"""Measures: worked numbers, edge cases, properties, gradients."""

import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

import oracles
import strategies
import vesica
from vesica import (
    Boxes,
    LabelMap,
    Parts,
    RleMasks,
    best,
    ciou,
    coverage,
    dice,
    diou,
    distance,
    eiou,
    giou,
    iou,
    join,
    overlap,
    parts,
    tversky,
)
from vesica._kernels import native
from vesica._kernels.tables import Counted
from vesica.overlaps.measures import MEASURES, ratio

both_ways = pytest.mark.usefixtures("both_ways")

ALL = sorted(MEASURES)
BOX_ONLY = ["ciou", "diou", "eiou", "giou"]


def value(name, a, b, **options):
    return float(MEASURES[name](np.asarray([a]), np.asarray([b]), **options)[0, 0])


# Spec 8.5: the same pairs for every measure, as fractions.
F = Fraction
WORKED = [
    ([0, 0, 4, 4], [2, 2, 6, 6], F(1, 7), F(1, 4), F(-5, 63), F(2, 63), 2 / 63, F(2, 63), F(1, 4), F(1, 4), F(1, 4)),
    (
        [0, 0, 4, 2],
        [1, 0, 3, 4],
        F(1, 3),
        F(1, 2),
        F(1, 12),
        F(29, 96),
        0.2683317,
        F(-19, 96),
        F(1, 2),
        F(1, 2),
        F(1, 2),
    ),
    ([0, 0, 2, 2], [4, 0, 6, 2], 0, 0, F(-1, 3), F(-2, 5), -2 / 5, F(-2, 5), 0, 0, 0),
    ([0, 0, 10, 10], [2, 2, 4, 4], F(1, 25), F(1, 13), F(1, 25), 0, 0.0, F(-32, 25), F(1, 25), 1, F(5, 41)),
]
NAMES = ["iou", "dice", "giou", "diou", "ciou", "eiou", "coverage", "overlap", "tversky"]


@both_ways
@pytest.mark.parametrize("row", WORKED, ids=["corner", "cross", "apart", "inside"])
@pytest.mark.parametrize("column", range(9), ids=NAMES)
def test_worked_numbers(xp, row, column):
    a, b, want = row[0], row[1], float(row[2 + column])
    options = {"alpha": 0.3, "beta": 0.7} if NAMES[column] == "tversky" else {}
    tolerance = 1e-6 if NAMES[column] == "ciou" else 1e-15
    measure = MEASURES[NAMES[column]]
    assert xp.back(measure(xp([a]), xp([b]), **options))[0, 0] == pytest.approx(want, abs=tolerance)
    assert xp.back(measure(xp([a]), xp([b]), aligned=True, **options))[0] == pytest.approx(want, abs=tolerance)
    assert xp.back(measure(parts(xp([a]), xp([b])), **options))[0, 0] == pytest.approx(want, abs=tolerance)


class TestInclusive:
    """Seed 002: the old tutorial function, in which both end pixels belong (spec 8.2)."""

    @pytest.mark.parametrize(
        "a, b, both_ends, half_open",
        [
            ([0, 0, 9, 9], [9, 0, 18, 9], 1 / 19, 0),
            ([0, 0, 9, 9], [5, 5, 14, 14], 1 / 7, 8 / 73),
            ([0, 0, 9, 9], [10, 0, 19, 9], 0, 0),
            ([39, 63, 203, 112], [54, 66, 198, 114], 1363 / 1708, 1656 / 2081),
        ],
    )
    def test_value(self, a, b, both_ends, half_open):
        assert iou(Boxes([a], "xyxy_inclusive"), Boxes([b], "xyxy_inclusive")).tolist() == [[both_ends]]
        assert iou([a], [b]).tolist() == [[half_open]]

    def test_equals_the_tutorial(self):
        def bb_intersection_over_union(box_a, box_b):
            w = max(0, min(box_a[2], box_b[2]) - max(box_a[0], box_b[0]) + 1)
            h = max(0, min(box_a[3], box_b[3]) - max(box_a[1], box_b[1]) + 1)
            sizes = [(box[2] - box[0] + 1) * (box[3] - box[1] + 1) for box in (box_a, box_b)]
            return w * h / float(sum(sizes) - w * h)

        rng = np.random.default_rng(0)
        corner = rng.integers(0, 30, (40, 2))
        rows = np.concatenate([corner, corner + rng.integers(0, 20, (40, 2))], axis=1)
        want = oracles.matrix(bb_intersection_over_union, rows.tolist(), rows.tolist())
        assert np.array_equal(iou(Boxes(rows, "xyxy_inclusive"), Boxes(rows, "xyxy_inclusive")), want)


class TestGrid:
    """Seed 004: boxes on a 13×13 grid (spec 8.4)."""

    ACTUAL = [
        [2.76772099, 3.82412258, 9.20284061, 10.90716819],
        [11.14633535, 10.19626615, 12.60589032, 4.39965071],
    ]
    GUESS = [
        [6.27252577, 6.24175572, 11.23818034, 8.57538178],
        [12.15843153, 3.54273941, 9.59581098, 0.71452057],
    ]

    @pytest.mark.parametrize("side", [12, 13])
    def test_clipped(self, xp, side):
        a = Boxes(xp(self.ACTUAL), "cxcywh").clip(side, side)
        b = Boxes(xp(self.GUESS), "cxcywh").clip(side, side)
        assert xp.back(iou(a, b, aligned=True)).round(8).tolist() == [0.42562048, 0.0]

    def test_not_clipped(self, xp):
        a, b = Boxes(xp(self.ACTUAL), "cxcywh"), Boxes(xp(self.GUESS), "cxcywh")
        assert xp.back(iou(a, b, aligned=True)).round(8).tolist() == [0.33329962, 0.0]

    def test_clipped_corners(self):
        a = Boxes(self.ACTUAL, "cxcywh").clip(12, 12)
        assert a.xyxy[0].round(8).tolist() == [0.0, 0.0, 7.3691413, 9.27770668]
        assert a.area.round(8)[0] == 68.36873138
        b = Boxes(self.GUESS, "cxcywh").clip(12, 12)
        assert b.xyxy.round(8).tolist() == [
            [0.6534356, 1.95406483, 11.89161594, 10.52944661],
            [7.36052604, 3.18547912, 12, 3.8999997],
        ]
        assert b.area.round(8)[0] == 96.37168693 and parts(a, b).inter.round(8)[0, 0] == 49.18342325

    def test_as_fractions_of_the_grid(self):
        a = Boxes(np.array(self.ACTUAL) / 13, "cxcywh", normalised=(13, 13))
        b = Boxes(np.array(self.GUESS) / 13, "cxcywh", normalised=(13, 13))
        assert iou(a, b, aligned=True).round(8).tolist() == [0.33329962, 0.0]


class TestPublicReports:
    """Inputs that other libraries got wrong, with the true answer (spec 8.7)."""

    def test_vision_7165(self):
        assert iou([[1.0, 1, 2, 3]], [[0.0, 0, 2, 2]]).tolist() == [[0.2]]

    def test_vision_8949(self):
        rows = np.array([[2748, 618, 2830, 659], [2690, 642, 2749, 681], [2690, 639, 2746, 681]])
        assert iou(rows[:1], rows[1:2])[0, 0] == pytest.approx(0.0030110, abs=5e-8)
        assert iou(rows[1:2], rows[2:])[0, 0] == pytest.approx(0.8845687, abs=5e-8)


EDGES = [
    pytest.param([0, 0, 2, 2], [0, 0, 2, 2], {name: 1.0 for name in ALL if name != "distance"}, id="identical"),
    pytest.param([0, 0, 2, 2], [2, 0, 4, 2], {"iou": 0, "giou": 0, "diou": -1 / 5, "distance": 1}, id="touching"),
    pytest.param([1, 1, 1, 1], [1, 1, 1, 1], {name: 0.0 for name in ALL if name != "distance"}, id="equal points"),
    pytest.param([1, 1, 1, 5], [1, 1, 1, 5], {name: 0.0 for name in ALL if name != "distance"}, id="equal lines"),
    pytest.param(
        [1, 1, 1, 1], [3, 4, 3, 4], {"iou": 0, "giou": -1, "diou": -1, "ciou": -1, "eiou": -1}, id="two points"
    ),
    pytest.param([1, 1, 1, 1], [0, 0, 4, 4], {"iou": 0, "coverage": 0, "overlap": 0}, id="a point inside"),
]


@both_ways
@pytest.mark.parametrize("a, b, wants", EDGES)
class TestEdges:
    def test_value(self, xp, a, b, wants):
        for name, want in wants.items():
            got = xp.back(MEASURES[name](xp([a]), xp([b])))[0, 0]
            assert got == pytest.approx(want, abs=1e-15), name

    def test_gradient_is_finite(self, a, b, wants):
        torch = pytest.importorskip("torch")
        for name in ALL:
            x = torch.tensor([a], dtype=torch.float64, requires_grad=True)
            y = torch.tensor([b], dtype=torch.float64, requires_grad=True)
            MEASURES[name](x, y, aligned=True).sum().backward()
            assert torch.isfinite(x.grad).all() and torch.isfinite(y.grad).all(), name


@both_ways
class TestEmpty:
    def test_zero_over_zero(self, xp):
        point = xp([[1, 1, 1, 1]])
        assert xp.back(iou(point, point, empty=1.0)).tolist() == [[1.0]]
        assert xp.back(distance(point, point, empty=1.0)).tolist() == [[0.0]]
        assert xp.back(distance(point, point)).tolist() == [[1.0]]
        assert xp.back(coverage(point, xp([[0, 0, 4, 4]]), empty=0.25)).tolist() == [[0.25]]

    def test_gradient_of_equal_points_is_zero(self):
        torch = pytest.importorskip("torch")
        for name in ALL:
            x = torch.ones((1, 4), dtype=torch.float64, requires_grad=True)
            MEASURES[name](x, torch.ones((1, 4), dtype=torch.float64), aligned=True).sum().backward()
            assert torch.all(x.grad == 0), name

    @pytest.mark.parametrize("name", ALL)
    def test_no_rows(self, xp, name):
        none, some = xp(np.zeros((0, 4)), "float32"), xp([[0, 0, 1, 1]] * 3, "float32")
        for a, b, shape in ((none, some, (0, 3)), (some, none, (3, 0)), (none, none, (0, 0))):
            answer = MEASURES[name](a, b)
            assert tuple(answer.shape) == shape and xp.back(answer).dtype == np.float32
        assert tuple(MEASURES[name](none, none, aligned=True).shape) == (0,)


class TestProperties:
    @given(strategies.tables(), strategies.tables())
    def test_symmetric_bit_for_bit(self, a, b):
        for name in ("iou", "dice", "giou", "diou", "eiou", "overlap", "distance"):
            assert np.array_equal(MEASURES[name](a, b), MEASURES[name](b, a).T), name

    @given(strategies.tables(), strategies.tables())
    def test_range(self, a, b):
        low = {"giou": -1, "diou": -1, "ciou": -2, "eiou": -3}
        for name in ALL:
            values = MEASURES[name](a, b)
            assert np.all(values >= low.get(name, 0) - 1e-12) and np.all(values <= 1), name

    @given(strategies.tables(dtype="float32"), strategies.tables(dtype="float32"))
    def test_inequalities(self, a, b):
        one = iou(a, b)
        assert np.all(giou(a, b) <= one) and np.all(diou(a, b) <= one)
        assert np.all(ciou(a, b) <= diou(a, b)) and np.all(eiou(a, b) <= diou(a, b))
        assert np.all(one <= dice(a, b) + 1e-6) and np.all(dice(a, b) <= overlap(a, b) + 1e-6)
        assert np.all(one <= coverage(a, b) + 1e-6) and np.all(coverage(a, b) <= overlap(a, b))

    @given(strategies.tables(), strategies.tables())
    def test_scaling_by_powers_of_two_changes_no_bit(self, a, b):
        for name in ALL:
            assert np.array_equal(MEASURES[name](a * 2.0**-9, b * 2.0**-9), MEASURES[name](a, b)), name

    @given(strategies.tables(dtype="int64"), strategies.tables(dtype="int64"))
    def test_translation_of_integers_changes_no_bit(self, a, b):
        for name in ALL:
            assert np.array_equal(MEASURES[name](a + 12_345, b + 12_345), MEASURES[name](a, b)), name

    @given(strategies.tables(1), strategies.tables(1))
    def test_tversky_between(self, a, b):
        assert np.allclose(tversky(a, b, alpha=1, beta=1), iou(a, b), atol=1e-12)
        assert np.allclose(tversky(a, b), dice(a, b), atol=1e-12)

    @given(strategies.tables(1), strategies.tables(1))
    def test_coverage_of_b_is_coverage_the_other_way(self, a, b):
        assert np.array_equal(coverage(a, b, of="b"), coverage(b, a).T)


@both_ways
class TestOracles:
    @given(strategies.tables(most=6, dtype="int64"), strategies.tables(most=6, dtype="int64"))
    def test_integers_are_fractions_rounded_once(self, a, b):
        for name in ("iou", "dice", "coverage", "overlap"):
            assert np.array_equal(MEASURES[name](a, b), oracles.matrix(getattr(oracles, name), a.tolist(), b.tolist()))

    @given(strategies.tables(most=5), strategies.tables(most=5))
    def test_all_close_to_fractions(self, a, b):
        for name in ALL:
            options = {"alpha": 0.3, "beta": 0.7} if name == "tversky" else {}
            want = oracles.matrix(getattr(oracles, name), a.tolist(), b.tolist(), **options)
            assert MEASURES[name](a, b, **options) == pytest.approx(want, abs=1e-9), name

    def test_counting_squares(self):
        rng = np.random.default_rng(1)
        corner = rng.integers(0, 8, (12, 2))
        rows = np.concatenate([corner, corner + rng.integers(0, 6, (12, 2))], axis=1)
        sets = [oracles.squares(row, 16) for row in rows.tolist()]
        want = [[len(p & q) / len(p | q) if p | q else 0.0 for q in sets] for p in sets]
        assert iou(rows, rows).tolist() == want

    def test_torch_formula(self):
        torch = pytest.importorskip("torch")
        rng = np.random.default_rng(2)
        corner = rng.uniform(0, 50, (30, 2))
        rows = torch.from_numpy(np.concatenate([corner, corner + rng.uniform(1, 30, (30, 2))], axis=1))
        low = torch.maximum(rows[:, None, :2], rows[None, :, :2])
        high = torch.minimum(rows[:, None, 2:], rows[None, :, 2:])
        shared = (high - low).clamp(min=0).prod(dim=2)
        area = (rows[:, 2:] - rows[:, :2]).prod(dim=1)
        want = shared / (area[:, None] + area[None, :] - shared)
        assert torch.equal(iou(rows, rows), want)


class TestBatch:
    def test_leading_axes(self, xp):
        rng = np.random.default_rng(3)
        a = np.sort(rng.uniform(0, 9, (2, 5, 2, 2)), axis=2).reshape(2, 5, 4)
        b = np.sort(rng.uniform(0, 9, (2, 3, 2, 2)), axis=2).reshape(2, 3, 4)
        want = np.stack([iou(a[k], b[k]) for k in range(2)])
        assert np.array_equal(xp.back(iou(xp(a), xp(b))), want)
        assert tuple(iou(xp(a), xp(a), aligned=True).shape) == (2, 5)

    def test_broadcast(self):
        a, b = np.tile([[0.0, 0, 2, 2]], (4, 1, 3, 1)), np.tile([[0.0, 0, 2, 1]], (5, 2, 1))
        assert iou(a, b).shape == (4, 5, 3, 2) and np.all(iou(a, b) == 0.5)
        assert iou(a[..., :2, :], b, aligned=True).shape == (4, 5, 2)


class TestGradients:
    @pytest.mark.parametrize("name", [n for n in ALL if n != "ciou"])  # ciou holds a weight constant on purpose
    def test_gradcheck(self, name):
        torch = pytest.importorskip("torch")
        torch.manual_seed(0)
        corner = torch.rand(6, 2, dtype=torch.float64) * 5
        a = torch.cat([corner, corner + 1 + torch.rand(6, 2, dtype=torch.float64) * 4], dim=1).requires_grad_()
        b = (a.detach() + torch.rand(6, 4, dtype=torch.float64)).requires_grad_()
        assert torch.autograd.gradcheck(lambda x, y: MEASURES[name](x, y, aligned=True), (a, b))

    def test_ciou_weight_is_constant(self):
        torch = pytest.importorskip("torch")
        x = torch.tensor([[0.0, 0, 4, 2]], dtype=torch.float64, requires_grad=True)
        y = torch.tensor([[1.0, 0, 3, 4]], dtype=torch.float64)
        ciou(x, y, aligned=True).sum().backward()
        by_hand = x.detach().clone().requires_grad_()
        turn = torch.atan2(by_hand[0, 2] - by_hand[0, 0], by_hand[0, 3] - by_hand[0, 1]) - math.atan2(2, 4)
        v = 4 / math.pi**2 * turn**2
        k = (v / (1 - iou(by_hand, y, aligned=True)[0] + v)).detach()
        (diou(by_hand, y, aligned=True)[0] - k * v).backward()
        assert torch.allclose(x.grad, by_hand.grad)


class TestRatio:
    def test_is_the_only_division(self):
        assert ratio(np.array([1.0, 0.0, 3.0]), np.array([2.0, 0.0, 0.0]), empty=7.0).tolist() == [0.5, 7.0, 7.0]

    def test_no_warning(self, recwarn):
        ratio(np.array([1.0]), np.array([0.0]))
        assert not recwarn.list


class TestParts:
    def test_box_parts(self, xp):
        p = parts(xp([[0, 0, 4, 4]], "int64"), xp([[2, 2, 6, 8]], "int64"))
        got = [int(xp.back(part)[0, 0]) for part in (p.inter, p.area_a, p.area_b, p.union, p.hull, *p.hull_sides)]
        assert got == [4, 16, 24, 36, 48, 6, 8]
        assert (float(xp.back(p.centre2)[0, 0]), float(xp.back(p.diagonal2)[0, 0])) == (13.0, 100.0)

    def test_parts_without_a_hull(self):
        bare = Parts(np.array([2.0]), np.array([4.0]), np.array([4.0]), dtype="float64", kind="masks")
        assert iou(bare).tolist() == [2 / 6]
        for name in BOX_ONLY:
            with pytest.raises(
                TypeError, match=f"{name} is not defined for masks: it needs the upright box around both"
            ):
                MEASURES[name](bare)

    def test_integer_parts_are_exact(self):
        p = parts(np.array([[0, 0, 2**30 - 1, 2**30 - 1]]), np.array([[0, 0, 2**30 - 1, 2**30 - 2]]))
        assert int(p.inter[0, 0]) == (2**30 - 1) * (2**30 - 2) and p.inter.dtype == np.int64


@both_ways
class TestOptions:
    def test_unknown(self):
        with pytest.raises(TypeError, match="iou has no option `alpha`; it takes `aligned`, `threads`, `empty`"):
            iou([[0, 0, 1, 1]], [[0, 0, 1, 1]], alpha=1)

    @pytest.mark.parametrize(
        "call, message",
        [
            (lambda: iou([[0, 0, 1, 1]], [[0, 0, 1, 1]], empty=math.inf), "`empty` must be finite; got inf"),
            (lambda: iou([[0, 0, 1, 1]], [[0, 0, 1, 1]], threads=0), "`threads` must be a whole number above 0; got 0"),
            (lambda: tversky([[0, 0, 1, 1]], [[0, 0, 1, 1]], alpha=-1), "`alpha` must not be negative; got -1"),
            (lambda: coverage([[0, 0, 1, 1]], [[0, 0, 1, 1]], of="c"), '`of` must be one of "a", "b"; got \'c\''),
        ],
    )
    def test_refused(self, call, message):
        with pytest.raises(ValueError, match=message):
            call()

    def test_one_collection(self):
        with pytest.raises(TypeError, match="iou takes two collections of regions, or Parts"):
            iou([[0, 0, 1, 1]])

    def test_threads_are_checked_on_every_path(self, xp):
        box = xp([[0, 0, 1, 1]])
        calls = (iou, parts, best, lambda a, b, **options: join(a, b, at_least=0.5, **options))
        for call in calls:
            with pytest.raises(ValueError, match="`threads` must be a whole number above 0"):
                call(box, box, threads=0)

    def test_a_copy_of_a_measure_is_the_measure(self):
        assert all(pickle.loads(pickle.dumps(one)) is one and copy.deepcopy(one) is one for one in MEASURES.values())

    def test_options_are_keywords(self):
        with pytest.raises(TypeError):
            iou([[0, 0, 1, 1]], [[0, 0, 1, 1]], True)

    def test_public_measures_are_the_list(self):
        assert all(getattr(vesica, name) is MEASURES[name] for name in ALL)
        assert {eiou, giou, dice} <= set(MEASURES.values())


class TestRoom:
    """A table of all pairs that no memory holds: the error names what needs none."""

    WORDS = r"pairs is [\d,]+\.\d GB, more than .* vesica.join\(a, b, at_least=…\) .* vesica.best\(a, b, k=…\)"
    BEYOND = 1 << 25  # rows of both sides: their table is larger than any address space

    @pytest.fixture
    def full(self, monkeypatch):
        """As if there were no room for an answer."""

        def empty(shape, dtype):
            raise MemoryError("std::bad_alloc")

        monkeypatch.setattr(native, "empty", empty)
        monkeypatch.setattr(np, "empty", empty)

    @pytest.mark.parametrize(
        "regions",
        [np.array([[0, 0, 1, 1], [0, 0, 2, 2.0]]), RleMasks([[4], [2, 2]], size=(2, 2)), Boxes([[0, 0, 1, 1]] * 2)],
        ids=["boxes", "run lengths", "Boxes"],
    )
    @pytest.mark.parametrize("call", [iou, lambda a, b, **options: parts(a, b, **options).inter], ids=["iou", "parts"])
    def test_of_every_kind(self, regions, call, full):
        with pytest.raises(MemoryError, match=rf"A table of 2 × 2 {self.WORDS}"):
            call(regions, regions, threads=1)

    def test_beyond_the_address_space(self):
        with pytest.raises(MemoryError, match=rf"A table of {self.BEYOND} × {self.BEYOND} {self.WORDS}") as caught:
            vesica._check.room_of_pairs(native.empty, (self.BEYOND, self.BEYOND), "float64")
        assert isinstance(caught.value.__cause__, MemoryError)

    def test_of_label_maps(self):
        nothing = np.empty(0, np.int64)
        with pytest.raises(MemoryError, match=f"A table of 3 × {1 << 50} {self.WORDS}"):
            Counted(nothing, nothing, nothing, np.ones(3, np.int64)).matrix(1 << 50)

    def test_of_label_maps_counted(self, monkeypatch):
        def table(*_):
            raise MemoryError

        monkeypatch.setattr(vesica._native, "labels_table", table)
        with pytest.raises(
            MemoryError, match=r"2 labels of `a` with 3 of `b` is 0.0 GB.*LabelMap\(values, ids=\[…\]\)"
        ):
            LabelMap([[1, 2, 1]]).contingency(LabelMap([[1, 2, 3]]))
