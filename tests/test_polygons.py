"""Polygons: areas and shared areas against shapely, exactly 1 with themselves, the same either way round."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import strategies
from vesica import (
    Boxes,
    Polygons,
    RotatedBoxes,
    SizeValueError,
    best,
    coverage,
    dice,
    distance,
    giou,
    iou,
    join,
    overlap,
    parts,
    tversky,
)
from vesica._kernels.native import polygons as native_polygons

DEG = {"unit": "deg", "direction": "cw"}
SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4]]
TRIANGLE = [[0, 0], [4, 0], [0, 4]]
BOW = [[0, 0], [4, 4], [4, 0], [0, 4]]
STAR = [[math.cos(4 * math.pi * k / 5), math.sin(4 * math.pi * k / 5)] for k in range(5)]


def box(x1, y1, x2, y2):
    return [[x1, y1], [x2, y1], [x2, y2], [x1, y2]]


def stars(n, seed, spread=30.0, vertices=12):
    """Simple rings: random radii at sorted angles."""
    rng = np.random.default_rng(seed)
    rings = []
    for _ in range(n):
        angle = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(3, vertices)))
        radius = rng.uniform(2, 10, (len(angle), 1))
        rings.append(rng.uniform(0, spread, 2) + radius * np.stack([np.cos(angle), np.sin(angle)], axis=1))
    return rings


def tangles(n, seed, whole=False):
    """Several parts of several rings, that cross each other and themselves."""
    rng = np.random.default_rng(seed)

    def ring():
        points = rng.uniform(0, 8, (rng.integers(3, 9), 2))
        return (np.round(points) if whole else points).tolist()

    return [[[ring() for _ in range(rng.integers(1, 3))] for _ in range(rng.integers(1, 4))] for _ in range(n)]


def one(a, b):
    return float(parts(Polygons([a]), Polygons([b])).inter[0, 0])


class TestForms:
    """What a list means."""

    @pytest.mark.parametrize(
        "region, area, count",
        [
            pytest.param(SQUARE, 16, 1, id="pairs"),
            pytest.param(np.array(SQUARE), 16, 1, id="an array of pairs"),
            pytest.param([0, 0, 4, 0, 4, 4, 0, 4], 16, 1, id="flat"),
            pytest.param(np.array([0, 0, 4, 0, 4, 4, 0, 4]), 16, 1, id="a flat array"),
            pytest.param([[0, 0, 4, 0, 4, 4, 0, 4]], 16, 1, id="COCO, one part"),
            pytest.param([[0, 0, 4, 0, 4, 4, 0, 4], [6, 0, 8, 0, 6, 2]], 18, 2, id="COCO, two parts"),
            pytest.param([[0, 0, 4, 0, 4, 4, 0, 4], [2, 0, 6, 0, 6, 4, 2, 4]], 24, 2, id="parts that overlap"),
            pytest.param([[SQUARE], [box(6, 0, 7, 1)]], 17, 2, id="parts of pairs"),
            pytest.param([np.array(SQUARE), [6, 0, 7, 0, 7, 1, 6, 1]], 17, 2, id="parts of both"),
            pytest.param(np.array([[SQUARE], [box(6, 0, 7, 1)]]), 17, 2, id="an array of parts"),
            pytest.param([[SQUARE, box(1, 1, 3, 3)]], 12, 1, id="a hole"),
            pytest.param([[[0, 0, 4, 0, 4, 4, 0, 4], [1, 1, 3, 1, 3, 3, 1, 3]]], 12, 1, id="a flat hole"),
            pytest.param([[SQUARE, box(1, 1, 3, 3)], box(1, 1, 3, 3)], 16, 2, id="a hole that a part fills"),
            pytest.param([[SQUARE, box(1, 1, 3, 3)], [10, 0, 11, 0, 11, 1]], 12.5, 2, id="a hole, and a flat part"),
            pytest.param((*SQUARE, SQUARE[0]), 16, 1, id="closed"),
            pytest.param([[0, 0], [2, 2], [0, 0]], 0, 1, id="a line"),
            pytest.param([[1, 1]] * 3, 0, 1, id="a point"),
        ],
    )
    def test_area(self, region, area, count):
        polygons = Polygons([region])
        assert polygons.area.tolist() == [area] and len(polygons.arrays[2]) - 1 == count

    def test_closing_vertex_is_dropped(self):
        assert Polygons([SQUARE + SQUARE[:1], SQUARE, SQUARE + SQUARE[:1]]).arrays[1].tolist() == [0, 4, 8, 12]

    def test_from_arrays_and_back(self):
        polygons = Polygons(tangles(20, 0))
        again = Polygons.from_arrays(*polygons.arrays)
        assert np.array_equal(again.area, polygons.area) and np.array_equal(again.boxes.xyxy, polygons.boxes.xyxy)
        assert np.all(iou(again, polygons, aligned=True) == 1)

    def test_input_is_not_kept(self):
        ring = np.array(SQUARE, float)
        polygons = Polygons([ring])
        flat = Polygons.from_arrays(ring, [0, 4], [0, 1], [0, 1])
        ring += 100
        polygons.area[0] = polygons.points[0, 0] = 7
        for kept in (polygons, flat):
            assert kept.area.tolist() == [16] and kept.points.tolist() == SQUARE

    def test_numbers_of_any_dtype(self):
        for dtype, result in [
            ("int32", "float64"),
            ("uint8", "float64"),
            ("float32", "float32"),
            ("float16", "float16"),
        ]:
            polygons = Polygons([np.array(SQUARE, dtype)])
            assert polygons.dtype == result and iou(polygons, polygons).dtype == result and polygons.area.dtype == float
        mixed = Polygons([np.array(SQUARE, "float32"), SQUARE])
        assert mixed.dtype == "float64"

    def test_torch(self):
        torch = pytest.importorskip("torch")
        ring = torch.tensor(SQUARE, dtype=torch.float32)
        polygons = Polygons([ring, [[ring + 1], [ring + 9]]])
        for answer in (polygons.area, polygons.boxes.xyxy, iou(polygons, polygons), parts(polygons, polygons).area_a):
            assert isinstance(answer, torch.Tensor)
        assert iou(polygons, polygons).dtype == torch.float32 and polygons.area.dtype == torch.float64
        assert isinstance(iou(polygons, torch.tensor([[0.0, 0, 4, 4]])), torch.Tensor)
        assert isinstance(Polygons([ring, SQUARE]).area, np.ndarray)
        with pytest.raises(TypeError, match="one library"):
            iou(polygons, Polygons([SQUARE]))

    def test_no_gradient_is_lost(self):
        torch = pytest.importorskip("torch")
        ring = torch.tensor(SQUARE, dtype=torch.float32, requires_grad=True)
        boxes = torch.tensor([[0.0, 0.0, 4.0, 4.0]], requires_grad=True)
        for call in (
            lambda: Polygons([ring]),
            lambda: Polygons.from_arrays(ring, [0, 4], [0, 1], [0, 1]),
            lambda: Polygons.from_boxes(boxes),
            lambda: iou(Polygons([ring.detach()]), boxes),
        ):
            with pytest.raises(TypeError, match=r"No gradient flows through Polygons.*\.detach\(\)"):
                call()
        with torch.no_grad():
            assert not iou(Polygons([ring]), boxes).requires_grad

    def test_repr_and_shape(self):
        polygons = Polygons([SQUARE, TRIANGLE], rule="coco")
        assert repr(polygons) == "Polygons(2, 7 vertices, rule='coco', numpy float64)"
        assert polygons.shape == (2,) and len(polygons) == 2

    def test_frozen(self):
        with pytest.raises(AttributeError, match="frozen"):
            Polygons([SQUARE]).rule = "coco"

    def test_index(self):
        polygons = Polygons(tangles(6, 1), rule="centre")
        for index in (2, slice(1, 5, 2), [4, 0, 4], np.array([5, 1]), np.arange(6) % 2 == 0, slice(0, 0)):
            some, numbers = polygons[index], np.atleast_1d(np.arange(6)[index])
            assert np.array_equal(some.area, polygons.area[numbers]) and some.rule == "centre"
            assert np.array_equal(iou(some, polygons), iou(polygons, polygons)[numbers])

    def test_copies(self):
        polygons = Polygons([np.array(SQUARE, "float32")], rule="border")
        for other in (copy.deepcopy(polygons), pickle.loads(pickle.dumps(polygons))):
            assert (other.rule, other.dtype) == ("border", "float32") and iou(other, polygons).tolist() == [[1.0]]


class TestArea:
    @pytest.mark.parametrize(
        "region, want",
        [
            pytest.param(BOW, 8, id="a bow"),
            pytest.param(SQUARE * 2, 0, id="walked twice"),
            pytest.param([[0, 0], [2, 0], [4, 0], *SQUARE[2:]], 16, id="a vertex on an edge"),
            pytest.param([[0, 0], [9, 0], *SQUARE[1:]], 16, id="a spike"),
            pytest.param([[0, 0], [2, 2], [4, 0], [4, 4], [2, 2], [0, 4]], 8, id="touches itself in a vertex"),
            pytest.param([[SQUARE, SQUARE]], 0, id="a hole of the same size"),
            pytest.param([[SQUARE], [SQUARE]], 16, id="two equal parts"),
            pytest.param([[SQUARE], [box(4, 0, 8, 4)]], 32, id="parts that share an edge"),
            pytest.param([[SQUARE], [BOW]], 16, id="a part inside another"),
        ],
    )
    def test_value(self, region, want):
        for turned in (region, np.array(region)[..., ::-1].tolist()):
            assert Polygons([turned]).area.tolist() == [want]

    def test_pentagram_is_even_odd(self):
        """Without its pentagon, whose corners lie at φ⁻² of the radius."""
        small = (3 - math.sqrt(5)) / 2
        pentagon = 2.5 * small**2 * math.sin(2 * math.pi / 5)
        tips = 5 * math.sin(math.pi / 5) * small - pentagon
        assert Polygons([STAR]).area[0] == pytest.approx(tips, abs=1e-15)

    @given(st.lists(st.tuples(st.integers(-999, 999), st.integers(-999, 999)), min_size=3, max_size=3))
    def test_whole_triangles_are_exact(self, points):
        (a, b), (c, d), (e, f) = points
        assert Polygons([points]).area[0] == abs((c - a) * (f - b) - (e - a) * (d - b)) / 2

    def test_simple_rings_are_exact(self):
        rings = [np.round(ring * 50) for ring in stars(300, 2)]
        shapely = pytest.importorskip("shapely")
        simple = [ring for ring in rings if len(ring) > 2 and shapely.Polygon(ring).is_valid]
        assert len(simple) > 200
        assert Polygons(simple).area.tolist() == [shapely.Polygon(ring).area for ring in simple]

    def test_far_away(self):
        near = Polygons([TRIANGLE, BOW])
        far = Polygons([(np.array(ring) + 1e12).tolist() for ring in (TRIANGLE, BOW)])
        assert np.array_equal(far.area, near.area)

    def test_huge_spiral(self):
        """It winds so often that the sum of the shoelace formula overflows on its way."""
        k = np.arange(800)
        out = (0.9 + k[:, None] / 8000) * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])[k % 4]
        ring = np.concatenate([out, (out - np.sign(out) / 8000)[::-1]])
        small, huge = Polygons([ring]).area, Polygons([ring * 2.0**507]).area
        assert huge / 2.0**1014 == pytest.approx(small, rel=1e-9)

    def test_turned_comb(self):
        """Many edges side by side: no slower to answer lying than standing."""
        pytest.importorskip("shapely")
        teeth = [[k / 2, 10.0 if k % 4 in (1, 2) else 0.0] for k in range(4000)]
        comb = np.array([*teeth, [2000, -1], [0, -1]])
        a, b = Polygons([comb]), Polygons([comb[:, ::-1]])
        assert a.area[0] == pytest.approx(oracles.even_odd([comb]).area, rel=1e-12) and b.area[0] == a.area[0]


class TestOracles:
    """shapely, by the faces of the arrangement of all edges: see oracles.even_odd."""

    @pytest.mark.parametrize("whole", [False, True])
    def test_tangles(self, whole):
        pytest.importorskip("shapely")
        a, b = tangles(150, 3, whole), tangles(150, 4, whole)
        left, right = Polygons(a), Polygons(b)
        shared = parts(left, right, aligned=True).inter
        for i, (p, q) in enumerate(zip(a, b, strict=True)):
            p, q = oracles.polygon(p), oracles.polygon(q)
            assert left.area[i] == pytest.approx(p.area, abs=1e-11)
            assert shared[i] == pytest.approx(p.intersection(q).area, abs=1e-11)
        assert (shared > 1).mean() > 0.3

    def test_simple_rings(self):
        shapely = pytest.importorskip("shapely")
        a, b = stars(60, 5), stars(60, 6)
        valid = [[shapely.Polygon(ring).buffer(0) for ring in rings] for rings in (a, b)]
        want = shapely.area(shapely.intersection(np.array(valid[0])[:, None], np.array(valid[1])[None, :]))
        assert np.abs(parts(Polygons(a), Polygons(b)).inter - want).max() < 1e-11
        assert (want > 1).sum() > 300

    def test_with_boxes_and_rotated(self):
        shapely = pytest.importorskip("shapely")
        rng = np.random.default_rng(7)
        rings = stars(40, 8)
        shapes = np.array([shapely.Polygon(ring).buffer(0) for ring in rings])
        corners = np.sort(rng.uniform(0, 30, (30, 2, 2)), axis=1).reshape(30, 4)
        rows = np.concatenate(
            [rng.uniform(0, 30, (30, 2)), rng.uniform(1, 20, (30, 2)), rng.uniform(0, 360, (30, 1))], 1
        )
        turned = RotatedBoxes(rows, **DEG)
        others = [
            (Boxes(corners), shapely.box(*corners.T)),
            (turned, shapely.polygons(turned.to_corners())),
        ]
        polygons = Polygons(rings)
        for regions, other in others:
            want = shapely.area(shapely.intersection(shapes[:, None], other[None, :]))
            assert np.abs(parts(polygons, regions).inter - want).max() < 1e-11
            assert np.array_equal(iou(regions, polygons), iou(polygons, regions).T)

    @given(strategies.tables(0, 6), strategies.tables(0, 6))
    def test_boxes_as_polygons_are_boxes(self, a, b):
        want = iou(a, b)
        assert np.array_equal(iou(Polygons.from_boxes(a), Polygons.from_boxes(b)), want)
        assert np.array_equal(iou(Polygons.from_boxes(a), b), want)
        assert np.array_equal(iou(a, Polygons.from_boxes(b)), want)

    def test_both_count_to_the_union(self):
        """area(a) + area(b) − area(a and b as parts of one region), on grids full of shared edges and vertices."""
        a, b = tangles(1500, 9, whole=True), tangles(1500, 10, whole=True)
        left, right, both = Polygons(a), Polygons(b), Polygons([p + q for p, q in zip(a, b, strict=True)])
        assert np.abs(parts(left, right, aligned=True).union - both.area).max() < 1e-11


class TestShared:
    @pytest.mark.parametrize(
        "a, b, want",
        [
            pytest.param(SQUARE, TRIANGLE, 8, id="half"),
            pytest.param(SQUARE, box(4, 0, 8, 4), 0, id="an edge"),
            pytest.param(SQUARE, box(4, 4, 8, 8), 0, id="a corner"),
            pytest.param(SQUARE, box(2, -9, 3, 9), 4, id="a cross"),
            pytest.param(SQUARE, [[0, 0], [2, 0], [4, 0], [4, 2], [4, 4], [0, 4]], 16, id="more vertices"),
            pytest.param(SQUARE, SQUARE[::-1], 16, id="the other way round"),
            pytest.param(SQUARE, SQUARE[2:] + SQUARE[:2], 16, id="another start"),
            pytest.param([[SQUARE, box(1, 1, 3, 3)]], box(1, 1, 3, 3), 0, id="in the hole"),
            pytest.param([[SQUARE, box(1, 1, 3, 3)]], box(0, 0, 2, 2), 3, id="over the hole"),
            pytest.param([[SQUARE], [box(2, 0, 6, 4)]], box(1, 0, 5, 4), 16, id="over both parts"),
            pytest.param(BOW, box(0, 0, 4, 2), 4, id="a bow"),
            pytest.param(SQUARE, [[1, 1], [3, 3], [1, 1]], 0, id="a line"),
        ],
    )
    def test_value(self, a, b, want):
        assert one(a, b) == want and one(b, a) == want

    def test_flat_edge_beyond_both_sides(self):
        """An edge that begins left and ends right of all that is shared still ends it."""
        wide = [[-5, -1], [9, -1], [9, 2], [-5, 2]]
        assert one(wide, [[0, 0], [4, 0], [4, 4], [0, 4]]) == 8

    def test_thin_crossed(self):
        """supervision#2303: equal upright boxes around both, and hardly any overlap."""
        pytest.importorskip("shapely")
        a, b = ([[0, 0], [100, 99], [100, 100], [0, 1]], [[0, 99], [100, 0], [100, 1], [0, 100]])
        assert one(a, b) == pytest.approx(oracles.polygon([[a]]).intersection(oracles.polygon([[b]])).area, abs=1e-12)


