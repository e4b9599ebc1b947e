"""Raster rules: pycocotools to the pixel, centres by brute force, borders as PIL draws them; runs, never pixels."""

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vesica import Polygons

RULES = ("coco", "centre", "border")


def box(x1, y1, x2, y2):
    return [x1, y1, x2, y1, x2, y2, x1, y2]


def masks(regions, size, rule, **words):
    """The regions as (N, H, W) booleans, by way of runs that must be canonical."""
    height, width = size
    polygons = regions if isinstance(regions, Polygons) else Polygons(regions)
    drawn = polygons.to_rle(size, rule=rule, **words)
    counts, offsets = drawn.counts, drawn.offsets
    assert counts.dtype == offsets.dtype == np.int64 and len(offsets) == len(polygons) + 1
    found = []
    for begin, end in pairwise(offsets):
        runs = counts[begin:end]
        assert runs.sum() == height * width and np.all(runs[1:] > 0) and runs[0] >= 0
        found.append(np.repeat(np.arange(len(runs)) % 2 == 1, runs).reshape(width, height).T)
    return np.array(found).reshape(-1, height, width)


def rough_regions(n, seed, parts=3):
    """Flat parts as they come: outside, tiny, huge, on halves and tenths, with doubled and closing vertices."""
    rng = np.random.default_rng(seed)

    def ring():
        points = rng.uniform(-20, 60, 2) + rng.normal(0, rng.choice([0.3, 3, 20, 300]), (rng.integers(3, 12), 2))
        style = rng.integers(0, 8)
        if style == 1:
            points = np.round(points)
        elif style == 2:
            points = np.round(points * 2) / 2
        elif style == 3:
            points = np.repeat(points, rng.integers(1, 3, len(points)), axis=0)
        elif style == 4:
            points = np.round(points, 1)
        elif style == 5:
            points[:, 0] = np.round(points[rng.integers(0, len(points), len(points)), 0])
        elif style == 6:
            points = np.concatenate([points, points[:1]])
        return points.ravel().tolist()

    return [[ring() for _ in range(rng.integers(1, parts + 1))] for _ in range(n)]


class TestTable:
    """The numbers that the pages quote."""

    @pytest.mark.parametrize("rule, want", [("coco", 81), ("centre", 81), ("border", 100)])
    def test_nought_to_nine(self, rule, want):
        assert masks([box(0, 0, 9, 9)], (12, 12), rule).sum() == want

    @pytest.mark.parametrize("rule, first, last", [("coco", 1, 3), ("centre", 0, 2), ("border", 1, 4)])
    def test_halves(self, rule, first, last):
        want = np.zeros((5, 5), bool)
        want[first : last + 1, first : last + 1] = True
        assert np.array_equal(masks([box(0.5, 0.5, 3.5, 3.5)], (5, 5), rule)[0], want)

    @pytest.mark.parametrize(
        "x, y, w, h, pixels",
        [
            (0.5, 0.5, 1, 1, [(1, 1)]),
            (1.2, 1.2, 0.5, 0.5, [(1, 1)]),
            (0.4, 0.4, 1, 1, [(0, 0)]),
            (0.6, 0.6, 1, 1, [(1, 1)]),
            (-1, -1, 4, 4, [(r, c) for r in range(3) for c in range(3)]),
        ],
    )
    def test_boxes_by_coco(self, x, y, w, h, pixels):
        found = masks([box(x, y, x + w, y + h)], (6, 6), "coco")[0]
        assert [tuple(p) for p in np.argwhere(found).tolist()] == pixels

    @pytest.mark.parametrize("rule", RULES)
    def test_nothing(self, rule):
        assert masks([], (4, 6), rule).shape == (0, 4, 6)
        far = Polygons([box(50, 50, 60, 60), box(-9, -9, -2, -2), [1, 50, 3, 50, 2, 60], [2, -9, 4, -9, 3, -5]])
        drawn = far.to_rle((4, 6), rule=rule)
        counts, offsets = drawn.counts, drawn.offsets
        assert counts.tolist() == [24] * 4 and offsets.tolist() == [0, 1, 2, 3, 4]
        for size in ((0, 5), (5, 0), (0, 0)):
            assert Polygons([box(0, 0, 9, 9)]).to_rle(size, rule=rule).counts.tolist() == [0]

    @pytest.mark.parametrize("rule", RULES)
    def test_rings_far_from_each_other(self, rule):
        """In one part, with more columns between them than they have themselves."""
        near, far = box(2, 3, 6, 8), box(190, 1, 193, 4)
        for first, second in ((near, far), (far, near)):
            both, one, other = masks([[[first, second]], first, second], (12, 200), rule)
            assert np.array_equal(both, one | other) and one.any() and other.any()

    @pytest.mark.parametrize("rule", RULES)
    def test_everything(self, rule):
        assert Polygons([box(-5, -5, 50, 50)]).to_rle((4, 6), rule=rule).counts.tolist() == [0, 24]

    def test_no_area(self):
        line = [[0, 0, 3, 3, 0, 0]]
        assert not masks([line], (5, 5), "coco").any() and not masks([line], (5, 5), "centre").any()
        assert np.array_equal(masks([line], (5, 5), "border")[0], np.diag([True] * 4 + [False]))