class TestProperties:
    def test_itself_is_exactly_one(self):
        for scale in (1e-150, 1e-6, 1.0, 1e6, 1e150):
            a = [
                [[(np.array(ring) * scale).tolist() for ring in part] for part in region] for region in tangles(50, 11)
            ]
            polygons = Polygons(a)
            assert np.all(np.diag(iou(polygons, Polygons(a))) == 1) and np.all(polygons.area > 0)

    @given(st.integers(0, 10**6), st.booleans())
    def test_symmetric_bit_for_bit(self, seed, whole):
        a, b = Polygons(tangles(4, seed, whole)), Polygons(tangles(4, seed + 1, whole))
        for measure in (iou, dice, overlap):
            assert np.array_equal(measure(a, b), measure(b, a).T)

    @given(st.integers(0, 10**6), st.booleans())
    def test_range(self, seed, whole):
        a, b = Polygons(tangles(4, seed, whole)), Polygons(tangles(4, seed + 1, whole))
        p = parts(a, b)
        assert np.all(p.inter >= 0) and np.all(p.inter <= np.minimum(p.area_a, p.area_b))
        for values in (iou(a, b), dice(a, b), coverage(a, b), tversky(a, b), distance(a, b)):
            assert np.all(values >= 0) and np.all(values <= 1)

    @given(st.integers(0, 10**6), st.sampled_from([2.0**-40, 2.0**30]))
    def test_scaling_by_powers_of_two_changes_no_bit(self, seed, scale):
        a, b = Polygons(tangles(3, seed)), Polygons(tangles(3, seed + 1))
        grown = [Polygons.from_arrays(p.points * scale, *p.arrays[1:]) for p in (a, b)]
        assert np.array_equal(iou(*grown), iou(a, b))

    @given(st.integers(0, 10**6), st.integers(-(2**40), 2**40))
    def test_moving_whole_numbers_changes_no_bit(self, seed, far):
        a, b = Polygons(tangles(3, seed, whole=True)), Polygons(tangles(3, seed + 1, whole=True))
        moved = [Polygons.from_arrays(p.points + [far, -far], *p.arrays[1:]) for p in (a, b)]
        assert np.array_equal(iou(*moved), iou(a, b))


class TestVerbs:
    @pytest.mark.parametrize("measure", [iou, dice, coverage, overlap, tversky])
    @pytest.mark.parametrize("at_least", [0.05, 0.3, 0.7])
    def test_join_is_the_matrix(self, measure, at_least):
        a, b = Polygons(stars(60, 12)), Polygons(stars(50, 13))
        matrix = measure(a, b)
        found = join(a, b, at_least=at_least, measure=measure)
        i, j = np.nonzero(matrix >= at_least)
        assert found.i.tolist() == i.tolist() and found.j.tolist() == j.tolist()
        assert np.array_equal(found.value, matrix[i, j])

    def test_self_join(self):
        a = Polygons(stars(80, 14))
        i, j = np.nonzero(np.triu(iou(a, a) >= 0.2, 1))
        found = join(a, at_least=0.2)
        assert found.i.tolist() == i.tolist() and found.j.tolist() == j.tolist() and len(i) > 10

    def test_join_with_boxes_and_keys(self):
        a, b = Polygons(stars(30, 15)), Polygons(stars(30, 16)).boxes
        keys = np.arange(30) % 3
        i, j = np.nonzero((iou(a, b) >= 0.1) & (keys[:, None] == keys[None, :]))
        found = join(a, b, at_least=0.1, keys=(keys, keys))
        assert found.i.tolist() == i.tolist() and found.j.tolist() == j.tolist() and len(i) > 5

    def test_best_is_the_matrix(self):
        a, b = Polygons(stars(40, 17)), Polygons(stars(30, 18))
        matrix = iou(a, b)
        order = np.argsort(-matrix, axis=1, kind="stable")[:, :3]
        found = best(a, b, k=3)
        assert np.array_equal(found.index, order) and np.array_equal(found.value, np.take_along_axis(matrix, order, 1))

    def test_aligned_is_the_diagonal(self):
        a, b = Polygons(stars(30, 19)), Polygons(stars(30, 20))
        assert np.array_equal(iou(a, b, aligned=True), np.diag(iou(a, b)))
        assert np.array_equal(parts(a, b, aligned=True).inter, np.diag(parts(a, b).inter))
        assert np.array_equal(iou(parts(a, b)), iou(a, b))

    def test_threads_change_nothing(self):
        a, b = Polygons(tangles(40, 21)), Polygons(tangles(40, 22))
        assert np.array_equal(iou(a, b, threads=1), iou(a, b, threads=5))
        one, many = (join(a, b, at_least=0.1, threads=threads) for threads in (1, 5))
        assert all(np.array_equal(x, y) for x, y in zip(one, many, strict=True))

    @pytest.mark.usefixtures("no_twin")
    def test_native_is_used(self):
        a = Polygons(stars(5, 23))
        iou(a, a), join(a, at_least=0.5), best(a, a), iou(a, a.boxes)

    def test_area_is_native(self, monkeypatch):
        monkeypatch.setattr(native_polygons, "areas", lambda flat: np.full(len(flat.regions) - 1, 7.0))
        assert Polygons([SQUARE]).area.tolist() == [7]

    def test_no_regions(self):
        none, some = Polygons([]), Polygons([SQUARE])
        assert iou(none, some).shape == (0, 1) and iou(some, none).shape == (1, 0) and iou(none, none).shape == (0, 0)
        assert none.area.tolist() == [] and none.boxes.xyxy.shape == (0, 4) and len(join(none, some, at_least=0.5)) == 0
        assert iou(none, [[0, 0, 1, 1]]).shape == (0, 1) and iou([], some).shape == (0, 1)
        assert len(Polygons.from_arrays(np.empty((0, 2)), [0], [0], [0])) == 0

    def test_no_area(self):
        line, square = Polygons([[0, 0, 4, 4, 0, 0]]), Polygons([SQUARE])
        assert iou(line, square).tolist() == [[0]] and coverage(line, square, empty=1.0).tolist() == [[1]]
        assert iou(line, line).tolist() == [[0]] and iou(line, line, empty=1.0).tolist() == [[1]]