# pycocotools 2.0.11 speaks to NumPy in the old way.
@pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy:DeprecationWarning")
class TestCoco:
    def test_pycocotools(self):
        """Thousands of regions of one to three parts, to the pixel."""
        coco = pytest.importorskip("pycocotools.mask")
        pixels = 0
        for seed, size in enumerate([(37, 51), (51, 37), (1, 64), (64, 1), (5, 5), (20, 20)]):
            regions = rough_regions(500, seed)
            want = np.array([coco.decode(coco.merge(coco.frPyObjects(region, *size))) for region in regions])
            assert np.array_equal(masks(regions, size, "coco"), want > 0)
            pixels += want.sum()
        assert pixels > 100_000

    def test_runs_are_those_of_pycocotools(self):
        coco = pytest.importorskip("pycocotools.mask")
        regions = rough_regions(200, 7)
        drawn = Polygons(regions).to_rle((30, 40), rule="coco")
        counts, offsets = drawn.counts, drawn.offsets
        for region, begin, end in zip(regions, offsets[:-1], offsets[1:], strict=True):
            mask = coco.decode(coco.merge(coco.frPyObjects(region, 30, 40)))
            flat = np.concatenate([[0], mask.T.ravel(), [2]])
            edges = np.flatnonzero(np.diff(flat)) if not mask.all() else np.array([0, mask.size])
            assert np.cumsum(counts[begin:end]).tolist() == edges.tolist()

    @given(st.lists(st.tuples(st.integers(-30, 90), st.integers(-30, 90)), min_size=3, max_size=6))
    def test_pycocotools_on_tenths(self, points):
        coco = pytest.importorskip("pycocotools.mask")
        ring = (np.array(points) / 10).ravel().tolist()
        want = coco.decode(coco.frPyObjects([ring], 7, 6))[..., 0]
        assert np.array_equal(masks([ring], (7, 6), "coco")[0], want > 0)

    def test_pycocotools_far_outside(self):
        coco = pytest.importorskip("pycocotools.mask")
        rng = np.random.default_rng(9)
        regions = [[ring.ravel().tolist()] for ring in rng.normal(20, 1e5, (12, 4, 2))]
        want = np.array([coco.decode(coco.merge(coco.frPyObjects(region, 40, 40))) for region in regions])
        assert np.array_equal(masks(regions, (40, 40), "coco"), want > 0) and want.any()

    @pytest.mark.parametrize("vertices", [3, 9, 63, 64, 65, 128, 129, 200])
    def test_any_number_of_edges(self, each_isa, vertices):
        """Edges are walked some at a time, and eight columns of each at once: short and long, flat and steep."""
        coco = pytest.importorskip("pycocotools.mask")
        rng = np.random.default_rng(vertices)
        turn = np.sort(rng.uniform(0, 2 * np.pi, (40, vertices)))
        far = rng.uniform(0, 1, (40, vertices)) ** rng.choice([0.1, 1, 3], (40, 1)) * rng.choice([20, 90, 400], (40, 1))
        points = np.round(np.stack([70 + far * np.cos(turn), 50 + far * np.sin(turn)], axis=-1), 2)
        regions = [[ring.ravel().tolist()] for ring in points]
        want = np.array([coco.decode(coco.frPyObjects(region, 100, 140))[..., 0] for region in regions]) > 0
        assert all(np.array_equal(one, want) for one in each_isa(lambda: masks(regions, (100, 140), "coco")).values())

    def test_wide_images(self, each_isa):
        """Numbers of 64 bits are walked as those of 32: the same runs, and then more background."""
        rng = np.random.default_rng(5)
        regions = Polygons([[ring.ravel().tolist()] for ring in rng.normal(90, 70, (60, 70, 2))])
        narrow = regions.to_rle((200, 1 << 10), rule="coco").to_counts()
        for one in each_isa(lambda: regions.to_rle((200, 1 << 24), rule="coco").to_counts()).values():
            assert [counts[:-1] for counts in one] == [counts[:-1] for counts in narrow]

    def test_far_vertices(self):
        """Where pycocotools would walk two thousand million steps. Half planes, as seen from the image."""
        rows, columns = np.mgrid[:40, :40]
        for far in (1e9, 1e12):
            steep = masks([[10, -far, far, -far, far, far, 10, far]], (40, 40), "coco")[0]
            slope = masks([[-far, -far, far, -far, far, far]], (40, 40), "coco")[0]
            assert np.array_equal(steep, columns >= 10)
            assert slope.sum() == (rows < columns).sum() + slope.trace() and not slope[rows > columns].any()

    def test_rings_of_a_part_are_even_odd(self):
        hollow, outer, hole = masks(
            [[[box(1, 1, 9, 9), box(3, 3, 6, 6)]], box(1, 1, 9, 9), box(3, 3, 6, 6)], (10, 10), "coco"
        )
        assert np.array_equal(hollow, outer ^ hole) and hollow.sum() == 64 - 9


class TestCentre:
    def test_by_looking_at_each_centre(self):
        """On eighths every crossing with a centre line of these rings is decided without rounding, in fractions."""
        from fractions import Fraction as F

        rng = np.random.default_rng(0)
        rings = rng.integers(-16, 80, (60, 5, 2)) / 8
        for ring, found in zip(rings.tolist(), masks(list(rings), (9, 8), "centre"), strict=True):
            want = np.zeros((9, 8), bool)
            for row, column in np.ndindex(9, 8):
                x, y = F(column) + F(1, 2), F(row) + F(1, 2)
                above = 0
                for (x0, y0), (x1, y1) in zip(ring, ring[1:] + ring[:1], strict=True):
                    if (x0 <= x) != (x1 <= x):
                        above += F(y0) + (x - F(x0)) * (F(y1) - F(y0)) / (F(x1) - F(x0)) <= y
                want[row, column] = above % 2
            assert np.array_equal(found, want)

    def test_neighbours_share_no_pixel_and_leave_none(self):
        """Triangles that tile a square, each edge walked in both directions."""
        spatial = pytest.importorskip("scipy.spatial")
        rng = np.random.default_rng(1)
        points = np.concatenate([rng.uniform(0, 40, (150, 2)), np.round(rng.uniform(0, 80, (150, 2))) / 2])
        points = np.concatenate([points, [[0, 0], [40, 0], [0, 40], [40, 40]]])
        tiles = points[spatial.Delaunay(points).simplices]
        assert np.all(masks(list(tiles), (40, 40), "centre").sum(axis=0) == 1)

    def test_whole_boxes_are_their_pixels(self):
        rng = np.random.default_rng(2)
        corners = np.sort(rng.integers(-5, 30, (50, 2, 2)), axis=1)
        for (low, high), found in zip(
            corners, masks([box(*c.ravel()) for c in corners], (25, 25), "centre"), strict=True
        ):
            want = np.zeros((25, 25), bool)
            want[max(low[1], 0) : max(high[1], 0), max(low[0], 0) : max(high[0], 0)] = True
            assert np.array_equal(found, want)


class TestBorder:
    @staticmethod
    def drawn(ring, size):
        """Filled and outlined by PIL; in two colours, because with one it leaves the outline out."""
        from PIL import Image, ImageDraw

        image = Image.new("L", (size[1], size[0]))
        ImageDraw.Draw(image).polygon([tuple(point) for point in ring.tolist()], fill=1, outline=2)
        return np.array(image) > 0

    def test_pil_on_convex_rings(self):
        pytest.importorskip("PIL")
        from scipy.spatial import ConvexHull

        rng = np.random.default_rng(3)
        clouds = [rng.integers(2, 60, (9, 2)) for _ in range(400)]
        rings = [cloud[ConvexHull(cloud).vertices].astype(float) for cloud in clouds]
        want = np.array([self.drawn(ring, (64, 64)) for ring in rings])
        assert np.array_equal(masks(rings, (64, 64), "border"), want)

    def test_pil_on_any_rings(self):
        """At a sharp corner PIL fills a few pixels more, beyond the outline: less than 1 in 1000."""
        pytest.importorskip("PIL")
        rng = np.random.default_rng(4)
        rings = [rng.integers(-10, 70, (rng.integers(3, 9), 2)).astype(float) for _ in range(400)]
        found, want = masks(rings, (64, 64), "border"), np.array([self.drawn(ring, (64, 64)) for ring in rings])
        assert not (found & ~want).any() and (want & ~found).sum() < 1e-3 * want.sum()

    def test_opencv_inside_the_image(self):
        """cv2.fillPoly breaks ties otherwise: less than 1 in 100 pixels."""
        cv2 = pytest.importorskip("cv2")
        rng = np.random.default_rng(5)
        rings = [rng.integers(2, 62, (rng.integers(3, 9), 2)).astype(float) for _ in range(400)]
        found = masks(rings, (64, 64), "border")
        want = np.zeros((400, 64, 64), np.uint8)
        for ring, mask in zip(rings, want, strict=True):
            cv2.fillPoly(mask, [ring.astype(np.int32)], 1)
        assert ((want > 0) != found).sum() < 0.01 * found.sum()

    def test_contains_the_inside_and_every_vertex(self):
        shapely = pytest.importorskip("shapely")
        rng = np.random.default_rng(6)
        rows, columns = np.mgrid[:32, :32]
        points = shapely.points(columns, rows)
        for cloud in rng.integers(0, 32, (60, 7, 2)):
            hull = shapely.MultiPoint(cloud).convex_hull
            ring = np.array(hull.exterior.coords)
            found = masks([ring], (32, 32), "border")[0]
            assert found[shapely.covers(hull, points)].all()
            assert not found[shapely.distance(hull, points) > 0.5 + 1e-9].any()

    def test_halves_go_up(self):
        assert np.array_equal(
            masks([box(0.5, 1.5, 4.4, 5.49)], (9, 9), "border"), masks([box(1, 2, 4, 5)], (9, 9), "border")
        )

    def test_far_vertices(self):
        far = 1e9
        found = masks([[10, -far, far, -far, far, far, 10, far]], (40, 40), "border")[0]
        assert np.array_equal(found, np.mgrid[:40, :40][1] >= 10)