SAY = [
    (7, TypeError, "`polygons` must be a list of regions; got int"),
    ([7], TypeError, r"`polygons` region 0 must be vertices.*got 7\. One polygon is a list of one region"),
    (SQUARE, ValueError, r"region 0, part 0 needs three vertices; got 1\. One polygon is a list of one region"),
    ([SQUARE, [[0, 0], [1, 1]]], ValueError, r"`polygons` region 1, part 0 needs three vertices; got 2"),
    ([[SQUARE, [0, 0, 1, 1, 2]]], ValueError, r"region 0, part 1 must have an even number of coordinates"),
    ([[SQUARE, [0, 0, 1, 1]]], ValueError, r"region 0, part 1 needs three vertices; got 2"),
    ([SQUARE, [SQUARE, box(1, 1, 3, 3)]], ValueError, r"region 1 is a list of rings of pairs.*Say which: \[\[outer"),
    ([np.array([SQUARE, SQUARE])], ValueError, r"region 0 is a list of rings of pairs"),
    ("abc", TypeError, r"must be a list of regions; got str"),
    ({"a": 1}, TypeError, r"must be a list of regions; got dict"),
    ([[[SQUARE, [[0, 0], [1, 1]]]]], ValueError, r"region 0, part 0, ring 1 needs three vertices; got 2"),
    ([SQUARE, [[0, 0, 4, 0, 4, 4, 0]]], ValueError, r"region 1, part 0 must have an even number of coordinates.*got 7"),
    (
        [SQUARE, [[SQUARE], [[[0, 0], [1, math.nan], [2, 2]]]]],
        ValueError,
        r"region 1, part 1, vertex 1 must be finite; got",
    ),
    ([[[SQUARE, [[0, 0], [1, 1], [math.inf, 2]]]]], ValueError, r"region 0, part 0, ring 1, vertex 2 must be finite"),
    ([[[0, 0], [1e200, 1], [2, 2]]], ValueError, r"region 0, part 0, vertex 1 is too large"),
    ([SQUARE, []], ValueError, r"region 1, part 0 needs three vertices; got 0"),
    ([[SQUARE, [[], []]]], ValueError, r"region 0, part 1, ring 0 needs three vertices; got 0"),
    ([["a", "b"]], TypeError, r"region 0, part 0 must be vertices.*got 'a'"),
    ([np.array(["a", "b"])], TypeError, r"region 0, part 0 must hold numbers"),
    ([{}], TypeError, r"region 0 must be vertices.*got a dict\.$"),
    ([{"size": [5, 5], "counts": "0"}], TypeError, r"got a dict\. Run lengths of COCO go to RleMasks\.from_coco"),
    ([[[[[0, 0, 1]]]]], TypeError, r"region 0, part 0, ring 0 must be vertices.*got a list of another shape"),
    ([np.array(3)], TypeError, r"region 0 must be vertices.*got a ndarray of another shape"),
    ([[SQUARE, np.array(3)]], TypeError, r"region 0, part 1 must be vertices"),
    ([np.empty((0, 3, 2))], ValueError, r"region 0 must have a part; got an empty list"),
    ([[[[SQUARE]]]], TypeError, r"region 0, part 0, ring 0 must be vertices"),
]