class TestSize:
    @pytest.mark.parametrize("rule", RULES)
    def test_parts_are_united(self, rule):
        both, one, other = masks([[box(1, 1, 6, 6), box(4, 4, 9, 9)], box(1, 1, 6, 6), box(4, 4, 9, 9)], (12, 12), rule)
        assert np.array_equal(both, one | other)

    @pytest.mark.parametrize("rule, want", [("coco", 69_999**2), ("centre", 69_999**2), ("border", 70_000**2)])
    def test_seventy_thousand_squared(self, rule, want):
        counts = Polygons([box(0, 0, 69_999, 69_999)]).to_rle((70_000, 70_000), rule=rule).counts
        assert counts[1::2].sum() == want and counts.sum() == 70_000**2

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc says the peak")
    def test_memory_does_not_grow_with_the_pixels(self):
        """One bit a pixel would be 600 MB; the peak stays below 150 MB, the interpreter and NumPy included."""
        code = (
            "from vesica import Polygons\n"
            "polygons = Polygons([[0, 0, 69_000, 9_000, 50_000, 69_000, 3_000, 60_000]])\n"
            "for rule in ('coco', 'centre', 'border'):\n"
            "    assert polygons.to_rle((70_000, 70_000), rule=rule).counts.sum() == 70_000**2\n"
            "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])\n"
        )
        peak = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
        assert peak / 1024 < 150

    @pytest.mark.parametrize("rule", RULES)
    def test_threads_change_nothing(self, rule):
        polygons = Polygons(rough_regions(100, 8))
        one, many = (polygons.to_rle((50, 50), rule=rule, threads=threads).to_counts() for threads in (1, 4))
        assert one == many

    def test_own_rule(self):
        own = Polygons([box(0, 0, 9, 9)], rule="border")
        assert own.to_rle((9, 9)).counts.tolist() == [0, 81] and own.to_rle((9, 9), rule="coco").counts.tolist() == [
            0,
            81,
        ]
        assert own[:].rule == "border"


class TestRefused:
    @pytest.mark.parametrize(
        "size, words, kind, message",
        [
            (
                (5, 5),
                {},
                TypeError,
                '`rule` has no default, because .*: say rule="coco" or rule="centre"',
            ),
            ((5, 5), {"rule": "cocoa"}, ValueError, '`rule` must be one of .* Did you mean "coco"'),
            (5, {"rule": "coco"}, ValueError, r"`size` must be \(height, width\), two whole numbers; got 5"),
            ((5, 5.0), {"rule": "coco"}, ValueError, r"two whole numbers; got"),
            ((-1, 5), {"rule": "coco"}, ValueError, r"two whole numbers; got"),
            ((2**31, 2**31), {"rule": "coco"}, ValueError, r"fewer than 2\^60 pixels"),
            ((5, 5), {"rule": "coco", "threads": 0}, ValueError, "`threads` must be"),
        ],
    )
    def test_message(self, size, words, kind, message):
        with pytest.raises(kind, match=message):
            Polygons([box(0, 0, 9, 9)]).to_rle(size, **words)

    @pytest.mark.parametrize(
        "rule, far, power", [("coco", 2.0**40, 40), ("centre", -(2.0**41), 40), ("border", 2.0**30, 30)]
    )
    def test_too_far(self, rule, far, power):
        polygons = Polygons([box(0, 0, 9, 9), [0, 0, 9, 9, far, 9]])
        with pytest.raises(ValueError, match=rf'region 1, part 0, vertex 2 is too far .*"{rule}".*within ±2\^{power}'):
            polygons.to_rle((5, 5), rule=rule)