class TestRefused:
    @pytest.mark.parametrize("regions, kind, message", SAY)
    def test_message(self, regions, kind, message):
        with pytest.raises(kind, match=message):
            Polygons(regions)

    def test_rule(self):
        with pytest.raises(ValueError, match='`rule` must be one of "coco", "centre", "border"; got .*mean "centre"'):
            Polygons([SQUARE], rule="center")

    @pytest.mark.parametrize(
        "arrays, kind, message",
        [
            (
                (np.zeros((3, 3)), [0, 3], [0, 1], [0, 1]),
                ValueError,
                r"`points` must have shape \(V, 2\); got \(3, 3\)",
            ),
            ((SQUARE, [0, 3], [0, 1], [0, 1]), ValueError, r"`rings` must start at 0, rise, and end at 4"),
            ((SQUARE, [0, 4], [0, 1, 1], [0, 2]), ValueError, r"`parts` must start at 0, rise, and end at 1"),
            ((SQUARE, [0, 4], [0, 1], [1]), ValueError, r"`regions` must start at 0"),
            ((SQUARE, [0.0, 4.0], [0, 1], [0, 1]), TypeError, r"`rings` must be a column of integers"),
            ((SQUARE, [0, 2, 4], [0, 1, 2], [0, 2]), ValueError, r"region 0, part 0 needs three vertices; got 2"),
        ],
    )
    def test_arrays(self, arrays, kind, message):
        with pytest.raises(kind, match=message):
            Polygons.from_arrays(*arrays)

    def test_measures_of_the_hull(self):
        polygons = Polygons([SQUARE])
        calls = (
            lambda: giou(polygons, polygons),
            lambda: giou(polygons, [[0, 0, 1, 1]]),
            lambda: giou(parts(polygons, polygons)),
            lambda: join(polygons, at_least=0.5, measure="giou"),
            lambda: best(polygons, polygons, measure="giou"),
        )
        for call in calls:
            with pytest.raises(TypeError, match="giou is not defined for polygons: .*coverage, dice, distance, iou"):
                call()

    def test_aligned_lengths(self):
        with pytest.raises(SizeValueError, match="got 1 and 2"):
            iou(Polygons([SQUARE]), Polygons([SQUARE, SQUARE]), aligned=True)

    def test_batch_with_polygons(self):
        with pytest.raises(ValueError, match="one table"):
            iou(np.zeros((2, 3, 4)), Polygons([SQUARE]))
